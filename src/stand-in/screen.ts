import { EventEmitter } from 'node:events';
import type { Display, Rectangle } from 'electron';
import type { CdpSession } from './cdp.ts';
import { strict } from './strict.ts';

/** The part of the DevTools protocol's `Emulation.getScreenInfos` used here. CSS px. */
export interface ScreenInfo {
	readonly id: string;
	readonly left: number;
	readonly top: number;
	readonly width: number;
	readonly height: number;
	/** Without task bars. */
	readonly availLeft: number;
	readonly availTop: number;
	readonly availWidth: number;
	readonly availHeight: number;
	readonly devicePixelRatio: number;
	readonly isPrimary: boolean;
}

/** A program without a toolkit knows nothing of displays: assume one of a common size until there is a browser to ask. */
const area: Rectangle = { x: 0, y: 0, width: 1920, height: 1080 };
const common = { id: 1, scaleFactor: 1, bounds: area, workArea: area } as Display;

export class StandInScreen extends EventEmitter {
	/** The primary one first; never empty. */
	#displays: readonly [Display, ...Display[]] = [common];

	getPrimaryDisplay = (): Display => this.#displays[0];
	getAllDisplays = (): Display[] => [...this.#displays];

	/** The display with most of the box on it, else the primary one. */
	getDisplayMatching = (box: Rectangle): Display =>
		this.#displays.reduce((best, one) => (shared(one.bounds, box) > shared(best.bounds, box) ? one : best));

	/** Gives `screen` the displays `infos`; listeners are told when they have changed. */
	static learn(screen: StandInScreen, infos: readonly ScreenInfo[]): void {
		const [first, ...rest] = infos
			.toSorted((one, other) => Number(other.isPrimary) - Number(one.isPrimary))
			.map(displayOf);
		if (!first) return;
		const before = JSON.stringify(screen.#displays);
		screen.#displays = [first, ...rest];
		if (JSON.stringify(screen.#displays) === before) return;
		screen.emit('display-metrics-changed', {}, first, ['workArea']);
	}
}

function displayOf(info: ScreenInfo, index: number): Display {
	return {
		id: Number(info.id) || index + 1,
		scaleFactor: info.devicePixelRatio,
		bounds: { x: info.left, y: info.top, width: info.width, height: info.height },
		workArea: { x: info.availLeft, y: info.availTop, width: info.availWidth, height: info.availHeight },
	} as Display;
}

/** Area common to both, px². */
function shared(one: Rectangle, other: Rectangle): number {
	const along = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
	const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
	return Math.max(0, along) * Math.max(0, down);
}

const standIn = new StandInScreen();
export const screen = strict('screen', standIn);

/** Called for each window that opens: a browser does not report when a display comes or goes. */
export async function askForScreens(page: CdpSession): Promise<void> {
	const answer = await page.send('Emulation.getScreenInfos').catch(() => null);
	if (answer) StandInScreen.learn(standIn, answer.screenInfos as readonly ScreenInfo[]);
}
