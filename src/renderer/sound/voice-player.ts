import type { Clock } from '#shared/lib/clock.ts';
import type { AudioEngine } from './context.ts';
import { addWorklet, createLentPort } from './worklet.ts';
import url from './worklets/voice-player.worklet.ts?worker&url';

/** Plays what comes on a port (`VoiceFrame`) as one track per language, bypassing the page's own thread. */
export interface VoicePlayer {
	/** The port is the worklet's from now on. */
	playFrom(port: MessagePort): void;
	/** Drops what waits, and ignores the rest of it that still arrives. */
	flush(): void;
	/** Like `flush`, for one sentence, even if none of it has come yet. */
	drop(transcriptionId: string): void;
	/** More than this never waits, ms. */
	setLimit(ms: number): void;
	/** True if sound that arrives on the port is played. */
	ready(): boolean;
	/** Newest state of each voice. */
	states(): readonly VoicePlayerState[];
	close(): void;
}

export interface VoicePlayerState {
	readonly language: string;
	/** Not heard yet. */
	readonly waitingMs: number;
	/** Late because something was late before. */
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
	/** Comes with the port: the next worklet plays what is left. */
	| { readonly type: 'ended'; readonly rest: readonly unknown[] };

/** More targets than a task has; an unused output costs nothing. */
const MOST_VOICES = 16;
/** Pieces of a dropped sentence come a moment later at most. */
const DROPPED_KEPT = 64;

export function createVoicePlayer({
	engine,
	clock,
	heard,
	changed,
	lost,
}: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	/**
	 * A language appears for the first time, or again after a rebuild of the context: its previous track has ended. The
	 * player owns the track, which ends with it.
	 */
	readonly heard: (language: string, track: MediaStreamTrack) => void;
	readonly changed?: (states: readonly VoicePlayerState[]) => void;
	/** The worklet has failed: the context was rebuilt, and the port could not be recovered. */
	readonly lost: () => void;
}): VoicePlayer {
	const tracks: MediaStreamTrack[] = [];
	let states: readonly VoicePlayerState[] = [];
	let node: AudioWorkletNode | null = null;
	const lent = createLentPort(clock, { end: { type: 'end' }, answer: 'ended' });
	/** The sound that the ended worklet had not played. */
	let rest: readonly unknown[] = [];
	/** Flushed between two worklets. */
	let flushed = false;
	let closed = false;
	let unuse: (() => void) | null = null;
	let limitMs: number | null = null;
	/** Sentences dropped last: no worklet made later may play them either. */
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
		playFrom(given) {
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
		flush() {
			if (node) node.port.postMessage({ type: 'flush' });
			else flushed = true;
		},
		drop(id) {
			dropped = [...dropped, id].slice(-DROPPED_KEPT);
			node?.port.postMessage({ type: 'drop', id });
		},
		setLimit(ms) {
			limitMs = ms;
			node?.port.postMessage({ type: 'limit', ms });
		},
		ready: () => node !== null,
		states: () => states,
		close() {
			closed = true;
			unuse?.();
			unuse = null;
			lent.close();
			states = [];
		},
	};
}
