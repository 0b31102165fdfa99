import type { StoreApi } from 'zustand/vanilla';
import type { TurnBeacon } from '#renderer/calls/turn-sign.ts';
import type { CaptionsView } from '#renderer/captions/caption-view.ts';
import type { GuestsMirror } from '#renderer/guests/guests-mirror.ts';
import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createFrames } from '#shared/overlay/create-frames.ts';
import type { OverlayFrame } from '#shared/overlay/frames.ts';
import { isAnyShown, overlayNames, overlayStyle } from '#shared/overlay/style.ts';

/** Batches changes; also lets the setting that opens the overlay reach main first. */
export const FEED_EVERY_MS = 60;

/**
 * Sends the newest captions to main while an overlay is shown or the captions are shared with guests. Sends one
 * message at a time, and later changes with the next message: a slow main process costs frames, never memory.
 */
export function feedOverlay(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly clock: Clock;
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly guests: Pick<GuestsMirror, 'store'>;
	readonly captions: CaptionsView;
	readonly spoken: StoreApi<{ readonly lit: readonly string[] }>;
	readonly beacon: TurnBeacon;
}): Cancel {
	const { host, clock, settings, guests, captions, spoken, beacon } = parts;
	const frames = createFrames();
	let isDirty = true;
	let isBusy = false;
	/** See `OverlayFrame`. */
	let begun = 0;
	let cancel: Cancel = () => {};

	const isShown = () => isAnyShown(settings.store.getState().values) || guests.store.getState().sharing;

	function changed(): void {
		isDirty = true;
		plan();
	}

	function plan(): void {
		if (!isDirty || isBusy || !isShown()) return;
		isBusy = true;
		cancel = clock.after(FEED_EVERY_MS, () => void send());
	}

	async function send(): Promise<void> {
		isDirty = false;
		const { rows, sided = false, held = false } = captions.store.getState();
		const turn = turnOf(beacon.getState());
		const { lit } = spoken.getState();
		const frame = frames({ rows, row: captions.row, sided, lit, turn });
		await host.ask('overlay.show', { ...frame, begun, ...(held && { held }) });
		isBusy = false;
		plan();
	}

	const ends = [
		captions.store.subscribe((view, before) => {
			// Count the new beginning at once: there may be captions again when the next frame is sent.
			if ((view.rows === 0 && before.rows > 0) || (before.held && !view.held)) begun += 1;
			changed();
		}),
		spoken.subscribe(changed),
		beacon.subscribe(changed),
		settings.store.subscribe((view, before) => {
			// An overlay that opens while the other is shown has no captions yet.
			const came = overlayNames.some(
				(name) => overlayStyle(view.values, name).shown && !overlayStyle(before.values, name).shown,
			);
			if (came) changed();
		}),
		guests.store.subscribe((view, before) => {
			if (view.sharing && !before.sharing) changed();
		}),
	];
	changed();
	return () => {
		cancel();
		for (const end of ends) end();
	};
}

/** There is room for one sign: a voice that is still speaking has priority, and the user's own before the others'. */
function turnOf({ outgoing, incoming }: ReturnType<TurnBeacon['getState']>): OverlayFrame['turn'] {
	if (outgoing === 'still') return 'mine-speaks';
	if (incoming === 'still') return 'theirs-speaks';
	if (incoming === 'turn') return 'mine';
	return outgoing === 'turn' ? 'theirs' : undefined;
}
