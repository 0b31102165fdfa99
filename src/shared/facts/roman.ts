const SIGNS: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };

/** The number of a Roman one as centuries have: I, V and X. */
export function romanOf(text: string): number {
	const values = [...text].map((sign) => SIGNS[sign] ?? 0);
	return values.reduce((sum, value, at) => (value < (values[at + 1] ?? 0) ? sum - value : sum + value), 0);
}
