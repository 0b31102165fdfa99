import { z } from 'zod/mini';

/** The largest box shows no more lines. It is also what a new guest sees first. */
export const FRAME_ROWS = 8;
/** UTF-16 units; of a longer text only the end is visible. */
export const LONGEST_PIECE = 1000;

const Piece = z.lazy(() =>
	z.object({
		key: z.string().check(z.maxLength(300)),
		kind: z.enum(['source', 'translation', 'lost']),
		/** Code of the service; empty with `lost`. */
		language: z.string().check(z.maxLength(40)),
		text: z.string().check(z.maxLength(LONGEST_PIECE)),
		/** Length of its stable beginning, in UTF-16 units. */
		steady: z.number(),
		final: z.boolean(),
		/** Length of the lost speech, ms. */
		lostMs: z.optional(z.number()),
	}),
);
export type FramePiece = z.infer<typeof Piece>;

const FrameRow = z.lazy(() =>
	z.object({
		key: z.string().check(z.maxLength(300)),
		/** The speaker's side, if two sides speak. */
		side: z.optional(z.enum(['mine', 'theirs'])),
		/** The row's voice is being played. */
		lit: z.boolean(),
		pieces: z.array(Piece).check(z.maxLength(64)),
	}),
);
export type FrameRow = z.infer<typeof FrameRow>;

/** The newest captions in full, so that a window that missed a frame loses nothing. */
export const OverlayFrame = z.lazy(() =>
	z.object({
		rows: z.array(FrameRow).check(z.maxLength(FRAME_ROWS)),
		/** In a meeting: which side's voice is still speaking, or whose turn it is after a voice has ended. */
		turn: z.optional(z.enum(['mine-speaks', 'theirs-speaks', 'mine', 'theirs'])),
		/** The rows belong to the previous conversation; the next one has begun. */
		held: z.optional(z.boolean()),
		/** Grows when the captions are cleared or another conversation's captions replace them. */
		begun: z.optional(z.number()),
	}),
);
export type OverlayFrame = z.infer<typeof OverlayFrame>;

export const emptyFrame: OverlayFrame = { rows: [] };
