import { expect, test } from 'vitest';
import { type Locator, page } from 'vitest/browser';
import { fileDate } from '#shared/captions/export-name.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

test('nothing is recorded before everybody has agreed', async () => {
	const clock = createManualClock();
	const shown = await renderWindow(createFakeWindow({ clock, settings: { soundOpen: true } }));
	await page.getByRole('button', { name: 'Record', exact: true }).click();
	await expect.element(page.getByRole('alertdialog', { name: 'Record the conversation?' })).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await page.getByRole('button', { name: 'Cancel' }).click();
	expect(shown.asked.map(([name]) => name)).not.toContain('recording.begin');
	await page.getByRole('button', { name: 'Record', exact: true }).click();
	await page.getByRole('button', { name: /Everybody agrees/ }).click();
	const name = `Conversation ${fileDate(clock.wall())}.wav`;
	expect(shown.asked).toContainEqual(['recording.begin', name]);
});

test('that it records is said all the time, and it ends by one press', async () => {
	const clock = createManualClock();
	const shown = await renderWindow(
		createFakeWindow({ clock, recording: { state: 'recording', sinceMs: 0, path: '/home/a/talk.wav' } }),
	);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	const status = page.getByText('Recording the original and its translation.');
	await expect.element(status).toBeVisible();
	// Its length, which is not read out each second.
	clock.advance(83_000);
	await expect.element(page.getByText('1:23', { exact: true }).first()).toBeVisible();
	expect(status.element().textContent).not.toContain('1:23');
	// On the grid of the bars around it.
	const left = (of: Locator) => of.first().element().getBoundingClientRect().left;
	const mode = page.getByRole('main').getByText('Speak and be heard').element().parentElement;
	expect(left(status)).toBe(mode?.getBoundingClientRect().left);
	// No tooltip stands in its way.
	const stop = page.getByRole('button', { name: 'Stop recording' });
	const its = stop.element().getBoundingClientRect();
	const tips: string[] = [];
	for (const one of document.querySelectorAll<HTMLElement>(
		'footer button[data-tooltip], main button[data-tooltip]',
	)) {
		one.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
		clock.advance(600);
		await expect.poll(() => document.querySelector('[data-tip]')?.textContent).toBe(one.dataset['tooltip']);
		const tip = document.querySelector('[data-tip]')?.getBoundingClientRect() ?? new DOMRect();
		const isOver =
			tip.left < its.right && tip.right > its.left && tip.top < its.bottom && tip.bottom > its.top;
		tips.push(`${one.dataset['tooltip']}${isOver ? ' covers it' : ''}`);
	}
	expect(tips.length).toBeGreaterThan(3);
	expect(tips.filter((tip) => tip.endsWith('covers it'))).toEqual([]);
	await stop.click();
	expect(shown.asked.map(([name]) => name)).toContain('recording.end');
});

test('face to face shows the recording too, and one press ends it', async () => {
	const shown = await renderWindow(
		createFakeWindow({
			settings: { mode: 'face' },
			recording: { state: 'recording', path: '/home/a/talk.wav' },
		}),
	);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(page.getByRole('region', { name: 'Your half' })).toBeVisible();
	await expect.element(page.getByText('Recording the original and its translation.')).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	await page.getByRole('button', { name: 'Stop recording' }).click();
	expect(shown.asked.map(([name]) => name)).toContain('recording.end');
});

test('shows afterwards where the recording is, or why it stopped', async () => {
	const path = '/home/a/talk.wav';
	const shown = await renderWindow(createFakeWindow({ recording: { path, saved: true } }));
	await expect.element(page.getByText(/Saved to .*talk\.wav/)).toBeVisible();
	await page.getByRole('button', { name: 'Show in folder' }).click();
	expect(shown.asked).toContainEqual(['file.show-saved', { path }]);
	const problem = { kind: 'storage-failed', what: 'talk.wav' } as const;
	await renderWindow(createFakeWindow({ recording: { path, problem } }));
	await expect.element(page.getByText(/talk\.wav.* could not be written/)).toBeVisible();
	await page.getByRole('button', { name: 'Dismiss' }).click();
	await expect.element(page.getByText(/could not be written/)).not.toBeInTheDocument();
});

test('one that never began says why, and not that something was kept', async () => {
	await renderWindow(
		createFakeWindow({ recording: { problem: { kind: 'storage-failed', what: 'talk.wav' } } }),
	);
	await expect.element(page.getByText('This could not be saved to the disk.')).toBeVisible();
	expect(page.getByText(/Everything before that is saved/).query()).toBeNull();
	expect(page.getByRole('button', { name: 'Show in folder' }).query()).toBeNull();
});
