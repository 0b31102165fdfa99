import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { SpeakingEvent, SpeakingStream } from '#renderer/transport/speaking-stream.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Settings } from '#shared/settings/schema.ts';
import {
	emptyQueue,
	type QueueEffect,
	type QueueEvent,
	queueDueMs,
	type SpeechQueue,
	type SpokenVoice,
	stepQueue,
} from '#shared/typing/type-to-speak-queue.ts';

/** Name of the voice in the mixer; differs from every language code. */
const VOICE = 'typed';

export type TypedSpeech = ReturnType<typeof createTypedSpeech>;

/** Speaks typed texts; the interface for the features. Keeps them until cleared; decides nothing. */
export function createTypedSpeech({
	clock,
	log,
	mixer,
	openStream,
}: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly mixer: Pick<Mixer, 'setVoice' | 'selectVoice' | 'resumeVoice'>;
	readonly openStream: (voice: SpokenVoice, heard: (event: SpeakingEvent) => void) => SpeakingStream;
}) {
	const store = createStore<SpeechQueue>()(() => emptyQueue);
	const waiting: QueueEvent[] = [];
	let current: { readonly id: number; readonly stream: SpeakingStream } | null = null;
	let isStepping = false;
	let cancelTick: Cancel = () => {};

	/** Handles one event at a time, even if an effect causes the next one. */
	function dispatch(event: QueueEvent): void {
		waiting.push(event);
		if (isStepping) return;
		isStepping = true;
		try {
			for (let next = waiting.shift(); next; next = waiting.shift()) take(next);
		} finally {
			isStepping = false;
		}
		cancelTick();
		const dueMs = queueDueMs(store.getState());
		if (dueMs !== null) {
			cancelTick = clock.after(Math.max(1, dueMs - clock.now()), () => dispatch({ type: 'tick' }));
		}
	}

	function take(event: QueueEvent): void {
		const before = store.getState();
		const { queue, effects } = stepQueue(before, event, clock.now());
		if (queue !== before) store.setState(queue, true);
		if (queue.halted && queue.halted !== before.halted)
			log.warn('typed texts wait', { problem: queue.halted.kind });
		for (const effect of effects) perform(effect);
	}

	function perform(effect: QueueEffect): void {
		switch (effect.do) {
			case 'open-stream': {
				const { do: _, stream: id, ...voice } = effect;
				current = { id, stream: openStream(voice, (told) => hear(id, told)) };
				break;
			}
			case 'close-stream':
				leave(effect.stream)?.close();
				break;
			case 'speak':
				if (current?.id === effect.stream) current.stream.speak(effect.id, effect.text);
				break;
			case 'drop':
				if (current?.id === effect.stream) current.stream.drop(effect.id);
		}
	}

	/** Detaches the stream, and returns it so that the caller can close it. */
	function leave(id: number): SpeakingStream | null {
		if (current?.id !== id) return null;
		const { stream } = current;
		current = null;
		mixer.setVoice(VOICE, null);
		return stream;
	}

	function hear(id: number, event: SpeakingEvent): void {
		// Ignore events of a stream that is no longer used.
		if (current?.id !== id) return;
		switch (event.type) {
			case 'opened':
				dispatch({ type: 'stream-opened', stream: id });
				break;
			case 'lost':
				leave(id);
				dispatch({ type: 'stream-lost', stream: id, problem: event.problem });
				break;
			case 'voice':
				mixer.resumeVoice();
				mixer.setVoice(VOICE, event.track);
				mixer.selectVoice(VOICE);
				break;
			default:
				dispatch(event);
		}
	}

	return {
		store,
		/** Ignores empty texts. */
		say(text: string, voice: SpokenVoice): void {
			const trimmed = text.trim().toWellFormed();
			if (trimmed !== '') dispatch({ ...voice, type: 'typed', text: trimmed });
		},
		cancel: (id: string): void => dispatch({ type: 'cancel', id }),
		cancelAll: (): void => dispatch({ type: 'cancel-all' }),
		again: (id: string): void => dispatch({ type: 'again', id }),
		/** Continues with the waiting texts after a problem. */
		goOn: (): void => dispatch({ type: 'go-on' }),
		clear: (): void => dispatch({ type: 'clear' }),
		undoClear: (): void => dispatch({ type: 'undo-clear' }),
		/** Stops speaking and releases the socket. */
		silence: (): void => dispatch({ type: 'silence' }),
	};
}

/** Whether the user may type instead of speaking in this mode. */
export function canTypeAlong(mode: Settings['mode']): boolean {
	return mode === 'solo' || mode === 'meeting';
}

/** Texts that are being typed. They outlive their page, so that leaving it loses nothing. */
export type Drafts = StoreApi<{
	/** The text in Type to speak. */
	readonly text: string;
	/** The text in a conversation. */
	readonly sentence: string;
	/** The language of `sentence` and whether to translate it: a key of `languagesToType`; empty = the first. */
	readonly writtenIn: string;
	/** True if the box for `sentence` is shown. */
	readonly isOpen: boolean;
	/** True if the button that opens the box was just pressed, so that the box takes focus. */
	readonly isAsked: boolean;
}>;

export function createDrafts(): Drafts {
	return createStore(() => ({ text: '', sentence: '', writtenIn: '', isOpen: false, isAsked: false }));
}
