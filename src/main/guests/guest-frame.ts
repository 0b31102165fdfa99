import type { FramePiece, FrameRow, OverlayFrame } from '#shared/overlay/frame.ts';
import { localeTag } from '#shared/protocol/languages.ts';

/** What a guest's page shows of the newest captions. `language` is a BCP 47 tag without region. */
export interface GuestFrame {
	readonly rows: readonly (Pick<FrameRow, 'side'> & {
		/** The number of the row, never given twice. */
		readonly key: number;
		readonly pieces: readonly Pick<FramePiece, 'kind' | 'language' | 'text' | 'final'>[];
	})[];
}

/** Rows whose numbers are remembered; more than stay on a guest's page. */
const REMEMBERED = 1000;

/** Makes the frames of one sharing. Only what the page shows reaches a guest: the keys of rows are the service's. */
export function createGuestFrames(): (frame: OverlayFrame) => GuestFrame {
	const numbers = new Map<string, number>();
	let given = 0;

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

	return ({ rows, held }) => {
		if (held || rows.length === 0) {
			// The page begins anew, and keys of another conversation may be the same.
			numbers.clear();
			return { rows: [] };
		}
		return {
			rows: rows.map(({ key, side, pieces }) => ({
				key: numberOf(key),
				...(side && { side }),
				pieces: pieces.map(({ kind, language, text, final }) => ({
					...{ kind, text, final },
					language: tagOf(language),
				})),
			})),
		};
	};
}

/** English of America and of Britain is one choice; scripts of Chinese are two. */
function tagOf(language: string): string {
	return localeTag(language).replace(/-(?:[A-Z]{2}|\d{3})$/, '');
}
