import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { type OverlayName, overlayPatch, overlayStyle } from '#shared/overlay/style.ts';

/** Shows or hides the user's or the audience's captions over other windows. */
export function toggleOverlay(settings: SettingsMirror, name: OverlayName): void {
	const { values } = settings.store.getState();
	void settings.write(overlayPatch(values, name, { shown: !overlayStyle(values, name).shown }));
}

/**
 * Toggles whether the mouse passes through the user's overlay.
 * A hidden overlay is shown, with the mouse passing through.
 */
export function toggleClickThrough(settings: SettingsMirror): void {
	const { values } = settings.store.getState();
	const { shown, clickThrough } = values.overlay;
	void settings.write(overlayPatch(values, 'mine', { shown: true, clickThrough: !(shown && clickThrough) }));
}
