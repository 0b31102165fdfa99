import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import type { Notice } from '#renderer/conversation/conversation.ts';
import { createFakeWindow, type FakeMain, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';
import { type WindowState, windowStates } from '#test/support/window-states.ts';

const settled = async () => {
	for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
};

/** Where each control stands, by its name; not those of the notices, nor those in captions and texts, which scroll. */
function places(): readonly string[] {
	const all = [...document.querySelectorAll<HTMLElement>('button, input, textarea')].filter(
		(one) => one.checkVisibility() && !one.closest('li[data-index], li[data-state], [data-notice]'),
	);
	return all.map((one) => {
		const { x, y } = one.getBoundingClientRect();
		return `${one.getAttribute('aria-label') ?? one.id} ${x} ${y}`;
	});
}

function say(shown: FakeWindow, notice: Notice | null): void {
	shown.conversation.show({ ...shown.parts.conversation.store.getState(), notice });
}

/** As a person meets them: one, a second, then none. */
const comeAndGo: readonly ((shown: FakeWindow) => void)[] = [
	(shown) => say(shown, { kind: 'silent-microphone', device: 'Jabra Evolve2 65' }),
	({ parts }) => parts.creditUse.setState({ lastsMs: 480_000 }),
	(shown) => say(shown, null),
	({ parts }) => parts.creditUse.setState({ lastsMs: null }),
];

for (const [width, height] of [
	[1000, 760],
	[420, 700],
] as const)
	test.each<WindowState>([
		'live',
		'listen-waiting',
		'meeting',
		'idle',
		'typing',
		'face-setup',
		'face-mine',
		'face-turn',
		'face-wait',
		'live-settings',
	])(`notices that come and go move nothing that can be pressed: %s, ${width} × ${height}`, async (state) => {
		const shown = windowStates[state]();
		await renderWindow(shown, width, height);
		await settled();
		// Some parts of a page are loaded after its first picture.
		let before: readonly string[] = [];
		while (before.join() !== places().join() || before.length === 0) {
			before = places();
			await new Promise((done) => setTimeout(done, 300));
		}
		for (const change of comeAndGo) {
			change(shown);
			await new Promise((done) => setTimeout(done, 100));
			expect(places()).toEqual(before);
		}
	});

test.each(['en', 'de', 'ar'] as const)(
	'a meeting with a warning leaves the captions their lines in a narrow window, and the page does not scroll: %s',
	async (interfaceLanguage) => {
		const shown = windowStates.meeting();
		await shown.parts.settings.write({ interfaceLanguage });
		await renderWindow(shown, 420, 700);
		say(shown, { kind: 'silent-microphone', device: 'Jabra Evolve2 65' });
		await settled();
		const main = document.querySelector('main') as HTMLElement;
		await expect.poll(() => document.querySelectorAll('[data-notice]').length).toBeGreaterThan(0);
		await settled();
		expect(main.scrollHeight - main.clientHeight).toBe(0);
		const list = document.querySelector('li[data-index]')?.closest('section') as HTMLElement;
		expect(list.clientHeight).toBeGreaterThanOrEqual(100);
		// The panel is the page: it has the room of the captions and of what stands above them.
		await shown.parts.settings.write({ soundOpen: true });
		await expect.poll(() => document.querySelector('aside')?.clientHeight ?? 0).toBeGreaterThan(200);
		expect(list.checkVisibility({ visibilityProperty: true })).toBe(false);
	},
);

const ours = {
	state: 'ready',
	speakerLabel: 'Dragoman voice',
	microphoneLabel: 'Dragoman microphone',
} as const;
const inMeeting = (main: FakeMain = {}) => {
	const shown = createFakeWindow({
		settings: { mode: 'meeting' },
		callOutput: {
			to: 'call',
			output: { id: 'v', label: 'Dragoman voice' },
			microphoneLabel: 'Dragoman microphone',
		},
		routing: { revision: 1, virtualMicrophone: { ...ours, recorded: false } },
		...main,
	});
	shown.legs.names.setState(['outgoing', 'incoming'], true);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	return shown;
};
const choose = () => page.getByText(/choose .?Dragoman microphone.? as the microphone/).elements();

test('until a program records from our microphone, the captions and a notice say what to choose; then a tick, and again when it stops', async () => {
	const shown = await renderWindow(inMeeting());
	await expect.poll(() => choose().length).toBe(2);
	const recorded = (revision: number, on: boolean) =>
		shown.announce('routing.changed', { revision, virtualMicrophone: { ...ours, recorded: on } });
	recorded(2, true);
	await expect.element(page.getByText(/A program is using .?Dragoman microphone/)).toBeVisible();
	expect(choose()).toEqual([]);
	recorded(3, false);
	await expect.poll(() => choose().length).toBe(2);
});

test('where the system does not tell, the user is asked once', async () => {
	const unknown = { routing: { revision: 1, virtualMicrophone: ours } };
	const shown = await renderWindow(inMeeting(unknown));
	await page.getByRole('button', { name: 'Yes, it is' }).click();
	await expect.element(page.getByText(/A program is using/)).toBeVisible();
	const { setup } = shown.parts.settings.store.getState().values;
	await renderWindow(inMeeting({ ...unknown, settings: { mode: 'meeting', setup } }));
	await expect.element(page.getByText(/A program is using/)).toBeVisible();
	expect(page.getByRole('button', { name: 'Yes, it is' }).elements()).toEqual([]);
});

test('that the microphone hears the translation is said with two ways out, one press each', async () => {
	const shown = await renderWindow(createFakeWindow({ echo: { heard: true } }));
	await expect.element(page.getByText(/microphone picks up the translation/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await page.getByRole('button', { name: 'Choose headphones' }).click();
	expect(shown.parts.navigation.store.getState().place).toBe('output');
	await page.getByRole('button', { name: 'Microphone off while the voice speaks' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.gate).toBe('on');
});

test('another microphone is one press away, and taken; where there is none, none is offered', async () => {
	const microphones = [
		{ id: 'm1', label: 'Built-in' },
		{ id: 'm2', label: 'Jabra Evolve2 65' },
	];
	const sound = { microphones, listed: true, systemMicrophone: 'Built-in' };
	const shown = await renderWindow(createFakeWindow({ echo: { heard: true }, sound }));
	await page.getByRole('button', { name: /Use .?Jabra Evolve2 65/ }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.microphone?.id).toBe('m2');
	shown.parts.sound.store.setState({ microphones: [{ id: 'm2', label: 'Jabra Evolve2 65' }] });
	await expect.element(page.getByRole('button', { name: /^Use/ })).not.toBeInTheDocument();
});

test('what was done by itself can be undone', async () => {
	const shown = await renderWindow(createFakeWindow({ echo: { heard: true, gated: true } }));
	await expect.element(page.getByText(/it is now off while the voice speaks/)).toBeVisible();
	await page.getByRole('button', { name: 'Leave it on' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.gate).toBe('off');
});

test('nothing is said while all is well', async () => {
	await renderWindow(createFakeWindow());
	expect(page.getByText(/picks up the translation/).elements()).toEqual([]);
});
