import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { renderWindow } from '#test/support/render-window.tsx';

async function live(main: FakeMain) {
	const window = createFakeWindow(main);
	window.conversation.show({ phase: 'live', liveSinceMs: 0 });
	return renderWindow(window);
}

test('a dead microphone is named, and the one that has a level is one press away', async () => {
	const shown = await live({
		silence: { leg: 'outgoing', stage: 'microphone' },
		liveliest: { id: 'm2', label: 'Jabra Evolve2 65' },
	});
	await expect.element(page.getByText(/This microphone gives no sound at all/)).toBeVisible();
	await page.getByRole('button', { name: /Use .*Jabra Evolve2 65/ }).click();
	const microphone = { id: 'm2', label: 'Jabra Evolve2 65' };
	await expect.poll(() => shown.asked).toContainEqual(['settings.write', { microphone }]);
	await expect.element(page.getByText(/gives no sound at all/)).not.toBeInTheDocument();
});

test('an interpreter that gives no words is connected anew', async () => {
	const shown = await live({ silence: { leg: 'outgoing', stage: 'transcript' } });
	await page.getByRole('button', { name: 'Connect again' }).click();
	await expect
		.poll(() => shown.legs.outgoing.conversation.calls.map(([name]) => name))
		.toContain('reconnect');
	// It is the same conversation.
	expect(shown.conversation.calls).toEqual([]);
});

test('what tries again by itself offers no start anew', async () => {
	const shown = await live({});
	const problem = { kind: 'interpreter-silent', afterMs: 10_000 } as const;
	shown.conversation.show({ phase: 'starting', notice: { kind: 'problem', problem } });
	await expect.element(page.getByText(/the interpreter did not start within/)).toBeVisible();
	expect(page.getByRole('button', { name: 'Try again' }).query()).toBeNull();
});

test('a voice that is turned off is turned on', async () => {
	const shown = await live({ silence: { leg: 'outgoing', stage: 'output' }, settings: { voiceVolume: 0 } });
	await page.getByRole('button', { name: 'Turn it on' }).click();
	await expect.poll(() => shown.asked).toContainEqual(['settings.write', { voiceVolume: 1 }]);
});

test('a silent stage takes the place of the notice that says the same', async () => {
	const window = createFakeWindow({ silence: { leg: 'outgoing', stage: 'microphone' } });
	const notice = { kind: 'silent-microphone', device: 'Jabra' } as const;
	window.conversation.show({ phase: 'live', liveSinceMs: 0, notice });
	await renderWindow(window);
	await expect.element(page.getByText(/gives no sound at all/)).toBeVisible();
	await expect.element(page.getByText(/is silent/)).not.toBeInTheDocument();
});

test('a conversation that paused because nobody spoke says so, with the way back', async () => {
	const shown = await live({});
	const { quiet } = shown.parts;
	const said = page.getByText(/nobody has spoken for .*30.*Nothing is billed/);
	quiet.setState({ quietMs: 1_800_000 });
	await expect.element(said).toBeVisible();
	await page.getByRole('button', { name: 'Resume', exact: true }).click();
	await expect.poll(() => shown.conversation.calls.map(([name]) => name)).toContain('resume');
	quiet.setState({ quietMs: null });
	await expect.element(said).not.toBeInTheDocument();
});

test('that the credit runs out is said, with for how long it lasts, until it is dismissed', async () => {
	const shown = await live({});
	const { creditUse, navigation } = shown.parts;
	creditUse.setState({ lastsMs: 480_000 });
	const said = page.getByText('The account’s credit is running out.', { exact: true });
	await expect.element(said).toHaveAttribute('role', 'status');
	// Each minute another number: not read out.
	await expect.element(page.getByText('At this pace it lasts for about 8 min.')).not.toHaveAttribute('role');
	await page.getByRole('button', { name: 'Dismiss' }).click();
	await expect.element(said).not.toBeInTheDocument();
	creditUse.setState({ lastsMs: 120_000 });
	await expect.element(page.getByText(/lasts for about/)).not.toBeInTheDocument();
	creditUse.setState({ used: null, lastsMs: 60_000 }, true);
	await page.getByRole('button', { name: 'Show the credit' }).click();
	expect(navigation.store.getState()).toMatchObject({ page: 'settings', place: 'account' });
});

test('the notice unmutes the voice', async () => {
	const shown = await live({ silence: { leg: 'incoming', stage: 'output' } });
	await page.getByRole('button', { name: 'Turn it on' }).click();
	await expect.poll(() => shown.legs.incoming.calls).toContainEqual(['muteVoice', false]);
});

test('on another page it is said as well that the conversation has paused by itself', async () => {
	const shown = await live({});
	shown.parts.navigation.go('settings');
	await expect.element(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
	shown.parts.quiet.setState({ quietMs: 1_800_000 });
	await expect.element(page.getByText(/nobody has spoken for .*30/)).toHaveAttribute('role', 'status');
	await page.getByRole('button', { name: 'Resume', exact: true }).click();
	await expect.poll(() => shown.conversation.calls.map(([name]) => name)).toContain('resume');
});

test('on another page it is said as well that the credit runs out, until it is dismissed', async () => {
	const shown = await live({});
	shown.parts.navigation.go('settings');
	await expect.element(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
	shown.parts.creditUse.setState({ lastsMs: 480_000 });
	const said = page.getByText('The account’s credit is running out.', { exact: true });
	await expect.element(said).toHaveAttribute('role', 'status');
	await page.getByRole('button', { name: 'Dismiss' }).click();
	await expect.element(said).not.toBeInTheDocument();
});

test('of two directions the microphone of the one that is muted is unmuted', async () => {
	const shown = createFakeWindow({
		settings: { mode: 'meeting' },
		silence: { leg: 'outgoing', stage: 'muted' },
	});
	shown.legs.names.setState(['outgoing', 'incoming'], true);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await renderWindow(shown);
	const muted = page.getByText(/You are speaking, but the microphone is muted\./);
	await expect.element(muted).toBeVisible();
	await page.getByRole('button', { name: 'Unmute', exact: true }).click();
	expect(shown.legs.outgoing.conversation.calls).toEqual([['setMuted', false]]);
	expect(shown.legs.incoming.conversation.calls).toEqual([]);
	expect(shown.conversation.calls.filter(([name]) => name === 'setMuted')).toEqual([]);
	await expect.element(muted).not.toBeInTheDocument();
});
