import axe from 'axe-core';
import { createRoot } from 'react-dom/client';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createHost, type Host } from '#renderer/host.ts';
import type { OverlayLook } from '#shared/host/overlay.ts';
import type { FramePiece, FrameRow, OverlayFrame } from '#shared/overlay/frames.ts';
import { abilitiesOf } from '#shared/overlay/placement.ts';
import type { OverlayName } from '#shared/overlay/style.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { allWords } from '#test/support/all-words.ts';
import { createMemoryIpc } from '#test/support/memory-ipc.ts';
import { createOverlayMirror } from './overlay-mirror.ts';
import { OverlayPage } from './overlay-page.tsx';
import '#renderer/ui/fonts.css';
import '#renderer/ui/theme.css';
import './overlay.css';

let ipc: ReturnType<typeof createMemoryIpc>;
let host: Host;
let acts: unknown[];
let asked: unknown[];
let revision: number;
beforeEach(() => {
	ipc = createMemoryIpc();
	host = createHost(ipc.bridge);
	acts = [];
	asked = [];
	revision = 1;
});

function look(style: Partial<Settings['overlay']> = {}, more: Partial<OverlayLook> = {}): OverlayLook {
	return {
		revision: revision++,
		style: { ...defaultSettings.overlay, shown: true, ...style },
		abilities: abilitiesOf({ shell: 'electron', platform: 'win32', wayland: false }),
		interfaceLanguage: 'en',
		locales: ['en'],
		motion: 'system',
		...more,
	};
}

function row(id: number, source: string, target: string, language = 'es', final = true): FrameRow {
	const piece = (kind: FramePiece['kind'], of: string, text: string): FramePiece => ({
		key: `${kind}${id}`,
		kind,
		language: of,
		text,
		steady: final ? text.length : text.indexOf(' '),
		final,
	});
	return {
		key: `r${id}`,
		lit: false,
		pieces: [piece('source', 'en', source), piece('translation', language, target)],
	};
}

async function show(
	given: OverlayLook,
	frame: OverlayFrame = { rows: [] },
	which: OverlayName = 'mine',
): Promise<void> {
	await page.viewport(700, 260);
	ipc.serve(async (name, input) => {
		if (name === 'overlay.act') acts.push(input);
		if (name === 'overlay.read') asked = [input];
		return { ok: true, value: name === 'overlay.read' ? { look: given, frame } : undefined };
	});
	const mirror = createOverlayMirror(host, which);
	const container = document.createElement('div');
	container.id = 'root';
	document.body.replaceChildren(container);
	const root = createRoot(container);
	root.render(<OverlayPage host={host} mirror={mirror} i18n={await allWords('en')} />);
	onTestFinished(() => {
		root.unmount();
		mirror.close();
	});
	await mirror.load();
	await page.getByRole('main').findElement();
}

const box = () => {
	const found = document.querySelector<HTMLElement>('[data-testid="caption-box"]');
	if (!found) throw new Error('no box');
	return found;
};

test('the box has its lines and never another height; the newest is in view', async () => {
	await show(look({ lines: 3, size: 20 }));
	await expect.element(page.getByText('Captions appear here.')).toBeVisible();
	const { height } = box().getBoundingClientRect();
	expect(height).toBe(81);
	const rows = Array.from({ length: 8 }, (_, id) => row(id, `said number ${id}`, `frase número ${id}`));
	ipc.announce('overlay.frame', { rows });
	await expect.element(page.getByText('frase número 7')).toBeVisible();
	expect(box().getBoundingClientRect().height).toBe(height);
	await expect.poll(() => box().scrollHeight - box().clientHeight - box().scrollTop).toBeLessThanOrEqual(1);
});

test('the newest stays in view where the box gets narrower', async () => {
	const text = (id: number) => `number ${id} is a sentence that fills a line of the box`;
	const rows = Array.from({ length: 6 }, (_, id) => row(id, text(id), text(id)));
	await show(look({ lines: 3, size: 20 }, { motion: 'reduced' }), { rows });
	const below = () => box().scrollHeight - box().clientHeight - box().scrollTop;
	await expect.poll(below).toBeLessThanOrEqual(1);
	const before = box().scrollHeight;
	await page.viewport(320, 260);
	await expect.poll(() => box().scrollHeight).toBeGreaterThan(before);
	await expect.poll(below).toBeLessThanOrEqual(1);
});

test('a text that is longer than the box has a sign that more stands above', async () => {
	const long = 'A sentence that goes on and on. '.repeat(30);
	await show(look({ lines: 3, size: 28 }, { motion: 'reduced' }), { rows: [row(0, 'Hello.', 'Hola.')] });
	await page.viewport(700, 140);
	const sign = () => box().querySelector<HTMLElement>(':scope > span');
	const isShown = () => sign()?.checkVisibility({ visibilityProperty: true }) ?? false;
	await expect.element(page.getByText('Hola.')).toBeVisible();
	expect(isShown()).toBe(false);
	ipc.announce('overlay.frame', { rows: [row(1, long, long)] });
	await expect.poll(isShown).toBe(true);
	// At the upper edge, beside the words and in the window.
	const at = sign()?.getBoundingClientRect();
	expect(at && at.top >= box().getBoundingClientRect().top && at.bottom <= 140 && at.left >= 0).toBe(true);
	expect(at?.right).toBeLessThanOrEqual((box().querySelector('p') as Element).getBoundingClientRect().left);
	ipc.announce('overlay.frame', { rows: [row(2, 'Bye.', 'Adiós.')] });
	await expect.poll(isShown).toBe(false);
});

test('the buttons show their names, with the mouse and with the keyboard', async () => {
	await show(look());
	const close = page.getByRole('button', { name: 'Close the captions' });
	const tip = () => getComputedStyle(close.element(), '::after').visibility;
	await expect.element(close).toBeInTheDocument();
	expect(tip()).toBe('hidden');
	expect(document.querySelector('[title]')).toBeNull();
	await userEvent.tab();
	await userEvent.tab();
	await userEvent.tab();
	await userEvent.tab();
	await expect.element(close).toHaveFocus();
	expect(tip()).toBe('visible');
});

test('another look is there at once; an older one that comes late is not', async () => {
	const first = look();
	const second = look({ size: 40, color: '#ffff00', font: 'mono', opacity: 1, background: '#000080' });
	await show(first, { rows: [row(0, 'Hello.', 'Hola.')] });
	ipc.announce('overlay.look', second);
	await expect.poll(() => getComputedStyle(box()).fontSize).toBe('40px');
	expect(getComputedStyle(box()).color).toBe('rgb(255, 255, 0)');
	expect(getComputedStyle(box()).backgroundColor).toBe('rgb(0, 0, 128)');
	expect(getComputedStyle(box()).fontFamily).toContain('monospace');
	ipc.announce('overlay.look', first);
	ipc.announce('overlay.frame', { rows: [row(1, 'Later.', 'Luego.')] });
	await expect.element(page.getByText('Luego.')).toBeVisible();
	expect(getComputedStyle(box()).fontSize).toBe('40px');
});

test('layouts: beside, under, and the translation alone, which says what was said until there is one', async () => {
	const rows = [row(0, 'Hello.', 'Hola.')];
	await show(look({ layout: 'beside' }), { rows });
	const at = (text: string) => page.getByText(text, { exact: true }).element().getBoundingClientRect();
	expect(at('Hola.').left).toBeGreaterThan(at('Hello.').right);
	ipc.announce('overlay.look', look({ layout: 'under' }));
	await expect.poll(() => at('Hola.').top - at('Hello.').bottom).toBeGreaterThanOrEqual(-1);
	ipc.announce('overlay.look', look({ layout: 'target' }));
	await expect.element(page.getByText('Hello.')).not.toBeInTheDocument();
	const [only] = rows;
	ipc.announce('overlay.frame', { rows: [{ key: 'x', lit: false, pieces: only?.pieces.slice(0, 1) ?? [] }] });
	await expect.element(page.getByText('Hello.')).toBeVisible();
});

test('in one language it shows that one alone, whoever says it', async () => {
	const rows = [row(0, 'Hello.', 'Hola.')];
	await show(look({ layout: 'target', language: 'es' }), { rows });
	await expect.element(page.getByText('Hola.')).toBeVisible();
	expect(page.getByText('Hello.').elements()).toEqual([]);
	ipc.announce('overlay.look', look({ layout: 'target', language: 'en' }));
	await expect.element(page.getByText('Hello.')).toBeVisible();
	expect(page.getByText('Hola.').elements()).toEqual([]);
});

test('the audience window has its own title and requests, and calls nobody "You"', async () => {
	const rows = [{ ...row(0, 'Hello.', 'Hola.'), side: 'mine' as const }];
	await show(look(), { rows });
	await expect.element(page.getByText('You', { exact: true })).toBeVisible();
	expect(document.title).toBe('Captions over other windows · Dragoman');
	await show(look(), { rows }, 'audience');
	await expect.element(page.getByText('Hola.')).toBeVisible();
	expect(page.getByText('You', { exact: true }).elements()).toEqual([]);
	expect(document.title).toBe('Captions for the audience · Dragoman');
	await expect.element(page.getByRole('main', { name: 'Captions for the audience' })).toBeInTheDocument();
	await page.getByRole('button', { name: 'Close the captions' }).click();
	expect(acts).toEqual([{ which: 'audience', act: 'close' }]);
	expect(asked.at(0)).toEqual({ which: 'audience' });
});

test('what is uncertain looks otherwise than what stands; what is heard has an edge', async () => {
	await show(look(), { rows: [{ ...row(0, 'I want to go', 'quiero ir', 'es', false), lit: true }] });
	const tail = page.getByText('want to go').element();
	expect(getComputedStyle(tail).textDecorationLine).toBe('underline');
	const edge = getComputedStyle(document.querySelector('[data-lit="true"]') as Element);
	expect(edge.borderInlineStartColor).toBe('rgb(255, 255, 255)');
});

test('Arabic is set from the right in a left-to-right window, and the other way round', async () => {
	await show(look(), { rows: [row(0, 'Good morning.', 'صباح الخير.', 'ar')] });
	expect(getComputedStyle(page.getByText('صباح الخير.').element()).direction).toBe('rtl');
	ipc.announce('overlay.look', look({}, { interfaceLanguage: 'ar' }));
	await expect.poll(() => document.documentElement.dir).toBe('rtl');
	expect(getComputedStyle(page.getByText('Good morning.').element()).direction).toBe('ltr');
	onTestFinished(() => {
		document.documentElement.dir = 'ltr';
	});
});

test('its buttons have names and do what they say, also with the keyboard; locked, there are none', async () => {
	await show(look());
	for (const [name, act] of [
		['Smaller captions', 'smaller'],
		['Larger captions', 'larger'],
		['Lock', 'lock'],
		['Close the captions', 'close'],
	] as const) {
		const button = page.getByRole('button', { name, exact: true }).element() as HTMLButtonElement;
		button.focus();
		button.click();
		await expect.poll(() => acts.at(-1)).toEqual({ which: 'mine', act });
	}
	ipc.announce('overlay.look', look({ locked: true }));
	await expect.element(page.getByRole('button').first()).not.toBeInTheDocument();
});

test('clicked through it has no buttons, which a press would miss; where that is not possible it has', async () => {
	await show(look({ clickThrough: true }));
	expect(page.getByRole('button').elements()).toEqual([]);
	const abilities = abilitiesOf({ shell: 'electron', platform: 'linux', wayland: true });
	ipc.announce('overlay.look', look({ clickThrough: true }, { abilities }));
	await expect.element(page.getByRole('button', { name: 'Smaller captions' })).toBeInTheDocument();
});

test('hostile text is text, and an announcement that is no frame is not heard', async () => {
	const hostile = '<img src=x onerror="window.hacked=1">';
	await show(look(), { rows: [row(0, hostile, hostile)] });
	expect(document.querySelector('main img')).toBeNull();
	ipc.announce('overlay.frame', { rows: [{ key: 1 }] } as never);
	expect(page.getByText(hostile).elements()).toHaveLength(2);
});

test('with little motion nothing glides', async () => {
	await show(look({}, { motion: 'reduced' }));
	expect(getComputedStyle(box()).scrollBehavior).toBe('auto');
	onTestFinished(() => {
		document.documentElement.dataset['motion'] = 'system';
	});
});

test('axe finds nothing, empty and full, in Arabic too', async () => {
	await show(look(), {
		rows: [row(0, 'Hello there.', 'Hola.'), row(1, 'I want to', 'quiero algo', 'es', false)],
	});
	const findings = async () =>
		(await axe.run(document)).violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
	expect(await findings()).toEqual([]);
	ipc.announce('overlay.look', look({}, { interfaceLanguage: 'ar' }));
	await expect.poll(() => document.documentElement.dir).toBe('rtl');
	expect(await findings()).toEqual([]);
	onTestFinished(() => {
		document.documentElement.dir = 'ltr';
	});
});

test.each([
	['mine-speaks', 'You: still speaking'],
	['theirs-speaks', 'Them: still speaking'],
	['mine', 'Your turn'],
	['theirs', 'Their turn'],
] as const)('above the captions stands who still speaks, or whose turn it is: %s', async (turn, words) => {
	await show(look(), { rows: [row(1, 'Good morning', 'Buenos días')], turn });
	const shown = page.getByText(words);
	await expect.element(shown).toBeVisible();
	const captions = page.getByTestId('caption-box').element().getBoundingClientRect();
	expect(shown.element().getBoundingClientRect().bottom).toBeLessThanOrEqual(captions.top);
});

test.each(['mine-speaks', 'mine', 'theirs'] as const)(
	'the audience is not told who speaks on, or whose turn it is: %s',
	async (turn) => {
		await show(look(), { rows: [row(1, 'Good morning', 'Buenos días')], turn }, 'audience');
		await expect.element(page.getByText('Buenos días')).toBeVisible();
		expect(page.getByText(/still speaking|turn/i).elements()).toEqual([]);
	},
);

test('captions that come while the first are being asked for stay; the look of the answer is taken all the same', async () => {
	const given = look({ size: 33 });
	const { promise, resolve } = Promise.withResolvers<void>();
	ipc.serve(async () => {
		await promise;
		return { ok: true, value: { look: given, frame: { rows: [row(0, 'Before.', 'Antes.')] } } };
	});
	const mirror = createOverlayMirror(host, 'mine');
	onTestFinished(() => mirror.close());
	const loading = mirror.load();
	ipc.announce('overlay.frame', { rows: [row(1, 'Later.', 'Luego.')] });
	resolve();
	await loading;
	const { frame, look: taken } = mirror.store.getState();
	expect([frame.rows.map(({ key }) => key), taken?.style.size]).toEqual([['r1'], 33]);
});

test('the page says in which language its words are, and how much may move', async () => {
	const { documentElement } = document;
	onTestFinished(() => {
		documentElement.lang = 'en';
		documentElement.dir = 'ltr';
		documentElement.dataset['motion'] = 'system';
	});
	await show(look({}, { interfaceLanguage: 'de' }));
	await expect.poll(() => documentElement.lang).toBe('de');
	ipc.announce('overlay.look', look({}, { interfaceLanguage: 'ar', motion: 'reduced' }));
	await expect
		.poll(() => [documentElement.lang, documentElement.dataset['motion']])
		.toEqual(['ar', 'reduced']);
});
