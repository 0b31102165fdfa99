import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { err, ok } from '#shared/lib/result.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

async function open(main: FakeMain = {}) {
	const window = createFakeWindow(main);
	window.parts.navigation.go('setup');
	return renderWindow(window);
}

const button = (name: string | RegExp) => page.getByRole('button', { name });
const writes = (asked: readonly (readonly [string, unknown])[]) =>
	asked.filter(([name]) => name === 'settings.write').map(([, input]) => input);

test('after the account is chosen the rest is offered; put away, it stays away', async () => {
	const none = { present: false, source: 'none', lastFour: '' } as const;
	const shown = createFakeWindow({ account: { service: 'unset' }, key: none });
	await renderWindow(shown);
	await button('Try the sandbox').click();
	await expect.element(page.getByRole('region', { name: 'Setup' })).toBeVisible();
	await expect.element(button('Start')).toBeVisible();
	await button('Not now').click();
	await expect.element(page.getByRole('region', { name: 'Setup' })).not.toBeInTheDocument();
	expect(writes(shown.asked).at(-1)).toEqual({ setup: { offered: false, done: ['account'] } });
});

test('it is offered wherever the account was chosen, and what was done before stays done', async () => {
	const none = { present: false, source: 'none', lastFour: '' } as const;
	const setup = { offered: false, done: ['microphone', 'output'] } as const;
	const shown = createFakeWindow({
		account: { service: 'unset' },
		key: none,
		settings: { setup: { offered: setup.offered, done: [...setup.done] } },
	});
	await renderWindow(shown);
	shown.parts.navigation.go('settings', 'key');
	await page.getByLabelText('API key').fill('plbr_0123456789abcdef');
	await button('Check and continue').click();
	await expect
		.poll(() => writes(shown.asked).at(-1))
		.toEqual({ setup: { offered: true, done: ['microphone', 'output', 'account'] } });
	shown.parts.navigation.back();
	await expect.element(page.getByRole('region', { name: 'Setup' })).toBeVisible();
});

test('each step is kept when it is done, and the next one opens', async () => {
	const shown = await open();
	await expect.element(page.getByText('0 of 5 done')).toBeVisible();
	await button('That’s right').click();
	expect(writes(shown.asked)).toContainEqual({ setup: { offered: false, done: ['account'] } });
	await expect.element(page.getByText('1 of 5 done')).toBeVisible();
	await expect.element(page.getByRole('meter', { name: 'Microphone level' })).toBeVisible();
	await button('The level moves').click();
	await button('Play the sound').click();
	await expect.element(page.getByText('Did you hear it?')).toBeVisible();
	await button('No').click();
	await expect.element(page.getByText(/Choose other speakers or turn up/)).toBeVisible();
	await button('Play the sound').click();
	await button('Yes').click();
	await expect.element(page.getByText(/You speak: .*English.*They hear: .*Spanish/)).toBeVisible();
	await button('That’s right').click();
	await expect.element(button('Start the rehearsal')).toBeVisible();
	const done = ['account', 'microphone', 'output', 'languages'];
	expect(writes(shown.asked).at(-1)).toEqual({ setup: { offered: false, done } });
});

test('the microphone ticks itself when it hears speech, stays in view, and leads on', async () => {
	const clock = createManualClock();
	const window = createFakeWindow({ clock, settings: { setup: { offered: true, done: ['account'] } } });
	let peakDb = -70;
	Object.assign(window.parts.sound, { microphonePeakDb: () => peakDb });
	window.parts.navigation.go('setup');
	await renderWindow(window);
	await expect.element(button('The level moves')).toBeVisible();
	clock.advance(3000);
	expect(writes(window.asked)).toEqual([]);
	for (let word = 0; word < 10; word += 1) {
		peakDb = word % 3 === 2 ? -60 : -20;
		clock.advance(100);
	}
	await expect.element(page.getByText('Dragoman hears you.')).toBeVisible();
	await expect.element(page.getByText('2 of 5 done')).toBeVisible();
	expect(writes(window.asked).at(-1)).toEqual({
		setup: { offered: true, done: ['account', 'microphone'] },
	});
	await expect.element(page.getByRole('meter', { name: 'Microphone level' })).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await button('Next').click();
	await expect.element(button('Play the sound')).toBeVisible();
});

test('another microphone is listened to anew', async () => {
	const clock = createManualClock();
	const jabra = { id: 'm2', label: 'Jabra Evolve2 65' };
	const window = createFakeWindow({
		clock,
		settings: { setup: { offered: true, done: ['account'] } },
		sound: { microphones: [jabra], systemMicrophone: 'Desk microphone' },
	});
	let count = 0;
	function microphonePeakDb(): number {
		count += 1;
		return count % 3 === 2 ? -60 : -20;
	}
	Object.assign(window.parts.sound, { microphonePeakDb });
	window.parts.navigation.go('setup');
	await renderWindow(window);
	await expect.element(button('The level moves')).toBeVisible();
	clock.advance(3000);
	await expect.element(page.getByText('Dragoman hears you.')).toBeVisible();
	await button(/^System default: Desk microphone/).click();
	await page.getByRole('option', { name: 'Jabra Evolve2 65' }).click();
	await expect.element(page.getByText('Dragoman hears you.')).not.toBeInTheDocument();
	await expect.element(button('The level moves')).toBeVisible();
});

test('what was left is taken up where it was left, and can be done again', async () => {
	await open({ settings: { setup: { offered: true, done: ['account', 'microphone'] } } });
	await expect.element(button('Play the sound')).toBeVisible();
	await button('Show: Microphone').click();
	await expect.element(button('The level moves')).toBeVisible();
});

test('a refused microphone leads to the page of the system, and is looked at again on the way back', async () => {
	let allowed = false;
	const window = createFakeWindow({ settings: { setup: { offered: true, done: ['account'] } } });
	const { sound } = window.parts;
	const listenIn = sound.listenIn;
	Object.assign(sound, {
		listenIn: async () => (allowed ? listenIn() : err({ kind: 'microphone-denied' })),
	});
	window.parts.navigation.go('setup');
	await renderWindow(window);
	await button('Open privacy settings').click();
	expect(window.asked.map(([name]) => name)).toContain('system.open-microphone-privacy');
	await expect.element(button('The level moves')).toBeDisabled();
	allowed = true;
	globalThis.window.dispatchEvent(new Event('focus'));
	await expect.element(button('The level moves')).toBeEnabled();
});

test('no device of ours is offered, and a chosen one that came back under another id is not called missing', async () => {
	const jabra = { id: 'm2', label: 'Jabra Evolve2 65' };
	await open({
		settings: { setup: { offered: true, done: ['account'] }, microphone: { ...jabra, id: 'before' } },
		sound: { microphones: [jabra, { id: 'dm', label: 'Dragoman microphone' }] },
	});
	await button(/^Jabra Evolve2 65 Microphone$/).click();
	await expect.element(page.getByRole('option', { name: 'Jabra Evolve2 65', exact: true })).toBeVisible();
	expect(page.getByRole('option').elements()).toHaveLength(2);
});

test('the rehearsal shows how far the sentence came, and names the step before which it stopped', async () => {
	const done = ['account', 'microphone', 'output', 'languages'] as const;
	await open({
		settings: { setup: { offered: true, done: [...done] } },
		rehearsal: { state: 'failed', reached: { connected: 900, said: 4100 } },
	});
	await expect.element(page.getByText(/stopped before this step: Understood/)).toBeVisible();
	await button('Open diagnostics').click();
	await expect.element(page.getByRole('heading', { name: 'Diagnostics' })).toBeVisible();
});

test('a rehearsal that passed gives its delay, and Finish leaves the page', async () => {
	const done = ['account', 'microphone', 'output', 'languages'] as const;
	const reached = { connected: 900, said: 4100, understood: 3000, translated: 3200, heard: 3900 };
	const shown = await open({
		settings: { setup: { offered: true, done: [...done] } },
		rehearsal: { state: 'passed', reached, understood: 'Good morning.', translated: 'Buenos días.' },
	});
	await expect.element(page.getByText(/first word heard: /)).toBeVisible();
	await expect.element(page.getByText('Buenos días.')).toBeVisible();
	await button('Finish').click();
	await expect.element(button('Start')).toBeVisible();
	expect(shown.parts.navigation.store.getState().page).toBe('live');
	expect(writes(shown.asked).at(-1)).toMatchObject({ setup: { done: [...done, 'rehearsal'] } });
	// On return the page shows the finished steps, and the same button to leave as other pages.
	shown.parts.navigation.go('setup');
	await expect.element(button('To the conversation')).toBeVisible();
});

test('how the rehearsal goes and how it ended is in view, each mark in line with its words', async () => {
	const done = ['account', 'microphone', 'output', 'languages'] as const;
	const shown = await open({ settings: { setup: { offered: true, done: [...done] } } });
	await expect.element(button('Start the rehearsal')).toBeVisible();
	const { store } = shown.parts.rehearsal;
	const reached = { connected: 900, said: 4100, understood: 3000, translated: 3200, heard: 3900 };
	store.setState({ state: 'passed', reached });
	await expect.element(button('Finish')).toBeInViewport();
	const middle = (element: Element | null) => {
		const { top, bottom } = element?.getBoundingClientRect() ?? new DOMRect();
		return (top + bottom) / 2;
	};
	for (const step of document.querySelectorAll('[data-rehearsed]')) {
		const off = middle(step.querySelector('svg')) - middle(step.querySelector('p'));
		expect(Math.abs(off)).toBeLessThan(1);
	}
});

test('in a narrow window the offer of a rehearsal is aligned with the other content', async () => {
	const shown = createFakeWindow({ settings: { setup: { offered: true, done: ['account'] } } });
	await renderWindow(shown, 420, 700);
	const offer = page
		.getByRole('region', { name: 'Setup' })
		.getByText(/try a rehearsal/)
		.element();
	const label = page.getByText('I speak', { exact: true }).element();
	expect(offer.getBoundingClientRect().left).toBe(label.getBoundingClientRect().left);
});

test('nothing moves aside when the page becomes long enough to scroll', async () => {
	await open();
	// The browser of the tests has scrollbars without a width: what they would move cannot be measured here.
	const { scrollbarGutter } = getComputedStyle(page.getByRole('main').element());
	expect(scrollbarGutter).toBe('stable');
});

test('the microphone of its step is open only while the step is shown', async () => {
	const shown = createFakeWindow({ settings: { setup: { offered: true, done: ['account'] } } });
	let listening = 0;
	Object.assign(shown.parts.sound, {
		listenIn: async () => {
			listening += 1;
			return ok(() => {
				listening -= 1;
			});
		},
	});
	shown.parts.navigation.go('setup');
	await renderWindow(shown);
	await expect.poll(() => listening).toBe(1);
	await button('The level moves').click();
	await expect.element(button('Play the sound')).toBeVisible();
	await expect.poll(() => listening).toBe(0);
});

test('who leaves the rehearsal ends it, because it costs', async () => {
	const done = ['account', 'microphone', 'output', 'languages'] as const;
	const shown = createFakeWindow({ settings: { setup: { offered: true, done: [...done] } } });
	let stops = 0;
	Object.assign(shown.parts.rehearsal, {
		async stop() {
			stops += 1;
		},
	});
	shown.parts.navigation.go('setup');
	await renderWindow(shown);
	await button('Start the rehearsal').click();
	await expect.element(button('Stop the rehearsal')).toBeVisible();
	expect(stops).toBe(0);
	shown.parts.navigation.go('live');
	await expect.poll(() => stops).toBe(1);
});
