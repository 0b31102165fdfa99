import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const start = () => page.getByRole('button', { name: 'Start', exact: true });
const made = /created when you press Start/;
const nowhere = { to: 'nowhere', missing: '' } as const;
const away = { problem: { kind: 'system-sound-failed', reason: '' } } as const;
const starts = (shown: { readonly conversation: { readonly calls: readonly (readonly unknown[])[] } }) =>
	shown.conversation.calls.filter(([name]) => name === 'start').length;

const meeting: FakeMain = { settings: { mode: 'meeting', hear: ['es'], voiceOf: 'es' }, callOutput: nowhere };
const unsupported = { routing: { virtualMicrophone: { state: 'unsupported' } } } as const;

test.each([
	['no sound system in a meeting', { ...meeting, systemSound: away }, /sound system does not answer/],
	[
		'no sound system in Listen',
		{ settings: { ...meeting.settings, mode: 'listen' as const }, systemSound: away },
		/sound system does not answer/,
	],
	[
		'what the computer plays cannot be had',
		{ ...meeting, systemSound: { way: 'none' } },
		/On this system, Dragoman cannot hear/,
	],
	['neither a virtual microphone nor a cable', { ...meeting, ...unsupported }, /Install an audio cable/],
] satisfies readonly (readonly [string, FakeMain, RegExp])[])(
	'%s: Start says so and does nothing, nor does its key',
	async (_, main, words) => {
		const shown = await renderWindow(createFakeWindow(main));
		await expect.element(start()).toBeDisabled();
		await expect.element(page.getByText(words).first()).toBeVisible();
		await userEvent.keyboard('{Control>}{Enter}{/Control}');
		expect(starts(shown)).toBe(0);
		expect(page.getByText(made).elements()).toEqual([]);
	},
);

test('whether the sound system is back is asked by Try again, which starts nothing', async () => {
	const shown = await renderWindow(createFakeWindow({ ...meeting, systemSound: away }));
	await page.getByRole('button', { name: 'Try again' }).first().click();
	expect(shown.asked.filter(([name]) => name === 'system-sound.state').length).toBeGreaterThan(1);
	expect(starts(shown)).toBe(0);
	shown.announce('system-sound.changed', { revision: 9, way: 'recorder', applications: [], problem: null });
	await expect.element(start()).toBeEnabled();
});

test('with a sound system Start makes the virtual microphone, and nothing is in the way', async () => {
	const shown = await renderWindow(createFakeWindow(meeting));
	await expect.element(start()).toBeEnabled();
	await start().click();
	expect(starts(shown)).toBe(1);
});

test('a double click on Start starts, and one on Stop stops; neither does the next thing as well', async () => {
	const shown = await renderWindow(createFakeWindow());
	const calls = () => shown.conversation.calls.map(([name]) => name).filter((name) => name !== 'prepare');
	await start().dblClick();
	expect(calls()).toEqual(['start']);
	shown.conversation.show({ phase: 'live' });
	await page.getByRole('button', { name: 'Stop', exact: true }).dblClick();
	expect(calls()).toEqual(['start', 'stop']);
	shown.conversation.show({ phase: 'ending' });
	await page.getByRole('button', { name: 'Stop now', exact: true }).tripleClick();
	expect(calls()).toEqual(['start', 'stop', 'stopNow', 'stopNow']);
});

test('a cable that is gone is named before Start, which may be pressed all the same', async () => {
	await renderWindow(createFakeWindow({ ...meeting, callOutput: { to: 'nowhere', missing: 'CABLE Input' } }));
	await expect.element(page.getByText(/CABLE Input.* is missing/).first()).toBeVisible();
	await expect
		.element(page.getByRole('button', { name: 'Set up the virtual microphone' }).first())
		.toBeVisible();
	await expect.element(start()).toBeEnabled();
});

test('only in the modes that need it', async () => {
	await renderWindow(createFakeWindow({ systemSound: away, ...unsupported }));
	await expect.element(start()).toBeEnabled();
});

test.each([1000, 420])(
	'the signs at both ends of the controls are in line with what stands above them: %i px',
	async (width) => {
		await renderWindow(createFakeWindow(), width, 700);
		await expect.element(page.getByRole('combobox', { name: 'I speak' })).toBeVisible();
		const box = (one: Element | null | undefined) => one?.getBoundingClientRect() ?? new DOMRect();
		const sign = (name: string) => box(page.getByRole('button', { name }).element().querySelector('svg'));
		const [mine, theirs] = page.getByRole('combobox').elements();
		const frame = (one: Element | undefined) => box(one?.closest('[role="group"]'));
		expect(Math.abs(sign('Mute microphone').left - frame(mine).left)).toBeLessThan(4);
		expect(
			Math.abs(box(page.getByTestId('phase').element().previousElementSibling).left - frame(mine).left),
		).toBeLessThan(4);
		if (width === 420) expect(Math.abs(sign('Sound and pace').right - frame(theirs).right)).toBeLessThan(4);
	},
);
