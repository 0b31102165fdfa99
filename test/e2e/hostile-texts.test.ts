import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { askMain, button, until, untilPhase } from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { HOSTILE_CALL, HOSTILE_HOST, hostileTexts } from '#test/support/texts.ts';

/* Hostile texts in the built pages, under the policy they are really served with. */

/** Rows the captions over other windows show together, and the longest text of one. */
const [ROWS, LONGEST] = [8, 900];

let canary: Server;
const asked: string[] = [];
let texts: readonly string[];
let app: Launched | null = null;

beforeAll(async () => {
	canary = createServer((request, response) => {
		asked.push(request.url ?? '');
		response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
	});
	await new Promise<void>((done) => canary.listen(0, '127.0.0.1', done));
	// A host that answers, so that any request is noticed.
	const { port } = canary.address() as AddressInfo;
	texts = hostileTexts.map((text) => text.replaceAll(HOSTILE_HOST, `127.0.0.1:${port}`));
});
afterAll(() => void canary.close());
afterEach(async () => {
	await app?.kill('SIGKILL');
	app = null;
});

/** Counts what runs and what the policy refuses, in this page from now on. */
async function watch(page: Page): Promise<() => Promise<{ ran: number; violations: string[] }>> {
	await page.evaluate((call) => {
		const seen = { ran: 0, violations: [] as string[] };
		Object.assign(window, {
			[call]: () => {
				seen.ran += 1;
			},
			hostileSeen: seen,
		});
		document.addEventListener('securitypolicyviolation', (event) =>
			seen.violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
		);
	}, HOSTILE_CALL);
	return () =>
		page.evaluate(
			() => (window as unknown as { hostileSeen: { ran: number; violations: string[] } }).hostileSeen,
		);
}

/** Texts joined into bundles of at most `longest` characters. */
function bundles(longest: number): readonly string[] {
	const made: string[] = [''];
	for (const text of texts) {
		const last = made.at(-1) ?? '';
		if (last.length + text.length < longest) made[made.length - 1] = `${last} ${text}`;
		else made.push(text.slice(0, longest));
	}
	return made;
}

test('in the history, in what is found there and in the captions over other windows nothing runs and nobody is asked', async () => {
	app = await launch({
		settings: {
			interfaceLanguage: 'en',
			service: 'sandbox',
			history: 'keep',
			overlay: { shown: true, lines: 8 },
		},
		probe: false,
	});
	const { page } = app;
	// A new page ends what the page before was recording.
	await untilPhase(page, 'Ready');
	const seen = await watch(page);
	const begun = await askMain(page, 'history.begin', { mode: 'solo', agoMs: 1000 });
	const { id } = begun.value as { id: string };
	const rows = texts.map((text, at) => ({
		key: `k${at}`,
		row: `r${at >> 1}`,
		part: '0',
		kind: at % 2 ? 'translation' : 'source',
		language: text.slice(0, 200),
		text,
		startMs: at,
		endMs: at + 1,
		final: true,
		mark: '',
	}));
	for (let at = 0; at < rows.length; at += 200)
		expect((await askMain(page, 'history.append', { id, captions: rows.slice(at, at + 200) })).ok).toBe(true);
	expect((await askMain(page, 'history.end', { id })).ok).toBe(true);
	const [title = ''] = texts.filter((text) => text.startsWith('<img src=')).map((text) => text.slice(0, 200));
	expect((await askMain(page, 'history.rename', { id, title })).ok).toBe(true);

	await button(page, 'History').click();
	await page.getByText(title).first().waitFor();
	await page.getByLabel('Search all conversations').fill('img src');
	await page.getByText('1 conversation found').waitFor();
	await page.getByRole('button', { name: /^Open / }).click();
	const transcript = page.getByRole('region', { name: /^Transcript of/ });
	await transcript.getByText(HOSTILE_CALL).first().waitFor();
	// Only rows in sight are in the document, so the list is scrolled past all of them.
	const box = page.locator('main');
	await box.hover();
	for (let step = 0; step < 60; step++) await page.mouse.wheel(0, 2000);
	await page.getByLabel('Search in this conversation').fill('script');
	await page.getByText(/^[1-9]\d* match/).waitFor();
	expect(await seen()).toEqual({ ran: 0, violations: [] });

	const overlays = () =>
		page
			.context()
			.pages()
			.filter((one) => one.url().includes('/overlay/'));
	await until('the captions over other windows are there', () => overlays().length === 1, 30_000);
	const [overlay] = overlays();
	if (!overlay) throw new Error('no overlay');
	await overlay.getByRole('main').waitFor();
	const seenThere = await watch(overlay);
	const all = bundles(LONGEST);
	for (let at = 0; at < all.length; at += ROWS) {
		const shown = all.slice(at, at + ROWS).map((text, row) => ({
			key: `${at + row}`,
			lit: row === 0,
			pieces: [
				{ key: 's', kind: 'source', language: text.slice(0, 40), text, steady: text.length, final: true },
				{ key: 't', kind: 'translation', language: 'ar', text, steady: 3, final: false },
			],
		}));
		expect((await askMain(page, 'overlay.show', { rows: shown })).ok).toBe(true);
		const last = shown.at(-1)?.pieces[0]?.text.trim().slice(-20) ?? '';
		await until('they are shown', async () =>
			((await overlay.locator('main').textContent()) ?? '').includes(last),
		);
	}
	expect(await seenThere()).toEqual({ ran: 0, violations: [] });

	// Both pages are under the expected policy, and the canary does notice a request.
	for (const one of [page, overlay]) {
		const refused = await one.evaluate(() => {
			const element = document.createElement('div');
			try {
				element.innerHTML = '<b>x</b>';
				return 'taken';
			} catch (failure) {
				return (failure as Error).message;
			}
		});
		expect(refused).toContain('TrustedHTML');
	}
	expect(asked).toEqual([]);
	const { port } = canary.address() as AddressInfo;
	await fetch(`http://127.0.0.1:${port}/x`);
	expect(asked).toEqual(['/x']);
}, 180_000);
