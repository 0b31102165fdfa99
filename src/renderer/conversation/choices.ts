import { detectsTheirs } from '#renderer/languages/language-pair.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { expertHere } from '#shared/conversation/presets.ts';
import type { SocketOpening } from '#shared/host/streams.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import { AUTO, baseOf, matchLanguage, swap } from '#shared/protocol/languages.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { needsRoom } from '#shared/settings/shown-pair.ts';
import type { Travel } from './controller.ts';

/** Each task carries at most this many of the newest corrections. */
const MOST_SENT = 500;

export function choicesOf(settings: Settings): Choices {
	const { mode, speak, detectable, voiceOf, voices, preset, glossaries } = settings;
	const hear = mode === 'captions' && !settings.translateCaptions ? [] : settings.hear;
	const here = settings.service === 'local' && {
		expert: expertHere(settings),
		...(settings.corrections.length > 0 && { correctedHere: settings.corrections.slice(-MOST_SENT) }),
	};
	const choices: Choices = {
		mode,
		speak,
		detectable,
		hear,
		voiceOf,
		voices,
		glossaries,
		preset,
		expert: settings.expert,
		...here,
	};
	if (detectsTheirs(settings)) return { ...choices, detectTheirs: true };
	return mode === 'face' ? faceToFace(choices, settings) : choices;
}

/** Exactly two languages: a session for each direction, or one session that detects the spoken language. */
function faceToFace(choices: Choices, settings: Settings): Choices {
	const { speak, hear, voiceOf } = choices;
	const theirs = matchLanguage(voiceOf, hear) ?? hear[0] ?? '';
	const pair = { ...choices, hear: theirs === '' ? [] : [theirs], voiceOf: theirs };
	if (settings.faceTalk === 'hold' && !settings.faceOneSession) return pair;
	const back = swap(speak, theirs);
	if (!back) return { ...pair, speak: '', hear: [], voiceOf: '' };
	const detectable = [baseOf(speak), back.speak];
	return { ...pair, speak: AUTO, detectable, hear: [theirs, back.hear], bothWays: true };
}

export function sameChoices(one: Choices, other: Choices): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

const legsByMode: { readonly [Mode in Settings['mode']]: readonly LegName[] } = {
	solo: ['outgoing'],
	meeting: ['outgoing', 'incoming'],
	listen: ['incoming'],
	face: ['outgoing', 'incoming'],
	captions: ['outgoing'],
	type: ['outgoing'],
};

/** Which directions run in a mode, the more important one first. */
export function legsOf(mode: Settings['mode']): readonly LegName[] {
	return legsByMode[mode];
}

/** The choices for each direction; null: the direction does not run. */
export function planOf(choices: Choices): { readonly [Name in LegName]: Choices | null } {
	const legs: readonly LegName[] = choices.bothWays ? ['outgoing'] : legsOf(choices.mode);
	return {
		outgoing: legs.includes('outgoing') ? choices : null,
		incoming: legs.includes('incoming') ? turned(choices) : null,
	};
}

export function wantedLegs(settings: Settings): readonly LegName[] {
	const plan = planOf(choicesOf(settings));
	return legNames.filter((leg) => plan[leg] !== null);
}

/** The choices of the opposite direction (protocol 6.3). An impossible target is left empty. */
function turned(choices: Choices): Choices {
	const { speak, hear, voiceOf } = choices;
	const theirs = matchLanguage(voiceOf, hear) ?? hear[0] ?? '';
	const other = swap(speak, theirs);
	if (!other) return { ...choices, speak: '', hear: [], voiceOf: '' };
	const spoken = choices.detectTheirs ? AUTO : other.speak;
	return { ...choices, speak: spoken, hear: [other.hear], voiceOf: other.hear };
}

/** Shorter pieces mean less delay but more packets; the documented length is 320 ms (protocol 5.1.2). */
const FAST_CHUNK_MS = 100;

/** The route for these settings. Captions-only mode and interpreting on this computer can use sockets only. */
export function travelOf(
	settings: Pick<Settings, 'service' | 'mode' | 'transport'>,
	speechSocket: boolean | undefined,
): Travel {
	const { service, mode, transport } = settings;
	if (service === 'local') return { route: 'websocket', mayFallBack: false, isHere: true };
	if (mode === 'captions') return { route: 'websocket', mayFallBack: false };
	return {
		route: needsRoom(settings) ? 'webrtc' : 'websocket',
		mayFallBack: transport === 'auto' && speechSocket === true,
		socketOff: transport === 'auto' && speechSocket === false,
	};
}

export function socketOpening(settings: Settings, keepSpeech: boolean): SocketOpening {
	const chunkMs = settings.preset === 'fast' ? FAST_CHUNK_MS : SOCKET_AUDIO.chunkMs;
	if (settings.mode !== 'captions') return { purpose: 'speech-to-speech', keepSpeech, chunkMs };
	const { speak, hear } = choicesOf(settings);
	const language = speak === AUTO ? AUTO : baseOf(speak);
	return { purpose: 'speech-to-text', language, targets: [...new Set(hear.map(baseOf))], chunkMs };
}
