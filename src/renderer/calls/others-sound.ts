import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { tapLevel } from '#renderer/sound/meter.ts';
import { createChosenMicrophone, type Microphone } from '#renderer/sound/microphone.ts';
import { expectPorts, type StreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { SystemSoundDown } from '#shared/host/calls.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { FLOOR_DB, type Level } from '#shared/sound/level.ts';
import { ZEROS_MS } from '#shared/sound/system-silence.ts';
import { createLoopbackSound, type LoopbackParts } from './loopback-sound.ts';
import { createSystemSound, type SystemSoundParts } from './system-sound.ts';
import type { SystemSoundMirror } from './system-sound-mirror.ts';

/** Often enough to report in time, rarely enough to cost nothing. */
const PERIOD_MS = 250;

/** What other programs play, in place of a microphone: all of them, or the one of the settings. */
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
	// By the time it is opened, main has long said which one to use.
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

/** Main's recording of other programs, by the receiver through which the ports of every stream come. */
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

/**
 * The same source, which reports when it delivers nothing but digital silence, and when sound comes again. Reports
 * nothing while muted.
 */
export function withZeros(
	source: Microphone,
	{
		clock,
		tap,
		afterMs,
		tell,
	}: {
		readonly clock: Clock;
		/** Readings of a track, so many ms apart; returns a function that ends it. */
		readonly tap: (track: MediaStreamTrack, heard: (level: Level) => void, periodMs: number) => Cancel;
		/** How long it must deliver nothing but zeros before that is reported. */
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
