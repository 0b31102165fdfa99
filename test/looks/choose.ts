/** What a state of the window is looked at in. */
export interface Look {
	readonly state: string;
	readonly size: string;
	readonly theme: string;
	readonly language: string;
}

/** CSS px: a large window, the usual one, a small one, 1280 × 800 at 200 %, and a telephone's. */
export const sizes = ['1440x1000', '1000x700', '760x560', '640x400', '420x700'] as const;
export const themes = ['light', 'dark'] as const;
export const languages = ['en', 'de', 'ar'] as const;

/** Each state in each size, theme and language: those given, or all. */
export function everyLook(
	states: readonly string[],
	chosen: {
		readonly sizes: readonly string[];
		readonly themes: readonly string[];
		readonly languages: readonly string[];
	} = { sizes, themes, languages },
): readonly Look[] {
	return states.flatMap((state) =>
		chosen.sizes.flatMap((size) =>
			chosen.themes.flatMap((theme) =>
				chosen.languages.map((language) => ({ state, size, theme, language })),
			),
		),
	);
}

/** Looks in which a combination of three of the four has gone wrong before. */
const known: readonly Look[] = [
	{ state: 'meeting', size: '640x400', theme: 'light', language: 'de' },
	{ state: 'meeting-turns', size: '640x400', theme: 'light', language: 'de' },
];

/** Each state in each size, with themes and languages such that every pair of the four occurs; plus what has gone wrong before. */
export function pairwise(states: readonly string[]): readonly Look[] {
	const chosen = states.flatMap((state, row) =>
		sizes.map((size, column) => ({
			state,
			size,
			theme: themes[(row + column) % themes.length] ?? 'light',
			language: languages[(row + column) % languages.length] ?? 'en',
		})),
	);
	return [...chosen, ...known.filter(({ state }) => states.includes(state))];
}
