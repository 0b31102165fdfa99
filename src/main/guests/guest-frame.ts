import type { FramePiece, FrameRow, OverlayFrame } from '#shared/overlay/frame.ts';
import { directionOf, localeTag } from '#shared/protocol/languages.ts';

/** What a guest's page shows of the newest captions. `language` is a BCP 47 tag without region. */
export interface GuestFrame {
	/** Grows when what was shown before is gone: a page that has missed that shows it no longer. */
	readonly part: number;
	readonly rows: readonly (Pick<FrameRow, 'side'> & {
		/** The number of the row, never given twice. */
		readonly key: number;
		readonly pieces: readonly GuestPiece[];
	})[];
}

interface GuestPiece extends Pick<FramePiece, 'kind' | 'language' | 'text' | 'final'> {
	/** Of the language; none where that is not known. */
	readonly dir?: 'ltr' | 'rtl';
}

/** Rows whose numbers are remembered; more than stay on a guest's page. */
const REMEMBERED = 1000;

/** Makes the frames of one sharing. Only what the page shows reaches a guest: the keys of rows are the service's. */
export function createGuestFrames(): (frame: OverlayFrame) => GuestFrame {
	const numbers = new Map<string, number>();
	let given = 0;
	let part = 0;
	/** Of the frame before. */
	let begunBefore: number | undefined;

	function numberOf(key: string): number {
		const known = numbers.get(key);
		if (known !== undefined) return known;
		given += 1;
		numbers.set(key, given);
		for (const oldest of numbers.keys()) {
			if (numbers.size <= REMEMBERED) break;
			numbers.delete(oldest);
		}
		return given;
	}

	return ({ rows, held, begun }) => {
		const shown = held ? [] : rows;
		if (numbers.size > 0 && (shown.length === 0 || begun !== begunBefore)) {
			// Keys of another conversation may be the same.
			numbers.clear();
			part += 1;
		}
		begunBefore = begun;
		return {
			part,
			rows: shown.map(({ key, side, pieces }) => ({
				key: numberOf(key),
				...(side && { side }),
				pieces: pieces.map(guestPiece),
			})),
		};
	};
}

function guestPiece({ kind, language, text, final }: FramePiece): GuestPiece {
	const dir = directionOf(language);
	return { kind, language: tagOf(language), text, final, ...(dir !== 'auto' && { dir }) };
}

/** English of America and of Britain is one choice; scripts of Chinese are two. */
function tagOf(language: string): string {
	return localeTag(language).replace(/-(?:[A-Z]{2}|\d{3})$/, '');
}
