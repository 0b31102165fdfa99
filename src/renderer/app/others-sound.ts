import type { AudioEngine } from '#renderer/audio/context.ts';
import type { Microphone } from '#renderer/audio/microphone.ts';
import { createSystemSound, type SystemSoundParts } from '#renderer/audio/system-sound.ts';
import type { Host } from '#renderer/host.ts';
import type { StreamPortsDoor } from '#renderer/transport/stream-ports.ts';
import type { SettingsMirror } from '#renderer/window/settings-mirror.ts';
import { SystemSoundDown } from '#shared/host/system-sound.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';

export interface OthersSoundParts {
	readonly host: Pick<Host, 'ask'>;
	readonly door: StreamPortsDoor;
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly log: Logger;
	readonly settings: SettingsMirror;
}

/** What other programs play, in place of a microphone: all of them, or the one of the settings. */
export function createOthersSound({ host, door, settings, ...parts }: OthersSoundParts): Microphone {
	return createSystemSound({
		...parts,
		record: recordSystemSound({ host, door }),
		application: () => settings.store.getState().values.systemSound,
	});
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
