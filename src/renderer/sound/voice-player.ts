import type { Clock } from '#shared/lib/clock.ts';
import type { AudioEngine } from './context.ts';
import { addWorklet, createLentPort } from './worklet.ts';
import url from './worklets/voice-player.worklet.ts?worker&url';

export interface VoicePlayerState {
	readonly language: string;
	/** Sound that has not been heard yet. */
	readonly waitingMs: number;
	/** Delay left over from earlier sound that was late. */
	readonly behindMs: number;
	readonly tempo: number;
	readonly prebufferMs: number;
	readonly underruns: number;
	readonly refused: number;
	readonly skipped: number;
	readonly trimmedMs: number;
	readonly audible: boolean;
}

type Told =
	| { readonly type: 'voice'; readonly language: string; readonly output: number }
	| { readonly type: 'state'; readonly voices: readonly VoicePlayerState[] }
	/** Sent with the port: the next worklet plays `rest`. */
	| { readonly type: 'ended'; readonly rest: readonly unknown[] };

/** More target languages than a task has; an unused output costs nothing. */
const MOST_VOICES = 16;
/** Dropped sentences to remember: their last pieces arrive within a moment. */
const DROPPED_KEPT = 64;

/** Plays frames from a port (`VoiceFrame`) as one track per language, bypassing the page's own thread. */
export function createVoicePlayer({
	engine,
	clock,
	heard,
	changed,
	lost,
}: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	/** Called when a language appears, and after a rebuild with a new track. The player owns the track. */
	readonly heard: (language: string, track: MediaStreamTrack) => void;
	readonly changed?: (states: readonly VoicePlayerState[]) => void;
	/** Called when the context was rebuilt and the worklet's port could not be recovered. */
	readonly lost: () => void;
}) {
	const tracks: MediaStreamTrack[] = [];
	let states: readonly VoicePlayerState[] = [];
	let node: AudioWorkletNode | null = null;
	const lent = createLentPort(clock, { end: { type: 'end' }, answer: 'ended' });
	/** The sound that the ended worklet had not played. */
	let rest: readonly unknown[] = [];
	/** True if flushed between two worklets. */
	let flushed = false;
	let closed = false;
	let unuse: (() => void) | null = null;
	let limitMs: number | null = null;
	/** The sentences dropped last, which later worklets must not play either. */
	let dropped: string[] = [];

	function hear(context: AudioContext, from: AudioWorkletNode, told: Told): void {
		if (told.type === 'state') {
			states = told.voices;
			changed?.(states);
			return;
		}
		if (told.type === 'ended') {
			rest = told.rest;
			return;
		}
		if (from !== node) return;
		const destination = context.createMediaStreamDestination();
		from.connect(destination, told.output);
		const [track] = destination.stream.getAudioTracks();
		if (!track) return;
		tracks.push(track);
		heard(told.language, track);
	}

	async function build(context: AudioContext, gone: () => boolean): Promise<void> {
		await addWorklet(context, url);
		if (gone()) return;
		const port = await lent.take();
		if (!port) return closed ? undefined : lost();
		if (gone()) return lent.own(port);
		const made = new AudioWorkletNode(context, 'voice-player', {
			numberOfInputs: 0,
			numberOfOutputs: MOST_VOICES,
			outputChannelCount: Array.from({ length: MOST_VOICES }, () => 1),
		});
		node = made;
		made.port.onmessage = ({ data }) => hear(context, made, data as Told);
		if (limitMs !== null) made.port.postMessage({ type: 'limit', ms: limitMs });
		for (const id of dropped) made.port.postMessage({ type: 'drop', id });
		made.port.postMessage({ type: 'frames', rest, flushed }, [port]);
		rest = [];
		flushed = false;
	}

	return {
		/** Hands the port to the worklet. */
		playFrom(given: MessagePort): void {
			lent.own(given);
			unuse ??= engine.use((context) => {
				let gone = false;
				void build(context, () => gone).catch(lost);
				return () => {
					gone = true;
					const ended = node;
					node = null;
					ended?.disconnect();
					for (const track of tracks.splice(0)) track.stop();
					return ended ? lent.recall(ended) : undefined;
				};
			});
		},
		/** Drops the waiting sound, and ignores the rest of that speech when it arrives. */
		flush(): void {
			if (node) node.port.postMessage({ type: 'flush' });
			else flushed = true;
		},
		/** Like `flush`, for one sentence, even if none of it has arrived yet. */
		drop(id: string): void {
			dropped = [...dropped, id].slice(-DROPPED_KEPT);
			node?.port.postMessage({ type: 'drop', id });
		},
		/** Limits how much sound may wait, ms. */
		setLimit(ms: number): void {
			limitMs = ms;
			node?.port.postMessage({ type: 'limit', ms });
		},
		/** True if sound that arrives on the port is played. */
		ready: (): boolean => node !== null,
		/** Newest state of each voice. */
		states: (): readonly VoicePlayerState[] => states,
		close(): void {
			closed = true;
			unuse?.();
			unuse = null;
			lent.close();
			states = [];
		},
	};
}
