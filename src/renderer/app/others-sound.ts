import { createChosenMicrophone } from '#renderer/audio/chosen-microphone.ts';
import type { AudioEngine } from '#renderer/audio/context.ts';
import { tapLevel } from '#renderer/audio/level-tap.ts';
import { createLoopbackSound, type LoopbackParts } from '#renderer/audio/loopback-sound.ts';
import type { Microphone } from '#renderer/audio/microphone.ts';
import { createSystemSound, type SystemSoundParts } from '#renderer/audio/system-sound.ts';
import { withZeros } from '#renderer/audio/zeros.ts';
import type { Host } from '#renderer/host.ts';
import type { StreamPortsDoor } from '#renderer/transport/stream-ports.ts';
import type { SettingsMirror } from '#renderer/window/settings-mirror.ts';
import type { SystemSoundMirror } from '#renderer/window/system-sound-mirror.ts';
import { ZEROS_MS } from '#shared/audio/system-silence.ts';
import { SystemSoundDown } from '#shared/host/system-sound.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

export interface OthersSoundParts {
	readonly host: Pick<Host, 'ask'>;
	readonly door: StreamPortsDoor;
	readonly engine: AudioEngine;
	readonly media: LoopbackParts['media'];
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: SettingsMirror;
	readonly systemSound: SystemSoundMirror;
}

/** What other programs play, in place of a microphone: all of them, or the one of the settings. */
export function createOthersSound(parts: OthersSoundParts): Microphone {
	const { host, door, settings, systemSound, engine, media, clock, log } = parts;
	const recorded = createSystemSound({
		...{ engine, clock, log },
		record: recordSystemSound({ host, door }),
		application: () => settings.store.getState().values.systemSound,
	});
	const looped = createLoopbackSound({ media, log, leave: () => leaveToCapture(host) });
	// Main has long said which when it is opened.
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

/** Main's recording of other programs, by the door through which the ports of every stream come. */
function recordSystemSound(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly door: StreamPortsDoor;
}): SystemSoundParts['record'] {
	return async (wish, ended) => {
		const stream = crypto.randomUUID();
		let ports: Parameters<Parameters<StreamPortsDoor['expect']>[1]>[0] | null = null;
		const unexpect = parts.door.expect(stream, (came) => {
			ports = came;
			came.capture.close();
			came.control.onmessage = ({ data }) => {
				const told = SystemSoundDown.safeParse(data);
				if (told.success) ended(told.data.problem);
			};
		});
		const close = () => {
			ports?.control.close();
			ports?.voice.close();
			void parts.host.ask('system-sound.close', { stream });
		};
		const opened = await parts.host.ask('system-sound.open', { stream, ...wish });
		unexpect();
		const came = ports as { readonly voice: MessagePort } | null;
		if (!opened.ok || !came) {
			close();
			return opened.ok ? err({ kind: 'bug', where: 'system-sound: no ports' }) : opened;
		}
		return ok({ frames: came.voice, close });
	};
}
