import { z } from 'zod/mini';

/** The largest box has no more lines, so more rows are never seen. */
export const FRAME_ROWS = 8;
/** UTF-16 units; of a longer text only the end is in view. */
export const LONGEST_PIECE = 1000;

const Piece = z.lazy(() =>
	z.object({
		key: z.string().check(z.maxLength(300)),
		kind: z.enum(['source', 'translation', 'lost']),
		/** Code of the service; empty with `lost`. */
		language: z.string().check(z.maxLength(40)),
		text: z.string().check(z.maxLength(LONGEST_PIECE)),
		/** UTF-16 units of it that will hardly change. */
		steady: z.number(),
		final: z.boolean(),
		/** Its stable beginning, in UTF-16 units. */
		lostMs: z.optional(z.number()),
	}),
);
export type FramePiece = z.infer<typeof Piece>;

const FrameRow = z.lazy(() =>
	z.object({
		key: z.string().check(z.maxLength(300)),
		/** The speaker's side, if two sides speak. */
		side: z.optional(z.enum(['mine', 'theirs'])),
		/** Its voice is being heard. */
		lit: z.boolean(),
		pieces: z.array(Piece).check(z.maxLength(64)),
	}),
);
export type FrameRow = z.infer<typeof FrameRow>;

/** The newest captions in full: a window that missed a frame has lost nothing. */
export const OverlayFrame = z.lazy(() =>
	z.object({
		rows: z.array(FrameRow).check(z.maxLength(FRAME_ROWS)),
		/** In a meeting: whose voice still speaks, or whose turn it is now that one has ended. */
		turn: z.optional(z.enum(['mine-speaks', 'theirs-speaks', 'mine', 'theirs'])),
		/** The rows are of the previous conversation; the next has begun. */
		held: z.optional(z.boolean()),
		/** Grows when the captions are cleared or replaced by another conversation's. */
		begun: z.optional(z.number()),
	}),
);
export type OverlayFrame = z.infer<typeof OverlayFrame>;

export const emptyFrame: OverlayFrame = { rows: [] };
