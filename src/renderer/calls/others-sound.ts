import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { tapLevel } from '#renderer/sound/meter.ts';
import { createChosenMicrophone, type Microphone, type MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import { addWorklet } from '#renderer/sound/worklet.ts';
import url from '#renderer/sound/worklets/system-sound.worklet.ts?worker&url';
import { expectPorts, type StreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { SystemSoundDown, type SystemSoundState } from '#shared/host/calls.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { FLOOR_DB, type Level } from '#shared/sound/level.ts';
import { ZEROS_MS } from '#shared/sound/system-silence.ts';

/** Often enough to report in time, rarely enough to cost nothing. */
const PERIOD_MS = 250;

export interface SystemSoundMirror extends Mirror<SystemSoundState> {
	/** Whether the captured sound has been only zeros for a while. Set by the listener. */
	readonly zeros: StoreApi<{ readonly zeros: boolean }>;
}

/** From the first `load` on, main watches which programs play sound. */
export function createSystemSoundMirror(host: Pick<Host, 'ask' | 'listen'>): SystemSoundMirror {
	return {
		...createMirror<SystemSoundState>({
			initial: { revision: -1, way: 'none', applications: [], problem: null },
			listen: (heard) => host.listen('system-sound.changed', heard),
			read: () => host.ask('system-sound.state', undefined),
		}),
		zeros: createStore<{ readonly zeros: boolean }>()(() => ({ zeros: false })),
	};
}

/** The sound of other programs in place of a microphone: all programs, or the one in the settings. */
export function createOthersSound(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly receiver: StreamPortsReceiver;
	readonly engine: AudioEngine;
	readonly media: LoopbackParts['media'];
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: SettingsMirror;
	readonly systemSound: SystemSoundMirror;
}): Microphone {
	const { host, receiver, settings, systemSound, engine, media, clock, log } = parts;
	const recorded = createSystemSound({
		engine,
		clock,
		log,
		record: recordSystemSound({ host, receiver, clock }),
		application: () => settings.store.getState().values.systemSound,
	});
	const looped = createLoopbackSound({ media, log, leave: () => leaveToCapture(host) });
	// Main reports which source to use long before it is opened.
	const source = createChosenMicrophone(() =>
		systemSound.store.getState().way === 'loopback' ? looped : recorded,
	);
	return withZeros(source, {
		clock,
		tap: (track, heard, periodMs) => tapLevel({ engine, clock }, track, heard, periodMs),
		afterMs: ZEROS_MS,
		tell: (zeros) => systemSound.zeros.setState({ zeros }),
	});
}

async function leaveToCapture(host: Pick<Host, 'ask'>): Promise<Result<Cancel, Problem>> {
	const stream = crypto.randomUUID();
	const opened = await host.ask('system-sound.open', { stream, application: null, rateHz: 48_000 });
	return opened.ok ? ok(() => void host.ask('system-sound.close', { stream })) : opened;
}

/** Main's recording of other programs, whose ports arrive through the receiver of all streams. */
export function recordSystemSound(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly receiver: StreamPortsReceiver;
	readonly clock: Pick<Clock, 'after'>;
}): SystemSoundParts['record'] {
	return async (wanted, ended) => {
		const stream = crypto.randomUUID();
		const toCome = expectPorts(parts, stream);
		const opened = await parts.host.ask('system-sound.open', { stream, ...wanted });
		if (!opened.ok) {
			toCome.refuse();
			return opened;
		}
		const ports = await toCome.wait();
		if (!ports) {
			void parts.host.ask('system-sound.close', { stream });
			return err({ kind: 'bug', where: 'system-sound: no ports' });
		}
		ports.capture.close();
		ports.control.onmessage = ({ data }) => {
			const told = SystemSoundDown.safeParse(data);
			if (told.success) ended(told.data.problem);
		};
		const close = () => {
			ports.control.close();
			ports.voice.close();
			void parts.host.ask('system-sound.close', { stream });
		};
		return ok({ frames: ports.voice, close });
	};
}

/** Wraps a source to report digital silence, and the return of sound. Reports nothing while muted. */
export function withZeros(
	source: Microphone,
	{
		clock,
		tap,
		afterMs,
		tell,
	}: {
		readonly clock: Clock;
		/** Reads a track every `periodMs`; returns a function that stops this. */
		readonly tap: (track: MediaStreamTrack, heard: (level: Level) => void, periodMs: number) => Cancel;
		/** How long the source must deliver only zeros before this is reported, ms. */
		readonly afterMs: number;
		readonly tell: (zeros: boolean) => void;
	},
): Microphone {
	let untap: Cancel = () => {};
	let muted = false;
	let soundMs = clock.now();
	let told = false;

	function set(zeros: boolean): void {
		if (zeros === told) return;
		told = zeros;
		tell(zeros);
	}

	function begin(): void {
		soundMs = clock.now();
		set(false);
	}

	function watch(track: MediaStreamTrack): void {
		untap();
		begin();
		untap = tap(
			track,
			({ peakDb }) => {
				if (peakDb > FLOOR_DB) begin();
				else if (!muted && clock.now() - soundMs >= afterMs) set(true);
			},
			PERIOD_MS,
		);
	}

	return {
		...source,
		get device() {
			return source.device;
		},
		async open() {
			const opened = await source.open();
			if (opened.ok) watch(opened.value);
			return opened;
		},
		setMuted(next) {
			muted = next;
			begin();
			source.setMuted(next);
		},
		close() {
			untap();
			untap = () => {};
			begin();
			source.close();
		},
		listen: (heard) =>
			source.listen((event) => {
				if (event.type === 'replaced') watch(event.track);
				heard(event);
			}),
	};
}

/** A running recording of other programs in main. */
interface RecordedSound {
	/** Port that delivers `SoundFrame`s, to be passed to the worklet. */
	readonly frames: MessagePort;
	close(): void;
}

interface SystemSoundParts {
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	/** The program to record; null: everything except this program. Called at each opening. */
	readonly application: () => string | null;
	/** Starts recording in main; calls `ended` once if recording ends without `stop`. */
	readonly record: (
		wanted: { readonly application: string | null; readonly rateHz: number },
		ended: (problem: Problem) => void,
	) => Promise<Result<RecordedSound, Problem>>;
}

/** A graph of one audio context; a new context gets a new graph. */
interface Graph {
	readonly context: AudioContext;
	readonly node: AudioWorkletNode;
	readonly track: MediaStreamTrack;
}

/** State from `open` to `close`. */
interface Holding {
	graph: Graph | null;
	sound: RecordedSound | null;
	/** Number of the current recording; a late answer to an older request is discarded. */
	turn: number;
	opened: ((outcome: Result<MediaStreamTrack, Problem>) => void) | null;
	unuse: () => void;
}

/**
 * The sound of other programs as a source of speech in place of a microphone (Linux: recorded in main, program by
 * program, so that it never contains our own voice). Delivers silence while nothing plays.
 */
export function createSystemSound(parts: SystemSoundParts): Microphone {
	const { engine, log } = parts;
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let holding: Holding | null = null;
	let muted = false;

	function tell(event: MicrophoneEvent): void {
		listeners.tell(event);
	}

	/** Has main record for this graph; the previous recording ends. */
	async function record(held: Holding, { context, node, track }: Graph): Promise<void> {
		held.turn += 1;
		const { turn } = held;
		held.sound?.close();
		held.sound = null;
		const isStale = () => holding !== held || held.turn !== turn;
		const wanted = { application: parts.application(), rateHz: Math.round(context.sampleRate) };
		const recorded = await parts.record(wanted, (problem) => void (isStale() || fail(held, problem)));
		if (isStale()) return recorded.ok ? recorded.value.close() : undefined;
		if (!recorded.ok) return fail(held, recorded.error);
		held.sound = recorded.value;
		node.port.postMessage('frames', [recorded.value.frames]);
		held.opened?.(ok(track));
		held.opened = null;
	}

	function fail(held: Holding, problem: Problem): void {
		const { opened } = held;
		log.warn('system sound failed', { problem: problem.kind });
		held.opened = null;
		if (opened) {
			close();
			opened(err(problem));
			return;
		}
		held.sound?.close();
		held.sound = null;
		tell({ type: 'lost', problem });
	}

	async function build(held: Holding, context: AudioContext, gone: () => boolean): Promise<void> {
		await addWorklet(context, url);
		if (gone()) return;
		const node = new AudioWorkletNode(context, 'system-sound', {
			numberOfInputs: 0,
			outputChannelCount: [1],
		});
		const destination = context.createMediaStreamDestination();
		node.connect(destination);
		const [track] = destination.stream.getAudioTracks();
		if (!track) return fail(held, { kind: 'bug', where: 'system-sound: no track' });
		track.enabled = !muted;
		const isFirst = held.opened !== null;
		held.graph = { context, node, track };
		await record(held, held.graph);
		if (!gone() && !isFirst) tell({ type: 'replaced', track, from: nameOf(), to: nameOf() });
	}

	function takeDown(held: Holding): void {
		held.turn += 1;
		held.sound?.close();
		held.sound = null;
		held.graph?.node.port.postMessage('end');
		held.graph?.node.disconnect();
		held.graph?.track.stop();
		held.graph = null;
	}

	function close(): void {
		const held = holding;
		if (!held) return;
		holding = null;
		takeDown(held);
		held.unuse();
		held.opened?.(err({ kind: 'cancelled' }));
		held.opened = null;
	}

	function nameOf(): string {
		return parts.application() ?? '';
	}

	return {
		async open() {
			if (holding?.graph && !holding.opened) {
				const { graph, sound } = holding;
				if (sound) return ok(graph.track);
				close();
			}
			if (holding) close();
			return new Promise((opened) => {
				const held: Holding = { graph: null, sound: null, turn: 0, opened, unuse: () => {} };
				holding = held;
				held.unuse = engine.use((context) => {
					let gone = false;
					const isGone = () => gone || holding !== held;
					void build(held, context, isGone).catch(() => {
						// Ignore the failure if the context was closed meanwhile.
						if (!isGone()) fail(held, { kind: 'bug', where: 'system-sound.build' });
					});
					return () => {
						gone = true;
						takeDown(held);
					};
				});
			});
		},
		setMuted(next) {
			muted = next;
			if (holding?.graph) holding.graph.track.enabled = !next;
		},
		close,
		listen: listeners.listen,
		get device() {
			return holding ? nameOf() : '';
		},
		async apply() {
			if (holding?.graph) await record(holding, holding.graph);
		},
	};
}

interface LoopbackParts {
	readonly media: Pick<MediaDevices, 'getDisplayMedia'>;
	readonly log: Logger;
	/** Requests permission to capture from main; the returned function gives the permission back. */
	readonly leave: () => Promise<Result<Cancel, Problem>>;
}

/** With the constraint that leaves out our own voice (Chromium); not in TypeScript's types yet. */
interface LoopbackAudio extends MediaTrackConstraints {
	readonly restrictOwnAudio: boolean;
}

const audio: LoopbackAudio = {
	restrictOwnAudio: true,
	echoCancellation: false,
	noiseSuppression: false,
	autoGainControl: false,
};

/** State from `open` to `close`. */
interface LoopbackHolding {
	track: MediaStreamTrack | null;
	giveBack: Cancel;
}

/** The computer's sound by loopback (Windows, macOS), without our own voice. Needs a user gesture. */
export function createLoopbackSound({ media, log, leave }: LoopbackParts): Microphone {
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let holding: LoopbackHolding | null = null;
	let muted = false;

	function tell(event: MicrophoneEvent): void {
		listeners.tell(event);
	}

	function close(): void {
		const held = holding;
		holding = null;
		held?.track?.stop();
		held?.giveBack();
	}

	return {
		async open() {
			if (holding?.track?.readyState === 'live') return ok(holding.track);
			close();
			const held: LoopbackHolding = { track: null, giveBack: () => {} };
			holding = held;
			const given = await leave();
			if (holding !== held) {
				if (given.ok) given.value();
				return err({ kind: 'cancelled' });
			}
			if (!given.ok) {
				close();
				return given;
			}
			held.giveBack = given.value;
			const captured = await capture(media);
			if (holding !== held) {
				if (captured.ok) captured.value.stop();
				return err({ kind: 'cancelled' });
			}
			if (!captured.ok) {
				log.warn('no loopback', { problem: captured.error.kind });
				close();
				return captured;
			}
			const track = captured.value;
			track.enabled = !muted;
			held.track = track;
			// Not fired when we stop the track ourselves. Opening a track again requires a user gesture.
			track.addEventListener('ended', () => {
				if (holding !== held) return;
				log.warn('loopback ended');
				tell({ type: 'lost', problem: { kind: 'system-sound-failed', reason: 'loopback ended' } });
			});
			return captured;
		},
		setMuted(next) {
			muted = next;
			if (holding?.track) holding.track.enabled = !next;
		},
		close,
		listen: listeners.listen,
		device: '',
		async apply() {},
	};
}

/** Captures sound only; if refused (plain Chromium requires video), also video, which is stopped at once. */
async function capture(media: LoopbackParts['media']): Promise<Result<MediaStreamTrack, Problem>> {
	const alone = await ask(media, { video: false, audio });
	// A refusal by the user or the system applies to both attempts.
	const asked =
		alone.ok || alone.error.kind === 'system-sound-denied' ? alone : await ask(media, { video: true, audio });
	if (!asked.ok) return asked;
	for (const track of asked.value.getVideoTracks()) track.stop();
	const [track, ...rest] = asked.value.getAudioTracks();
	for (const one of rest) one.stop();
	return track ? ok(track) : err({ kind: 'system-sound-unsupported' });
}

async function ask(
	media: LoopbackParts['media'],
	wanted: DisplayMediaStreamOptions,
): Promise<Result<MediaStream, Problem>> {
	try {
		return ok(await media.getDisplayMedia(wanted));
	} catch (cause) {
		const name = cause instanceof Error ? cause.name : '';
		if (name === 'NotAllowedError') return err({ kind: 'system-sound-denied' });
		if (name === 'NotSupportedError' || name === 'NotFoundError')
			return err({ kind: 'system-sound-unsupported' });
		return err({ kind: 'system-sound-failed', reason: name });
	}
}

interface LoweredOthers {
	readonly mixer: Mixer;
	/** Volume of the original while its translation is heard, 0 to 1. */
	setGain(gain: number): void;
}

/** Wraps a mixer: while its voice is heard, turns the programs down. `lower` gets each gain; 1 = unchanged. */
export function withLoweredOthers(mixer: Mixer, lower: (gain: number) => void): LoweredOthers {
	let gain = 1;
	let volume = 1;
	let speaks = false;
	let told = 1;

	function apply(): void {
		const next = speaks && volume > 0 ? gain : 1;
		if (next === told) return;
		told = next;
		lower(next);
	}

	mixer.listen((event) => {
		if (event.type !== 'voice-active') return;
		speaks = event.active;
		apply();
	});
	return {
		mixer: {
			...mixer,
			setVoiceVolume(next) {
				volume = next;
				mixer.setVoiceVolume(next);
				apply();
			},
		},
		setGain(next) {
			gain = next;
			apply();
		},
	};
}
