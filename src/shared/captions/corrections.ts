import { z } from 'zod/mini';

/** How long a word or a name may be, in characters, and how many corrections there may be. */
export const LONGEST_CORRECTION = 100;
export const MOST_CORRECTIONS = 5000;

const words = z.string().check(z.minLength(1), z.maxLength(LONGEST_CORRECTION));

/** A word or a name that comes out wrong in a language, as it is written there, and its correction. */
export const Correction = z.lazy(() =>
	z.object({
		language: z.string().check(z.maxLength(20)),
		wrong: words,
		right: words,
	}),
);
export type Correction = z.infer<typeof Correction>;
