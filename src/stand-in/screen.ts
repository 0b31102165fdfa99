import { EventEmitter } from 'node:events';
import type { Display, Rectangle } from 'electron';
import { strict } from './strict.ts';

/** A program without a toolkit knows nothing of displays: one of a common size, which never changes. */
const area: Rectangle = { x: 0, y: 0, width: 1920, height: 1080 };
const display = { id: 1, scaleFactor: 1, bounds: area, workArea: area } as Display;

class StandInScreen extends EventEmitter {
	getPrimaryDisplay = (): Display => display;
	getAllDisplays = (): Display[] => [display];
	getDisplayMatching = (_box: Rectangle): Display => display;
}

export const screen = strict('screen', new StandInScreen());
