/** What the icon in the system's bar shows. */
export type TrayLook = 'idle' | 'live' | 'paused' | 'muted' | 'problem';

/** CSS px; drawn twice as large for dense displays as well. */
export const TRAY_SIZE = 16;
const SAMPLES = 4;

type Shape = (x: number, y: number) => boolean;
const inRing: Shape = (x, y) => Math.hypot(x, y) <= 7 && Math.hypot(x, y) >= 5;
const inDisc: Shape = (x, y) => Math.hypot(x, y) <= 7;
const inBars: Shape = (x, y) => Math.abs(y) <= 3 && Math.abs(Math.abs(x) - 1.75) <= 1;
const onStroke: Shape = (x, y) => Math.abs(x + y) <= 1.6 && Math.hypot(x, y) <= 8;
const besideStroke: Shape = (x, y) => Math.abs(x + y) <= 3.4;
const inTriangle: Shape = (x, y) => y <= 6.5 && y >= 2 * Math.abs(x) - 7.5;
const inSign: Shape = (x, y) => Math.abs(x) <= 1 && ((y >= -3 && y <= 2) || (y >= 3.4 && y <= 5.2));

/** A shape for each state, so that no colour has to be told apart. */
const shapes: { readonly [Look in TrayLook]: Shape } = {
	idle: inRing,
	live: inDisc,
	paused: (x, y) => inRing(x, y) || inBars(x, y),
	muted: (x, y) => onStroke(x, y) || (inDisc(x, y) && !besideStroke(x, y)),
	problem: (x, y) => inTriangle(x, y) && !inSign(x, y),
};

/** BGRA; readable on a light and on a dark bar. */
const colours: { readonly [Look in TrayLook]: readonly [number, number, number] } = {
	idle: [0x9a, 0x9a, 0x9a],
	live: [0x6b, 0xa0, 0x1f],
	paused: [0x9a, 0x9a, 0x9a],
	muted: [0x3b, 0x45, 0xd9],
	problem: [0x1e, 0x8a, 0xe6],
};

/**
 * Pixels of the icon, rows from the top, premultiplied BGRA as `nativeImage.createFromBitmap` takes them.
 * `mono`: black, for a Mac, which colours it itself.
 */
export function drawTrayIcon(
	look: TrayLook,
	{ scale, mono }: { readonly scale: number; readonly mono: boolean },
): Uint8Array {
	const size = TRAY_SIZE * scale;
	const pixels = new Uint8Array(size * size * 4);
	const colour = mono ? ([0, 0, 0] as const) : colours[look];
	for (let row = 0; row < size; row++) {
		for (let column = 0; column < size; column++) {
			const share = coverage(shapes[look], column / scale, row / scale, 1 / scale);
			const at = (row * size + column) * 4;
			for (const [index, value] of colour.entries()) pixels[at + index] = Math.round(value * share);
			pixels[at + 3] = Math.round(255 * share);
		}
	}
	return pixels;
}

/** How much of a pixel lies in the shape, 0 to 1. */
function coverage(shape: Shape, left: number, top: number, width: number): number {
	let inside = 0;
	for (let one = 0; one < SAMPLES * SAMPLES; one++) {
		const x = left + (((one % SAMPLES) + 0.5) / SAMPLES) * width - TRAY_SIZE / 2;
		const y = top + ((Math.floor(one / SAMPLES) + 0.5) / SAMPLES) * width - TRAY_SIZE / 2;
		if (shape(x, y)) inside += 1;
	}
	return inside / (SAMPLES * SAMPLES);
}
