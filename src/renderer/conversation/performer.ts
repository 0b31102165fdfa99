import type { Host } from '#renderer/host.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { Transport } from '#renderer/transport/transport.ts';
import type { Effect, Event } from '#shared/conversation/machine/events.ts';
import type { SessionGrant } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { err, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Absence } from './lost-speech.ts';
import type { Succession } from './succession.ts';
import type { Transports } from './transports.ts';
import type { VoiceSelection } from './voice-selection.ts';

export interface SocketOptions {
	/** Keep speech from now until the task runs, because the conversation continues. */
	readonly keepSpeech: boolean;
}

type LinkAudio = Extract<Effect, { do: 'feed-link' }>['audio'];

/** Time to discard the rest of the jitter buffer after the queue is dropped; then the voice may be heard again. */
const SKIP_MS = 400;
/** How long a socket waits for sessions to be deleted: they count against the plan's limit (protocol 3.7). */
const DELETION_LIMIT_MS = 3000;

export type Performer = ReturnType<typeof createPerformer>;

/** Performs the machine's effects and reports their outcome as events. */
export function createPerformer(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly clock: Clock;
	readonly microphone: Pick<Microphone, 'open' | 'setMuted' | 'close'>;
	readonly mixer: Pick<Mixer, 'setOriginal' | 'cut' | 'resumeVoice'>;
	readonly voices: Pick<VoiceSelection, 'drop'>;
	readonly transports: Transports;
	readonly absence: Pick<Absence, 'kept' | 'closed'>;
	readonly createTransport: (grant: SessionGrant) => Transport;
	readonly createSocketTransport?: ((options: SocketOptions) => Transport) | undefined;
	/** Reports pauses; null: not loaded yet. */
	readonly pauses: () => Succession['pauses'] | null;
	readonly dispatch: (event: Event) => void;
}) {
	const { host, clock, microphone, mixer, voices, transports, absence, dispatch } = parts;
	const grants = new Map<number, SessionGrant>();
	const closing = new Set<Promise<unknown>>();
	const deleting = new Set<Promise<unknown>>();
	/** Transports that were requested but are still waiting, and the sound they must send. */
	const awaited = new Map<number, LinkAudio>();
	let track: MediaStreamTrack | null = null;
	let cancelSkip: Cancel = () => {};
	let watchesPauses = false;
	let cancelPauses: Cancel = () => {};

	async function openMicrophone(id: number): Promise<void> {
		const opened = await microphone.open().catch((): Result<never, Problem> => err(bug('microphone.open')));
		if (!opened.ok) {
			dispatch({ type: 'microphone-failed', id, problem: opened.error });
			return;
		}
		setTrack(opened.value);
		// If the microphone opened too late, the machine closes it in response.
		dispatch({ type: 'microphone-opened', id });
	}

	async function openSession(id: number): Promise<void> {
		const opened = await host.ask('session.open', undefined);
		if (!opened.ok) {
			dispatch({ type: 'session-failed', id, problem: opened.error });
			return;
		}
		grants.set(id, opened.value);
		dispatch({ type: 'session-opened', id, handle: opened.value.handle });
	}

	function closeSession(handle: string): void {
		for (const [id, grant] of grants) {
			if (grant.handle === handle) grants.delete(id);
		}
		const deleted = host.ask('session.close', { handle });
		keep(deleting, deleted);
		keep(closing, deleted);
	}

	function openLink(id: number, audio: MediaStreamTrack | null | undefined): void {
		const grant = grants.get(id);
		if (grant) openTransport(id, () => parts.createTransport(grant), audio);
		else dispatch({ type: 'link-failed', id, problem: bug('performer.open-link') });
	}

	function openTransport(
		id: number,
		create: () => Transport,
		audio: MediaStreamTrack | null | undefined,
	): void {
		let transport: Transport;
		try {
			transport = create();
		} catch {
			return void dispatch({ type: 'link-failed', id, problem: bug('performer.create-transport') });
		}
		transports.open(id, transport, audio);
	}

	/** Opens a socket after all sessions are deleted: never uses a session and a socket at once. */
	async function openSocket(id: number, audio: LinkAudio, options: SocketOptions): Promise<void> {
		const create = parts.createSocketTransport;
		if (!create) {
			return dispatch({ type: 'link-failed', id, problem: bug('performer.open-link: socket') });
		}
		awaited.set(id, audio);
		if (deleting.size > 0) await within(Promise.allSettled([...deleting]), DELETION_LIMIT_MS);
		const wanted = awaited.get(id);
		awaited.delete(id);
		if (wanted === undefined) return;
		// Do this only now: nothing buffers the speech while waiting for a deletion.
		if (options.keepSpeech) absence.kept(id);
		openTransport(id, () => create(options), trackFor(wanted));
	}

	function closeLink(id: number): void {
		awaited.delete(id);
		absence.closed(id);
		keep(closing, transports.close(id));
	}

	function within(work: Promise<unknown>, limitMs: number): Promise<void> {
		return new Promise((done) => {
			const cancel = clock.after(limitMs, done);
			void work.then(() => {
				cancel();
				done();
			});
		});
	}

	function skipVoice(): void {
		cancelSkip();
		mixer.cut();
		cancelSkip = clock.after(SKIP_MS, () => mixer.resumeVoice());
	}

	function setTrack(next: MediaStreamTrack | null): void {
		track = next;
		mixer.setOriginal(next);
		watchPauses();
	}

	function watchPauses(): void {
		cancelPauses();
		cancelPauses = () => {};
		const tell = parts.pauses();
		if (watchesPauses && track && tell) cancelPauses = tell(track, (ms) => dispatch({ type: 'quiet', ms }));
	}

	function feedLink(id: number, audio: LinkAudio): void {
		if (awaited.has(id)) awaited.set(id, audio);
		transports.feed(id, trackFor(audio));
	}

	/** Keeps `work` in the set until it settles, however it ends. */
	function keep(among: Set<Promise<unknown>>, work: Promise<unknown>): void {
		among.add(work);
		const done = () => among.delete(work);
		work.then(done, done);
	}

	function trackFor(audio: LinkAudio): MediaStreamTrack | null | undefined {
		if (audio === 'nothing') return undefined;
		return audio === 'microphone' ? track : null;
	}

	return {
		perform(effect: Effect): void {
			switch (effect.do) {
				case 'open-microphone':
					void openMicrophone(effect.id);
					break;
				case 'close-microphone':
					microphone.close();
					setTrack(null);
					break;
				case 'mute-microphone':
					microphone.setMuted(effect.muted);
					break;
				case 'open-session':
					void openSession(effect.id);
					break;
				case 'close-session':
					closeSession(effect.handle);
					break;
				case 'report-joined':
					void host.ask('session.joined', { handle: effect.handle });
					break;
				case 'open-link':
					if (effect.route === 'webrtc') openLink(effect.id, trackFor(effect.audio));
					else void openSocket(effect.id, effect.audio, { keepSpeech: effect.keepSpeech });
					break;
				case 'feed-link':
					feedLink(effect.id, effect.audio);
					break;
				case 'close-link':
				case 'close-standby':
				case 'leave-link':
					voices.drop(effect.id);
					closeLink(effect.id);
					break;
				case 'watch-pauses':
					watchesPauses = effect.on;
					watchPauses();
					break;
				case 'send':
					transports.send(effect.id, effect.command);
					break;
				case 'skip-voice':
					skipVoice();
					break;
				case 'take-over':
				case 'hand-over':
				case 'notify':
					break;
			}
		},
		/** The microphone continues with another track. */
		replaceTrack(next: MediaStreamTrack): void {
			setTrack(next);
			transports.feedOpen(next);
		},
		/** The speaker pauses: asks for final texts of all speech so far. */
		finalize: transports.finalize,
		/** Resolves when every room is left and main has taken every session so far. */
		async closed(): Promise<void> {
			await Promise.allSettled([...closing]);
		},
	};
}

function bug(where: string): Problem {
	return { kind: 'bug', where };
}
