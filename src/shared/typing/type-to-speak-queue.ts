import type { Problem, ProblemKind } from '#shared/problem.ts';

/**
 * The queue of typed texts to be spoken. Pure: no clock, no I/O; an event that does not fit changes nothing.
 *
 * ```
 *            its turn          sound is heard        heard to its end
 *   waiting ──────────► making ──────────────► speaking ──────────────► spoken
 *      ▲  │               │  │                    │  │
 *      │  └───cancel──────┼──┴──────► cancelled ◄─┘  │
 *      └── again ◄────────┴───► failed ◄─────────────┘
 * ```
 * One text is spoken at a time, over a stream for its language and voice, which is opened when first needed and
 * closed after an idle time. If the stream is lost, a text that was not audible yet is spoken again
 * automatically; one that was interrupted is not, or words would be repeated.
 */
export interface SpeechQueue {
	/** In the order of typing, including finished ones. */
	readonly texts: readonly QueuedText[];
	/** The last number assigned to a text or a stream. */
	readonly serial: number;
	readonly stream: StreamUse;
	/** No text starts until the user resumes, because the next one would meet the same problem. */
	readonly halted: Problem | null;
	/** Texts removed by the last clearing. */
	readonly cleared: readonly QueuedText[];
}

export interface SpokenVoice {
	readonly language: string;
	readonly voiceId: string;
	/** Language of the text if it is translated before it is spoken. Default: spoken as typed. */
	readonly from?: string | undefined;
}

export interface QueuedText extends SpokenVoice {
	readonly id: string;
	readonly text: string;
	/** The words spoken instead of the text, as far as they are known. */
	readonly translation?: string;
	readonly state: TextState;
	/** Number of automatic attempts so far. */
	readonly tries: number;
}

export type TextState =
	| { readonly is: 'waiting' }
	| { readonly is: 'making'; readonly sinceMs: number }
	| { readonly is: 'speaking' }
	| { readonly is: 'spoken' }
	| { readonly is: 'cancelled' }
	/** `partly`: some of the text was audible. */
	| { readonly is: 'failed'; readonly problem: Problem; readonly partly: boolean };

export type StreamUse =
	| { readonly is: 'none' }
	| { readonly is: 'opening'; readonly id: number; readonly voice: SpokenVoice }
	/** `idleMs`: since when the stream is idle; null = in use. */
	| {
			readonly is: 'open';
			readonly id: number;
			readonly voice: SpokenVoice;
			readonly idleMs: number | null;
	  };

export type QueueEvent =
	| ({ readonly type: 'typed'; readonly text: string } & SpokenVoice)
	| { readonly type: 'cancel'; readonly id: string }
	| { readonly type: 'cancel-all' }
	/** Repeats a text: a failed or cancelled one waits again, a spoken one is added again at the end. */
	| { readonly type: 'again'; readonly id: string }
	| { readonly type: 'go-on' }
	| { readonly type: 'clear' }
	| { readonly type: 'undo-clear' }
	/** Another account or conversation, or the end: speaking stops, and the stream is closed. */
	| { readonly type: 'silence' }
	| { readonly type: 'stream-opened'; readonly stream: number }
	| { readonly type: 'stream-lost'; readonly stream: number; readonly problem: Problem }
	/** The next sentence of the words spoken instead of the text. */
	| { readonly type: 'translated'; readonly id: string; readonly text: string }
	| { readonly type: 'sounding'; readonly id: string }
	| { readonly type: 'played'; readonly id: string }
	| { readonly type: 'failed'; readonly id: string; readonly problem: Problem; readonly partly: boolean }
	/** Time has passed; due at `queueDueMs`. */
	| { readonly type: 'tick' };

export type QueueEffect =
	| ({ readonly do: 'open-stream'; readonly stream: number } & SpokenVoice)
	| { readonly do: 'close-stream'; readonly stream: number }
	| { readonly do: 'speak'; readonly stream: number; readonly id: string; readonly text: string }
	/** Ignores audio of the text that arrives later. */
	| { readonly do: 'drop'; readonly stream: number; readonly id: string };

export interface QueueStep {
	readonly queue: SpeechQueue;
	readonly effects: readonly QueueEffect[];
}

export const emptyQueue: SpeechQueue = {
	texts: [],
	serial: 0,
	stream: { is: 'none' },
	halted: null,
	cleared: [],
};

/** An unused socket is closed after this long, ms. */
export const IDLE_MS = 60_000;
/** Main gives up on a silent service sooner; after this time no answer will arrive, ms. */
export const MAKING_LIMIT_MS = 180_000;
/** Maximum number of texts kept; the oldest finished ones are removed first. */
export const TEXTS_KEPT = 500;
const TRIES = 2;
/** Problems of a single text; any other problem would affect the next text too. */
const OF_ITS_OWN: ReadonlySet<ProblemKind> = new Set(['task-refused', 'timed-out', 'output-blocked']);

export function isOver({ state }: QueuedText): boolean {
	return state.is === 'spoken' || state.is === 'cancelled' || state.is === 'failed';
}

export function stepQueue(queue: SpeechQueue, event: QueueEvent, nowMs: number): QueueStep {
	return advance(react(queue, event, nowMs), nowMs);
}

/** When a `tick` is due; null = never without an event. */
export function queueDueMs({ texts, stream }: SpeechQueue): number | null {
	const making = texts.find(({ state }) => state.is === 'making')?.state;
	if (making?.is === 'making') return making.sinceMs + MAKING_LIMIT_MS;
	return stream.is === 'open' && stream.idleMs !== null ? stream.idleMs + IDLE_MS : null;
}

function react(queue: SpeechQueue, event: QueueEvent, nowMs: number): QueueStep {
	switch (event.type) {
		case 'typed':
			return only(add({ ...queue, halted: null }, event));
		case 'cancel':
			return cancel(queue, ({ id }) => id === event.id);
		case 'cancel-all':
			return cancel({ ...queue, halted: null }, () => true);
		case 'again':
			return only(again({ ...queue, halted: null }, event.id));
		case 'go-on':
			return only({ ...queue, halted: null });
		case 'clear': {
			const cleared = queue.texts.filter(isOver);
			return only(
				cleared.length === 0
					? queue
					: { ...queue, texts: queue.texts.filter((one) => !isOver(one)), cleared },
			);
		}
		case 'undo-clear':
			return only({ ...queue, texts: [...queue.cleared, ...queue.texts], cleared: [] });
		case 'silence': {
			const { queue: next, effects } = cancel({ ...queue, halted: null }, () => true);
			return closeStream(next, effects);
		}
		case 'stream-opened':
			if (queue.stream.is !== 'opening' || queue.stream.id !== event.stream) return only(queue);
			return only({ ...queue, stream: { ...queue.stream, is: 'open', idleMs: nowMs } });
		case 'stream-lost':
			return only(lose(queue, event.stream, event.problem));
		case 'translated':
			return only(translated(queue, event.id, event.text));
		case 'sounding':
			return only(set(queue, event.id, (one) => (one.state.is === 'making' ? { is: 'speaking' } : null)));
		case 'played':
			return only(set(queue, event.id, (one) => (isActive(one) ? { is: 'spoken' } : null)));
		case 'failed':
			return only(fail(queue, event.id, event.problem, event.partly));
		case 'tick':
			return passTime(queue, nowMs);
	}
}

/** Starts the next text if nothing else is in progress. */
function advance({ queue, effects }: QueueStep, nowMs: number): QueueStep {
	const { stream } = queue;
	if (queue.texts.some(isActive)) return { queue, effects };
	const next = queue.halted === null ? queue.texts.find(({ state }) => state.is === 'waiting') : undefined;
	if (!next) {
		// The stream being opened is no longer wanted.
		if (stream.is === 'opening') return closeStream(queue, effects);
		if (stream.is !== 'open' || stream.idleMs !== null) return { queue, effects };
		return { queue: { ...queue, stream: { ...stream, idleMs: nowMs } }, effects };
	}
	if (stream.is !== 'none' && !sameVoice(stream.voice, next)) {
		return advance(closeStream(queue, effects), nowMs);
	}
	switch (stream.is) {
		case 'none': {
			const serial = queue.serial + 1;
			const voice = voiceOf(next);
			return {
				queue: { ...queue, serial, stream: { is: 'opening', id: serial, voice } },
				effects: [...effects, { do: 'open-stream', stream: serial, ...voice }],
			};
		}
		case 'opening':
			return { queue, effects };
		case 'open': {
			const begun: QueuedText = { ...next, tries: next.tries + 1, state: { is: 'making', sinceMs: nowMs } };
			const texts = queue.texts.map((one) => (one === next ? begun : one));
			return {
				queue: { ...queue, texts, stream: { ...stream, idleMs: null } },
				effects: [...effects, { do: 'speak', stream: stream.id, id: next.id, text: next.text }],
			};
		}
	}
}

function add(queue: SpeechQueue, { text, ...voice }: SpokenVoice & { readonly text: string }): SpeechQueue {
	const serial = queue.serial + 1;
	const added: QueuedText = {
		id: `t${serial}`,
		text,
		...voiceOf(voice),
		state: { is: 'waiting' },
		tries: 0,
	};
	const texts = [...queue.texts, added];
	const oldest = texts.length > TEXTS_KEPT ? texts.find(isOver) : undefined;
	return { ...queue, serial, texts: oldest ? texts.filter((one) => one !== oldest) : texts };
}

function again(queue: SpeechQueue, id: string): SpeechQueue {
	const wanted = queue.texts.find((one) => one.id === id);
	if (!wanted || !isOver(wanted)) return queue;
	if (wanted.state.is === 'spoken') return add(queue, wanted);
	// A new id: the player drops audio that still arrives under the first one.
	const serial = queue.serial + 1;
	const { translation: _, ...typed } = wanted;
	const fresh: QueuedText = { ...typed, id: `t${serial}`, state: { is: 'waiting' }, tries: 0 };
	return { ...queue, serial, texts: queue.texts.map((one) => (one === wanted ? fresh : one)) };
}

function cancel(queue: SpeechQueue, isMeant: (one: QueuedText) => boolean): QueueStep {
	const effects: QueueEffect[] = [];
	const texts = queue.texts.map((one): QueuedText => {
		if (isOver(one) || !isMeant(one)) return one;
		if (isActive(one) && queue.stream.is === 'open')
			effects.push({ do: 'drop', stream: queue.stream.id, id: one.id });
		return { ...one, state: { is: 'cancelled' } };
	});
	return { queue: { ...queue, texts }, effects };
}

function fail(queue: SpeechQueue, id: string, problem: Problem, partly: boolean): SpeechQueue {
	const failed = set(queue, id, (one) =>
		isActive(one) ? { is: 'failed', problem, partly: partly || one.state.is === 'speaking' } : null,
	);
	if (failed === queue || OF_ITS_OWN.has(problem.kind)) return failed;
	return { ...failed, halted: problem };
}

/** Handles the text being spoken when the stream was lost, or the text for which it was being opened. */
function lose(queue: SpeechQueue, id: number, problem: Problem): SpeechQueue {
	const { stream } = queue;
	if (stream.is === 'none' || stream.id !== id) return queue;
	const without: SpeechQueue = { ...queue, stream: { is: 'none' } };
	const active = queue.texts.find(isActive);
	if (!active) {
		const first =
			stream.is === 'opening' ? queue.texts.find(({ state }) => state.is === 'waiting') : undefined;
		if (!first) return without;
		const failed = set(without, first.id, () => ({ is: 'failed', problem, partly: false }));
		return OF_ITS_OWN.has(problem.kind) ? failed : { ...failed, halted: problem };
	}
	if (active.state.is === 'making' && active.tries < TRIES)
		return set(without, active.id, () => ({ is: 'waiting' }));
	return fail(without, active.id, problem, false);
}

function passTime(queue: SpeechQueue, nowMs: number): QueueStep {
	const { stream } = queue;
	const making = queue.texts.find(({ state }) => state.is === 'making');
	if (making?.state.is === 'making' && nowMs >= making.state.sinceMs + MAKING_LIMIT_MS) {
		const problem: Problem = { kind: 'timed-out', what: 'speak', afterMs: MAKING_LIMIT_MS };
		// A new stream may work, whatever is wrong with this one.
		return closeStream(fail(queue, making.id, problem, false), []);
	}
	const isIdle = stream.is === 'open' && stream.idleMs !== null && nowMs >= stream.idleMs + IDLE_MS;
	return isIdle ? closeStream(queue, []) : only(queue);
}

function closeStream(queue: SpeechQueue, before: readonly QueueEffect[]): QueueStep {
	const { stream } = queue;
	if (stream.is === 'none') return { queue, effects: before };
	return {
		queue: { ...queue, stream: { is: 'none' } },
		effects: [...before, { do: 'close-stream', stream: stream.id }],
	};
}

function set(queue: SpeechQueue, id: string, next: (one: QueuedText) => TextState | null): SpeechQueue {
	const one = queue.texts.find((other) => other.id === id);
	const state = one ? next(one) : null;
	if (!one || !state) return queue;
	return { ...queue, texts: queue.texts.map((other) => (other === one ? { ...one, state } : other)) };
}

function translated(queue: SpeechQueue, id: string, text: string): SpeechQueue {
	const texts = queue.texts.map((one) =>
		one.id === id && isActive(one) ? { ...one, translation: `${one.translation ?? ''} ${text}`.trim() } : one,
	);
	return { ...queue, texts };
}

function isActive({ state }: QueuedText): boolean {
	return state.is === 'making' || state.is === 'speaking';
}

function sameVoice(one: SpokenVoice, other: SpokenVoice): boolean {
	return one.language === other.language && one.voiceId === other.voiceId && one.from === other.from;
}

function voiceOf({ language, voiceId, from }: SpokenVoice): SpokenVoice {
	return { language, voiceId, ...(from !== undefined && { from }) };
}

function only(queue: SpeechQueue): QueueStep {
	return { queue, effects: [] };
}
