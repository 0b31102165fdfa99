import { afterAll, beforeAll, expect, test } from 'vitest';
import { pairwise } from '#test/looks/choose.ts';
import { type Known, known } from '#test/looks/known.ts';
import { type Found, startWalk, table, type Walk } from '#test/looks/walk.ts';

let walk: Walk;
beforeAll(async () => {
	walk = await startWalk();
});
afterAll(() => walk?.close());

/** The whole window over a scripted main; `window.test.ts` walks the built app itself. */
test('nothing is cut, covered, too small or out of view in any state of the window', async () => {
	const found = [...(await walk.look(pairwise(walk.states))), ...(await walk.use(walk.states))];
	const isOf = ({ look, what }: Found, one: Known) => one.state.test(look.state) && one.what.test(what);
	const unknown = found.filter((finding) => !known.some((one) => isOf(finding, one)));
	expect(table(unknown)).toBe('');
	const gone = known.filter((one) => !found.some((finding) => isOf(finding, one)));
	expect(gone, 'no longer seen: take it out of known.ts').toEqual([]);
});
