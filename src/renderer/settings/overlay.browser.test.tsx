import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { ok } from '#shared/lib/result.ts';
import { abilitiesOf } from '#shared/overlay/placement.ts';
import { OVERLAY_SIZE_PX } from '#shared/overlay/style.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderPart } from '#test/support/render-window.tsx';
import { OverlaySection } from './overlay-section.tsx';

async function show(platform = 'win32', wayland = false, settings = {}): Promise<FakeWindow> {
	const shown = createFakeWindow({
		settings,
		answers: { 'overlay.abilities': () => ok(abilitiesOf({ shell: 'electron', platform, wayland })) },
	});
	await renderPart(shown, <OverlaySection />);
	return shown;
}
const box = () =>
	document.querySelector<HTMLElement>('[data-testid="overlay-preview"] [data-testid="caption-box"]');

test('what is chosen is seen in the preview at once', async () => {
	const shown = await show();
	await expect.poll(() => box()?.style.fontSize).toBe('28px');
	const size = page.getByRole('slider', { name: 'Text size' });
	await expect.element(size).toHaveAttribute('min', String(OVERLAY_SIZE_PX.smallest));
	await expect.element(size).toHaveAttribute('max', String(OVERLAY_SIZE_PX.largest));
	(size.element() as HTMLElement).focus();
	await userEvent.keyboard('{ArrowRight}');
	await expect.poll(() => box()?.style.fontSize).toBe('30px');
	const before = box()?.getBoundingClientRect().height ?? 0;
	(page.getByRole('slider', { name: 'Lines' }).element() as HTMLElement).focus();
	await userEvent.keyboard('{ArrowRight}');
	await expect.poll(() => box()?.getBoundingClientRect().height).toBe((before / 3) * 4);
	expect(shown.asked.findLast(([name]) => name === 'settings.write')?.[1]).toMatchObject({
		overlay: { size: 30, lines: 4 },
	});
});

test('the captions for the audience have a look, a language and a switch of their own, and cannot be hidden', async () => {
	const shown = await show('win32', false, { speak: 'en', hear: ['es', 'fr'] });
	const values = () => shown.parts.settings.store.getState().values;
	const hide = page.getByRole('switch', { name: 'Hide it from screen sharing' });
	const elsewhere = page.getByText(/Turn it off here, in the menu or with its shortcut/);
	await expect.element(elsewhere).toBeVisible();
	await expect.element(hide).toBeChecked();
	await page.getByText('For the audience', { exact: true }).click();
	await expect.element(page.getByText(/never left out of a screen share/)).toBeVisible();
	await expect.element(hide).not.toBeInTheDocument();
	// Menu and shortcut are for one's own.
	await expect.element(page.getByText('Clicks reach what is below. Turn it off here.')).toBeVisible();
	expect(elsewhere.query()).toBeNull();
	await expect.poll(() => box()?.style.fontSize).toBe('40px');
	await page.getByText('Show these captions').click();
	await page.getByRole('button', { name: /Shows/ }).click();
	await page.getByRole('option', { name: 'Français · French' }).click();
	await expect.poll(values).toMatchObject({ audienceOverlay: { shown: true, language: 'fr', size: 40 } });
	expect(values().overlay).toMatchObject({ shown: false, language: 'all', size: 28 });
	expect(values().audienceOverlay).not.toHaveProperty('hidden');
	await page.getByText('For me', { exact: true }).click();
	await expect.poll(() => box()?.style.fontSize).toBe('28px');
});

test('a language that is no longer spoken here stays chosen; with the original alone there is nothing to lay out', async () => {
	const overlay = { ...defaultSettings.overlay, language: 'ja' };
	const shown = await show('win32', false, { overlay });
	await expect.element(page.getByRole('button', { name: /日本語 · Japanese/ })).toBeVisible();
	const values = () => shown.parts.settings.store.getState().values.overlay;
	void shown.parts.settings.write({ overlay: { ...values(), language: 'original' } });
	await expect.element(page.getByRole('button', { name: /Layout/ })).toBeDisabled();
});

test('colours that are hard to read are named as such, with the contrast at worst', async () => {
	const shown = await show();
	await expect.element(page.getByText(/^Lowest contrast: 10\.\d to 1\.$/)).toBeVisible();
	const { overlay } = shown.parts.settings.store.getState().values;
	void shown.parts.settings.write({ overlay: { ...overlay, opacity: 0.2 } });
	await expect.element(page.getByText(/Text needs 4\.5/)).toBeVisible();
});

test('what the system cannot hide is said in words, and not offered', async () => {
	const hide = page.getByRole('switch', { name: 'Hide it from screen sharing' });
	await show('win32');
	await expect.element(hide).toBeEnabled();
	await show('darwin');
	await expect.element(page.getByText(/ScreenCaptureKit/)).toBeVisible();
	await show('linux', false, {});
	await expect.element(hide).toBeDisabled();
	await expect.element(page.getByText(/This system cannot hide a window/)).toBeVisible();
});

test('on Wayland it is an ordinary window, and what that cannot do is not offered', async () => {
	await show('linux', true);
	await expect.element(page.getByText(/On Wayland a program may neither/)).toBeVisible();
	expect(page.getByRole('switch', { name: 'Click through it' }).elements()).toEqual([]);
	expect(page.getByRole('switch', { name: 'Lock its position' }).elements()).toEqual([]);
});

test('axe finds nothing', async () => {
	await show();
	await expect.element(page.getByText(/Lowest contrast/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
});
