import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { fileOf, webAssembly } from './models.ts';
import { packagesIn } from './packages.ts';

/**
 * Matrix multiplications for which Firefox has machine code (`wasm_gemm`), and the names of slower ones in the
 * module.
 */
const MULTIPLICATIONS = {
	int8_prepare_a: 'int8PrepareAFallback',
	int8_prepare_b: 'int8PrepareBFallback',
	int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
	int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
	int8_prepare_bias: 'int8PrepareBiasFallback',
	int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
	int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
} as const;

/** Firefox's settings (browser-mt/bergamot-translator, wasm/test_page). */
const CONFIG = `beam-size: 1
normalize: 1.0
word-penalty: 0
cpu-threads: 0
gemm-precision: int8shiftAlphaAll
skip-cost: true
alignment: soft
quiet: true
quiet-translation: true
max-length-break: 128
mini-batch-words: 1024
workspace: 128
max-length-factor: 2.0
`;

interface Freed {
	delete(): void;
}
interface Memory extends Freed {
	getByteArrayView(): Int8Array;
}
interface List<Item> extends Freed {
	push_back(item: Item): void;
}
interface Response extends Freed {
	get(index: number): { getTranslatedText(): string };
}
/** The functions of the module that we use (bergamot-translator, wasm/bindings). */
interface Bergamot {
	readonly asm: Readonly<Record<string, (...args: number[]) => number>>;
	readonly AlignedMemory: new (bytes: number, alignment: number) => Memory;
	readonly AlignedMemoryList: new () => List<Memory>;
	readonly TranslationModel: new (
		config: string,
		model: Memory,
		shortlist: Memory,
		vocabularies: List<Memory>,
		quality: null,
	) => Freed;
	readonly BlockingService: new (config: {
		readonly cacheSize: number;
	}) => {
		translate(model: Freed, texts: List<string>, options: List<object>): Response;
	};
	readonly VectorString: new () => List<string>;
	readonly VectorResponseOptions: new () => List<object>;
}

interface Translator {
	/** `route` names the models to apply in turn: two if there is no direct one. */
	translate(text: string, route: readonly string[]): Promise<string>;
}

/**
 * Firefox's translation engine in WebAssembly. Its published worker does not start in Node, so this code loads
 * the module itself.
 */
export async function createTranslator(folder: string): Promise<Translator> {
	const module = await load(folder);
	const service = new module.BlockingService({ cacheSize: 0 });
	const models = new Map<string, Promise<Freed>>();

	async function memory(path: string, alignment: number): Promise<Memory> {
		const bytes = await readFile(path);
		const kept = new module.AlignedMemory(bytes.byteLength, alignment);
		kept.getByteArrayView().set(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
		return kept;
	}

	async function open(id: string): Promise<Freed> {
		const vocabularies = new module.AlignedMemoryList();
		for (const pattern of vocabularyPatterns(folder, id))
			vocabularies.push_back(await memory(fileOf(folder, id, pattern), 64));
		const model = await memory(fileOf(folder, id, /^model.*\.bin$/), 256);
		const shortlist = await memory(fileOf(folder, id, /^lex.*\.bin$/), 64);
		return new module.TranslationModel(CONFIG, model, shortlist, vocabularies, null);
	}

	function translateBy(model: Freed, text: string): string {
		const texts = new module.VectorString();
		const options = new module.VectorResponseOptions();
		texts.push_back(text);
		options.push_back({ alignment: false, html: false, qualityScores: false });
		const response = service.translate(model, texts, options);
		const translated = response.get(0).getTranslatedText();
		for (const done of [texts, options, response]) done.delete();
		return translated;
	}

	return {
		async translate(text, route) {
			let said = text;
			for (const id of route) {
				const opening = models.get(id) ?? open(id);
				models.set(id, opening);
				// A model that could not be opened may exist at the next attempt.
				opening.catch(() => models.delete(id));
				said = translateBy(await opening, said);
			}
			return said.trim();
		},
	};
}

function vocabularyPatterns(folder: string, id: string): readonly RegExp[] {
	try {
		fileOf(folder, id, /^vocab.*\.spm$/);
		return [/^vocab.*\.spm$/];
	} catch {
		return [/^srcvocab.*\.spm$/, /^trgvocab.*\.spm$/];
	}
}

async function load(folder: string): Promise<Bergamot> {
	const packages = packagesIn(folder);
	const script = packages.resolve('@browsermt/bergamot-translator/worker/bergamot-translator-worker.js');
	const [source, wasm] = await Promise.all([
		readFile(script, 'utf8'),
		readFile(join(dirname(script), 'bergamot-translator-worker.wasm')),
	]);
	return new Promise((loaded, failed) => {
		const module = {
			noExitRuntime: true,
			print() {},
			printErr() {},
			instantiateWasm(imports: object, accept: (instance: object) => void): object {
				const wasm_gemm = Object.fromEntries(
					Object.entries(MULTIPLICATIONS).map(([name, fallback]) => [
						name,
						(...args: number[]) => bergamot.asm[fallback]?.(...args),
					]),
				);
				webAssembly
					.instantiate(wasm, { ...imports, wasm_gemm })
					.then(({ instance }) => accept(instance), failed);
				return {};
			},
			onRuntimeInitialized: () => loaded(bergamot),
		};
		// The script fills the object that it receives.
		const bergamot = module as unknown as Bergamot;
		const run = runInThisContext(`(function (Module, require, __dirname, __filename) {${source}\n})`, {
			filename: script,
		}) as (module: object, ...node: unknown[]) => void;
		run(module, packages, dirname(script), script);
	});
}
