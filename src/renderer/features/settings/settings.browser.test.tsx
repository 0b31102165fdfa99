import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

async function settings(main: FakeMain = {}) {
	const shown = createFakeWindow(main);
	shown.parts.navigation.go('settings');
	return renderWindow(shown);
}

const select = (name: string) => page.getByRole('button', { name: new RegExp(name) });

test('a value from outside is shown, named, and cannot be changed here', async () => {
	await settings({
		settings: { apiUrl: 'https://speech.example.net', captionSize: 30 },
		origins: { apiUrl: 'variable', logLevel: 'option', captionSize: 'setting' },
	});
	const address = page.getByLabelText('Service address');
	await expect.element(address).toHaveValue('https://speech.example.net');
	await expect.element(address).toBeDisabled();
	await expect.element(page.getByText('Fixed by DRAGOMAN_API_URL')).toBeVisible();
	await expect.element(page.getByText('Fixed by --log-level')).toBeVisible();
	await expect.element(page.getByText('Your choice')).toBeVisible();
});

test('an own choice can go back to the default', async () => {
	const shown = await settings({ settings: { captionSize: 40 }, origins: { captionSize: 'setting' } });
	await page.getByRole('button', { name: 'Reset to default' }).click();
	await expect.poll(() => shown.parts.settings.store.getState().values.captionSize).toBe(22);
	await expect.element(page.getByText('Your choice')).not.toBeInTheDocument();
});

test('an address is written when the field is left, not letter by letter', async () => {
	const shown = await settings();
	await page.getByLabelText('Service address').fill('https://a.example');
	expect(shown.asked.filter(([name]) => name === 'settings.write')).toEqual([]);
	await userEvent.tab();
	await expect.poll(() => shown.asked).toContainEqual(['settings.write', { apiUrl: 'https://a.example' }]);
});

test('theme and language change at once', async () => {
	await settings();
	await select('Theme').click();
	await page.getByRole('option', { name: 'High contrast' }).click();
	await expect.poll(() => document.documentElement.dataset['contrast']).toBe('more');
	await select('Language of the interface').click();
	await page.getByRole('option', { name: 'العربية' }).click();
	await expect.element(page.getByRole('heading', { name: 'الإعدادات', level: 1 })).toBeVisible();
	expect(document.documentElement.dir).toBe('rtl');
});

test('the key shows its last four characters only, and is forgotten after asking', async () => {
	const shown = await settings();
	await expect.element(page.getByText('A key ending in 9f3a is set.')).toBeVisible();
	await page.getByRole('button', { name: 'Forget the key' }).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Forget the key' }).click();
	await expect.element(page.getByText('No key is set.')).toBeVisible();
	expect(shown.asked.map(([name]) => name)).toContain('account.forget-key');
});

test('a key from the environment is not to be replaced here', async () => {
	await settings({ key: { source: 'variable' } });
	await expect.element(page.getByText(/comes from the variable DRAGOMAN_API_KEY/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Replace' })).not.toBeInTheDocument();
});

test('expert values override the pace one by one and can be emptied', async () => {
	const shown = await settings();
	const expert = () => shown.parts.settings.store.getState().values.expert;
	await page.getByRole('button', { name: 'Expert values' }).click();
	const silence = page.getByLabelText('Silence that ends a sentence, seconds');
	await silence.fill('9');
	await userEvent.tab();
	await expect.poll(() => expert().silenceThresholdS).toBe(2);
	await silence.fill('');
	await userEvent.tab();
	await expect.poll(() => expert().silenceThresholdS).toBeNull();
});

test('where no socket can take over it is said beside the choice of the connection, before anything fails', async () => {
	const shown = await settings({ account: { speechSocket: false } });
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
	await settings({ account });
	await expect.element(page.getByText(/WebRTC is faster/)).toBeVisible();
	await expect.element(page.getByText(/no address for the speech socket/)).not.toBeInTheDocument();
});

test('a settings file that could not be read is said', async () => {
	const shown = await settings();
	shown.announce('settings.changed', {
		...{ revision: 99, values: shown.parts.settings.store.getState().values, origins: {} },
		problem: { kind: 'settings-unreadable', keptAs: 'settings.broken' },
	});
	await expect.element(page.getByText(/could not be read.*settings.broken/)).toBeVisible();
});

test('while a conversation runs neither the account nor its addresses can be changed, and it says why', async () => {
	const shown = await settings({ account: { service: 'sandbox', sandbox: 'running' } });
	const why = 'A conversation is running. Stop it to change the account or an address.';
	const address = page.getByLabelText('Service address');
	await expect.element(address).toBeEnabled();
	await expect.element(page.getByText(why).first()).not.toBeInTheDocument();
	for (const phase of ['preparing', 'starting', 'live', 'switching', 'reconnecting', 'ending'] as const) {
		shown.conversation.show({ phase });
		await expect.element(page.getByText(why).first()).toBeVisible();
		await expect.element(page.getByRole('radio', { name: 'My account' })).toBeDisabled();
		for (const name of ['Replace', 'Forget the key', 'Enter a token'])
			await expect.element(page.getByRole('button', { name, exact: true })).toBeDisabled();
		await expect.element(address).toBeDisabled();
		await expect.element(page.getByLabelText('Speech socket')).toBeDisabled();
	}
	shown.conversation.show({ phase: 'idle' });
	await expect.element(address).toBeEnabled();
	await expect.element(page.getByRole('radio', { name: 'My account' })).toBeEnabled();
});

test('a key that was given for another address is said not to be sent here', async () => {
	await settings({ key: { present: false, lastFour: '', source: 'none', elsewhere: true } });
	await expect.element(page.getByText(/given for another address and is not sent to this one/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Enter a key' })).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Forget the key' })).toBeVisible();
});

test('a voice token is taken, shown by its last four characters, and forgotten', async () => {
	const shown = await settings();
	await expect.element(page.getByText('No token of its own: the API key is used.')).toBeVisible();
	await page.getByRole('button', { name: 'Enter a token' }).click();
	await page.getByLabelText('Voice token').fill(' voice-secret-77aa ');
	await page.getByRole('button', { name: 'Keep the token' }).click();
	await expect.element(page.getByText('A token ending in 77aa is set.')).toBeVisible();
	expect(shown.asked).toContainEqual([
		'account.set-voice-token',
		{ token: 'voice-secret-77aa', keep: 'keychain' },
	]);
	await page.getByRole('button', { name: 'Forget the token' }).click();
	await expect.element(page.getByText('No token of its own: the API key is used.')).toBeVisible();
});

test('a voice token from the environment is named and not to be replaced here', async () => {
	await settings({ account: { voiceToken: { present: true, lastFour: '', source: 'variable' } } });
	await expect.element(page.getByText(/comes from the variable DRAGOMAN_VOICE_TOKEN/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Replace the token' })).not.toBeInTheDocument();
});

test('what decided from outside is named as it is: the variable of another setting, the folder, the environment', async () => {
	await settings({
		origins: { service: 'variable' },
		sources: { service: 'DRAGOMAN_API_KEY' },
		info: {
			userData: { folder: '/data/ada', source: 'DRAGOMAN_USER_DATA' },
			variables: ['DRAGOMAN_API_KEY', 'HTTPS_PROXY'],
		},
	});
	await expect.element(page.getByText('Fixed by DRAGOMAN_API_KEY', { exact: true })).toBeVisible();
	await expect.element(page.getByText('/data/ada')).toBeVisible();
	await expect.element(page.getByText('Fixed by DRAGOMAN_USER_DATA')).toBeVisible();
	await expect.element(page.getByText('DRAGOMAN_API_KEY, HTTPS_PROXY')).toBeVisible();
});
