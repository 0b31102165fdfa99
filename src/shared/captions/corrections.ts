import { z } from 'zod/mini';

/** The longest word or name that can be corrected, in characters, and the most corrections allowed. */
export const LONGEST_CORRECTION = 100;
export const MOST_CORRECTIONS = 5000;

const words = z.string().check(z.minLength(1), z.maxLength(LONGEST_CORRECTION));

/** A word or a name as it is wrongly written in a language, and its correction. */
export const Correction = z.lazy(() =>
	z.object({
		language: z.string().check(z.maxLength(20)),
		wrong: words,
		right: words,
	}),
);
export type Correction = z.infer<typeof Correction>;
