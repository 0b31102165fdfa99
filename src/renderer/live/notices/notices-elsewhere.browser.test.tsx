import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';
import { windowStates } from '#test/support/window-states.ts';

const button = (name: string) => page.getByRole('button', { name, exact: true });
const settings = () => page.getByRole('heading', { name: 'Settings', level: 1 });
const problem = { kind: 'service-unreachable', cause: '' } as const;

test('a conversation that fails while another page is shown says so there, with the way to it, and not again once it was seen', async () => {
	const shown = createFakeWindow();
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.parts.navigation.go('settings');
	await renderWindow(shown);
	await expect.element(button('Stop')).toBeVisible();
	shown.conversation.show({ phase: 'failed', problem });
	await expect.element(page.getByRole('alert').getByText(/cannot be reached/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await button('To the conversation').click();
	await expect.element(button('Start')).toBeVisible();
	shown.parts.navigation.go('settings');
	await expect.element(settings()).toBeVisible();
	expect(page.getByRole('alert').elements()).toEqual([]);
});

test('a direction that has failed is named on every page while the other goes on, with the way to it', async () => {
	const shown = windowStates.meeting();
	shown.parts.navigation.go('settings');
	await renderWindow(shown);
	await expect.element(settings()).toBeVisible();
	const said = page.getByText(/^The direction “Them to you” has stopped; the other continues\./);
	expect(said.query()).toBeNull();
	shown.legs.incoming.conversation.show({ phase: 'failed', problem });
	await expect.element(said).toBeVisible();
	await button('To the conversation').click();
	await expect.element(page.getByRole('list', { name: 'Both directions' })).toBeVisible();
	shown.parts.navigation.go('settings');
	await expect.element(said).toBeVisible();
	shown.conversation.show({ phase: 'idle' });
	await expect.element(said).not.toBeInTheDocument();
});
