import { AUTO, baseOf } from '#shared/protocol/languages.ts';
import type { Settings } from './schema.ts';

/** Means "none" in a list of languages; no language code has this form. */
export const NO_TRANSLATION = 'none:translation';

/** Whether a box's value is a language, which has a name. */
export function isLanguage(value: string): boolean {
	return value !== '' && value !== AUTO && value !== NO_TRANSLATION;
}

/** The target whose voice is played; the first target if the setting matches none of them. */
export function voiceTarget(pair: Pick<Settings, 'hear' | 'voiceOf'>): string {
	return pair.hear.includes(pair.voiceOf) ? pair.voiceOf : (pair.hear[0] ?? '');
}

/** The values of a mode's two boxes: language codes, `AUTO`, `NO_TRANSLATION`, or nothing. */
export function shownPair(choices: Settings): { readonly spoken: string; readonly target: string } {
	const { mode, speak, listenDetect, translateCaptions } = choices;
	if (mode === 'captions') {
		const read = baseOf(voiceTarget(choices));
		return { spoken: baseOf(speak), target: translateCaptions ? read : NO_TRANSLATION };
	}
	return { spoken: speak, target: mode === 'listen' && listenDetect ? AUTO : voiceTarget(choices) };
}

/** Whether a conversation with these settings begins in a room, which needs a session; a socket needs none. */
export function needsRoom({
	service,
	mode,
	transport,
}: Pick<Settings, 'service' | 'mode' | 'transport'>): boolean {
	// The interpreter on this computer has no rooms.
	return service !== 'local' && mode !== 'captions' && transport !== 'websocket';
}
