import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { SettingsSection } from '#renderer/shell/navigation.ts';
import { settingsSections } from '#renderer/shell/navigation.ts';
import en from '#shared/i18n/en.json';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { CAPTION_SIZE_PX } from '#shared/settings/schema.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';
import { indexedSettings } from './settings-index.ts';

async function settings(section: SettingsSection, main: FakeMain = {}) {
	const shown = createFakeWindow(main);
	shown.parts.navigation.go('settings');
	shown.parts.navigation.showSection(section);
	return renderWindow(shown);
}

const select = (name: string) => page.getByRole('button', { name: new RegExp(name) });
/** A frame in which something would be drawn, and one after it. */
const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

test('a value from outside is shown, named, and cannot be changed here', async () => {
	await settings('advanced', {
		settings: { apiUrl: 'https://speech.example.net', allowedHosts: 'example.net' },
		origins: { apiUrl: 'variable', logLevel: 'option', allowedHosts: 'setting' },
	});
	const address = page.getByLabelText('Service address');
	await expect.element(address).toHaveValue('https://speech.example.net');
	await expect.element(address).toBeDisabled();
	await expect.element(page.getByText('Fixed by DRAGOMAN_API_URL')).toBeVisible();
	await expect.element(page.getByText('Fixed by --log-level')).toBeVisible();
	await expect.element(page.getByText('Your choice')).toBeVisible();
});

test('an own choice can go back to the default', async () => {
	const shown = await settings('captions', {
		settings: { captionSize: 40 },
		origins: { captionSize: 'setting' },
	});
	await page.getByRole('button', { name: 'Reset to default: Caption size' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.captionSize).toBe(22);
	await expect.element(page.getByText('Your choice')).not.toBeInTheDocument();
});

test('an address is written when the field is left, not letter by letter', async () => {
	const shown = await settings('advanced');
	await page.getByLabelText('Service address').fill('https://a.example');
	expect(shown.asked.filter(([name]) => name === 'settings.write')).toEqual([]);
	await userEvent.tab();
	await expect.poll(() => shown.asked).toContainEqual(['settings.write', { apiUrl: 'https://a.example' }]);
});

test('a service address the command line would refuse is refused here as well, and stays to be put right', async () => {
	const shown = await settings('advanced', { settings: { apiUrl: 'https://a.example' } });
	const field = page.getByLabelText('Service address');
	const written = () => shown.asked.filter(([name]) => name === 'settings.write').map(([, patch]) => patch);
	const refusal = page.getByText(/Dragoman does not connect to this address/);
	for (const wrong of ['nonsense', 'http://b.example']) {
		await field.fill(wrong);
		await userEvent.tab();
		await expect.element(refusal).toBeVisible();
		await expect.element(field).toHaveValue(wrong);
	}
	expect(written()).toEqual([]);
	for (const right of ['https://b.example', '']) {
		await field.fill(right);
		await userEvent.tab();
		await expect.poll(() => written().at(-1)).toEqual({ apiUrl: right });
		await expect.element(refusal).not.toBeInTheDocument();
	}
});

test('days of the history count where the slider is let go, not where it passes', async () => {
	const shown = await settings('privacy', { settings: { history: 'days', historyDays: 90 } });
	const slider = page.getByRole('slider', { name: 'Days to keep' });
	const track = slider.element().closest('[data-rac]')?.parentElement as HTMLElement;
	const { left, top, width, height } = track.getBoundingClientRect();
	const at = (days: number) => ({ x: left + (width * (days - 1)) / 364, y: top + height / 2 });
	const fire = (type: string, days: number, target: Element = track) => {
		const { x, y } = at(days);
		const init = { bubbles: true, clientX: x, clientY: y, pointerId: 1, button: 0, pointerType: 'mouse' };
		target.dispatchEvent(new PointerEvent(type, init));
	};
	fire('pointerdown', 90);
	for (const days of [60, 35, 60]) fire('pointermove', days);
	const written = () => shown.asked.filter(([name]) => name === 'settings.write');
	expect(written()).toEqual([]);
	fire('pointerup', 60);
	await expect.poll(() => written().length).toBe(1);
});

test('how many days is asked before what is older goes', async () => {
	const shown = await settings('privacy', { settings: { history: 'keep' } });
	await select('Keep conversations').click();
	await page.getByRole('option', { name: 'Keep for some days' }).click();
	const dialog = page.getByRole('dialog', { name: 'Keep for some days' });
	await expect.element(dialog.getByRole('slider', { name: 'Days to keep' })).toBeVisible();
	expect(shown.asked.filter(([name]) => name === 'settings.write')).toEqual([]);
	await dialog.getByRole('button', { name: 'Keep for some days' }).click();
	await expect.poll(() => shown.asked).toContainEqual(['settings.write', { history: 'days' }]);
});

test('how many days is asked as well where new conversations are not kept: what was kept before is still there', async () => {
	const shown = await settings('privacy', { settings: { history: 'erase' } });
	await select('Keep conversations').click();
	await page.getByRole('option', { name: 'Keep for some days' }).click();
	const dialog = page.getByRole('dialog', { name: 'Keep for some days' });
	await expect.element(dialog.getByRole('slider', { name: 'Days to keep' })).toBeVisible();
	expect(shown.asked.filter(([name]) => name === 'settings.write')).toEqual([]);
});

test('theme and language change at once', async () => {
	await settings('general');
	await select('Theme').click();
	await page.getByRole('option', { name: 'High contrast' }).click();
	await expect.poll(() => document.documentElement.dataset['contrast']).toBe('more');
	await select('Display language').click();
	await page.getByRole('option', { name: 'العربية' }).click();
	await expect.element(page.getByRole('heading', { name: 'الإعدادات', level: 1 })).toBeVisible();
	expect(document.documentElement.dir).toBe('rtl');
});

test('the key shows its last four characters only, and is forgotten after asking', async () => {
	const shown = await settings('account');
	await expect.element(page.getByText('A key ending in 9f3a is set.')).toBeVisible();
	await page.getByRole('button', { name: 'Forget the key' }).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Forget the key' }).click();
	await expect.element(page.getByText('No key is set.')).toBeVisible();
	expect(shown.asked.map(([name]) => name)).toContain('account.forget-key');
});

test('the credit is shown as the service tells it, and asked for again on request', async () => {
	const told = [
		{ credits: 1234.5, usd: 12.3 },
		{ credits: null, usd: 0.4 },
		{ credits: 7, usd: null },
	];
	await settings('account', { answers: { 'account.balance': () => ok(told.shift()) } });
	const row = page.getByText('Credit', { exact: true }).element().parentElement;
	const words = () => row?.textContent?.replace(/[\u2068\u2069]/g, '');
	await expect.poll(words).toBe('Credit1,234.5 (about $12.30)');
	const refresh = page.getByRole('button', { name: 'Refresh: Credit' });
	await refresh.click();
	await expect.poll(words).toBe('Credit$0.40');
	await refresh.click();
	await expect.poll(words).toBe('Credit7');
});

test('an answer about the credit that comes late does not replace a later one', async () => {
	const asked: ((credits: number) => void)[] = [];
	const answer = () =>
		new Promise<Result<unknown, Problem>>((done) => {
			asked.push((credits) => done(ok({ credits, usd: null })));
		});
	await settings('account', { answers: { 'account.balance': answer } });
	await expect.element(page.getByText('Asking the service…')).toBeVisible();
	await page.getByRole('button', { name: 'Refresh: Credit' }).click();
	await expect.poll(() => asked.length).toBe(2);
	asked[1]?.(2);
	await expect.element(page.getByText('2', { exact: false }).first()).toBeVisible();
	asked[0]?.(1);
	await drawn();
	await expect.element(page.getByText('\u20682\u2069')).toBeVisible();
});

test.each([
	[
		'where the service does not tell it',
		{ kind: 'balance-unavailable' },
		/does not report the remaining credit/,
	],
	[
		'while the service cannot be reached',
		{ kind: 'service-unreachable', cause: 'ECONNREFUSED' },
		/cannot be reached/,
	],
] as const)('%s, that stands in place of the credit', async (_, problem, words) => {
	await settings('account', { answers: { 'account.balance': () => err(problem) } });
	await expect.element(page.getByText(words)).toBeVisible();
});

test('of the sandbox, and without a key, no credit is asked for', async () => {
	const shown = await settings('account', { account: { service: 'sandbox', sandbox: 'running' } });
	await expect.element(page.getByText('The sandbox costs nothing.')).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Refresh: Credit' })).not.toBeInTheDocument();
	expect(shown.asked.map(([name]) => name)).not.toContain('account.balance');
	await shown.parts.account.choose('service');
	await expect.element(page.getByText(/1,000/)).toBeVisible();
	await shown.parts.account.forgetKey();
	await expect.element(page.getByText(/1,000/)).not.toBeInTheDocument();
	expect(shown.asked.filter(([name]) => name === 'account.balance')).toHaveLength(1);
});

test('a key from the environment is not to be replaced here', async () => {
	await settings('account', { key: { source: 'variable' } });
	await expect.element(page.getByText(/comes from the variable DRAGOMAN_API_KEY/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Replace' })).not.toBeInTheDocument();
});

test('expert values override the pace one by one and can be emptied', async () => {
	const shown = await settings('advanced');
	const expert = () => shown.parts.settings.store.getState().values.expert;
	const silence = page.getByRole('textbox', { name: 'Pause that ends a sentence' });
	await silence.fill('9');
	await userEvent.tab();
	await expect.poll(() => expert().silenceThresholdS).toBe(2);
	await silence.fill('');
	await userEvent.tab();
	await expect.poll(() => expert().silenceThresholdS).toBeNull();
	const queue = page.getByRole('textbox', { name: 'Longest speech queue' });
	await queue.fill('7.5');
	await userEvent.tab();
	await expect.poll(() => expert().maxQueueMs).toBe(7500);
	await expect.element(queue).toHaveValue('7.5 sec');
});

test('where no socket can take over it is said beside the choice of the connection, before anything fails', async () => {
	const shown = await settings('advanced', { account: { speechSocket: false } });
	const takesOver = page.getByText(/nothing can take over when WebRTC fails.*Speech socket/);
	await expect.element(takesOver).toBeVisible();
	await shown.parts.settings.write({ transport: 'websocket' });
	await expect.element(page.getByText(/no conversation can begin.*or choose WebRTC/)).toBeVisible();
	await shown.parts.settings.write({ transport: 'webrtc' });
	await expect.element(page.getByText(/no address for the speech socket/)).not.toBeInTheDocument();
});

test.each([
	{ speechSocket: true },
	{ speechSocket: false, service: 'sandbox', sandbox: 'starting' },
] as const)('where there is a socket, or will be, nothing is said about it: %o', async (account) => {
	await settings('advanced', { account });
	await expect.element(page.getByText(/WebRTC is faster/)).toBeVisible();
	await expect.element(page.getByText(/no address for the speech socket/)).not.toBeInTheDocument();
});

test('shows that the settings file could not be read', async () => {
	const shown = await settings('general');
	shown.announce('settings.changed', {
		revision: 99,
		values: shown.parts.settings.store.getState().values,
		origins: {},
		problem: { kind: 'settings-unreadable', keptAs: 'settings.broken' },
	});
	await expect.element(page.getByText(/could not be read.*settings.broken/)).toBeVisible();
});

test('while a conversation runs neither the account nor its addresses can be changed, and it says why', async () => {
	const shown = await settings('advanced', { account: { service: 'sandbox', sandbox: 'running' } });
	const why = 'A conversation is running. Stop it to change the account or an address.';
	const address = page.getByLabelText('Service address');
	const { showSection } = shown.parts.navigation;
	await expect.element(address).toBeEnabled();
	await expect.element(page.getByText(why).first()).not.toBeInTheDocument();
	for (const phase of ['preparing', 'starting', 'live', 'switching', 'reconnecting', 'ending'] as const) {
		shown.conversation.show({ phase });
		showSection('account');
		await expect.element(page.getByText(why).first()).toBeVisible();
		await expect.element(page.getByRole('radio', { name: 'My account' })).toBeDisabled();
		for (const name of ['Replace', 'Forget the key', 'Enter a token'])
			await expect.element(page.getByRole('button', { name, exact: true })).toBeDisabled();
		showSection('advanced');
		await expect.element(page.getByText(why).first()).toBeVisible();
		await expect.element(address).toBeDisabled();
		await expect.element(page.getByLabelText('Speech socket')).toBeDisabled();
	}
	shown.conversation.show({ phase: 'idle' });
	await expect.element(address).toBeEnabled();
	showSection('account');
	await expect.element(page.getByRole('radio', { name: 'My account' })).toBeEnabled();
});

test.each(['key', 'voice-token'] as const)(
	'no dialog opens by itself when a conversation ends, for whoever was sent to it meanwhile or had it open: %s',
	async (place) => {
		const shown = createFakeWindow();
		const { conversation, parts } = shown;
		const why = page.getByText(/^A conversation is running\. Stop it/).first();
		const dialog = page.getByRole('dialog');
		async function end(): Promise<void> {
			conversation.show({ phase: 'idle' });
			await expect.element(why).not.toBeInTheDocument();
			await drawn();
		}
		conversation.show({ phase: 'live', liveSinceMs: 0 });
		parts.navigation.go('settings', place);
		await renderWindow(shown);
		await expect.element(why).toBeVisible();
		// Once more, where the page is there already.
		parts.navigation.go('settings', place);
		await drawn();
		await end();
		expect(dialog.query()).toBeNull();
		parts.navigation.go('settings', place);
		await expect.element(dialog).toBeVisible();
		conversation.show({ phase: 'preparing' });
		await expect.element(dialog).not.toBeInTheDocument();
		await end();
		expect(dialog.query()).toBeNull();
	},
);

test('the question whether to forget the key does not come back when a conversation ends', async () => {
	const shown = await settings('account');
	const why = page.getByText(/^A conversation is running\. Stop it/).first();
	await page.getByRole('button', { name: 'Forget the key' }).click();
	await expect.element(page.getByRole('alertdialog')).toBeVisible();
	shown.conversation.show({ phase: 'preparing' });
	await expect.element(page.getByRole('alertdialog')).not.toBeInTheDocument();
	await expect.element(why).toBeVisible();
	shown.conversation.show({ phase: 'idle' });
	await expect.element(why).not.toBeInTheDocument();
	await drawn();
	expect(page.getByRole('alertdialog').query()).toBeNull();
});

test('the dialog one was sent to does not come back with its section', async () => {
	const shown = createFakeWindow();
	shown.parts.navigation.go('settings', 'key');
	await renderWindow(shown);
	await expect.element(page.getByRole('dialog')).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
	const search = page.getByRole('searchbox', { name: 'Search settings' });
	await search.fill('theme');
	await expect.element(page.getByRole('region', { name: 'Search results' })).toBeVisible();
	await search.fill('');
	await expect.element(page.getByRole('heading', { name: 'Account' })).toBeVisible();
	await drawn();
	expect(page.getByRole('dialog').query()).toBeNull();
	await expect.element(search).toHaveFocus();
});

test('a choice of the service that a conversation has overtaken is not said to be cancelled: the section says why', async () => {
	const { promise, resolve } = Promise.withResolvers<Result<unknown, Problem>>();
	const shown = await settings('account', { answers: { 'account.choose': () => promise } });
	await page.getByText('Sandbox', { exact: true }).click();
	await expect.poll(() => shown.asked.map(([name]) => name)).toContain('account.choose');
	shown.conversation.show({ phase: 'preparing' });
	resolve(err({ kind: 'cancelled' }));
	await expect.element(page.getByText(/^A conversation is running\. Stop it/).first()).toBeVisible();
	await drawn();
	expect(page.getByText('Cancelled.').query()).toBeNull();
});

test('a key that was given for another address is said not to be sent here', async () => {
	await settings('account', { key: { present: false, lastFour: '', source: 'none', elsewhere: true } });
	await expect.element(page.getByText(/given for another address and is not sent to this one/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Enter a key' })).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Forget the key' })).toBeVisible();
});

test('a voice token is taken, shown by its last four characters, and forgotten', async () => {
	const shown = await settings('account');
	await expect.element(page.getByText('No separate token: the API key is used.')).toBeVisible();
	await page.getByRole('button', { name: 'Enter a token' }).click();
	await page.getByLabelText('Voice token').fill(' voice-secret-77aa ');
	await page.getByRole('button', { name: 'Save the token' }).click();
	await expect.element(page.getByText('A token ending in 77aa is set.')).toBeVisible();
	expect(shown.asked).toContainEqual([
		'account.set-voice-token',
		{ token: 'voice-secret-77aa', keep: 'keychain' },
	]);
	await page.getByRole('button', { name: 'Forget the token' }).click();
	await expect.element(page.getByText('No separate token: the API key is used.')).toBeVisible();
});

test.each(['plain', 'missing'] as const)(
	'where the keychain is %s a voice token is kept for this run alone',
	async (keychain) => {
		const shown = await settings('account', { key: { keychain } });
		await page.getByRole('button', { name: 'Enter a token' }).click();
		await page.getByLabelText('Voice token').fill('voice-secret-77aa');
		await page.getByRole('button', { name: 'Save the token' }).click();
		await expect
			.poll(() => shown.asked)
			.toContainEqual(['account.set-voice-token', { token: 'voice-secret-77aa', keep: 'session' }]);
	},
);

test('a voice token is sent once at a time, and one that could not be kept is still there, with the reason', async () => {
	const { promise, resolve } = Promise.withResolvers<Result<unknown, Problem>>();
	const shown = await settings('account', { answers: { 'account.set-voice-token': () => promise } });
	await page.getByRole('button', { name: 'Enter a token' }).click();
	const dialog = page.getByRole('dialog', { name: 'Enter a token' });
	const field = dialog.getByLabelText('Voice token');
	const keep = dialog.getByRole('button', { name: 'Save the token' });
	await field.fill('voice-secret-77aa');
	await userEvent.keyboard('{Enter}');
	await expect.element(keep).toBeDisabled();
	await userEvent.keyboard('{Enter}');
	expect(shown.asked.filter(([name]) => name === 'account.set-voice-token')).toHaveLength(1);
	resolve(err({ kind: 'storage-failed', what: 'secrets' }));
	await expect.element(dialog.getByText('This could not be saved to the disk.')).toBeVisible();
	await expect.element(field).toHaveValue('voice-secret-77aa');
	await expect.element(keep).toBeEnabled();
});

test('a voice token from the environment is named and not to be replaced here', async () => {
	await settings('account', {
		account: { voiceToken: { present: true, lastFour: '', source: 'variable' } },
	});
	await expect.element(page.getByText(/comes from the variable DRAGOMAN_VOICE_TOKEN/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Replace the token' })).not.toBeInTheDocument();
});

test('what decided from outside is named as it is: the variable of another setting, the folder, the environment', async () => {
	const shown = await settings('account', {
		origins: { service: 'variable' },
		sources: { service: 'DRAGOMAN_API_KEY' },
		info: {
			userData: { folder: '/data/ada', source: 'DRAGOMAN_USER_DATA' },
			variables: ['DRAGOMAN_API_KEY', 'HTTPS_PROXY'],
		},
	});
	await expect.element(page.getByText('Fixed by DRAGOMAN_API_KEY', { exact: true })).toBeVisible();
	shown.parts.navigation.showSection('advanced');
	await expect.element(page.getByText('/data/ada')).toBeVisible();
	await expect.element(page.getByText('Fixed by DRAGOMAN_USER_DATA')).toBeVisible();
	await expect.element(page.getByText('DRAGOMAN_API_KEY, HTTPS_PROXY')).toBeVisible();
});

test('the search knows every setting, and where it is', async () => {
	const shown = await settings('general', {
		settings: { history: 'days', globalKeys: true, proxy: 'address' },
	});
	const indexed = indexedSettings((key) => key);
	for (const section of settingsSections) {
		shown.parts.navigation.showSection(section);
		const heading = page.getByRole('button', { name: en.settings.section[section], exact: true });
		await expect.element(heading).toHaveAttribute('aria-current', 'page');
		const there = [...document.querySelectorAll('[data-setting]')].map((row) =>
			row.getAttribute('data-setting'),
		);
		const known = indexed.filter((one) => one.section === section).map(({ name }) => name as string);
		expect([section, [...new Set(there)].sort()]).toEqual([section, known.sort()]);
	}
});

test('a setting is found by a word for it, and choosing it leads to its control', async () => {
	await settings('general');
	const search = page.getByRole('searchbox', { name: 'Search settings' });
	await search.fill('subtitles bigger');
	await page.getByRole('button', { name: 'Caption size Captions' }).click();
	await expect.element(page.getByRole('slider', { name: 'Caption size' })).toHaveFocus();
	await expect.element(search).toHaveValue('');
	await search.fill('firewall');
	await expect.element(page.getByText('4 settings')).toBeVisible();
	await userEvent.keyboard('{Enter}');
	await expect.element(select('Connection')).toHaveFocus();
	await search.fill('nothing like that');
	await expect.element(page.getByText(/No setting matches/)).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
	await expect.element(select('Connection')).toBeVisible();
});

test.each([
	['Address of the proxy', 'Advanced', 'Proxy'],
	['Days to keep', 'Privacy', 'Keep conversations'],
])('a setting that is not shown is found where it is turned on: %s', async (label, section, governor) => {
	await settings('general');
	await page.getByRole('searchbox', { name: 'Search settings' }).fill(label);
	await page.getByRole('button', { name: `${label} ${section}` }).click();
	await expect.element(page.getByRole('region', { name: 'Search results' })).not.toBeInTheDocument();
	await expect.element(select(governor)).toHaveFocus();
});

test('that the report could not be copied is said', async () => {
	vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not allowed'));
	await settings('general');
	await page.getByRole('button', { name: 'Copy report' }).click();
	await expect.element(page.getByText('The report could not be copied.')).toBeVisible();
});

test('another section begins at its top, and takes the place of what was found', async () => {
	await settings('advanced');
	const top = () => document.querySelector('main')?.scrollTop;
	const entry = (name: string) =>
		page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name, exact: true });
	document.querySelector('main')?.scrollTo(0, 600);
	expect(top()).toBe(600);
	await entry('General').click();
	await expect.element(page.getByRole('heading', { name: 'Translation' })).toBeVisible();
	expect(top()).toBe(0);
	await page.getByRole('searchbox', { name: 'Search settings' }).fill('microphone');
	await expect.element(page.getByRole('region', { name: 'Search results' })).toBeVisible();
	expect(document.querySelector('[aria-current]')).toBeNull();
	await entry('General').click();
	await expect.element(page.getByRole('heading', { name: 'Translation' })).toBeVisible();
	await expect.element(page.getByRole('searchbox', { name: 'Search settings' })).toHaveValue('');
	await expect.element(entry('General')).toHaveAttribute('aria-current', 'page');
});

test('where the window is narrow the sections are a menu', async () => {
	await settings('general');
	await page.viewport(420, 700);
	await expect.element(page.getByRole('navigation', { name: 'Sections' })).not.toBeInTheDocument();
	await select('Sections').click();
	await page.getByRole('option', { name: 'Shortcuts' }).click();
	await expect.element(page.getByRole('heading', { name: 'Keyboard shortcuts' })).toBeVisible();
});

test('how long a prepared session is kept is chosen in minutes, and a number from the file is one of them', async () => {
	const shown = await settings('advanced', { settings: { warmIdleS: 90 } });
	await select('Release an unused prepared session after').click();
	const options = page.getByRole('option').elements();
	expect(options.map(({ textContent }) => textContent)).toEqual([
		...['Never prepare one', '30 seconds', '1 minute', '90 seconds', '2 minutes', '5 minutes', '10 minutes'],
	]);
	await page.getByRole('option', { name: '5 minutes' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.warmIdleS).toBe(300);
});

test('where a value is the default nothing is said about it', async () => {
	await settings('captions', { settings: { captionSize: 40 }, origins: { captionSize: 'setting' } });
	await expect.element(page.getByText('Your choice')).toBeVisible();
	const size = page.getByRole('slider', { name: 'Caption size' });
	await expect.element(size).toHaveAttribute('min', String(CAPTION_SIZE_PX.smallest));
	await expect.element(size).toHaveAttribute('max', String(CAPTION_SIZE_PX.largest));
	// Each of several such buttons names its setting.
	await expect.element(page.getByRole('button', { name: 'Reset to default: Caption size' })).toBeVisible();
	expect(page.getByText('Default', { exact: true }).elements()).toEqual([]);
});
