import { expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { createManualClock } from '#test/support/manual-clock.ts';
import { keepDrawn } from './overlay-page.tsx';

/** Throws while it is drawn until `mends` is called. */
function fragile() {
	let isWhole = false;
	let tries = 0;
	return {
		tries: () => tries,
		mend: () => {
			isWhole = true;
		},
		Captions() {
			tries += 1;
			if (!isWhole) throw new TypeError('no such row');
			return <p>Good morning</p>;
		},
	};
}

function stage() {
	const reported = vi.spyOn(window, 'reportError').mockImplementation(() => {});
	onTestFinished(() => reported.mockRestore());
	const element = document.createElement('div');
	document.body.replaceChildren(element);
	return { reported, element, clock: createManualClock() };
}

test('captions that fail while they are drawn are drawn again a second later', async () => {
	const { reported, element, clock } = stage();
	const { Captions, mend } = fragile();
	keepDrawn(element, <Captions />, clock);
	await expect.poll(() => reported.mock.calls).toEqual([[new TypeError('no such row')]]);
	mend();
	clock.advance(999);
	expect(clock.pending).toBe(1);
	clock.advance(1);
	await expect.element(page.getByText('Good morning')).toBeVisible();
});

test('and no more than twenty times in all', async () => {
	const { reported, element, clock } = stage();
	const { Captions } = fragile();
	keepDrawn(element, <Captions />, clock);
	for (let failed = 1; failed < 20; failed += 1) {
		await expect.poll(() => reported.mock.calls.length).toBe(failed);
		clock.advance(failed * 1000);
	}
	await expect.poll(() => reported.mock.calls.length).toBe(20);
	expect(clock.pending).toBe(0);
});
