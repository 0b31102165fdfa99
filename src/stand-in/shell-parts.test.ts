import { expect, test } from 'vitest';
import { type ScreenInfo, StandInScreen } from './shell-parts.ts';

const info = (change: Partial<ScreenInfo> = {}): ScreenInfo => ({
	id: '7',
	left: 0,
	top: 0,
	width: 1280,
	height: 900,
	devicePixelRatio: 1,
	isPrimary: true,
	availLeft: 0,
	availTop: 30,
	availWidth: 1280,
	availHeight: 870,
	...change,
});
const second = info({
	id: '8',
	left: 1280,
	availLeft: 1280,
	availTop: 0,
	isPrimary: false,
	devicePixelRatio: 2,
});

test('the displays are those the browser has, the primary one first, and a change is told once', () => {
	const screen = new StandInScreen();
	let told = 0;
	screen.on('display-metrics-changed', () => {
		told += 1;
	});
	StandInScreen.learn(screen, [second, info()]);
	StandInScreen.learn(screen, [second, info()]);
	expect(told).toBe(1);
	expect(screen.getPrimaryDisplay()).toMatchObject({
		id: 7,
		scaleFactor: 1,
		workArea: { x: 0, y: 30, width: 1280, height: 870 },
	});
	expect(screen.getAllDisplays().map(({ id }) => id)).toEqual([7, 8]);
	StandInScreen.learn(screen, [info()]);
	expect([told, screen.getAllDisplays().length]).toEqual([2, 1]);
});

test('a box is on the display that has most of it, and on the primary one when none has any', () => {
	const screen = new StandInScreen();
	StandInScreen.learn(screen, [info(), second]);
	const on = (x: number, y = 0) => screen.getDisplayMatching({ x, y, width: 100, height: 100 }).id;
	expect([on(1229), on(1231), on(5000, 5000)]).toEqual([7, 8, 7]);
});

test('with no display said, there is one all the same', () => {
	const screen = new StandInScreen();
	StandInScreen.learn(screen, []);
	expect(screen.getAllDisplays()).toHaveLength(1);
});
