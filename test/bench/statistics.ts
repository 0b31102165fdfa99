import { createRandom } from '#test/support/random.ts';
import type { Goal } from './bench.ts';

/** An estimate with its interval. */
export interface Estimate {
	readonly value: number;
	/** 95 % of the resamples lie between these. */
	readonly low: number;
	readonly high: number;
}

const RESAMPLES = 4000;

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((one, other) => one - other);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The smallest value that at least this share of all values does not exceed (nearest rank): 1 gives the greatest. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** A random order; the same for the same random numbers. */
export function shuffled<Value>(list: readonly Value[], random: () => number): Value[] {
	return list
		.map((value) => ({ value, at: random() }))
		.sort((one, other) => one.at - other.at)
		.map(({ value }) => value);
}

/** The interval of `measure` over resamples (percentile bootstrap). */
export function bootstrap(
	samples: readonly (readonly number[])[],
	measure: (drawn: readonly (readonly number[])[]) => number,
): Estimate {
	const random = createRandom(20_260_504);
	const draw = (values: readonly number[]) =>
		values.map(() => values[Math.floor(random() * values.length)] ?? Number.NaN);
	const results = Array.from({ length: RESAMPLES }, () => measure(samples.map(draw)));
	results.sort((one, other) => one - other);
	const at = (share: number) => results[Math.floor(share * (RESAMPLES - 1))] ?? Number.NaN;
	return { value: measure(samples), low: at(0.025), high: at(0.975) };
}

export function medianOf(values: readonly number[]): Estimate {
	return bootstrap([values], ([one = []]) => median(one));
}

export function meanOf(values: readonly number[]): Estimate {
	return bootstrap([values], ([one = []]) => mean(one));
}

/** How many times as long `values` take as `base`, by their medians. */
export function ratioOf(values: readonly number[], base: readonly number[]): Estimate {
	return bootstrap([values, base], ([one = [], other = []]) => median(one) / median(other));
}

export interface Bound {
	readonly seen: Estimate;
	/** Greatest and smallest value that reach the goal. */
	readonly most?: number;
	readonly least?: number;
}

const OVER = 'wide';

/**
 * Judges a goal by the medians. If the interval crosses the goal, `because` notes it. `reached` is null only if there is no
 * median.
 */
export function verdict(bounds: readonly Bound[], because?: string): Pick<Goal, 'reached' | 'because'> {
	if (bounds.some(({ seen }) => Number.isNaN(seen.value))) return { reached: null, because: 'not measured' };
	const reached = bounds.every(({ seen, ...goal }) => holds(seen.value, goal));
	const missed = bounds.some(({ seen, ...goal }) => !(holds(seen.low, goal) || holds(seen.high, goal)));
	const across = bounds.some(({ seen, ...goal }) => holds(seen.low, goal) !== holds(seen.high, goal));
	const why = [...(!reached && because !== undefined ? [because] : []), ...(across && !missed ? [OVER] : [])];
	return why.length === 0 ? { reached } : { reached, because: why.join('; ') };
}

/** Makes an estimate without an interval from a count. */
export function exactly(value: number): Estimate {
	return { value, low: value, high: value };
}

function holds(value: number, { most = Number.POSITIVE_INFINITY, least = Number.NEGATIVE_INFINITY }) {
	return value <= most && value >= least;
}

/** A figure with its interval; `none` if nothing was measured. */
export function written({ value, low, high }: Estimate, digits: number, to = '…'): string {
	if (Number.isNaN(value)) return 'none';
	// A ratio is infinite when its base is 0.
	const text = (number: number) => number.toFixed(digits).replace('Infinity', '∞');
	return `${text(value)} (${text(low)}${to}${text(high)})`;
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

/** One row of dots. */
interface PlotRow {
	readonly name: string;
	/** One dot each: a call, a start, a run. */
	readonly values: readonly number[];
	/** Rows of one group are shown together under its name; rows of one name look alike in every group. */
	readonly group?: string;
}

interface Plot {
	readonly title: string;
	/** Text alternative of the picture; `plotDots` adds the medians. */
	readonly description: string;
	/** Unit of the values and of the axis: `ms`, `MB`. */
	readonly unit: string;
	readonly rows: readonly PlotRow[];
	/** A line across all rows, for example a goal. */
	readonly mark?: { readonly value: number; readonly name: string };
	/** Digits after the point; default 0. */
	readonly digits?: number;
}

const WIDTH = 760;
const LEFT = 190;
const RIGHT = 150;
const TOP = 44;
const ROW = 40;
const GROUP = 26;
const FOOT = 44;
/** Colour is not the only distinction: each row has its name. */
const COLOURS = ['blue', 'orange', 'green', 'purple', 'red'];

/** Follows the reader's light or dark theme, also when shown as an image, and needs no font of ours. */
const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-weight: 600; font-size: 15px }
.group { font-weight: 600 } .quiet { fill: #59636e; font-size: 12px } .ground { fill: #fff }
.grid { stroke: #d1d9e0 } .mark { stroke: #59636e; stroke-dasharray: 4 3 }
.blue { fill: #0b5fb0 } .orange { fill: #b35900 } .green { fill: #1a7f37 } .purple { fill: #7d3fc0 } .red { fill: #b3261e }
.dot { fill-opacity: .5 } .interval { fill-opacity: .22 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .quiet { fill: #9aa4af } .ground { fill: #0d1117 } .grid { stroke: #30363d } .mark { stroke: #9aa4af }
.blue { fill: #6cb2ff } .orange { fill: #ffa657 } .green { fill: #56d364 } .purple { fill: #c297ff } .red { fill: #ff8b82 }
}`;

/**
 * Draws an SVG: each value is a dot, the median a bar, its 95 % interval a band. The axis begins at 0, so that lengths can be
 * compared. Rows without a value show "none".
 */
export function plotDots({ title, description, unit, rows, mark, digits = 0 }: Plot): string {
	const known = rows.map((row) => ({ ...row, values: row.values.filter(Number.isFinite) }));
	const most = Math.max(0, mark?.value ?? 0, ...known.flatMap(({ values }) => values));
	const step = niceStep(most);
	const end = Math.max(step, Math.ceil(most / step) * step);
	const x = (value: number) => round(LEFT + (Math.max(0, value) / end) * (WIDTH - LEFT - RIGHT));
	const names = [...new Set(rows.map(({ name }) => name))];
	const parts: string[] = [];
	const said: string[] = [];
	let y = TOP;
	let group: string | undefined;
	for (const { name, values, group: mine } of known) {
		if (mine !== group && mine !== undefined) {
			parts.push(text(12, y + 18, mine, 'group'));
			y += GROUP;
		}
		group = mine;
		const colour = COLOURS[names.indexOf(name) % COLOURS.length] ?? 'blue';
		const middle = y + ROW / 2;
		parts.push(text(LEFT - 12, middle + 4, name, '', 'end'));
		const estimate = values.length === 0 ? null : medianOf(values);
		const figure = estimate ? `${written(estimate, digits, '–')} ${unit}` : 'none';
		parts.push(
			...values.map((value, index) => {
				// Spread the dots by the golden ratio, so that they do not overlap and every run draws the same.
				const off = (((index * 0.618) % 1) - 0.5) * (ROW - 20);
				return `<circle class="dot ${colour}" cx="${x(value)}" cy="${round(middle + off)}" r="3.5"/>`;
			}),
			...(estimate ? [bar(estimate, middle, colour, x)] : []),
			text(WIDTH - RIGHT + 12, middle + 4, figure, 'quiet'),
		);
		said.push(`${mine === undefined ? '' : `${mine}, `}${name}: ${figure}`);
		y += ROW;
	}
	const height = y + FOOT;
	const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step);
	const grid = ticks.map(
		(value) =>
			`<path class="grid" d="M${x(value)} ${TOP - 6}V${y}"/>${text(x(value), y + 17, number(value), 'quiet', 'middle')}`,
	);
	const marked = mark
		? [
				`<path class="mark" d="M${x(mark.value)} ${TOP - 6}V${y}"/>`,
				text(x(mark.value), y + 34, mark.name, 'quiet', 'middle'),
			]
		: [];
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">`,
		`<title id="title">${escaped(title)}</title>`,
		`<desc id="description">${escaped(`${description} Medians with their 95 % intervals: ${said.join('; ')}.`)}</desc>`,
		`<style>${STYLE}</style>`,
		`<rect class="ground" width="${WIDTH}" height="${height}"/>`,
		text(12, 24, title, 'title'),
		...grid,
		text(WIDTH - RIGHT + 28, y + 17, unit, 'quiet'),
		...marked,
		...parts,
		'</svg>\n',
	].join('\n');
}

function bar({ value, low, high }: Estimate, middle: number, colour: string, x: (value: number) => number) {
	const top = middle - ROW / 2 + 5;
	const tall = ROW - 10;
	const wide = Math.max(1, round(x(high) - x(low)));
	return `<rect class="interval ${colour}" x="${x(low)}" y="${top}" width="${wide}" height="${tall}"/><rect class="${colour}" x="${round(x(value) - 1.5)}" y="${top}" width="3" height="${tall}"/>`;
}

/** 1, 2 or 5 times a power of ten, so that the axis has four to nine steps. */
function niceStep(most: number): number {
	if (!(most > 0)) return 1;
	const power = 10 ** Math.floor(Math.log10(most / 4));
	const factor = [1, 2, 5, 10].find((each) => most / (each * power) <= 8) ?? 10;
	return factor * power;
}

function text(x: number, y: number, words: string, look = '', anchor: 'start' | 'middle' | 'end' = 'start') {
	return `<text x="${x}" y="${y}" class="${look}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function number(value: number): string {
	return String(Number(value.toPrecision(6)));
}

function round(value: number): number {
	return Number(value.toFixed(1));
}

function escaped(words: string): string {
	return words
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;');
}
