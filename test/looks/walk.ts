import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { type Browser, chromium, type ElementHandle, type Page } from 'playwright-core';
import { build, preview } from 'vite';
import { chromiumFlags, findChromium } from '#stand-in/chromium.ts';
import type { Look } from './choose.ts';
import type {} from './page.tsx';
import { type Scene, scenes } from './scenes.ts';

/** The most Tab presses that a page takes to be walked through. */
const MOST_TABS = 150;

export interface Found {
	readonly look: Look;
	readonly what: string;
}

export interface Walk {
	/** Everything there is to look at: the states of the window, and what opens in them. */
	readonly states: readonly string[];
	/**
	 * Looks at them one after another. With `pictures`, a folder, each is kept there. `colors`: `forced` as where the
	 * system replaces them, `more` where it asks for more contrast. `brief`: axe once a state, else in each theme.
	 */
	look(
		looks: readonly Look[],
		options?: { readonly pictures?: string; readonly colors?: string; readonly brief?: boolean },
	): Promise<readonly Found[]>;
	/** Tab through each of these once, and each switch clicked once, in the size of a small window. */
	use(states: readonly string[]): Promise<readonly Found[]>;
	close(): Promise<void>;
}

/** Builds the page once and serves it to one browser. */
export async function startWalk(): Promise<Walk> {
	const out = mkdtempSync(join(tmpdir(), 'dragoman-looks-'));
	const root = join(import.meta.dirname, '..', '..');
	const config = { configFile: false as const, root, plugins: [react()], logLevel: 'error' as const };
	await build({
		...config,
		build: {
			outDir: out,
			emptyOutDir: true,
			minify: false,
			rolldownOptions: { input: join(import.meta.dirname, 'index.html') },
		},
	});
	const server = await preview({
		...config,
		build: { outDir: out },
		preview: { port: 0, host: '127.0.0.1' },
	});
	const found = await findChromium();
	const browser: Browser = await chromium.launch({
		executablePath: found.executablePath,
		args: [...chromiumFlags],
		env: { ...process.env, ...found.env } as Record<string, string>,
	});
	const context = await browser.newContext({ reducedMotion: 'reduce' });
	const page = await context.newPage();
	const thrown: string[] = [];
	page.on('pageerror', (failure) => thrown.push(failure.message));
	await page.goto(`${server.resolvedUrls?.local[0] ?? ''}test/looks/index.html`);
	await page.waitForFunction(() => 'looks' in window);
	const all = new Map<string, Scene>(
		(await page.evaluate(() => window.looks.states)).map((state) => [
			state,
			{ state: state as Scene['state'], press: [] },
		]),
	);
	for (const [name, scene] of Object.entries(scenes)) all.set(name, scene);

	async function resize(size: string): Promise<void> {
		const [width = 1000, height = 700] = size.split('x').map(Number);
		await page.setViewportSize({ width, height });
	}

	async function show(name: string, size: string): Promise<void> {
		const scene = all.get(name);
		if (!scene) throw new Error(`no state called ${name}; there are ${[...all.keys()].join(', ')}`);
		await resize(size);
		await page.evaluate((state) => window.looks.show(state), scene.state);
		for (const press of scene.press) await pressed(page, press);
		if (scene.open) await page.getByRole('combobox', { name: scene.open }).click({ timeout: 3000 });
	}

	return {
		states: [...all.keys()],
		async look(looks, { pictures, colors = '', brief = false } = {}) {
			if (colors === 'forced') await page.emulateMedia({ forcedColors: 'active' });
			if (colors === 'more') await page.emulateMedia({ contrast: 'more' });
			if (pictures) mkdirSync(pictures, { recursive: true });
			const results: Found[] = [];
			const axed = new Set<string>();
			let shown = '';
			for (const look of looks) {
				const { state, size, theme, language } = look;
				try {
					// What was opened by a press closes as the window changes; the rest follows it, as it must.
					if (shown === state && !(state in scenes)) await resize(size);
					else await show(state, size);
					shown = state;
					await page.evaluate(([t, l]) => window.looks.set(t, l), [theme, language] as const);
				} catch (failure) {
					shown = '';
					results.push({ look, what: cannotShow(failure) });
					continue;
				}
				// Rules about names and colours do not change with every size.
				const rules = brief ? state : `${state} ${theme}`;
				const says = [...(await page.evaluate(() => window.looks.judge()))];
				if (!axed.has(rules)) says.push(...(await page.evaluate(() => window.looks.axe())));
				axed.add(rules);
				says.push(...thrown.splice(0).map((message) => `threw ${message}`));
				results.push(...[...new Set(says)].map((what) => ({ look, what })));
				if (pictures)
					await page.screenshot({ path: join(pictures, `${nameOf(look)}.png`), animations: 'disabled' });
			}
			return results;
		},
		async use(states) {
			const results: Found[] = [];
			const clicked = new Set<string>();
			for (const state of states) {
				const look: Look = { state, size: '760x560', theme: 'light', language: 'en' };
				const says = new Set<string>();
				try {
					await show(state, look.size);
				} catch (failure) {
					results.push({ look, what: cannotShow(failure) });
					continue;
				}
				for (let presses = 0; presses < MOST_TABS; presses++) {
					await page.keyboard.press('Tab');
					const here = await page.evaluate(() => window.looks.focus());
					if (here === null) break;
					for (const what of here) says.add(what);
				}
				for (const what of await clickedToggles(page, clicked)) says.add(what);
				results.push(...[...says].map((what) => ({ look, what })));
			}
			return results;
		},
		async close() {
			await browser.close();
			await server.close();
			rmSync(out, { recursive: true, force: true });
		},
	};
}

async function pressed(page: Page, name: string | RegExp): Promise<void> {
	const found = page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
	await found.first().click({ timeout: 3000 });
	await page.evaluate(() => new Promise(requestAnimationFrame));
}

/** Each switch clicked as a person would, and back; not those whose names are in `clicked`, to which it adds. */
async function clickedToggles(page: Page, clicked: Set<string>): Promise<readonly string[]> {
	const says: string[] = [];
	const toggles = await page.evaluateHandle(() => window.looks.toggles());
	for (const one of (await toggles.getProperties()).values()) {
		const input = one.asElement() as ElementHandle<HTMLInputElement> | null;
		if (!input) continue;
		const label = (await input.evaluateHandle(
			(at) => at.closest('label') ?? at,
		)) as ElementHandle<HTMLElement>;
		const name = await label.evaluate((at) => at.textContent?.trim() ?? '');
		if (clicked.has(name)) continue;
		clicked.add(name);
		for (const way of ['does not turn by a click', 'does not turn back by a click']) {
			// Another switch may have taken it away.
			if (!(await input.evaluate((at) => at.isConnected && !at.disabled))) break;
			const before = await input.isChecked();
			try {
				await label.click({ timeout: 3000 });
			} catch (failure) {
				says.push(`“${name}” cannot be clicked: ${String(failure).split('\n')[0]}`);
				break;
			}
			const turned = await input.evaluate(async (at, was) => {
				for (let turn = 0; turn < 30 && at.isConnected && at.checked === was; turn++)
					await window.looks.settled();
				return !at.isConnected || at.checked !== was;
			}, before);
			if (!turned) says.push(`“${name}” ${way}`);
			const found = await page.evaluate(() => window.looks.judge());
			says.push(...found.filter((what) => /scroll/.test(what)));
		}
	}
	await toggles.dispose();
	return says;
}

function cannotShow(failure: unknown): string {
	return `cannot be shown: ${String(failure).split('\n')[0]}`;
}

export function nameOf({ state, size, theme, language }: Look): string {
	return `${state}-${size}-${theme}-${language}`;
}

/** One line for each finding, with all the looks it was seen in. */
export function table(found: readonly Found[]): string {
	const rows = new Map<string, string[]>();
	for (const { look, what } of found) {
		const key = `${look.state}: ${what}`;
		rows.set(key, [...(rows.get(key) ?? []), `${look.size} ${look.theme} ${look.language}`]);
	}
	return [...rows]
		.map(([what, seen]) => `${what} (${seen.length} ×: ${seen.slice(0, 3).join(', ')})`)
		.join('\n');
}
