import type { ModelRole } from '#shared/host/models.ts';
import type { Problem } from '#shared/problem.ts';
import { ACTIVITY, chooseAmong, INTERPRETER } from './choose-models.ts';

/** A file of a model, at `FOLDER/<id>/<name>`. */
export interface ModelFile {
	readonly name: string;
	/** Addresses at publisher and mirrors, in order. `.gz` is compressed; size and hash are of the content. */
	readonly urls: readonly string[];
	/** An estimate if there is no hash: `installed.json` beside the files has the exact size. */
	readonly bytes: number;
	/** Hexadecimal; null = read from the host at the first download and stored in `installed.json`. */
	readonly sha256: string | null;
	/** Address of Mozilla's list of hashes, keyed by the path of each file at the same host. */
	readonly catalogue?: string;
	/** The file is an archive with this npm package. */
	readonly package?: string;
}

export interface Model {
	/** Such as `whisper-tiny.en`, `mozilla-en-pt`, `silero-v5`. */
	readonly id: string;
	readonly role: ModelRole;
	/** A translator has two: from and to. */
	readonly languages: readonly string[];
	readonly licence: string;
	/** The published quality; empty = not published. */
	readonly quality: string;
	readonly files: readonly ModelFile[];
	/** Of packages: the hash of everything that is unpacked from them (`hashOfFiles`). */
	readonly contents?: string;
}

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

const silero: Model = {
	id: ACTIVITY,
	role: 'activity',
	languages: [],
	licence: 'MIT',
	quality: '',
	files: [
		{
			name: 'silero_vad_v5.onnx',
			urls: [
				'https://raw.githubusercontent.com/snakers4/silero-vad/v5.1.2/src/silero_vad/data/silero_vad.onnx',
			],
			bytes: 2_327_524,
			sha256: '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
		},
	],
};

/** Languages that Whisper's multilingual models recognise. */
const HEARD = words(
	`af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja
	jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su
	sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh`,
);

interface Size {
	readonly name: string;
	readonly revision: string;
	readonly languages: readonly string[];
	/** Encoder, decoder, tokens: size and hash. */
	readonly files: readonly (readonly [number, string])[];
}

const sizes: readonly Size[] = [
	{
		name: 'tiny.en',
		revision: 'd026532c022fa99fd789d6b32446a1df7b6bfc43',
		languages: ['en'],
		files: [
			[12_937_772, '0ce578b827c94a961aacb8fa14b02f096504b337e5c94be37c36238cbe3e8bc6'],
			[89_853_865, '06c0e6ff6348d427e51839219d1c886c18cfdf411e629e33f5e1679bff9c1527'],
			[835_554, '306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930'],
		],
	},
	{
		name: 'base',
		revision: 'bb53ee204431c90d314c1cc08d28d23e5b7927cc',
		languages: HEARD,
		files: [
			[29_120_534, '0b8fb1304b6109976038efff5ace81720e00386f3ff6b54ee8c75291ca0a1e11'],
			[130_672_026, '9759d217388a01b3a4c7c15533201067b48ae819c4daafc8624e64b9409dc02d'],
			[816_730, 'b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126'],
		],
	},
	{
		name: 'small',
		revision: '8f3c18b358db4d1f2fc1eae49d75cd20989e4309',
		languages: HEARD,
		files: [
			[112_442_483, '4cbe7b22fa9026b843b60a68640c747de05bafb1a11b57edc0e66c232d9f33a9'],
			[262_226_114, 'acad50b5c782696e91b55914cc5ab4f756f1532f76e22aa6fc615f39fb69a8ee'],
			[816_730, 'b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126'],
		],
	},
];

function whisper({ name, revision, languages, files }: Size): Model {
	return {
		id: `whisper-${name}`,
		role: 'recogniser',
		languages,
		licence: 'MIT',
		quality: '',
		files: ['encoder.int8.onnx', 'decoder.int8.onnx', 'tokens.txt'].map((part, i) => {
			const [bytes = 0, sha256 = null] = files[i] ?? [];
			const file = `${name}-${part}`;
			const url = `https://huggingface.co/csukuangfj/sherpa-onnx-whisper-${name}/resolve/${revision}/${file}`;
			return { name: file, urls: [url], bytes, sha256 };
		}),
	};
}

/** Address of Mozilla's translation models. */
const MOZILLA = 'https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data';

/** Mozilla's models: language pair and the training run that produced the model. */
const RUNS = words(`
	ar-en/retrain_base-memory_X9fDxFreTOCslPKzb1CXTg az-en/h1-2025_Tm4nvtoLQnakAWSGhBZ-eA be-en/h1-2025_ARgOSPOSRVmOWTwFvRVOjA
	bg-en/retrain_hr_WvwHu4k6TgmJ2YTvL4Mu2g bn-en/h1-2025_XcpBlhA1SyOJCH2UzoIMyQ bs-en/spring-2024_ArlZLOUDTlqbe5WcnWGt_A
	ca-en/target-side-dedup_xxxxxxxxRxSxxxxxxxxxxA cs-en/retrain_hr_EwWhUov8TP6D_oolATvbUA da-en/spring-2024_U1vVpsWWT-K4L9pRfP1K1g
	de-en/retrain_hr2_WZOW24i4QJmIib61LeHfwg el-en/spring-2024_RJucgx7LRMKB9E4oSSzdtA en-ar/retrain_base-memory_G3CmhwG_TZext3cys-udHg
	en-az/h1-2025_fu1HFuR0QY-zVBcKYQkJIA en-bg/retrain_hr_eAF9fkYRScmBmvvfdT4XWw en-bn/h1-2025_TYlSskC_Sk6lBlfWRetXmg
	en-ca/short-sentences_dqpjVFEaT2WLVB2nV0_H2g en-cs/retrain_hr_F_JF0vqvSjSwn3caQQcicA en-da/spring-2024_XUm0Ij8WSfabkKeKA_Xv_g
	en-de/retrain_hr_fix_names_SCgGhxUPQ2WAECHLRtzrMg en-el/spring-2024_Y3ThG3XkTxG4ROUQK2LpVg
	en-es/retrain_hr_fix_names_CUAEXUHoQum_cFqh-ZAryw en-et/retrain_hr_GubU3EaMRY2VkR8p1dPUNw en-fa/h1-2025_c_TYU1BOTByxOnnkAunO7g
	en-fi/retrain_hr_b45LsGaNQFyDRhHAvBbKrA en-fr/retrain_hr_NLIxDbE1TBGyOTI-zwZagw en-gu/h1-2025_Na2-WpCIR1Sdy17l-XDeLA
	en-he/h1-2025_QtanzRiDRISacRVw4WzWYQ en-hi/h1-2025_KoJuCNf_Q42R2Bz6j2jlOQ en-hr/spring-2024_NcLX56D4SuSpByVVfuAHJQ
	en-hu/h1-2025_J8_9zNmQT2GfHg7_heOI_Q en-id/spring-2024_bbjDBFoDTNGSUo2if3ET_A en-is/docmt-vocab_EkZBaZqDS5Cce_lC2BpxlA
	en-it/retrain_hr_fix_names_GPSr_u8PSmC9fOx1ZDCHoA en-ja/llmaat_finetune10M_qe8_f2_ApiGGQIwTKuF9i_k3n9Q2Q
	en-kn/h1-2025_DDVsjRwsQ8GL3-JAiAmmfQ en-ko/cjk_hplt2_Fzrv_XPwTs6KVNkktUeuOA en-lt/h1-2025_CpawQ31iTrmnax9Xi0DkBw
	en-lv/h1-2025_L9sajlF2TCKfEzDro4tK3Q en-ml/h1-2025_UylcthuMRoelqd6lsCbXJw en-ms/h1-2025_Ba76abX1Qtums6Vbv95tzg
	en-nl/retrain_hr_fix_names_fR8XhBiBQniIbi4I_ebJ2Q en-no/h1-2025_A0d8NsivR6Szy2dI4Nz6FQ
	en-pl/retrain_hr_fix_names_YmTlfuUsSKCbUp75UXaUuw en-pt/retrain_hr_fix_names_Vnb0RUXTTd67hR-oLHM3eg
	en-ro/spring-2024_Ov3G4D_DRJa-4qTlILkPhg en-ru/student_base_AYqN3ysXRp2EGkEqeaA5Rg en-sk/h1-2025_NbGVkenLTPiss8w800509A
	en-sl/h1-2025_Ph0DK4RhRMe7z4cLk-f7eg en-sq/h1-2025_HIreYm8_RDymI1qFdn0V5Q en-sv/spring-2024_bQQme71PS4eZRDl3NM-kgA
	en-ta/h1-2025_aPztISjSRums11fBuT--4A en-te/h1-2025_J_7yoPHaRJqsevUR512RsQ en-tr/spring-2024_LiFGeNrEQpKdNlziG2qP_A
	en-uk/docmt-vocab_a2OVwdI-Sg-SBZ_0Joqb0w en-vi/test_prompsit_Ep8JhBQ3QRizDT91JVy8KQ
	en-zh/llmaat_finetune10M_qe8_f2_ByQcSxGXQRqGi-UTxYE43g es-en/retrain_hr_HbNjJ60BTwmVTbhfFxuduA
	et-en/retrain_hr_RNXxp-Q9Q4GRExCoMAT77Q fa-en/h1-2025_dyvKzoMQToKWHx7bbP-TtQ fi-en/retrain_hr_C7-zSzS7Tm6zkOfVP7k0Gw
	fr-en/retrain_hr_EFgIftH_RrCyzl5gjemVNg gu-en/h1-2025_AbHCTUgSSguJ1-Pq-XLnVA he-en/h1-2025_IZKPrf3xQaKu56F3zmH0cw
	hi-en/h1-2025_IcUQD-GbSJWB6WV08oDoEw hr-en/spring-2024_eIcYjCedS26HE07kVyt5Qw hu-en/andre_xxxxxxxxRxSxxxxxxxxxxA
	id-en/spring-2024_Yl0wXq-iQE6G9PpA3AQfcg is-en/docmt-vocab_I4Fy2MnOQHSOT4SYlCjPWw it-en/retrain_hr_d1nPDwVeSD6t-HdtWA4xNg
	ja-en/cjk_icu_base_U4VUAW3STh-bF0Sr-dX69g kn-en/h1-2025_Ql24XjW0Sp-zWsmLrV5TGQ ko-en/cjk_icu_base_BnKgBdd0Rzq87oUYN3L9-A
	lt-en/spring-2024_aAroslw9Ru-c5cam6SvLBg lv-en/spring-2024_fkUrjGNcQiWrTQ5BcYbkgg ml-en/h1-2025_Ahkzk6jNTAut7rz6laKkGQ
	ms-en/h1-2025_afzwIUAqQRWx5PtvozOHnw nl-en/retrain_hr_JbTCb42HREGvK8d6aOCjFQ no-en/h1-2025_YKogHXi6Q4es3P7fEWEaBw
	pl-en/retrain_hr_HLLa6ZwsSomB0kyBr7Iz6w pt-en/retrain_hr_drxrs5bGSsOWvfK9lyZISw ro-en/spring-2024_RwH0W_MDRK2BmZA6VzAmBg
	ru-en/spring-2024_QrcdYgbwS7e7xbhtOSdoNQ sk-en/spring-2024_TD01UwWXRKacv3wnYeVKbg sl-en/h1-2025_TCeLyjkQRL2YbTXrUhTlAg
	sq-en/h1-2025_I8xy7KMeQoe3mMEV3umzfQ sr-en/spring-2024_H5GCfsx4SnqOP4YFIQdkdA sv-en/spring-2024_ObaRXwXeSW6HA_-J5_dE-g
	ta-en/h1-2025_SCQIuddKRXKyysmEsTGv-A te-en/h1-2025_YEapi_rWRsSUVTqbBTqupw tr-en/statmt_xxxxxxxxRxSxxxxxxxxxxA
	uk-en/spring-2024_WEPBsc-zQWSDn34b5KFscw vi-en/spring-2024_Nc0SHbrgQaiFt4_FmKBXOA zh-en/cjk_icu_base_LQeOIbF7Sbq3XA8lsRPotw`);

/** Known sizes and hashes of files, by name. Mozilla's catalogue has the others. */
const MOZILLA_FILES: Readonly<Record<string, readonly [number, string]>> = {
	'lex.50.50.enzh.s2t.bin': [4_485_184, '8575d8daa10e2dbff316dcdf8e1ce475357bcc2c92bdc63b736a2d5add22f681'],
	'model.ende.intgemm.alphas.bin': [
		31_561_787,
		'8df29d9494d19f47fd5d97c6a73474c6f657e9f81c1a607c431d02befdf3810f',
	],
	'model.enpt.intgemm.alphas.bin': [
		31_561_787,
		'07892fd2544ee79dcb643615d8f2debb9793fae16842e87c328e27a3dd26a770',
	],
	'model.enzh.intgemm.alphas.bin': [
		43_849_787,
		'4e5accc141373565ddc8fa1565bceaa8d0c3482a82cab8131c719ebcc6c2157c',
	],
	'model.pten.intgemm.alphas.bin': [
		31_561_787,
		'7b854f1ec5a485dd33efd7c1bc01dd7d5a57f566957c5e47722af333f0ce9157',
	],
	'srcvocab.enzh.spm': [806_952, 'bd9b65504acc6d9726dd281f7defc2adb7c2c22d0688fe2f84697de25197c8c5'],
	'trgvocab.enzh.spm': [772_004, 'aded6993c36e440284d11cec3f6b8aef9c0e43188a772d80be342a713adf223d'],
};

/** Quality as published with FLORES-200+. */
const COMET: Readonly<Record<string, string>> = {
	'cs-en': '0.875',
	'da-en': '0.892',
	'de-en': '0.881',
	'el-en': '0.855',
	'en-cs': '0.891',
	'en-de': '0.867',
	'en-es': '0.854',
	'en-fi': '0.908',
	'en-fr': '0.865',
	'en-pt': '0.889',
};

/** Pairs with two vocabularies instead of one. */
const SPLIT = ['en-ja', 'en-zh'];

/** The larger kind of model, `base-memory`; the others are about half its size. */
const LARGER = /\/(retrain|cjk|student_base|short-sentences|llmaat)/;

function mozilla(run: string): Model {
	const [pair = ''] = run.split('/');
	const [from = '', to = ''] = pair.split('-');
	const infix = from + to;
	const isSplit = SPLIT.includes(pair);
	const file = (name: string, estimate: number): ModelFile => {
		const [bytes, sha256] = MOZILLA_FILES[name] ?? [estimate, null];
		const urls = [`${MOZILLA}/models/${run}/exported/${name}.gz`];
		return { name, urls, bytes, sha256, catalogue: `${MOZILLA}/db/models.json` };
	};
	const model = isSplit ? 43_849_787 : LARGER.test(run) ? 31_561_787 : 17_140_836;
	return {
		id: `mozilla-${pair}`,
		role: 'translator',
		languages: [from, to],
		licence: 'MPL-2.0',
		quality: COMET[pair] === undefined ? '' : `COMET ${COMET[pair]}`,
		files: [
			file(`model.${infix}.intgemm.alphas.bin`, model),
			file(`lex.50.50.${infix}.s2t.bin`, 4_600_000),
			...(isSplit ? ['srcvocab', 'trgvocab'] : ['vocab']).map((kind) =>
				file(`${kind}.${infix}.spm`, 815_000),
			),
		],
	};
}

/** Piper's voices with a licence for every use, one per language. Optional: espeak-ng speaks all languages. */
const VOICES: readonly (readonly [place: string, licence: string, sha256: string, bytes?: number])[] = [
	['en_US/joe/medium', 'CC0-1.0', '58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06'],
	['es_ES/davefx/medium', 'CC0-1.0', '6658b03b1a6c316ee4c265a9896abc1393353c2d9e1bca7d66c2c442e222a917'],
	['fr_FR/siwis/medium', 'CC-BY-4.0', '641d1ab097da2b81128c076810edb052b385decc8be3381814802a64a73baf99'],
	['de_DE/thorsten/medium', 'CC0-1.0', '7e64762d8e5118bb578f2eea6207e1a35a8e0c30595010b666f983fc87bb7819'],
	['pt_BR/faber/medium', 'CC0-1.0', '858555e3a064209c57088fe6bd70c4c3dc54d03eaa00c45d5ecaf43a33f95aa7'],
	['nl_BE/nathalie/medium', 'CC0-1.0', '49cf48023861f9fd42e13a8632f068fee67d1ce244a6ee38f29595afbf0a6be4'],
	['pl_PL/darkman/medium', 'CC0-1.0', 'db505438a5364e8e2e0242c4324130a873ed660dfbe8d9689cef428ffb1b645f'],
	['ru_RU/denis/medium', 'CC0-1.0', '15fab56e11a097858ee115545d0f697fc2a316c41a291a5362349fb870411b0a'],
	['cs_CZ/jirka/medium', 'CC0-1.0', 'cbd5c900acacc8e8cbecd64347abb8de39c00a9d3104bed06fee92e4f319efc8'],
	[
		'sv_SE/nst/medium',
		'CC0-1.0',
		'df011f56825a59dd1efc080c38a65a1ef70407e60f63050e9246f43a3d7e471e',
		63_104_526,
	],
	['da_DK/talesyntese/medium', 'CC0-1.0', 'b9271efd25f7b8494bbd28d48dd675c8c119daa284f3ee488008935f515f1241'],
	['no_NO/talesyntese/medium', 'CC0-1.0', 'b763aebe02e72c4628c4074c4b8b448f05ffe523b975bfcd58e2c5d531270c13'],
	['fi_FI/harri/medium', 'CC0-1.0', 'a44167faa34caed940e4fcad139fcc35922266b2593bcebe77701774c0fb2389'],
	['ro_RO/mihai/medium', 'CC0-1.0', 'e0608bbbd53c80267c09ece681b09f5199f54e792356684c8073738e5f15d29f'],
	['hu_HU/anna/medium', 'CC0-1.0', '968c0c3a66cb667811242cc88653bff9247395fc7a0517fbeef7d8c08cdae62a'],
	['sk_SK/lili/medium', 'CC0-1.0', 'd8e21603e0165252849efe0bcb3fbffd1b3193c36bd1f556e1106911e8015526'],
	[
		'sl_SI/artur/medium',
		'CC-BY-4.0',
		'9222ed93ef425524ad4be0b083369af8ea8db18455576a6016b154192f4ed38c',
		63_200_492,
	],
	[
		'ca_ES/upc_ona/medium',
		'CC-BY-SA-3.0',
		'fdb652db8c11a4475527346cf3241cb064d1ba393cf370f3f2ec09a872d118fd',
	],
	['vi_VN/vais1000/medium', 'CC-BY-4.0', 'ec7c89e2c85f4d1edc24b6120c18aaf1bda614f06b511567eb9c7c0de15e2dab'],
];
/** Size of a voice of medium quality with one speaker. */
const VOICE_BYTES = 63_201_294;

/**
 * Files that the interpreter adds to the models' folder for its voices. They are removed with the last voice.
 */
export const VOICE_DATA = 'espeak-ng-data';

/** Address of Piper's voices. */
const PIPER = 'https://huggingface.co/rhasspy/piper-voices/resolve/v1.0.0';

function piper([place, licence, sha256, bytes = VOICE_BYTES]: (typeof VOICES)[number]): Model {
	const name = place.replaceAll('/', '-');
	const language = name.slice(0, 2);
	const urls = [`${PIPER}/${language}/${place}/${name}.onnx`];
	return {
		id: `piper-${name}`,
		role: 'voice',
		languages: [language],
		licence,
		quality: '',
		files: [{ name: `${name}.onnx`, urls, bytes, sha256 }],
	};
}

const SHERPA_VERSION = '1.13.8';
/** Packages that the interpreter needs on every system: version, size and hash as npm publishes them. */
const PACKAGES: readonly Package[] = [
	[
		'sherpa-onnx-node',
		SHERPA_VERSION,
		11_954,
		'db2a7b8b18d950b6e9ca5c1c919afec33fd3dd2bfef1aade0bea5a9fe7a1f0f1',
	],
	[
		'@echogarden/espeak-ng-emscripten',
		'0.3.5',
		12_528_264,
		'6b0bac048e123de9a690e3fe79346ed377c18797e9b09c3e0d8761a3ac00abe6',
	],
	[
		'@browsermt/bergamot-translator',
		'0.4.9',
		1_852_075,
		'9011be93222d839d7448ffdf00549d53ce8f541fd782ffc79779d1756397c41f',
	],
];
/** sherpa-onnx's machine code by system: size and hash, and the hash of all that is unpacked. */
const SYSTEMS: Readonly<Record<string, readonly [bytes: number, sha256: string, contents: string]>> = {
	'linux-x64': [
		11_089_653,
		'13291bcd825da5858ca27a35443e9a2c229a40616c0910086de2db12c5c9312c',
		'1883757afb6435c1589e3919da1dcbb4b6d9930912b9fb12c0a5a299c4601ad5',
	],
	'linux-arm64': [
		13_910_679,
		'e1671ad6e94e51947229a5736d06022780f3fba967da8d917173cd9765902ee8',
		'cdf0ddc9e9df2b7d5df086cadfe14432d0a15e48aa2453a2e22b1886d7c2ca87',
	],
	'darwin-x64': [
		11_191_481,
		'3e583d3423160cb8a0f9316008e293ad9a6b66c63e1966ad399a88300390fbaa',
		'c8f040d489641669f6e2b381caf927b9c24c27db2429d6eca42082cce7397808',
	],
	'darwin-arm64': [
		10_047_754,
		'e1abc1d9676478996574de922e55714d80b4500b860bc4e7349aa01cd0ea4929',
		'0e41185dc849522a5884a36688ac15262e877e7fd8f6ad2b98ccf043624d50b5',
	],
	'win-x64': [
		8_894_875,
		'fe522f02a5c113c2567a43982107ef41ae517f9a431931e90731e7e4d4341073',
		'5c89da9de4748354a8c9a0ac6338a1ef04be3da2c3da261a24fbd2219f0b6ecd',
	],
	'win-ia32': [
		7_698_196,
		'2e44e7bf0b0935ca8d9ad4967a9d8f6cf70b68b97eec8de1fde19e5cb3859128',
		'cfd3754a521497967d6a8ec4db1989f5b9bf2cf2d802041129e47a0add2fb640',
	],
};

type Package = readonly [name: string, version: string, bytes: number, sha256: string];

function archive([name, version, bytes, sha256]: Package): ModelFile {
	const file = `${name.replace(/^.*\//, '')}-${version}.tgz`;
	return { name: file, urls: [`https://registry.npmjs.org/${name}/-/${file}`], bytes, sha256, package: name };
}

function interpreter(packages: readonly Package[], contents: string): Model {
	return {
		id: INTERPRETER,
		role: 'interpreter',
		languages: [],
		licence: 'GPL-3.0, Apache-2.0, MPL-2.0',
		quality: '',
		files: packages.map(archive),
		contents,
	};
}

/** The published models. */
export const models: readonly Model[] = [
	silero,
	...sizes.map(whisper),
	...RUNS.map(mozilla),
	...VOICES.map(piper),
];

const byId: ReadonlyMap<string, Model> = new Map(models.map((model) => [model.id, model]));

/**
 * Whether every file of a model exists; while a model is being downloaded, none of its final file names exists.
 */
export function isWhole({ id, files }: Model, has: (id: string, file: string) => boolean): boolean {
	return files.every(({ name }) => has(id, name));
}

/**
 * The models for a computer, and why it cannot interpret. The packages of the interpreter are among them unless npm
 * has installed them, which `resolve` tells by not throwing.
 */
export function modelsFor(
	{ platform, arch }: { readonly platform: string; readonly arch: string },
	resolve: (file: string) => unknown,
): { readonly models: readonly Model[]; readonly problem: Problem | null } {
	const system = `${platform === 'win32' ? 'win' : platform}-${arch}`;
	const code = `sherpa-onnx-${system}`;
	try {
		for (const name of [...PACKAGES.map(([name]) => name), code]) resolve(`${name}/package.json`);
		return { models, problem: null };
	} catch {
		const [bytes, sha256, contents] = SYSTEMS[system] ?? [];
		if (!bytes || !sha256 || !contents)
			return {
				models,
				problem: { kind: 'sandbox-failed', local: true, reason: `not made for ${system}` },
			};
		const packages: readonly Package[] = [...PACKAGES, [code, SHERPA_VERSION, bytes, sha256]];
		return { models: [interpreter(packages, contents), ...models], problem: null };
	}
}

/** Undefined = no model has this id. */
export function modelById(id: string): Model | undefined {
	return byId.get(id);
}

export const { translatorsOf, voiceFor, recogniserOf, neededFor } = chooseAmong(models);
