import type { AudioEngine } from '#renderer/sound/context.ts';
import { tapLevel } from '#renderer/sound/level-tap.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import { createVoice } from '#renderer/sound/voice.ts';
import { createVoiceHold, type VoiceHold } from '#renderer/sound/voice-hold.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope } from '#shared/lib/scope.ts';
import { createActivity } from '#shared/sound/activity.ts';

/** A second voice that speaks in the pauses of the live one: earlier speech is heard late and covers nothing. */
export interface LateVoice {
	/** Plays this track; null: nothing more comes, but what waits is still played. */
	speak(track: MediaStreamTrack | null): void;
	/** The live voice is another track, or there is none; `language` is the one that is selected. */
	follow(live: MediaStreamTrack | null, language: string | null): void;
	/** Resolves when nothing of it waits any more, after some 30 s at the latest. */
	settled(): Promise<void>;
	/** The live voice is alone again. */
	close(): void;
}

/** The live voice counts as speaking through its own short pauses, as in the mixer. */
const LIVE = { onDb: -50, offDb: -55, attackMs: 0, holdMs: 600 };
/** The longest wait for somebody who never pauses. */
const SETTLE_LIMIT_MS = 30_000;
/** What was said last is on its way into the hold by then. */
const ARRIVES_MS = 100;

interface Graph {
	readonly context: AudioContext;
	readonly hold: VoiceHold;
	readonly destination: MediaStreamAudioDestinationNode;
}

export function createLateVoice({
	engine,
	clock,
	log,
	mixer,
}: {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** Plays both as one voice. */
	readonly mixer: Pick<Mixer, 'setVoice'>;
}): LateVoice {
	let live: MediaStreamTrack | null = null;
	let language: string | null = null;
	let late: MediaStreamTrack | null = null;
	let graph: Graph | null = null;
	let waits = false;
	const nothingWaits = createListeners<[]>();
	let unhear = () => {};
	let unspeak = () => {};
	let leave: (() => void) | null = null;

	async function build(context: AudioContext, gone: () => boolean): Promise<void> {
		const hold = await createVoiceHold(context, log, setWaits);
		if (!hold) return;
		if (gone()) return void hold.end();
		const destination = context.createMediaStreamDestination();
		hold.node.connect(destination);
		graph = { hold, context, destination };
		hearLate();
		hearLive();
	}

	function setWaits(now: boolean): void {
		waits = now;
		if (!now) nothingWaits.tell();
	}

	function hearLate(): void {
		unspeak();
		unspeak = () => {};
		if (!graph || !late) return;
		const source = graph.context.createMediaStreamSource(new MediaStream([late]));
		source.connect(graph.hold.node);
		unspeak = () => source.disconnect();
	}

	/** Both as one track. The late voice is held while the live one speaks, and is released when it pauses. */
	function hearLive(): void {
		unhear();
		unhear = () => {};
		if (!graph || language === null) return;
		const { hold, context, destination } = graph;
		if (live) unhear = beside(live, hold, context, destination);
		else hold.hold(false);
		const [both] = destination.stream.getAudioTracks();
		mixer.setVoice(language, both ?? live);
	}

	function beside(
		own: MediaStreamTrack,
		hold: VoiceHold,
		context: AudioContext,
		destination: MediaStreamAudioDestinationNode,
	): () => void {
		// Chromium delivers the sound of a remote track only while an element plays it.
		const element = createVoice(own, { clock, blocked: () => {} });
		const input = context.createMediaStreamSource(new MediaStream([own]));
		input.connect(destination);
		const activity = createActivity(LIVE);
		const untap = tapLevel({ engine, clock }, own, ({ rmsDb }) => {
			const before = activity.active;
			const on = activity.push(rmsDb, clock.now());
			if (on !== before) hold.hold(on);
		});
		return () => {
			untap();
			input.disconnect();
			element.close();
		};
	}

	function begin(): void {
		leave = engine.use((context) => {
			let gone = false;
			void build(context, () => gone).catch((failure) => {
				log.warn('a late voice cannot be heard', { failure: String(failure) });
			});
			return () => {
				gone = true;
				unhear();
				unspeak();
				unhear = unspeak = () => {};
				graph?.hold.end();
				for (const track of graph?.destination.stream.getTracks() ?? []) track.stop();
				graph = null;
				setWaits(false);
			};
		});
	}

	function close(): void {
		late = null;
		const had = graph !== null;
		leave?.();
		leave = null;
		if (had && language !== null) mixer.setVoice(language, live);
	}

	return {
		speak(track) {
			late = track;
			if (track && !leave) begin();
			else hearLate();
		},
		follow(next, selected) {
			// Another language is selected now, and nothing is late in it.
			if (selected !== language) close();
			live = next;
			language = selected;
			hearLive();
		},
		settled() {
			return new Promise((resolve) => {
				const scope = createScope(clock);
				const end = () => {
					scope.close();
					resolve();
				};
				scope.after(ARRIVES_MS, () => {
					if (!waits) return end();
					scope.add(nothingWaits.listen(end));
					scope.after(SETTLE_LIMIT_MS, end);
				});
			});
		},
		close,
	};
}
