/**
 * Language codes of the speech-to-speech service and how they compare. Codes are lower case (protocol 6.3).
 * `Intl.DisplayNames` gives a code's name in a person's language: pass it `localeTag(code)`.
 */

const codes = (list: string): readonly string[] => list.split(' ');

/** Detects the source language; never a target. */
export const AUTO = 'auto';

/** Sources the live validator accepts, `auto` included (protocol 6.1). */
export const ACCEPTED_SOURCES: ReadonlySet<string> = new Set(
	codes(
		'af am ar as auto az be bg bn bs ca ceb cs cy da de el en es et eu fa fi fil fr ga gl gu ha he hi hr hu hy id ig is it ja jv ka kk km kn ko ku ky lb lg ln lo lt lv mi mk ml mn mr ms mt my ne nl no ny or pa pl ps pt ro ru sd sk sl sn so sq sr sv sw ta te tg th tl tr ug uk ur uz vi wo xh yue zh zu',
	),
);

/** Targets the live validator accepts (protocol 6.1). */
export const ACCEPTED_TARGETS: ReadonlySet<string> = new Set(
	codes(
		'af ar ar-ae ar-sa az be bg bn bs ca cs cy da de el en en-au en-ca en-gb en-us es es-ar es-ch es-co es-eu es-la es-mx et fa fi fil fr fr-ca fr-eu gl gu he hi hr hu hy id is it ja ka kk kn ko lt lv mi mk ml mr ms ne nl no pa pl pt pt-br pt-eu pt-la ro ru sk sl sr sv sw ta te th tl tr uk ur vi zh zh-hans zh-hant',
	),
);

/** Sources offered by the documentation, without `auto` (protocol 6.2). The window lists these. */
export const OFFERED_SOURCES: readonly string[] = codes(
	'ar hy eu be bn bg yue ca zh hr cs da nl en et fil fi fr gl de el he hi hu id ga it ja kk ko lv lt mk ms mt mr mn no fa pl pt ro ru sr sk sl es sw sv ta th tr uk ur ug vi cy',
);

/** Targets offered by the documentation (protocol 6.2). The window lists these. */
export const OFFERED_TARGETS: readonly string[] = codes(
	'ar ar-sa ar-ae hy az be bs bg ca zh-hans zh-hant hr cs da nl en en-gb en-us et fil fi fr fr-ca gl de el he hi hu is id it ja kk ko lv lt mk ms no pl pt pt-br ro ru sr sk sl es es-ar es-ch es-co es-la es-mx sw sv ta th tr uk ur vi cy',
);

/** Accepted by the service but not offered (protocol 6.2): a stored choice of one of these remains valid. */
export const HIDDEN_TARGETS: readonly string[] = codes('zh en-au en-ca');

/**
 * Sources of speech to text, with `auto`; it translates into the same languages except `auto` (protocol 6.4).
 */
export const TRANSCRIBED_SOURCES: readonly string[] = codes('auto ar zh nl en fr de hi it ja ko pt ru es');
export const TRANSCRIBED_TARGETS: readonly string[] = TRANSCRIBED_SOURCES.filter((code) => code !== AUTO);

/** Text to speech (protocol 6.4). */
export const SPOKEN_LANGUAGES: readonly string[] = codes(
	'en en-us en-gb cs de es es-eu es-la fi fr fr-eu fr-ca hi id it ko nl pl pt pt-eu pt-la ro ru sk sv tr',
);

/** The variant that a code without a region means as a target (protocol 6.3). */
const PLAIN_TARGET: ReadonlyMap<string, string> = new Map([
	['en', 'en-us'],
	['zh', 'zh-hans'],
]);

/** Service codes whose region differs from BCP 47: `es-ch` is Chile, `-la` Latin America, `-eu` Europe. */
const TAGS: ReadonlyMap<string, string> = new Map([
	['es-ch', 'es-CL'],
	['es-la', 'es-419'],
	['es-eu', 'es-ES'],
	['fr-eu', 'fr-FR'],
	['pt-eu', 'pt-PT'],
	['pt-la', 'pt-419'],
	['zh-hans', 'zh-Hans'],
	['zh-hant', 'zh-Hant'],
	[AUTO, 'und'],
]);

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(codes('ar he fa ur ug ps sd yi dv ckb'));

/** The code without its region or script: `en-us` → `en`. */
export function baseOf(code: string): string {
	const lower = code.trim().toLowerCase();
	const cut = lower.search(/[-_]/);
	return cut === -1 ? lower : lower.slice(0, cut);
}

/** Whether two codes mean the same language, ignoring regions. `auto` matches nothing. */
export function sameLanguage(a: string, b: string): boolean {
	const base = baseOf(a);
	return base !== AUTO && base === baseOf(b);
}

export interface LanguagePair {
	readonly speak: string;
	readonly hear: string;
}

/** The pair reversed (protocol 6.3), or `null`: `auto` is no target, and some languages only sources. */
export function swap(speak: string, hear: string): LanguagePair | null {
	const source = speak.trim().toLowerCase();
	const base = baseOf(source);
	const wanted = PLAIN_TARGET.get(source) ?? source;
	const target = isOfferedTarget(wanted) ? wanted : (PLAIN_TARGET.get(base) ?? base);
	const nextSpeak = baseOf(hear);
	if (!isOfferedTarget(target) || !ACCEPTED_SOURCES.has(nextSpeak)) return null;
	return { speak: nextSpeak, hear: target };
}

function isOfferedTarget(code: string): boolean {
	return OFFERED_TARGETS.includes(code) || HIDDEN_TARGETS.includes(code);
}

/** Which of `targets` matches a message's language: exactly, else by base (protocol 4.6). `null` = none. */
export function matchLanguage(language: string, targets: readonly string[]): string | null {
	const said = language.toLowerCase();
	const base = baseOf(said);
	return (
		targets.find((target) => target.toLowerCase() === said) ??
		targets.find((target) => target.toLowerCase() === PLAIN_TARGET.get(said)) ??
		targets.find((target) => baseOf(target) === base) ??
		null
	);
}

const TRACK_PREFIX = 'translation_';

/**
 * Which of `targets` an audio track speaks, according to its name `translation_<code>` with or without a suffix
 * (protocol 4.3): an exact match first, then the longest target with which the name starts.
 * `translation_zh-hant` does not match `zh`. `null` = not one of our voices.
 */
export function matchTarget(trackName: string, targets: readonly string[]): string | null {
	const name = trackName.toLowerCase();
	if (!name.startsWith(TRACK_PREFIX)) return null;
	const rest = name.slice(TRACK_PREFIX.length);
	const spoken = longestPrefix(rest, [...ACCEPTED_TARGETS, ...targets.map((target) => target.toLowerCase())]);
	if (spoken === null) return null;
	return (
		targets.find((target) => target.toLowerCase() === spoken) ??
		targets.find((target) => PLAIN_TARGET.get(target.toLowerCase()) === spoken) ??
		null
	);
}

/** The longest of `known` that starts `text`; the rest must not continue a word: `fil` does not match `fi`. */
function longestPrefix(text: string, known: readonly string[]): string | null {
	let longest: string | null = null;
	for (const code of known) {
		if (!text.startsWith(code) || /^[a-z]/.test(text.slice(code.length))) continue;
		if (longest === null || code.length > longest.length) longest = code;
	}
	return longest;
}

export function isRightToLeft(code: string): boolean {
	return RIGHT_TO_LEFT.has(baseOf(code));
}

/** Value of `dir`, by language: a sentence may begin with a foreign name. `auto` if it is unknown. */
export function directionOf(code: string): 'ltr' | 'rtl' | 'auto' {
	if (isRightToLeft(code)) return 'rtl';
	return localeTag(code) === 'und' ? 'auto' : 'ltr';
}

/** BCP 47 tag of a service code, for `lang` attributes and `Intl`: `es-ch` → `es-CL`. `und` for an invalid code. */
export function localeTag(code: string): string {
	const lower = code.trim().toLowerCase().replaceAll('_', '-');
	const known = TAGS.get(lower);
	if (known !== undefined) return known;
	const parts = /^([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?$/.exec(lower);
	if (parts === null) return 'und';
	const [, language = 'und', script, region] = parts;
	const tag = [language];
	if (script !== undefined) tag.push(script.charAt(0).toUpperCase() + script.slice(1));
	if (region !== undefined) tag.push(region.toUpperCase());
	return tag.join('-');
}

/** `localeTag` without region: all English is one choice for readers; the Chinese scripts are two. */
export function readersTag(code: string): string {
	return localeTag(code).replace(/-(?:[A-Z]{2}|\d{3})$/, '');
}
