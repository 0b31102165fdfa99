import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { type OverlayName, overlayPatch, overlayStyle } from '#shared/overlay/style.ts';

/** Shows or hides the captions over other windows, one's own or those for the audience. */
export function toggleOverlay(settings: SettingsMirror, name: OverlayName): void {
	const { values } = settings.store.getState();
	void settings.write(overlayPatch(values, name, { shown: !overlayStyle(values, name).shown }));
}

/**
 * Toggles whether the mouse goes through one's own overlay; shows it if it was hidden, since nothing else can be meant.
 */
export function toggleClickThrough(settings: SettingsMirror): void {
	const { values } = settings.store.getState();
	const { shown, clickThrough } = values.overlay;
	void settings.write(overlayPatch(values, 'mine', { shown: true, clickThrough: !(shown && clickThrough) }));
}
