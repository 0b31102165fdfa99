import { createStore, type StoreApi } from 'zustand/vanilla';
import type { LevelTap } from '#renderer/sound/meter.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { Transport, TransportEvent } from '#renderer/transport/transport.ts';
import { noSigns, type Sign, type SilentStage, sign, silentStage } from '#shared/conversation/silence.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { matchLanguage } from '#shared/protocol/languages.ts';
import { createActivity } from '#shared/sound/activity.ts';
import type { Conversation } from './conversation.ts';

export interface SilenceView {
	/** Which stage is silent now; null = none as far as known. */
	readonly stage: SilentStage | null;
}

/** Watches one direction; passes on all that it wraps unchanged. Names the silent stage within 8 s. */
export interface SilenceWatch {
	readonly store: StoreApi<SilenceView>;
	microphone<Source extends Watched>(source: Source): Source;
	transport(transport: Transport): Transport;
	/** Follows a conversation until the window ends. */
	follow(conversation: Pick<Conversation, 'store'>, mixer: Pick<Mixer, 'listen'>): Cancel;
	/** Sets why the voice cannot be heard, or null; also called right after the user has changed that. */
	output(off: 'volume' | 'muted' | null): void;
	dismiss(): void;
}

type Watched = Pick<Microphone, 'open' | 'close' | 'listen'>;

const LEVEL_MS = 120;
/** A working microphone, even with noise suppression in a quiet room, peaks above this. */
const SIGNAL_DB = -80;
const SPEECH = { onDb: -45, offDb: -50, attackMs: 150, holdMs: 200 };
/** Shown only once in a conversation, so as not to nag. */
const ONCE: ReadonlySet<SilentStage> = new Set(['speech', 'output', 'captions']);

export function createSilenceWatch(parts: {
	readonly clock: Clock;
	readonly source: 'microphone' | 'system';
	/** Reads a track about every `LEVEL_MS`, once the start is over; returns a function that stops this. */
	readonly tap: LevelTap;
	/** Language whose voice should be heard; null = no voice is wanted. */
	readonly voiceOf: () => string | null;
	/** False if the user opens and closes microphones by hand (face to face). */
	readonly applies: () => boolean;
}): SilenceWatch {
	const { clock } = parts;
	const store = createStore<SilenceView>()(() => ({ stage: null }));
	const speech = createActivity(SPEECH);
	let signs = { ...noSigns, source: parts.source };
	let dismissed: SilentStage | null = null;
	const said = new Set<SilentStage>();
	let untap: Cancel = () => {};

	function take(what: Sign): void {
		signs = { ...sign(signs, what, clock.now()), source: parts.source };
	}

	/** Runs at each reading of the counters, once a second, and when something has recovered. */
	function judge(): void {
		const found = parts.applies() ? silentStage(signs, clock.now()) : null;
		if (found !== dismissed) dismissed = null;
		const before = store.getState().stage;
		if (before !== null && before !== found && ONCE.has(before)) said.add(before);
		const stage = found === dismissed || (found !== null && said.has(found)) ? null : found;
		if (stage !== before) store.setState({ stage });
	}

	function hear(what: Sign): void {
		take(what);
		if (store.getState().stage !== null) judge();
	}

	function watch(track: MediaStreamTrack | null): void {
		untap();
		untap = () => {};
		speech.reset();
		take({ type: 'source', open: track !== null });
		if (!track) return;
		untap = parts.tap(
			track,
			({ peakDb, rmsDb }) => {
				if (signs.liveMs === null) return;
				// A microphone closed by the user, or while the voice speaks,
				// does not count as silent, nor just afterwards.
				if (track.enabled === false) return hear({ type: 'source', open: true });
				const isSpeech = speech.push(rmsDb, clock.now());
				hear({ type: 'level', sound: peakDb > SIGNAL_DB, speech: isSpeech, ms: LEVEL_MS });
			},
			LEVEL_MS,
		);
	}

	function heardFromTransport(event: TransportEvent): void {
		if (event.type !== 'message' || event.message.type !== 'transcript') return;
		const { kind, final, language } = event.message;
		hear({ type: 'transcript' });
		const voice = parts.voiceOf();
		const isOurs = voice !== null && matchLanguage(language, [voice]) !== null;
		if (kind === 'translation' && final && isOurs) hear({ type: 'translation' });
	}

	return {
		store,
		microphone: (source) => ({
			...source,
			async open() {
				const opened = await source.open();
				if (opened.ok) watch(opened.value);
				return opened;
			},
			close() {
				watch(null);
				source.close();
			},
			listen: (tell) =>
				source.listen((event) => {
					if (event.type === 'replaced') watch(event.track);
					if (event.type === 'speaking-while-muted') {
						take({ type: 'spoke-while-muted' });
						judge();
					}
					tell(event);
				}),
		}),
		transport(transport) {
			let sent = 0;
			return {
				...transport,
				get capabilities() {
					return transport.capabilities;
				},
				listen(tell) {
					return transport.listen((event) => {
						heardFromTransport(event);
						tell(event);
					});
				},
				async stats() {
					const stats = await transport.stats();
					take({ type: 'packets', sent: stats.packetsSent, before: sent });
					sent = stats.packetsSent;
					const held = stats.holdsVoice ?? false;
					take({ type: 'wants-voice', wants: parts.voiceOf() !== null, held });
					take({ type: 'only-finals', only: stats.onlyFinals ?? false });
					judge();
					return stats;
				},
			};
		},
		follow(conversation, mixer) {
			const show = (): void => {
				const { phase, paused, muted } = conversation.store.getState();
				if (phase === 'preparing') said.clear();
				take({ type: 'muted', muted });
				take({ type: 'live', live: phase === 'live' && !paused });
				if (phase !== 'live' || store.getState().stage !== null) judge();
			};
			const ends = [
				conversation.store.subscribe(show),
				mixer.listen((event) => {
					if (event.type === 'voice-active') hear({ type: 'voice-active', active: event.active });
				}),
				() => untap(),
			];
			return () => {
				for (const end of ends) end();
			};
		},
		output: (off) => hear({ type: 'output', off }),
		dismiss() {
			const { stage } = store.getState();
			dismissed = stage;
			if (stage && ONCE.has(stage)) said.add(stage);
			store.setState({ stage: null });
		},
	};
}
