import type { CaptionRow } from '#shared/captions/segment.ts';
import { AUTO, sameLanguage, swap } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { voiceTarget } from '#shared/settings/shown-pair.ts';

/** The settings that define who speaks and hears which language. */
export type Pair = Pick<Settings, 'speak' | 'hear' | 'voiceOf' | 'detectable' | 'recentSpeak' | 'recentHear'>;

/** Number of recent languages: enough for the usual ones, few enough to see at a glance. */
const RECENT_LANGUAGES = 5;

/** Target languages that have captions but no voice, in order. */
export function captionTargets(pair: Pick<Pair, 'hear' | 'voiceOf'>): readonly string[] {
	const voice = voiceTarget(pair);
	return pair.hear.filter((code) => code !== voice);
}

export function chooseSpeak(pair: Pair, code: string): Partial<Pair> {
	return { speak: code, recentSpeak: remembered(pair.recentSpeak, code) };
}

/** Replaces the target with the voice; if the new target had captions only, removes it from that list. */
export function chooseHear(pair: Pair, code: string): Partial<Pair> {
	const others = captionTargets(pair).filter((other) => other !== code);
	return { hear: [code, ...others], voiceOf: code, recentHear: remembered(pair.recentHear, code) };
}

/** Gives the voice to a captions-only language; the language that had the voice keeps its captions. */
export function giveVoice(pair: Pair, code: string): Partial<Pair> {
	return { hear: [code, ...pair.hear.filter((other) => other !== code)], voiceOf: code };
}

export function setCaptionTargets(pair: Pair, codes: readonly string[]): Partial<Pair> {
	const voice = voiceTarget(pair);
	const wanted = codes.filter((code) => code !== voice);
	const kept = captionTargets(pair).filter((code) => wanted.includes(code));
	const added = wanted.filter((code) => !kept.includes(code));
	return { hear: [voice, ...kept, ...added], voiceOf: voice };
}

/** Whether the others' language is detected. */
export function detectsTheirs({ mode, listenDetect }: Pick<Settings, 'mode' | 'listenDetect'>): boolean {
	return listenDetect && (mode === 'listen' || mode === 'meeting');
}

/** The swapped pair; null for a detected or source-only language, or if captions are not translated. */
export function swapped(
	pair: Pair & Pick<Settings, 'mode' | 'listenDetect' | 'translateCaptions'>,
): Partial<Pair> | null {
	if (pair.mode === 'captions' && !pair.translateCaptions) return null;
	if (pair.mode === 'listen' && pair.listenDetect) return null;
	const turned = swap(pair.speak, voiceTarget(pair));
	if (!turned) return null;
	const others = captionTargets(pair).filter(
		(code) => !sameLanguage(code, turned.speak) && code !== turned.hear,
	);
	return { speak: turned.speak, hear: [turned.hear, ...others], voiceOf: turned.hear };
}

function remembered(recent: readonly string[], code: string): string[] {
	if (code === AUTO) return [...recent];
	return [code, ...recent.filter((other) => other !== code)].slice(0, RECENT_LANGUAGES);
}

/** How many of the newest rows to search; if none of them has a language, the service reports no languages. */
export const LOOKED_BACK = 200;

/** The detected language of the last final sentence, else of the partial text. `null`: nothing heard. */
export function heardLanguage(row: (index: number) => CaptionRow | undefined, rows: number): string | null {
	let open: string | null = null;
	for (let index = rows - 1; index >= Math.max(0, rows - LOOKED_BACK); index--) {
		const { source, typed } = row(index) ?? {};
		if (!source || typed || source.language === '' || source.language === AUTO) continue;
		if (source.final) return source.language;
		open ??= source.language;
	}
	return open;
}
