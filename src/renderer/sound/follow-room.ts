import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { RoomOutput } from './room-output.ts';

/**
 * Applies the room's loudspeaker and its volume from the settings, now and at each change. Returns a cancel function.
 */
export function followRoom(
	room: Pick<RoomOutput, 'setDevice' | 'setVolume' | 'apply'>,
	settings: Pick<SettingsMirror, 'store'>,
): Cancel {
	const { values } = settings.store.getState();
	room.setVolume(values.roomVolume);
	room.setDevice(values.roomOutput);
	return settings.store.subscribe((view, before) => {
		const [now, then] = [view.values, before.values];
		if (now.roomVolume !== then.roomVolume) room.setVolume(now.roomVolume);
		if (JSON.stringify(now.roomOutput) !== JSON.stringify(then.roomOutput)) room.setDevice(now.roomOutput);
		if (now.mode !== then.mode) room.apply();
	});
}
