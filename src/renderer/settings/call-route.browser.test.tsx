import axe from 'axe-core';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { RoutingState, VirtualMicrophone } from '#shared/host/calls.ts';
import { err, ok } from '#shared/lib/result.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

const ready: VirtualMicrophone = {
	state: 'ready',
	speakerLabel: 'Dragoman voice',
	microphoneLabel: 'Dragoman microphone',
};
const devices = {
	outputs: [
		{ id: 'o1', label: 'Speakers' },
		{ id: 'v', label: 'Dragoman voice' },
	],
	microphones: [
		{ id: 'm1', label: 'Laptop' },
		{ id: 'm2', label: 'Dragoman microphone' },
	],
};

async function settings(main: FakeMain = {}, width?: number) {
	const shown = createFakeWindow(main);
	shown.parts.navigation.go('settings', 'call-route');
	return renderWindow(shown, width);
}

const section = page.getByRole('region', { name: 'Your voice in a call' });
const press = (name: string) => section.getByRole('button', { name, exact: true });

test('the virtual microphone is made with one press, and its name is what to choose in the call', async () => {
	let routing: RoutingState = { revision: 1, virtualMicrophone: { state: 'none' } };
	const shown = await settings({
		sound: devices,
		answers: {
			'routing.make': () => {
				routing = { revision: 2, virtualMicrophone: ready };
				return ok(routing);
			},
			'routing.remove': () => {
				routing = { revision: 3, virtualMicrophone: { state: 'none' } };
				return ok(routing);
			},
		},
	});
	await expect.element(section).toHaveFocus();
	await expect.element(press('Test the virtual microphone')).not.toBeInTheDocument();
	await press('Create the virtual microphone').click();
	await expect.element(section.getByText('Dragoman microphone', { exact: true })).toBeVisible();
	await press('Remove it').click();
	await expect.element(press('Create the virtual microphone')).toBeVisible();
	expect(shown.asked.map(([name]) => name)).toEqual(
		expect.arrayContaining(['routing.make', 'routing.remove']),
	);
});

test('main announces that it is being made again, and the window shows it', async () => {
	const shown = await settings({ routing: { virtualMicrophone: ready }, sound: devices });
	await expect.element(press('Repair it')).toBeVisible();
	shown.announce('routing.changed', { revision: 9, virtualMicrophone: { state: 'making' } });
	await expect.element(press('Create the virtual microphone')).toBeDisabled();
	shown.announce('routing.changed', { revision: 8, virtualMicrophone: ready });
	await expect.element(press('Create the virtual microphone')).toBeDisabled();
});

test('what is missing is named with the package that has it, and can be tried again', async () => {
	const problem = { kind: 'sound-tool-missing', program: 'pactl' } as const;
	const shown = await settings({
		routing: { virtualMicrophone: { state: 'failed', problem } },
		answers: { 'routing.make': () => err(problem) },
	});
	await expect.element(section.getByText(/pactl.*pulseaudio-utils/)).toBeVisible();
	await press('Try again').click();
	expect(shown.asked.map(([name]) => name)).toContain('routing.make');
});

test('the test tells its steps and that it works', async () => {
	const { promise, resolve } = Promise.withResolvers<void>();
	await settings({
		routing: { virtualMicrophone: ready },
		sound: devices,
		testPath: async ({ tell, speaker, microphone }) => {
			expect([speaker.id, microphone]).toEqual(['v', 'Dragoman microphone']);
			for (const step of ['speaker', 'microphone', 'open'] as const) tell(step);
			await promise;
			return { passed: true, delayMs: 120, gainDb: -30 };
		},
	});
	await press('Test the virtual microphone').click();
	const steps = section.getByRole('list', { name: 'Steps of the test' }).getByRole('listitem');
	await expect.element(steps.nth(1)).toHaveTextContent('Find the microphone of the call done');
	await expect.element(steps.nth(2)).toHaveTextContent('Open the microphone now');
	await expect.element(steps.nth(3)).toHaveTextContent('Play the tone not yet');
	resolve();
	await expect
		.element(section.getByText(/It works: the tone arrived after 0.1 sec.*very quietly/))
		.toBeVisible();
});

test.each([
	[{ passed: false, step: 'speaker', label: 'Dragoman voice' }, /not among the outputs/, 0],
	[{ passed: false, step: 'microphone', label: 'Dragoman microphone' }, /not among the microphones/, 1],
	[
		{ passed: false, step: 'open', problem: { kind: 'microphone-denied' } },
		/is not allowed to use the microphone/,
		2,
	],
	[{ passed: false, step: 'hear', heard: 'silence' }, /only silence.*Repair it/, 4],
	[{ passed: false, step: 'hear', heard: 'other-sound' }, /connected to another device/, 4],
] as const)('a broken step is named with its remedy: %o', async (outcome, words, at) => {
	await settings({
		routing: { virtualMicrophone: ready },
		sound: devices,
		testPath: async () => outcome,
	});
	await press('Test the virtual microphone').click();
	await expect.element(section.getByText(words)).toBeVisible();
	const steps = section.getByRole('list', { name: 'Steps of the test' }).getByRole('listitem');
	await expect.element(steps.nth(at)).toHaveAttribute('data-state', 'failed');
	await expect.element(press('Test the virtual microphone')).toBeEnabled();
});

test('the test ends when the page is left, and with its own button', async () => {
	const signals: AbortSignal[] = [];
	const shown = await settings({
		routing: { virtualMicrophone: ready },
		sound: devices,
		testPath: ({ signal, tell }) => {
			signals.push(signal);
			tell('speaker');
			return new Promise((done) => signal.addEventListener('abort', () => done(null)));
		},
	});
	await press('Test the virtual microphone').click();
	await press('Stop the test').click();
	await press('Test the virtual microphone').click();
	await expect.element(press('Stop the test')).toBeVisible();
	shown.parts.navigation.go('live');
	await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('finds and tests an installed audio cable where programs cannot create a device', async () => {
	const cable = { id: 'b', label: 'BlackHole 2ch (Virtual)' };
	await settings({
		info: { platform: 'darwin' },
		routing: { virtualMicrophone: { state: 'unsupported' } },
		sound: { outputs: [cable], microphones: [cable], systemOutput: cable.label },
	});
	await expect.element(section.getByText(/An audio cable was found: .*BlackHole 2ch/)).toBeVisible();
	await expect.element(section.getByText(/the call would hear everything this computer plays/)).toBeVisible();
	await expect.element(press('Test the virtual microphone')).toBeEnabled();
});

test('where there is none, the way to one is shown, and main opens its page', async () => {
	const shown = await settings({
		info: { platform: 'win32' },
		routing: { virtualMicrophone: { state: 'unsupported' } },
	});
	await press('VB-CABLE (free)').click();
	expect(shown.asked).toContainEqual(['routing.open-guide', { guide: 'vb-cable' }]);
	await expect.element(press('BlackHole (free)')).not.toBeInTheDocument();
});

test('another output is the choice of the user; one that is gone is said, and nothing stands in', async () => {
	const shown = await settings({ routing: { virtualMicrophone: ready }, sound: devices });
	await section.getByRole('button', { name: /Speakers for the call/ }).click();
	await page.getByRole('option', { name: 'Speakers' }).click();
	await expect
		.poll(() => shown.parts.settings.store.getState().values.callOutput)
		.toEqual({ id: 'o1', label: 'Speakers' });
	await expect.element(section.getByText(/does not know which microphone belongs/)).toBeVisible();
	await shown.parts.settings.write({ callOutput: { id: 'x', label: 'Cable 9' } });
	await expect.element(section.getByText(/Cable 9.*is missing/)).toBeVisible();
});

test('our own device is not offered, and counts as automatic where it was chosen before', async () => {
	const shown = await settings({ routing: { virtualMicrophone: ready }, sound: devices });
	await shown.parts.settings.write({ callOutput: { id: 'v', label: 'Dragoman voice' } });
	const choice = section.getByRole('button', { name: /Speakers for the call/ }).first();
	await expect
		.element(choice)
		.toHaveTextContent('Automatic (the virtual microphone, or a cable that is found)');
	await choice.click();
	await expect.element(page.getByRole('option', { name: 'Speakers' })).toBeVisible();
	expect(page.getByRole('option', { name: 'Dragoman voice' }).query()).toBeNull();
});

test('it is for the keyboard and a narrow window, too', async () => {
	await settings({ routing: { virtualMicrophone: ready }, sound: devices }, 320);
	await userEvent.tab();
	await expect.element(press('Repair it')).toHaveFocus();
	const element = section.element();
	expect(element.scrollWidth).toBeLessThanOrEqual(element.clientWidth);
	const { violations } = await axe.run(element as HTMLElement);
	expect(violations.map(({ id }) => id)).toEqual([]);
});

test('while a conversation runs nothing is played into its way, and it is not taken away', async () => {
	const shown = await settings({ routing: { virtualMicrophone: ready }, sound: devices });
	await expect.element(press('Test the virtual microphone')).toBeEnabled();
	shown.conversation.show({ phase: 'live' });
	await expect.element(press('Test the virtual microphone')).toBeDisabled();
	await expect.element(press('Remove it')).toBeDisabled();
});
