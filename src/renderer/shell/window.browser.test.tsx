import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { SLIP_MS } from '#renderer/conversation/follow-conversation.ts';
import { err, ok } from '#shared/lib/result.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';
import { type WindowState, windowStates } from '#test/support/window-states.ts';

const role = page.getByRole.bind(page);
const button = (name: string) => role('button', { name, exact: true });

test('the main controls have the names that scripts rely on', async () => {
	const shown = await renderWindow(createFakeWindow());
	for (const name of ['Start', 'Mute microphone', 'Swap languages'])
		await expect.element(button(name)).toBeVisible();
	for (const name of ['I speak', 'They hear']) await expect.element(role('combobox', { name })).toBeVisible();
	await expect.element(role('region', { name: 'Captions', exact: true })).toBeVisible();
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	for (const name of ['Stop', 'Pause', 'Catch up']) await expect.element(button(name)).toBeVisible();
	shown.conversation.show({ phase: 'live', liveSinceMs: 0, paused: true });
	await expect.element(button('Resume')).toBeVisible();
});

test('what cannot be read at the start is said, with a way to try again', async () => {
	let broken = true;
	const shown = createFakeWindow({
		answers: {
			'account.read': () =>
				broken
					? err({ kind: 'bug', where: 'host' })
					: ok({
							...shown.parts.account.store.getState().status,
							revision: 5,
							service: 'sandbox',
							sandbox: 'running',
						}),
			'settings.read': () => err({ kind: 'storage-failed', what: 'settings' }),
		},
	});
	await renderWindow(shown);
	await expect.element(role('alert')).toHaveTextContent('Something went wrong inside Dragoman.');
	broken = false;
	await button('Try again').click();
	await expect.element(button('Start')).toBeVisible();
	await expect.element(page.getByText('This could not be saved to the disk.')).toBeVisible();
});

const key = { present: false, source: 'none', lastFour: '' } as const;

const blocks: readonly (readonly [string, FakeMain, string | RegExp, string])[] = [
	['no key', { key }, 'There is no API key yet.', 'Enter the key'],
	[
		'the same language on both sides',
		{ settings: { speak: 'es', hear: ['es-mx'], voiceOf: 'es-mx' } },
		/Both sides have the same language/,
		'Choose languages',
	],
	[
		'no microphone',
		{ sound: { microphones: [], listed: true } },
		'No microphone is connected.',
		'Choose a microphone',
	],
	[
		'a forbidden microphone',
		{ sound: { permission: 'denied' } },
		/is not allowed to use the microphone/,
		'Open privacy settings',
	],
	[
		'a sandbox that did not start',
		{ account: { service: 'sandbox', sandbox: 'failed' } },
		'The sandbox could not be started.',
		'Try again',
	],
];

test.each(blocks)(
	'Start says why it cannot work and offers the way out: %s',
	async (_, main, reason, action) => {
		await renderWindow(createFakeWindow(main));
		await expect.element(button('Start')).toBeDisabled();
		await expect.element(page.getByText(reason)).toBeVisible();
		await expect.element(button(action)).toBeVisible();
	},
);

test('the way out of a missing key is the place where it is entered', async () => {
	await renderWindow(createFakeWindow({ key }));
	await button('Enter the key').click();
	await expect.element(role('heading', { name: 'Account' })).toBeVisible();
	await expect.element(button('Enter a key')).toBeVisible();
});

test('the way out of a silent system setting is said when there is no page to open', async () => {
	const shown = await renderWindow(createFakeWindow({ sound: { permission: 'denied' } }));
	await button('Open privacy settings').click();
	await expect.element(page.getByText(/allow the microphone for this program/)).toBeVisible();
	expect(shown.asked.map(([name]) => name)).toContain('system.open-microphone-privacy');
});

test.each([
	['idle', {}, 'Ready'],
	['preparing', { phase: 'preparing', awaiting: 'microphone' }, 'Waiting for the microphone'],
	['connecting', { phase: 'connecting', awaiting: 'room' }, 'Joining the room'],
	['starting', { phase: 'starting', awaiting: 'interpreter' }, 'Waiting for the interpreter'],
	['live', { phase: 'live' }, 'Live'],
	['muted', { phase: 'live', muted: true }, 'Live, microphone muted'],
	['paused', { phase: 'live', paused: true }, 'Paused'],
	['reconnecting', { phase: 'reconnecting' }, 'Reconnecting'],
	['ending', { phase: 'ending', tail: true }, 'Finishing'],
	['failed', { phase: 'failed' }, 'Stopped by a problem'],
] as const)('says the state in words: %s', async (_, view, words) => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show(view);
	await expect.element(page.getByTestId('phase')).toHaveTextContent(words);
});

test('the big button starts with the choices, stops, and cuts the tail', async () => {
	const shown = await renderWindow(
		createFakeWindow({ settings: { speak: 'de', hear: ['fr'], voiceOf: 'fr' } }),
	);
	await button('Start').click();
	expect(shown.conversation.calls.find(([name]) => name === 'start')?.[1]).toMatchObject({
		speak: 'de',
		hear: ['fr'],
	});
	shown.conversation.show({ phase: 'starting', awaiting: 'session' });
	await button('Stop').click();
	shown.conversation.show({ phase: 'ending', tail: true });
	await expect.element(page.getByText(/last words are still being spoken/)).toBeVisible();
	await button('Stop now').click();
	expect(shown.conversation.calls.map(([name]) => name)).toEqual(expect.arrayContaining(['stop', 'stopNow']));
});

test('a press that was meant for Stop starts nothing: neither the button nor its key, and the focus stays', async () => {
	const clock = createManualClock();
	const shown = await renderWindow(createFakeWindow({ clock }));
	const starts = () => shown.conversation.calls.filter(([name]) => name === 'start').length;
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await button('Stop').click();
	shown.conversation.show({ phase: 'ending', tail: true });
	await expect.element(button('Stop now')).toHaveFocus();
	shown.conversation.show({ phase: 'idle' });
	await expect.element(button('Start')).toHaveAttribute('aria-disabled', 'true');
	await expect.element(button('Start')).toHaveFocus();
	await button('Start').click({ force: true });
	await userEvent.keyboard('{Enter}');
	await userEvent.keyboard('{Control>}{Enter}{/Control}');
	expect(starts()).toBe(0);
	clock.advance(SLIP_MS);
	await expect.element(button('Start')).not.toHaveAttribute('aria-disabled');
	await userEvent.keyboard('{Control>}{Enter}{/Control}');
	expect(starts()).toBe(1);
	// React Aria's own pending state of a button leaves an image without a label on the next page.
	expect(document.querySelectorAll('[role="img"]:not([aria-label])')).toHaveLength(0);
});

test('the delay is a number and a word, and can be caught up', async () => {
	const shown = await renderWindow(createFakeWindow());
	for (const [delayMs, usualDelayMs, number, word] of [
		[4100, null, '4.1 sec', 'Measuring'],
		[7200, null, '7.2 sec', 'Measuring'],
		[7300, 6000, '7.3 sec', 'As usual'],
		[5200, 2000, '5.2 sec', 'Slower than usual'],
		[19_000, 6000, '19 sec', 'Much slower'],
	] as const) {
		shown.conversation.show({ phase: 'live', liveSinceMs: 0, delayMs, usualDelayMs });
		await expect.element(page.getByText(number).first()).toBeVisible();
		await expect.element(page.getByText(word, { exact: true }).first()).toBeVisible();
	}
	const tip = 'From what is said to its translation. Usual here: 6 sec.';
	expect(document.querySelector(`[data-tooltip="${tip}"]`)?.checkVisibility()).toBe(true);
	await button('Catch up').click();
	expect(shown.conversation.calls).toContainEqual(['catchUp']);
});

test('a problem is one sentence and one step; the session limit leads to the open sessions', async () => {
	const shown = await renderWindow(
		createFakeWindow({
			sessions: [
				{
					handle: 'h1',
					label: '3f9c',
					createdAt: null,
					updatedAt: null,
					expiresAt: null,
					owner: 'foreign',
				},
			],
		}),
	);
	shown.conversation.show({ phase: 'failed', problem: { kind: 'session-limit', detail: '1 of 1' } });
	await expect.element(role('alert').getByText(/^All sessions your plan allows/)).toBeVisible();
	// The message of the service belongs in the details, for a request for help.
	await expect.element(page.getByText('1 of 1')).not.toBeVisible();
	await page.getByText('Details', { exact: true }).click();
	await expect.element(page.getByText('1 of 1')).toBeVisible();
	expect(role('alert').elements()).toHaveLength(1);
	expect(page.getByTestId('phase').element().getAttribute('role')).toBeNull();
	await button('Show open sessions').click();
	await button('End session 3f9c').click();
	await expect.element(role('alertdialog').getByText(/opened by another program/)).toBeVisible();
	await role('alertdialog').getByRole('button', { name: 'End', exact: true }).click();
	await expect.poll(() => shown.asked).toContainEqual(['session.end', { handle: 'h1' }]);
});

test('what failed in one mode is not said in another, nor a problem twice', async () => {
	const denied = { kind: 'microphone-denied' } as const;
	const shown = await renderWindow(
		createFakeWindow({ settings: { mode: 'meeting', hear: ['es'] }, sound: { permission: 'denied' } }),
	);
	shown.conversation.show({
		phase: 'failed',
		problem: denied,
		problemLeg: 'outgoing',
		problemMode: 'meeting',
	});
	await expect.element(role('alert').getByText(/^You to them: /)).toBeVisible();
	expect(page.getByText(/is not allowed to use the microphone/).elements()).toHaveLength(1);
	await shown.parts.settings.write({ mode: 'captions' });
	await expect.element(role('alert')).not.toBeInTheDocument();
	await expect.element(page.getByTestId('phase')).toHaveTextContent('Not ready');
	await shown.parts.settings.write({ mode: 'meeting' });
	await expect.element(role('alert')).toBeVisible();
});

test('the Sound panel is closed until it is asked for, and stays as it was left', async () => {
	const shown = await renderWindow(createFakeWindow());
	const panel = role('complementary', { name: 'Sound and pace' });
	await expect.element(button('Start')).toBeVisible();
	await expect.element(panel).not.toBeInTheDocument();
	await button('Sound and pace').click();
	await expect.element(panel).toBeVisible();
	shown.parts.navigation.go('settings');
	shown.parts.navigation.back();
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(panel).toBeVisible();
	await panel.getByRole('button', { name: 'Close' }).click();
	await expect.element(panel).not.toBeInTheDocument();
	expect(shown.parts.settings.store.getState().values.soundOpen).toBe(false);
	// Navigating to a device opens the panel.
	shown.parts.navigation.go('live', 'microphone');
	await expect.element(panel).toBeVisible();
});

test('a live change is carried over and its refusal takes the settings back', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { soundOpen: true } }));
	shown.conversation.show({ phase: 'preparing' });
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await role('radio', { name: 'Fast' }).query()?.scrollIntoView();
	await shown.parts.settings.write({ preset: 'fast' });
	expect(shown.conversation.calls.at(-1)).toMatchObject(['change', { preset: 'fast' }]);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0, change: 'refused' });
	await expect.element(page.getByText(/The change was refused/)).toBeVisible();
	await expect.poll(() => shown.parts.settings.store.getState().values.preset).toBe('balanced');
});

test('keys and commands of the menu do the same', async () => {
	const shown = await renderWindow(createFakeWindow());
	await userEvent.keyboard('{Control>}{Enter}{/Control}');
	shown.announce('command.run', { command: 'start-stop' });
	expect(shown.conversation.calls.filter(([name]) => name === 'start')).toHaveLength(2);
	await userEvent.keyboard('m');
	expect(shown.conversation.calls).toContainEqual(['setMuted', true]);
	shown.announce('command.run', { command: 'swap' });
	await expect.element(role('combobox', { name: 'I speak' })).toHaveValue('Español · Spanish');
	await userEvent.keyboard('{Shift>}S{/Shift}');
	await expect.element(role('combobox', { name: 'I speak' })).toHaveValue('English');
	await userEvent.keyboard('?');
	await expect.element(role('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(role('dialog')).not.toBeInTheDocument();
	await userEvent.keyboard('{Control>},{/Control}');
	await expect.element(role('heading', { name: 'Settings', level: 1 })).toBeVisible();
});

test('a letter is no command on a page without the conversation, with or without one that runs', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { talk: 'push-to-talk' } }));
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.parts.navigation.go('settings');
	await expect.element(role('heading', { name: 'Settings', level: 1 })).toBeVisible();
	(document.activeElement as HTMLElement).blur();
	const before = shown.conversation.calls.length;
	await userEvent.keyboard('mptrloa1{Shift>}SO{/Shift}');
	expect(shown.conversation.calls.slice(before)).toEqual([]);
	expect(shown.parts.talk.store.getState().pressed).toBe('no');
	expect(shown.replay.asked).toEqual([]);
	await userEvent.keyboard('{Control>}d{/Control}');
	expect(shown.conversation.calls.slice(before)).toEqual([['setMuted', true]]);
	await userEvent.keyboard('?');
	await expect.element(role('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
});

test('the letter of the talk key talks, and not while it is typed into a field', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { talk: 'push-to-talk', soundOpen: true } }));
	shown.talk.show({ mode: 'push-to-talk', open: false });
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await role('button', { name: 'Type instead of speaking' }).click();
	const field = role('textbox', { name: 'Type instead of speaking…' });
	await field.fill('');
	await userEvent.keyboard('{t>}');
	await userEvent.keyboard('{/t}');
	await expect.element(field).toHaveValue('t');
	expect(shown.talk.calls.filter(([name]) => name !== 'letGo')).toEqual([]);
	(document.activeElement as HTMLElement).blur();
	await userEvent.keyboard('{t>}');
	await userEvent.keyboard('{/t}');
	expect(shown.talk.calls.filter(([name]) => name !== 'letGo')).toEqual([
		['down', 'KeyT'],
		['up', 'KeyT'],
	]);
});

test('a key that does nothing here is not left to the menu of the shell, which would run it', async () => {
	const shown = await renderWindow(createFakeWindow());
	const left: string[] = [];
	const watch = (event: KeyboardEvent) => {
		if (!event.defaultPrevented && event.key.length === 1) left.push(event.key);
		if (!event.defaultPrevented && event.key === 'Enter') left.push('Enter');
	};
	await userEvent.keyboard('?');
	await expect.element(role('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
	window.addEventListener('keydown', watch);
	await userEvent.keyboard('{Control>}{Enter}{/Control}');
	expect([left, shown.conversation.calls]).toEqual([[], []]);
	window.removeEventListener('keydown', watch);
	await userEvent.keyboard('{Escape}');
	await expect.element(role('dialog')).not.toBeInTheDocument();
	shown.parts.navigation.go('settings');
	await expect.element(role('heading', { name: 'Settings', level: 1 })).toBeVisible();
	window.addEventListener('keydown', watch);
	await userEvent.keyboard('{Control>}d{/Control}');
	expect([left, shown.conversation.calls]).toEqual([[], []]);
	window.removeEventListener('keydown', watch);
});

test('the key for saving opens a dialog only where there is something to save, and never later', async () => {
	const shown = await renderWindow(createFakeWindow());
	await userEvent.keyboard('{Control>}e{/Control}');
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días.']]));
	await expect.element(role('button', { name: 'Save captions' })).toBeVisible();
	expect(role('dialog').query()).toBeNull();
	await userEvent.keyboard('{Control>}e{/Control}');
	await expect.element(role('dialog', { name: 'Save captions' })).toBeVisible();
});

test('keys with a modifier mean the command, also where a button has the keyboard', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show({ phase: 'live', liveSinceMs: 0, paused: true });
	const resume = await role('button', { name: 'Resume' }).findElement();
	(resume as HTMLElement).focus();
	await userEvent.keyboard('{Control>}{Enter}{/Control}');
	expect(shown.conversation.calls.map(([name]) => name)).toEqual(['stop']);
	// Without a modifier the button gets the key.
	await userEvent.keyboard('{Enter}');
	expect(shown.conversation.calls.map(([name]) => name)).toEqual(['stop', 'resume']);
});

test('everything on the screen is reached by Tab, in order, and nothing traps', async () => {
	await renderWindow(createFakeWindow());
	const reached: string[] = [];
	for (let presses = 0; presses < 40; presses++) {
		await userEvent.tab();
		const at = document.activeElement;
		if (!at || at === document.body) break;
		reached.push(at.getAttribute('aria-label') ?? at.textContent ?? at.tagName);
		if (at instanceof HTMLInputElement) reached[reached.length - 1] = at.labels?.[0]?.textContent ?? at.type;
	}
	const order = [
		'Settings',
		'I speak',
		'Swap languages',
		'They hear',
		'Add a language',
		'Mute microphone',
		'Start',
	];
	expect(reached.filter((name) => order.includes(name))).toEqual(order);
	expect(reached).toContain('Sound and pace');
});

test('Arabic turns the window round and keeps codes and names readable', async () => {
	await renderWindow(createFakeWindow({ settings: { interfaceLanguage: 'ar' } }), 420);
	await expect.poll(() => document.documentElement.dir).toBe('rtl');
	expect(document.documentElement.lang).toBe('ar');
	await expect.element(button('ابدأ')).toBeVisible();
	const start = role('combobox', { name: 'أتحدث' }).query()?.getBoundingClientRect();
	const hear = role('combobox', { name: 'يسمعون' }).query()?.getBoundingClientRect();
	expect(start && hear && start.left > hear.left).toBe(true);
	expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(420);
});

test.each([420, 620, 860, 1000, 1600])(
	'nothing runs out of the window at %i px, in any state',
	async (width) => {
		for (const name of ['several', 'blocked', 'settings', 'welcome'] as const) {
			await renderWindow(windowStates[name](), width, 700);
			expect([name, document.documentElement.scrollWidth]).toEqual([name, width]);
			const outside = [...document.querySelectorAll('button, input:not([type=range])')].filter((element) => {
				const box = element.getBoundingClientRect();
				return box.width > 0 && element.checkVisibility() && (box.left < -1 || box.right > width + 1);
			});
			expect(outside.map((element) => element.outerHTML.slice(0, 120))).toEqual([]);
		}
	},
);

const states = Object.keys(windowStates) as WindowState[];

test.each([
	['light', 'en'],
	['dark', 'ar'],
	['contrast', 'es'],
] as const)(
	'axe finds nothing in any state: %s theme, %s',
	{ timeout: 120_000 },
	async (theme, interfaceLanguage) => {
		for (const state of states) {
			const shown = windowStates[state]();
			await shown.ready;
			await shown.parts.settings.write({ theme, interfaceLanguage, motion: 'reduced' });
			await renderWindow(shown);
			expect([state, await axeFindings()]).toEqual([state, []]);
		}
	},
);

test.each(['system', 'light', 'dark', 'contrast'] as const)(
	'more contrast, asked for in the system, is had in every theme: %s',
	async (theme) => {
		const real = window.matchMedia.bind(window);
		const spy = vi.spyOn(window, 'matchMedia').mockImplementation((query) => {
			const list = real(query);
			return query === '(prefers-contrast: more)'
				? new Proxy(list, {
						get: (of, name) => {
							if (name === 'matches') return true;
							const value = Reflect.get(of, name) as unknown;
							return typeof value === 'function' ? value.bind(of) : value;
						},
					})
				: list;
		});
		const shown = windowStates.live();
		await shown.ready;
		await shown.parts.settings.write({ theme });
		await renderWindow(shown);
		expect(document.documentElement.dataset['contrast']).toBe('more');
		expect(await axeFindings()).toEqual([]);
		spy.mockRestore();
	},
);

test('every control is at least 24 px in both directions', async () => {
	await renderWindow(windowStates.several(), 420);
	const small = [...document.querySelectorAll('button, label:has(input)')].filter((element) => {
		const box = element.getBoundingClientRect();
		return element.checkVisibility() && (box.width < 24 || box.height < 24);
	});
	expect(small.map((element) => element.outerHTML.slice(0, 120))).toEqual([]);
});

test('a key that is held is one press', async () => {
	const shown = await renderWindow(createFakeWindow());
	await userEvent.keyboard('{m>3/}');
	expect(shown.conversation.calls.filter(([name]) => name === 'setMuted')).toEqual([['setMuted', true]]);
});

test('what would forbid a Start never forbids Stop', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.parts.sound.store.setState({ permission: 'denied' });
	await expect.element(button('Stop')).toBeEnabled();
	await button('Stop').click();
	expect(shown.conversation.calls).toContainEqual(['stop']);
});
