import { afterAll, beforeAll, expect, test } from 'vitest';
import { pairwise } from '#test/looks/choose.ts';
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
	.concat(['stopped']);

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
		expect(table(await walk.look(pairwise(states), { brief: true }))).toBe('');
	},
);

test('each page is tabbed through with the keyboard always in sight, and each switch turns by a click', async () => {
	expect(table(await walk.use(PAGES))).toBe('');
});
