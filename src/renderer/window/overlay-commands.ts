import { type OverlayName, overlayPatch, overlayStyle } from '#shared/overlay/overlays.ts';
import type { SettingsMirror } from './mirrors/settings-mirror.ts';

/** The captions over other windows, for one or for the other, come, or go. */
export function toggleOverlay(settings: SettingsMirror, name: OverlayName): void {
	const { values } = settings.store.getState();
	void settings.write(overlayPatch(values, name, { shown: !overlayStyle(values, name).shown }));
}

/** The mouse goes through one's own, or not; they are shown if they were not, for what else could be meant. */
export function toggleClickThrough(settings: SettingsMirror): void {
	const { values } = settings.store.getState();
	const { shown, clickThrough } = values.overlay;
	void settings.write(overlayPatch(values, 'mine', { shown: true, clickThrough: !(shown && clickThrough) }));
}
