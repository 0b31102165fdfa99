import { captionText } from '#shared/captions/cues.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import { firstVersion, nextVersion, type Steady } from '#shared/captions/steady.ts';
import { FRAME_ROWS, type FramePiece, type FrameRow, LONGEST_PIECE, type OverlayFrame } from './frames.ts';

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
