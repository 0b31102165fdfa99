import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import type { Browser, ElementHandle, Page } from 'playwright-core';
import { build, preview } from 'vite';
import { wordsApart } from '#scripts/bundle/window.ts';
import { openBrowser } from '#test/support/open-browser.ts';
import type { Look } from './choose.ts';
import type {} from './page.tsx';
import { type Scene, scenes } from './scenes.ts';

/** More Tab presses than any page needs. */
const MOST_TABS = 150;
/** Pages examined in parallel; most of the time goes into drawing. */
const LANES = 2;

export interface Found {
	readonly look: Look;
	readonly what: string;
}

export interface Walk {
	/** Everything there is to look at: the states of the window, and what opens in them. */
	readonly states: readonly string[];
	/**
	 * Looks at them one after another. With `pictures`, a folder, each picture is kept there. `colors`: `forced` as where the
	 * system replaces them, `more` where it asks for more contrast. `brief`: axe once a state, else in each theme.
	 */
	look(
		looks: readonly Look[],
		options?: { readonly pictures?: string; readonly colors?: string; readonly brief?: boolean },
	): Promise<readonly Found[]>;
	/** Tab through each of these once, and each switch clicked once, in the size of a small window or the one given. */
	use(states: readonly string[], size?: string): Promise<readonly Found[]>;
	close(): Promise<void>;
}

/** Builds the page once and serves it to one browser. */
export async function startWalk(): Promise<Walk> {
	const out = mkdtempSync(join(tmpdir(), 'dragoman-looks-'));
	const root = join(import.meta.dirname, '..', '..');
	const config = {
		configFile: false as const,
		root,
		plugins: [react(), wordsApart],
		logLevel: 'error' as const,
	};
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
	const browser = await openBrowser();
	const address = `${server.resolvedUrls?.local[0] ?? ''}test/looks/index.html`;
	const lanes = await Promise.all(Array.from({ length: LANES }, () => openLane(browser, address)));
	const names = (await lanes[0]?.page.evaluate(() => window.looks.states)) ?? [];
	const all = new Map<string, Scene>(
		names.map((state) => [state, { state: state as Scene['state'], press: [] }]),
	);
	for (const [name, scene] of Object.entries(scenes)) all.set(name, scene);

	async function show({ page }: Lane, name: string, size: string): Promise<void> {
		const scene = all.get(name);
		if (!scene) throw new Error(`no state called ${name}; there are ${[...all.keys()].join(', ')}`);
		await resize(page, size);
		await page.evaluate((state) => window.looks.show(state), scene.state);
		for (const press of scene.press) await pressed(page, press);
		if (scene.dialog) await page.getByRole('dialog').waitFor({ timeout: 3000 });
		if (scene.open) await page.getByRole('combobox', { name: scene.open }).click({ timeout: 3000 });
		await page.evaluate(() => window.looks.opened());
	}

	/** Changes size, theme and language of a state; shows it anew if that closed what a press had opened. */
	async function turn(lane: Lane, { state, size, theme, language }: Look): Promise<void> {
		const set = () =>
			lane.page.evaluate(([to, words]) => window.looks.set(to, words), [theme, language] as const);
		const isAsPressed = async () =>
			!(state in scenes) || (await lane.page.evaluate(() => window.looks.isStillOpen()));
		if (lane.shown === state) {
			await resize(lane.page, size);
			await set();
			if (await isAsPressed()) return;
		}
		lane.shown = '';
		await show(lane, state, size);
		lane.shown = state;
		await set();
	}

	/** Each part on one page, as soon as one is free; what was found stays in the order of the parts. */
	async function onLanes<Part>(
		parts: readonly Part[],
		of: (lane: Lane, part: Part) => Promise<readonly Found[]>,
	): Promise<readonly Found[]> {
		const found: (readonly Found[])[] = [];
		const left = parts.entries();
		await Promise.all(
			lanes.map(async (lane) => {
				for (const [index, part] of left) found[index] = await of(lane, part);
			}),
		);
		return found.flat();
	}

	return {
		states: [...all.keys()],
		async look(looks, { pictures, colors = '', brief = false } = {}) {
			for (const { page } of lanes) {
				if (colors === 'forced') await page.emulateMedia({ forcedColors: 'active' });
				if (colors === 'more') await page.emulateMedia({ contrast: 'more' });
			}
			if (pictures) mkdirSync(pictures, { recursive: true });
			const ofState = Map.groupBy(looks, ({ state }) => state);
			return onLanes([...ofState.values()], async (lane, its) => {
				const { page } = lane;
				const results: Found[] = [];
				const axed = new Set<string>();
				for (const look of its) {
					try {
						await turn(lane, look);
					} catch (failure) {
						lane.shown = '';
						results.push({ look, what: cannotShow(failure) });
						continue;
					}
					// Rules about names and colours do not change with every size.
					const rules = brief ? '' : look.theme;
					const says = [...(await page.evaluate(() => window.looks.judge()))];
					if (!axed.has(rules)) says.push(...(await page.evaluate(() => window.looks.axe())));
					axed.add(rules);
					says.push(...lane.thrown.splice(0).map((message) => `threw ${message}`));
					results.push(...[...new Set(says)].map((what) => ({ look, what })));
					if (pictures)
						await page.screenshot({ path: join(pictures, `${nameOf(look)}.png`), animations: 'disabled' });
				}
				return results;
			});
		},
		async use(states, size = '760x560') {
			const clicked = new Set<string>();
			return onLanes(states, async (lane, state) => {
				const { page } = lane;
				const look: Look = { state, size, theme: 'light', language: 'en' };
				const says = new Set<string>();
				lane.shown = '';
				try {
					await show(lane, state, look.size);
				} catch (failure) {
					return [{ look, what: cannotShow(failure) }];
				}
				for (let presses = 0; presses < MOST_TABS; presses++) {
					await page.keyboard.press('Tab');
					const here = await page.evaluate(() => window.looks.focus());
					if (here === null) break;
					for (const what of here) says.add(what);
				}
				for (const what of await page.evaluate(() => window.looks.land())) says.add(what);
				for (const what of await clickedToggles(page, clicked)) says.add(what);
				return [...says].map((what) => ({ look, what }));
			});
		},
		async close() {
			await browser.close();
			await server.close();
			rmSync(out, { recursive: true, force: true });
		},
	};
}

/** A page, in a window of its own. */
interface Lane {
	readonly page: Page;
	/** Uncaught errors of the page. */
	readonly thrown: string[];
	/** The state it shows; empty: none, or one that is no longer as it was shown. */
	shown: string;
}

async function openLane(browser: Browser, address: string): Promise<Lane> {
	const context = await browser.newContext({ reducedMotion: 'reduce' });
	const page = await context.newPage();
	const thrown: string[] = [];
	page.on('pageerror', (failure) => thrown.push(failure.message));
	await page.goto(address);
	await page.waitForFunction(() => 'looks' in window);
	return { page, thrown, shown: '' };
}

async function resize(page: Page, size: string): Promise<void> {
	const [width = 1000, height = 700] = size.split('x').map(Number);
	await page.setViewportSize({ width, height });
}

async function pressed(page: Page, name: string | RegExp): Promise<void> {
	const found = page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
	await found.first().click({ timeout: 3000 });
	await page.evaluate(() => new Promise(requestAnimationFrame));
}

/** Each switch clicked as a person would, and back; not those whose names are in `clicked`, to which it adds. */
async function clickedToggles(page: Page, clicked: Set<string>): Promise<readonly string[]> {
	const says: string[] = [];
	await page.evaluate(() => {
		for (const more of document.querySelectorAll('details')) more.open = true;
	});
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
