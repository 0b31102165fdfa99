import fc from 'fast-check';
import { expect, test } from 'vitest';
import { laptop, monitor } from '#test/support/fake-overlay.ts';
import { type Box, type DisplayArea, displayKey, placeWindow, remember } from './placement.ts';

const size = () => ({ width: 800, height: 160 });
const both = [laptop, monitor];

test('never placed, it is low in the middle of the primary display', () => {
	expect(placeWindow({ displays: both, places: [], size })).toEqual({
		x: (1440 - 800) / 2,
		y: 25 + 875 - 160 - 96,
		width: 800,
		height: 160,
	});
});

test('never placed, it is above the buttons of the main window that it would cover; put there by hand, it stays', () => {
	const avoid = { x: 220, y: 600, width: 1000, height: 300 };
	const y = 600 - 160;
	expect(placeWindow({ displays: both, places: [], size, avoid })).toMatchObject({ x: 320, y });
	expect(placeWindow({ displays: both, places: [], size, avoid: { ...avoid, x: -900 } }).y).toBe(644);
	const places = remember([], laptop, { x: 320, y: 650, width: 800, height: 160 });
	expect(placeWindow({ displays: both, places, size, avoid })).toMatchObject({ x: 320, y: 650 });
});

test('it stands where it was put, on the display it was put on; without that, where it was put on the first', () => {
	const onLaptop = remember([], laptop, { x: 10, y: 35, width: 800, height: 160 });
	const places = remember(onLaptop, monitor, { x: 1500, y: 100, width: 800, height: 160 });
	expect(placeWindow({ displays: both, places, size })).toMatchObject({ x: 1500, y: 100 });
	expect(placeWindow({ displays: [laptop], places, size })).toMatchObject({ x: 10, y: 35 });
	// The monitor is back, and so is the window.
	expect(placeWindow({ displays: both, places, size })).toMatchObject({ x: 1500, y: 100 });
});

test('another scale of the same display is another place', () => {
	const places = remember([], laptop, { x: 10, y: 35, width: 800, height: 160 });
	const scaled = { ...laptop, scale: 1 };
	expect(placeWindow({ displays: [scaled], places, size })).not.toMatchObject({ x: 10 });
});

test('another scale of the display it was on leaves it there', () => {
	const places = remember([], monitor, { x: 1500, y: 100, width: 800, height: 160 });
	const { x } = placeWindow({ displays: [laptop, { ...monitor, scale: 1.25 }], places, size });
	expect(x).toBeGreaterThanOrEqual(monitor.workArea.x);
});

test('a display that moved among the others takes it along', () => {
	const places = remember([], monitor, { x: 1500, y: 100, width: 800, height: 160 });
	const left: DisplayArea = { ...monitor, workArea: { ...monitor.workArea, x: -2560 } };
	expect(placeWindow({ displays: [laptop, left], places, size })).toMatchObject({ x: -2500, y: 100 });
});

test('the size of an ordinary window is the user’s, that of the others follows from the look', () => {
	const places = remember([], laptop, { x: 0, y: 25, width: 500, height: 300 }, true);
	expect(placeWindow({ displays: [laptop], places, size, ownSize: true })).toMatchObject({
		width: 500,
		height: 300,
	});
	expect(placeWindow({ displays: [laptop], places, size })).toMatchObject({ width: 800, height: 160 });
});

const number = fc.integer({ min: -5000, max: 5000 });
const display = fc.record({
	id: fc.integer({ min: 1, max: 4 }),
	scale: fc.constantFrom(1, 1.25, 2),
	workArea: fc.record({
		x: number,
		y: number,
		width: fc.integer({ min: 320, max: 5000 }),
		height: fc.integer({ min: 200, max: 3000 }),
	}),
});
const place = fc.record({
	display: fc.constantFrom('1@1', '2@1', '3@2', '9@1'),
	x: fc.oneof(number, fc.constant(1e9)),
	y: number,
	width: fc.integer({ min: 1, max: 9000 }),
	height: fc.integer({ min: 1, max: 9000 }),
});

function isInside(box: Box, area: Box): boolean {
	return (
		box.x >= area.x &&
		box.y >= area.y &&
		box.x + box.width <= area.x + area.width &&
		box.y + box.height <= area.y + area.height
	);
}

test('whatever displays come and go and whatever the file says, it is whole on one of them', () => {
	fc.assert(
		fc.property(
			fc.uniqueArray(display, { minLength: 1, maxLength: 4, selector: displayKey }),
			fc.array(place, { maxLength: 5 }),
			fc.boolean(),
			(displays, places, ownSize) => {
				const box = placeWindow({ displays, places, size, ownSize });
				expect(displays.some(({ workArea }) => isInside(box, workArea))).toBe(true);
			},
		),
	);
});

test('of more than sixteen displays the ones used last are remembered', () => {
	const placesOf = (count: number) =>
		Array.from({ length: count }, (_, id) => ({ ...laptop, id })).reduce<ReturnType<typeof remember>>(
			(places, display) => remember(places, display, { x: 0, y: 25, width: 800, height: 160 }),
			[],
		);
	expect([15, 16, 17].map((count) => placesOf(count).length)).toEqual([15, 16, 16]);
	const kept = placesOf(17).map(({ display }) => display);
	expect([
		kept.includes(displayKey({ ...laptop, id: 16 })),
		kept.includes(displayKey({ ...laptop, id: 0 })),
	]).toEqual([true, false]);
});

test('put anywhere on a display, it comes back there; and no more places are kept than make sense', () => {
	fc.assert(
		fc.property(
			display,
			fc.float({ min: 0, max: 1, noNaN: true }),
			fc.array(place, { maxLength: 40 }),
			(on, share, before) => {
				const { width, height } = { width: 200, height: 100 };
				const { workArea } = on;
				// Never -0, which no system calls a place.
				const box = {
					x: Math.round(workArea.x + share * (workArea.width - width)) + 0,
					y: Math.round(workArea.y + share * (workArea.height - height)) + 0,
					width,
					height,
				};
				const places = remember(before, on, box);
				expect(placeWindow({ displays: [on], places, size: () => ({ width, height }) })).toEqual(box);
				expect(places.length).toBeLessThanOrEqual(16);
			},
		),
	);
});
