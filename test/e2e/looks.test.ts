import { afterAll, beforeAll, expect, test } from 'vitest';
import { pairwise } from '#test/looks/choose.ts';
import { scenes } from '#test/looks/scenes.ts';
import { startWalk, table, type Walk } from '#test/looks/walk.ts';

const PARTS = 5;
/** Each page in the state with most to tab through; `npm run looks` does all states. */
const PAGES = ['idle', 'live', 'face-setup', 'face-mine', 'meeting', 'typing', 'settings', 'voices']
	.concat([
		'voices-make',
		'glossaries',
		'history',
		'history-reading',
		'sessions',
		'diagnostics',
		'setup',
		'welcome',
	])
	.concat(['stopped', 'several', 'face-sound-panel', 'meeting-sound-panel']);

let walk: Walk;
beforeAll(async () => {
	walk = await startWalk();
});
afterAll(() => walk?.close());

/** The whole window over a scripted main; `window.test.ts` walks the built app itself. */
test.each(Array.from({ length: PARTS }, (_, part) => part))(
	`nothing is cut, covered, too small or out of view in any state of the window, part %$ of ${PARTS}`,
	async (part) => {
		const each = Math.ceil(walk.states.length / PARTS);
		const states = walk.states.slice(part * each, (part + 1) * each);
		// What a press opens is as wide as it may be in a window of the usual size; `npm run looks` has it in the largest, too.
		const looks = pairwise(states).filter(({ state, size }) => !(state in scenes && size === '1440x1000'));
		expect(table(await walk.look(looks, { brief: true }))).toBe('');
	},
);

test('each page is tabbed through with the keyboard always in sight, and each switch turns by a click', async () => {
	expect(table(await walk.use(PAGES))).toBe('');
});
