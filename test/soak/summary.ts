/** What a soak ends with. */
export interface SoakSummary {
	/** Empty: all is well. */
	readonly findings: readonly string[];
	readonly data: unknown;
	readonly markdown: string;
}

/** Slope of the straight line through points, by least squares; 0 for fewer than two. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
	if (points.length < 2) return 0;
	const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
	const [meanX, meanY] = [mean(0), mean(1)];
	const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
	return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}

export function medianOf(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
