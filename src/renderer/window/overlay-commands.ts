import type { SettingsMirror } from './mirrors/settings-mirror.ts';

/** The captions over other windows come, or go. */
export function toggleOverlay(settings: SettingsMirror): void {
	const { overlay } = settings.store.getState().values;
	void settings.write({ overlay: { ...overlay, shown: !overlay.shown } });
}

/** The mouse goes through them, or not; they are shown if they were not, for what else could be meant. */
export function toggleClickThrough(settings: SettingsMirror): void {
	const { overlay } = settings.store.getState().values;
	const clickThrough = !(overlay.shown && overlay.clickThrough);
	void settings.write({ overlay: { ...overlay, shown: true, clickThrough } });
}
