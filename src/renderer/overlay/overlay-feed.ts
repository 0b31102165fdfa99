import type { StoreApi } from 'zustand/vanilla';
import type { TurnSigns } from '#renderer/calls/turn-sign.ts';
import type { CaptionsView } from '#renderer/captions/caption-view.ts';
import type { GuestsMirror } from '#renderer/guests/guests-mirror.ts';
import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { captionText } from '#shared/captions/cues.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import { firstVersion, nextVersion, type Steady } from '#shared/captions/steady.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import {
	FRAME_ROWS,
	type FramePiece,
	type FrameRow,
	LONGEST_PIECE,
	type OverlayFrame,
} from '#shared/overlay/frames.ts';
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
	readonly turnSigns: TurnSigns;
}): Cancel {
	const { host, clock, settings, guests, captions, spoken, turnSigns } = parts;
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
		const turn = turnOf(turnSigns.getState());
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
		turnSigns.subscribe(changed),
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
function turnOf({ outgoing, incoming }: ReturnType<TurnSigns['getState']>): OverlayFrame['turn'] {
	if (outgoing === 'still') return 'mine-speaks';
	if (incoming === 'still') return 'theirs-speaks';
	if (incoming === 'turn') return 'mine';
	return outgoing === 'turn' ? 'theirs' : undefined;
}

export interface FrameSource {
	readonly rows: number;
	readonly row: (index: number) => CaptionRow | undefined;
	readonly sided: boolean;
	/** Rows whose voice is being played: one, or one for each direction. */
	readonly lit: readonly string[];
	/** See `OverlayFrame`. */
	readonly turn?: OverlayFrame['turn'];
}

/** Builds frames one after another. Cost and memory depend only on the newest rows. */
export function createFrames(): (source: FrameSource) => OverlayFrame {
	let known = new Map<string, Steady>();

	return ({ rows, row, sided, lit, turn }) => {
		const next = new Map<string, Steady>();
		const shown: FrameRow[] = [];

		function piece(segment: Segment): FramePiece {
			const { key, kind, language, final } = segment;
			if (kind === 'lost')
				return { key, kind, language, text: '', steady: 0, final, lostMs: segment.endMs - segment.startMs };
			const text = plainText(segment);
			const before = known.get(key);
			const steady =
				before === undefined
					? firstVersion(text, final)
					: before.text === text && !final
						? before
						: nextVersion(before, text, final);
			next.set(key, steady);
			return { key, kind, language, ...ending(steady), final };
		}

		for (let index = Math.max(0, rows - FRAME_ROWS); index < rows; index++) {
			const one = row(index);
			if (!one) continue;
			const segments = one.lost
				? [one.lost]
				: [...(one.source ? [one.source] : []), ...one.translations.slice(-32)];
			shown.push({
				key: one.transcriptionId.slice(0, 300),
				...(sided && { side: one.leg === 'incoming' ? ('theirs' as const) : ('mine' as const) }),
				lit: lit.includes(one.transcriptionId),
				pieces: segments.map(piece),
			});
		}
		known = next;
		return { rows: shown, ...(turn && { turn }) };
	};
}

/** Text on one line; the window sets its direction. */
function plainText(segment: Segment): string {
	return captionText({ ...segment, language: '' });
}

/** The end of a text that is too long, without splitting a character. */
function ending({ shown, steady }: Steady): { readonly text: string; readonly steady: number } {
	if (shown.length <= LONGEST_PIECE) return { text: shown, steady };
	const text = shown.slice(-LONGEST_PIECE + 1).replace(/^[\uDC00-\uDFFF]/, '');
	return { text, steady: Math.max(0, steady - (shown.length - text.length)) };
}
