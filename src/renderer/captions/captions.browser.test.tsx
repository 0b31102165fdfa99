import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fileDate } from '#shared/captions/export-name.ts';
import { captionRow, lostRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const latest = page.getByRole('button', { name: 'Jump to latest' });
const scroller = () => {
	const element = document.querySelector<HTMLElement>('section[aria-label="Transcript, oldest first"]');
	if (!element) throw new Error('no captions');
	return element;
};
const log = () => document.querySelector('[role="log"]')?.textContent ?? '';

function say(shown: FakeWindow, id: number, final = true): void {
	shown.conversation.putRow(
		captionRow(id, ['en', `sentence number ${id}`], [['es', `frase número ${id}`]], final),
		id,
	);
}

async function live(main = {}, width = 1000): Promise<FakeWindow> {
	const shown = await renderWindow(createFakeWindow(main), width);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	return shown;
}

test('ten thousand captions are a few hundred nodes, and the newest is in view', async () => {
	const shown = await live();
	for (let id = 0; id < 10_000; id++) say(shown, id);
	await expect.element(page.getByText('frase número 9999').first()).toBeVisible();
	expect(document.querySelectorAll('*').length).toBeLessThanOrEqual(600);
	scroller().scrollTop = scroller().scrollHeight / 2;
	await expect.element(page.getByText(/^frase número 5\d\d\d$/).first()).toBeVisible();
	expect(document.querySelectorAll('*').length).toBeLessThanOrEqual(600);
});

test('speech that nobody heard is a line of its own among the captions, in words', async () => {
	const shown = await live();
	say(shown, 0);
	shown.conversation.putRow(lostRow(1, 4200), 1);
	say(shown, 2);
	const lines = () => page.getByRole('listitem').elements();
	await expect.poll(() => lines().length).toBe(3);
	expect(lines()[1]?.textContent?.trim()).toMatch(/^Nothing was interpreted for .*4(\.2)? sec/);
	expect(lines()[1]?.querySelector('button')).toBeNull();
});

test('one more caption reads a few rows, however many there are', async () => {
	const shown = await live();
	const reads = vi.spyOn(shown.conversation.captions, 'row');
	const finals = vi.spyOn(shown.conversation.captions, 'finals');
	const frame = () => new Promise((next) => requestAnimationFrame(next));
	/** Waits while existing rows are still measured and rendered, so that their cost is not charged to the next row. */
	async function drawn(): Promise<void> {
		for (let still = 0; still < 3; still += 1) {
			const before = reads.mock.calls.length;
			await frame();
			if (reads.mock.calls.length > before) still = -1;
		}
	}
	async function readsOf(id: number): Promise<number> {
		await expect.element(page.getByText(`frase número ${id - 1}`).first()).toBeVisible();
		await drawn();
		reads.mockClear();
		say(shown, id);
		await expect.element(page.getByText(`frase número ${id}`).first()).toBeVisible();
		return reads.mock.calls.length;
	}
	for (let id = 0; id < 100; id++) say(shown, id);
	const early = await readsOf(100);
	for (let id = 101; id < 10_000; id++) say(shown, id);
	expect(await readsOf(10_000)).toBeLessThanOrEqual(early * 2);
	expect(finals).not.toHaveBeenCalled();
});

test('a text that changes draws its row, and nothing around it', async () => {
	const shown = await live();
	for (let id = 0; id < 20; id++) say(shown, id, id < 19);
	await expect.element(page.getByText('frase número 19').first()).toBeVisible();
	// Whatever renders reads its settings, and a language bar or a panel reads many.
	const asked = vi.spyOn(shown.parts.settings.store, 'getState');
	const texts = 25;
	for (let n = 0; n < texts; n++) {
		const text = `frase que crece ${n}`;
		shown.conversation.putRow(captionRow(19, ['en', 'growing'], [['es', text]], false), 19);
		await expect.element(page.getByText(text).first()).toBeVisible();
	}
	expect(asked.mock.calls.length / texts).toBeLessThan(16);
});

test('thousands of updates a second are drawn once a frame, and the last of them is seen', {
	timeout: 60_000,
}, async () => {
	const shown = await live();
	for (let id = 0; id < 50; id++) say(shown, id);
	await expect.element(page.getByText('frase número 49').first()).toBeVisible();
	let commits = 0;
	const observer = new MutationObserver(() => {
		commits += 1;
	});
	observer.observe(scroller(), { subtree: true, childList: true, characterData: true });
	// Each followed by a moment in which React could draw it, as it does with every packet.
	const [frames, each] = [30, 170];
	const updates = frames * each;
	let made = 0;
	for (let frame = 0; frame < frames; frame += 1) {
		await new Promise((done) => requestAnimationFrame(done));
		for (let update = 0; update < each; update += 1) {
			made += 1;
			const row = captionRow(50, ['en', `update ${made}`], [['es', `cambio ${made}`]], made === updates);
			shown.conversation.putRow(row, 50);
			await Promise.resolve();
			await Promise.resolve();
		}
	}
	await expect.element(page.getByText(`cambio ${updates}`).first()).toBeVisible();
	observer.disconnect();
	// One commit for the text and one for its measurement, and a few frames until the last is seen.
	expect(commits).toBeLessThanOrEqual(3 * frames);
});

test('stays at the end while one is there, and keeps its place while one reads further up', async () => {
	const shown = await live();
	for (let id = 0; id < 200; id++) say(shown, id);
	await expect.element(page.getByText('frase número 199').first()).toBeVisible();
	await expect.element(latest).not.toBeInTheDocument();

	scroller().scrollTop -= 3000;
	await expect.element(latest).toBeVisible();
	const before = scroller().scrollTop;
	for (let id = 200; id < 210; id++) say(shown, id);
	await expect.poll(() => scroller().scrollHeight).toBeGreaterThan(before);
	expect(Math.abs(scroller().scrollTop - before)).toBeLessThan(5);
	await expect.element(latest).toBeVisible();

	await latest.click();
	await expect.element(page.getByText('frase número 209').first()).toBeVisible();
	await expect.element(latest).not.toBeInTheDocument();
});

test.each([40, 90, 3000])(
	'keeps the row that is read %i px above the end when notices come and go below it',
	async (px) => {
		const shown = await live({}, 760);
		for (let id = 0; id < 200; id++) say(shown, id);
		await expect.element(page.getByText('frase número 199').first()).toBeVisible();
		const running = { phase: 'live', liveSinceMs: 0 } as const;
		const settings = shown.parts.settings.store;
		const notices = [
			() => settings.setState({ problem: { kind: 'keychain-missing' } }),
			() => shown.conversation.show({ ...running, notice: { kind: 'silent-microphone', device: 'Jabra' } }),
			() => shown.conversation.show({ ...running, notice: null }),
			() => settings.setState({ problem: null }),
		];
		const frames = async (count: number) => {
			for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame);
		};
		// Its part of the page, so that it is not still being loaded while its notice is waited for.
		await import('#renderer/live/notices/notice-view.tsx');
		async function show(change: () => void): Promise<void> {
			const height = scroller().clientHeight;
			change();
			await expect.poll(() => scroller().clientHeight).not.toBe(height);
			await frames(6);
		}
		for (const change of notices) await show(change);
		// Scrolls up without a notice, then while two are there.
		for (const first of [0, 2]) {
			for (const change of notices.slice(0, first)) await show(change);
			scroller().scrollTop = scroller().scrollHeight;
			await expect.element(latest).not.toBeInTheDocument();
			// Once more where a row was just being measured: the list then went back to its end.
			while (!latest.query()) {
				scroller().scrollTop -= px;
				await frames(10);
			}
			await frames(6);
			const { top } = scroller().getBoundingClientRect();
			const row = [...scroller().querySelectorAll('li')].find((one) => one.getBoundingClientRect().top > top);
			const before = row?.getBoundingClientRect().top ?? Number.NaN;
			for (const change of notices.slice(first)) {
				await show(change);
				expect(Math.abs((row?.getBoundingClientRect().top ?? 0) - before)).toBeLessThan(1);
			}
			await expect.element(latest).toBeVisible();
		}
		await latest.click();
		await expect.element(latest).not.toBeInTheDocument();
		const { bottom } = scroller().getBoundingClientRect();
		const end = scroller().querySelector('li:last-child')?.getBoundingClientRect().bottom ?? 0;
		expect(Math.abs(end - bottom)).toBeLessThan(2);
	},
);

test('a caption that is still open looks different and is not announced; its final is, once', async () => {
	const shown = await live();
	say(shown, 0, false);
	await expect.element(page.getByText('frase número 0').first()).toHaveAttribute('data-final', 'false');
	const open = document.querySelector('[data-kind="translation"]');
	const dimmed = open && getComputedStyle(open).color;
	expect(log()).toBe('');

	say(shown, 0);
	await expect.poll(log).toBe('frase número 0');
	const settled = document.querySelector('[data-kind="translation"]');
	expect(settled && getComputedStyle(settled).color).not.toBe(dimmed);
	say(shown, 0);
	say(shown, 1);
	await expect.poll(log).toBe('frase número 0frase número 1');
});

test('what has the keyboard stays where it is while one reads elsewhere, and goes when it has it no longer', async () => {
	const shown = await live();
	for (let id = 0; id < 300; id++) say(shown, id);
	await expect.element(page.getByText('frase número 299').first()).toBeVisible();
	const copy = page.getByRole('button', { name: 'Copy this caption' }).last().element() as HTMLElement;
	copy.focus();
	scroller().scrollTop = 0;
	await expect.poll(() => scroller().querySelector('[data-index="0"]') !== null).toBe(true);
	expect(document.activeElement).toBe(copy);
	expect(copy.closest('li')?.textContent).toContain('frase número 299');
	expect(copy.getBoundingClientRect().top).toBeGreaterThan(scroller().getBoundingClientRect().bottom);
	copy.blur();
	scroller().scrollTop = 400;
	await expect.poll(() => copy.isConnected).toBe(false);
});

test('of several languages the one that is spoken is read aloud, whichever comes first', async () => {
	const shown = await live({ settings: { hear: ['de', 'es', 'fr'], voiceOf: 'es' } });
	const told = (...translations: [string, string][]) =>
		shown.conversation.putRow(captionRow(0, ['en', 'Hello.'], translations), 0);
	told(['de', 'Hallo.']);
	told(['de', 'Hallo.'], ['fr', 'Salut.']);
	told(['de', 'Hallo.'], ['es', 'Hola.'], ['fr', 'Salut.']);
	await expect.poll(log).toBe('Hola.');
	void shown.parts.settings.write({ voiceOf: 'ar' });
	shown.conversation.putRow(
		captionRow(
			1,
			['en', 'Bye.'],
			[
				['de', 'Tschüss.'],
				['es', 'Adiós.'],
			],
		),
		1,
	);
	await expect.poll(log).toBe('Hola.Tschüss.');
});

test('a word is corrected where it stands, in the language in which it was wrong', async () => {
	const shown = await live({ settings: { corrections: [{ language: 'en', wrong: 'Bob', right: 'Rob' }] } });
	shown.conversation.putRow(captionRow(0, ['en', 'Anna is here.'], [['es', 'Anna está aquí.']]));
	await page.getByRole('button', { name: 'Correct a word' }).click();
	const dialog = page.getByRole('dialog', { name: 'Correct a word or name' });
	await dialog.getByRole('button', { name: 'here' }).click();
	await expect.element(dialog.getByLabelText('Instead of')).toHaveValue('here');
	await dialog.getByText('Español · Spanish').click();
	// It was a word of the other language.
	await expect.element(dialog.getByLabelText('Instead of')).toHaveValue('');
	await dialog.getByRole('button', { name: 'Anna' }).click();
	await expect.element(dialog.getByLabelText('Instead of')).toHaveValue('Anna');
	await expect.element(dialog.getByLabelText('It should be')).toHaveFocus();
	await expect.element(dialog.getByRole('button', { name: 'Correct', exact: true })).toBeDisabled();
	expect(await axeFindings()).toEqual([]);
	await dialog.getByLabelText('It should be').fill('Ana');
	await userEvent.keyboard('{Enter}');
	await expect.element(dialog).not.toBeInTheDocument();
	const written = shown.asked.findLast(([name]) => name === 'settings.write')?.[1];
	expect(written).toEqual({
		corrections: [
			{ language: 'en', wrong: 'Bob', right: 'Rob' },
			{ language: 'es', wrong: 'Anna', right: 'Ana' },
		],
	});
});

test.each(['New York', '14 % more'])('words that are marked are the ones to correct: %s', async (words) => {
	const shown = await live();
	shown.conversation.putRow(captionRow(0, ['en', `We met in ${words}.`], [['es', 'Hola.']]));
	const said = () => document.querySelector('[data-kind="source"]');
	await expect.poll(() => said()?.textContent).toContain('We met');
	const text = said()?.firstChild as Text;
	document.getSelection()?.setBaseAndExtent(text, 10, text, 10 + words.length);
	(page.getByRole('button', { name: 'Correct a word' }).element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	await expect.element(page.getByLabelText('Instead of')).toHaveValue(words);
});

test('a word is corrected beside it, over captions that go on; what is typed stays', async () => {
	const shown = await live();
	await page.viewport(420, 700);
	for (let index = 0; index < 40; index += 1) say(shown, index);
	const opener = page.getByRole('button', { name: 'Correct a word' }).last();
	await expect.element(opener).toBeVisible();
	(opener.element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	const box = page.getByRole('dialog', { name: 'Correct a word or name' });
	await expect.poll(() => document.activeElement?.closest('fieldset') !== null).toBe(true);
	const at = box.element().getBoundingClientRect();
	expect([at.left >= 0, at.top >= 0, at.right <= 420, at.bottom <= 700]).toEqual([true, true, true, true]);
	// The page behind it can be used.
	await expect.element(page.getByRole('button', { name: 'Stop' }).first()).toBeVisible();
	expect(document.querySelector('[inert], #root[aria-hidden]')).toBeNull();
	await box.getByLabelText('It should be').fill('Ana');
	scroller().scrollTop = 0;
	await expect.poll(() => opener.query()?.isConnected).toBe(true);
	for (let index = 40; index < 60; index += 1) say(shown, index);
	await new Promise(requestAnimationFrame);
	await expect.element(box.getByLabelText('It should be')).toHaveValue('Ana');
	expect(box.element().getBoundingClientRect()).toEqual(at);
	// Tab stays in it, in both directions.
	(box.getByRole('button', { name: 'Close' }).element() as HTMLElement).focus();
	await userEvent.keyboard('{Shift>}{Tab}{/Shift}');
	await expect.element(box.getByRole('button', { name: 'Cancel' })).toHaveFocus();
	await userEvent.keyboard('{Tab}');
	await expect.element(box.getByRole('button', { name: 'Close' })).toHaveFocus();
	expect(await axeFindings()).toEqual([]);
});

test('Escape closes it and gives the focus back', async () => {
	const shown = await live();
	say(shown, 0);
	const opener = page.getByRole('button', { name: 'Correct a word' });
	await expect.element(page.getByText('frase número 0').first()).toBeVisible();
	(opener.element() as HTMLElement).focus();
	await userEvent.keyboard('{Enter}');
	const box = page.getByRole('dialog', { name: 'Correct a word or name' });
	await expect.element(box).toBeVisible();
	await userEvent.keyboard('{Escape}');
	await expect.element(box).not.toBeInTheDocument();
	await expect.element(opener).toHaveFocus();
});

test('of captions without a translation what was said is announced, once it is finished', async () => {
	const shown = await live({ settings: { mode: 'captions', translateCaptions: false, hear: ['es', 'fr'] } });
	shown.conversation.putRow(captionRow(0, ['en', 'Good mor'], [], false), 0);
	await expect.element(page.getByText('Good mor')).toBeVisible();
	expect(log()).toBe('');
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], []), 0);
	await expect.poll(log).toBe('Good morning.');
	await shown.parts.settings.write({ translateCaptions: true });
	shown.conversation.putRow(captionRow(1, ['en', 'Thank you.'], [['es', 'Gracias.']]), 1);
	await expect.poll(log).toBe('Good morning.Gracias.');
});

test('the same sentence of the next conversation is announced too', async () => {
	const complaint = vi.spyOn(console, 'error').mockImplementation(() => {});
	const shown = await live();
	for (const text of ['Buenos días.', 'Buenas tardes.']) {
		shown.conversation.captions.clear();
		shown.conversation.putRow(captionRow(0, ['en', 'Good day.'], [['es', 'Half']], false), 0);
		await expect.element(page.getByText('Half')).toBeVisible();
		shown.conversation.putRow(captionRow(0, ['en', 'Good day.'], [['es', text]]), 0);
		await expect.poll(log).toContain(text);
	}
	expect(log()).toBe('Buenos días.Buenas tardes.');
	// As of two lines with one key, of which React may lose one.
	expect(complaint).not.toHaveBeenCalled();
});

test('announcements can be switched off', async () => {
	const shown = await live({ settings: { announceCaptions: false } });
	say(shown, 0);
	await expect.element(page.getByText('frase número 0')).toBeVisible();
	expect(document.querySelector('[role="log"]')).toBeNull();
});

test('each piece says its language and goes its way, also where it begins with a foreign name', async () => {
	const shown = await live({ settings: { hear: ['ar', 'ja'], voiceOf: 'ar' } });
	shown.conversation.putRow(
		captionRow(
			0,
			['en', 'Good morning.'],
			[
				['ar', 'WhatsApp متاح الآن.'],
				['ja', 'おはようございます。'],
			],
		),
	);
	for (const [text, lang, direction] of [
		['Good morning.', 'en', 'ltr'],
		['WhatsApp متاح الآن.', 'ar', 'rtl'],
		['おはようございます。', 'ja', 'ltr'],
	] as const) {
		const piece = page.getByText(text).first();
		await expect.element(piece).toHaveAttribute('lang', lang);
		expect(getComputedStyle(piece.element()).direction).toBe(direction);
	}
});

test('captions are saved in the chosen format, where main puts them', async () => {
	const shown = await live();
	say(shown, 0);
	say(shown, 1, false);
	await page.getByRole('button', { name: 'Save captions' }).click();
	const dialog = page.getByRole('dialog', { name: 'Save captions' });
	await dialog.getByRole('button', { name: 'Save captions' }).click();
	await expect.element(dialog.getByText(/Saved to .*Conversation .*\.txt/)).toBeVisible();
	const [, file] = shown.asked.find(([name]) => name === 'file.save-text') ?? [];
	expect(file).toMatchObject({
		suggestedName: expect.stringMatching(/^Conversation [-\d. ]+\.txt$/),
		text: 'sentence number 0\tfrase número 0\n',
	});
	expect(JSON.stringify(file)).not.toContain('frase número 1');
});

test('the name has the date; what was saved is shown in its folder, and no longer once another file is chosen', async () => {
	const shown = createFakeWindow();
	shown.conversation.show({ phase: 'live', liveSinceMs: shown.parts.clock.now() });
	say(shown, 0);
	await renderWindow(shown);
	await page.getByRole('button', { name: 'Save captions' }).click();
	const dialog = page.getByRole('dialog', { name: 'Save captions' });
	const began = shown.conversation.captions.beganAt() ?? 0;
	const shownPaths = () =>
		shown.asked.flatMap(([name, input]) => (name === 'file.show-saved' ? [JSON.stringify(input)] : []));
	for (const [format, ending] of [
		[null, 'txt'],
		['Page for printing (HTML)', 'html'],
	] as const) {
		if (format) {
			await dialog.getByRole('button', { name: /Format/ }).click();
			await page.getByRole('option', { name: format }).click();
		}
		expect(dialog.getByText(/^Saved to/).query()).toBeNull();
		await dialog.getByRole('button', { name: 'Save captions' }).click();
		await expect.element(dialog.getByText(/^Saved to/)).toBeVisible();
		const file = `Conversation ${fileDate(began)}.${ending}`;
		expect(dialog.getByText(/^Saved to/).element().textContent).toContain(file);
		await dialog.getByRole('button', { name: 'Show in folder' }).click();
		expect(shownPaths().at(-1)).toContain(file);
	}
	expect(shownPaths()).toHaveLength(2);
});

test('the dialog has one height, and offers the last format again', async () => {
	const shown = await live();
	say(shown, 0);
	const open = async () => {
		await page.getByRole('button', { name: 'Save captions' }).click();
		await expect.element(page.getByRole('dialog', { name: 'Save captions' })).toBeVisible();
	};
	await open();
	const dialog = page.getByRole('dialog', { name: 'Save captions' });
	const format = dialog.getByRole('button', { name: /Format/ });
	const height = () => dialog.element().getBoundingClientRect().height;
	await expect.element(format).toHaveTextContent('Plain text');
	await expect.element(dialog.getByText(/^Conversation [-\d. ]+\.txt$/)).toBeVisible();
	const first = height();
	await format.click();
	const names = page
		.getByRole('option')
		.elements()
		.map((one) => one.textContent);
	expect(names[0]).toBe('Plain text');
	await userEvent.keyboard('{Escape}');
	for (const name of [...names.slice(1), 'Plain text', 'Page for printing (HTML)']) {
		await format.click();
		await page.getByRole('option', { name, exact: true }).click();
		await expect.element(format).toHaveTextContent(name);
		expect(height(), name).toBe(first);
	}
	await dialog.getByRole('button', { name: 'Save captions' }).click();
	await expect.element(dialog.getByText(/^Saved to/)).toBeVisible();
	expect(height()).toBe(first);
	expect(await axeFindings()).toEqual([]);
	await dialog.getByRole('button', { name: 'Close' }).first().click();
	await expect.element(dialog).not.toBeInTheDocument();
	expect(shown.asked).toContainEqual(['settings.write', { saveAs: 'html' }]);
	const later = createFakeWindow({ settings: { saveAs: 'html' } });
	later.conversation.show({ phase: 'live' });
	say(later, 0);
	await renderWindow(later);
	await page.getByRole('button', { name: 'Save captions' }).click();
	await expect.element(format).toHaveTextContent('Page for printing (HTML)');
});

test('a conversation whose language changed is saved whole unless one language is chosen', async () => {
	const shown = await live();
	shown.conversation.putRow(captionRow(0, ['en', 'hello'], [['es', 'hola']]), 0);
	shown.conversation.putRow(captionRow(1, ['en', 'goodbye'], [['de', 'Auf Wiedersehen']]), 1);
	await page.getByRole('button', { name: 'Save captions' }).click();
	const dialog = page.getByRole('dialog', { name: 'Save captions' });
	const save = dialog.getByRole('button', { name: 'Save captions' });
	const saved = () => shown.asked.flatMap(([name, input]) => (name === 'file.save-text' ? [input] : []));
	await save.click();
	await expect.poll(() => saved().length).toBe(1);
	for (const text of ['hello', 'hola', 'goodbye', 'Auf Wiedersehen'])
		expect(saved()[0]).toMatchObject({
			suggestedName: expect.stringMatching(/^Conversation [-\d. ]+\.txt$/),
			text: expect.stringContaining(text),
		});
	await dialog.getByText(/German/).click();
	await save.click();
	await expect.poll(() => saved().length).toBe(2);
	expect(saved()[1]).toMatchObject({
		suggestedName: expect.stringMatching(/^Conversation [-\d. ]+\.de\.txt$/),
		text: expect.not.stringContaining('hola'),
	});
	await dialog.getByRole('button', { name: /Format/ }).click();
	await page.getByRole('option', { name: 'Page for printing (HTML)' }).click();
	await save.click();
	await expect.poll(() => saved().length).toBe(3);
	const { text } = saved()[2] as { text: string };
	const made = new DOMParser().parseFromString(text, 'text/html');
	expect([...made.querySelectorAll('td:not(.at)')].map((cell) => cell.textContent)).toEqual([
		'hello',
		'—',
		'hola',
		'goodbye',
		'Auf Wiedersehen',
		'—',
	]);
	expect(made.querySelectorAll('.lost')).toHaveLength(0);
});

test('captions without a translation whose language changed are saved whole', async () => {
	const shown = await live();
	shown.conversation.putRow(captionRow(0, ['en', 'hello'], []), 0);
	shown.conversation.putRow(captionRow(1, ['fr', 'bonjour'], []), 1);
	await page.getByRole('button', { name: 'Save captions' }).click();
	const dialog = page.getByRole('dialog', { name: 'Save captions' });
	await dialog.getByRole('button', { name: 'Save captions' }).click();
	await expect.element(dialog.getByText(/Saved to .*Conversation .*\.txt/)).toBeVisible();
	const [, file] = shown.asked.find(([name]) => name === 'file.save-text') ?? [];
	expect(file).toMatchObject({ text: expect.stringMatching(/hello[\s\S]*bonjour/) });
});

test('minutes hold what broke off, marked, and nothing that may still change', async () => {
	const shown = await live();
	say(shown, 0);
	const { source, ...row } = captionRow(1, ['en', 'and then'], [], false);
	shown.conversation.putRow({ ...row, source: source && { ...source, cutOff: true } }, 1);
	say(shown, 2, false);
	// Also after the end they say when it began.
	shown.conversation.show({ phase: 'idle' });
	await page.getByRole('button', { name: 'Save captions' }).click();
	const dialog = page.getByRole('dialog', { name: 'Save captions' });
	await dialog.getByRole('button', { name: /Format/ }).click();
	await page.getByRole('option', { name: 'Page for printing (HTML)' }).click();
	await dialog.getByRole('button', { name: 'Save captions' }).click();
	await expect.element(dialog.getByText(/Saved to .*Conversation .*\.html/)).toBeVisible();
	const [, file] = shown.asked.find(([name]) => name === 'file.save-text') ?? [];
	const made = new DOMParser().parseFromString((file as { text: string }).text, 'text/html');
	const cells = [...made.querySelectorAll('td:not(.at)')].map((cell) => cell.textContent);
	expect(cells).toEqual(['sentence number 0', 'frase número 0', 'and then [cut off]', '—']);
	expect(made.querySelector('h1 + p')?.textContent).toMatch(/\d/);
});

test('what is left of the conversation before cannot be cleared while the next one starts', async () => {
	const shown = await renderWindow(createFakeWindow());
	say(shown, 0);
	const clear = page.getByRole('menuitem', { name: 'Clear captions' });
	const canClear = async (can: boolean) => {
		await page.getByRole('button', { name: 'More', exact: true }).click();
		if (can) await expect.element(clear).not.toHaveAttribute('aria-disabled');
		else await expect.element(clear).toHaveAttribute('aria-disabled', 'true');
		await userEvent.keyboard('{Escape}');
		await expect.element(clear).not.toBeInTheDocument();
	};
	await canClear(true);
	shown.conversation.captions.store.setState({ held: true });
	shown.conversation.show({ phase: 'preparing' });
	await canClear(false);
	await expect.element(page.getByText('frase número 0').first()).toBeVisible();
	shown.conversation.show({ phase: 'failed' });
	await canClear(true);
});

test('nobody is told to speak before somebody listens', async () => {
	const { conversation } = await live();
	conversation.show({ phase: 'starting' });
	await expect.element(page.getByText('Wait until “Listening” appears here.')).toBeVisible();
	await expect.element(page.getByText('Speak, and the first words appear here.')).not.toBeInTheDocument();
	conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(page.getByText('Speak, and the first words appear here.')).toBeVisible();
});

test('clearing asks first', async () => {
	const shown = await live();
	say(shown, 0);
	await page.getByRole('button', { name: 'More', exact: true }).click();
	await page.getByRole('menuitem', { name: 'Clear captions' }).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
	await expect.element(page.getByRole('alertdialog')).not.toBeInTheDocument();
	await expect.element(page.getByText('frase número 0').first()).toBeVisible();
	await page.getByRole('button', { name: 'More', exact: true }).click();
	await page.getByRole('menuitem', { name: 'Clear captions' }).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Clear captions' }).click();
	await expect.element(page.getByText('Listening')).toBeVisible();
});

test('what the others say is read aloud, in however many languages I am heard', async () => {
	const shown = await live({ settings: { mode: 'meeting', hear: ['es', 'fr'], voiceOf: 'es' } });
	shown.conversation.putRow({
		...captionRow(0, ['es', 'Hola.'], [['en-us', 'Hello.']]),
		leg: 'incoming',
	});
	await expect.poll(log).toContain('Hello.');
});

test('what is read aloud says its language', async () => {
	const shown = await live();
	say(shown, 0);
	await expect.poll(() => document.querySelector('[role="log"] p [lang]')?.getAttribute('lang')).toBe('es');
});
