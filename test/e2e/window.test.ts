import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import type { Settings } from '#shared/settings/schema.ts';
import {
	askMain,
	button,
	captionsRegion,
	longMicrophone,
	until,
	untilPhase,
} from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';

const themes = ['light', 'dark', 'contrast'] as const;
const locales = ['en', 'es', 'ar'] as const;
const widths = [420, 1000, 1600] as const;

let sandbox: Sandbox;
let app: Launched;
const complaints: string[] = [];

beforeAll(async () => {
	sandbox = await startSandbox();
	app = await launch({
		microphone: longMicrophone(),
		service: sandbox,
		env: { DRAGOMAN_SERVICE: 'sandbox' },
		settings: { interfaceLanguage: 'en', hear: ['ar', 'ja'], voiceOf: 'ar' },
	});
	app.page.on('console', (message) => {
		if (message.type() === 'error') complaints.push(message.text());
	});
});
afterAll(async () => {
	await app?.close();
	await sandbox?.close();
});

const set = (page: Page, patch: Partial<Settings>) => askMain(page, 'settings.write', patch);

/** What axe finds against WCAG 2.2 AA, in words. */
async function faults(page: Page): Promise<string[]> {
	const found = await new AxeBuilder({ page })
		.setLegacyMode(true)
		.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
		.analyze();
	// A page that axe could not examine has no faults either.
	expect(found.passes.length).toBeGreaterThan(10);
	return found.violations.map(
		(rule) => `${rule.id}: ${rule.help}: ${rule.nodes.map((node) => node.target.join(' ')).join(' | ')}`,
	);
}

/** Nothing is wider than the window. */
function overflow(page: Page): Promise<number> {
	return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

async function walk(page: Page, name: string): Promise<string[]> {
	const found: string[] = [];
	// Each theme in one language: `looks.test.ts` has each state in pairs of size, theme and language.
	for (const [at, theme] of themes.entries()) {
		const interfaceLanguage = locales[at] ?? 'en';
		await set(page, { theme, interfaceLanguage });
		await page.waitForFunction((lang) => document.documentElement.lang.startsWith(lang), interfaceLanguage);
		for (const width of widths) {
			await page.setViewportSize({ width, height: 760 });
			const where = `${name}-${theme}-${interfaceLanguage}-${width}`;
			if ((await overflow(page)) > 0) found.push(`${where}: wider than the window`);
			// Rules about names and colours do not change with the width; layout does between these two.
			const axed = at === 1 ? 1000 : 420;
			if (width === axed) found.push(...(await faults(page)).map((one) => `${where}: ${one}`));
		}
	}
	await set(page, { theme: 'light', interfaceLanguage: 'en' });
	await page.setViewportSize({ width: 1000, height: 760 });
	return found;
}

test('the idle window has no fault in any theme, language or width', async () => {
	await untilPhase(app.page, 'Ready');
	expect(await walk(app.page, 'idle')).toEqual([]);
}, 180_000);

test('by keyboard alone a conversation is started, and stopped again', async () => {
	const { page } = app;
	for (let presses = 0; presses < 40; presses++) {
		await page.keyboard.press('Tab');
		if (await button(page, 'Start').evaluate((one) => one === document.activeElement)) break;
	}
	await page.keyboard.press('Enter');
	await untilPhase(page, 'Live');
	await captionsRegion(page)
		.getByText(phrases[1]?.text.ar ?? '')
		.first()
		.waitFor({ timeout: 60_000 });
}, 120_000);

test('the live window with captions in three scripts has no fault in any theme, language or width', async () => {
	expect(await walk(app.page, 'live')).toEqual([]);
	const directions = await captionsRegion(app.page)
		.locator('[lang]')
		.evaluateAll((all) => [
			...new Set(all.map((one) => `${one.getAttribute('lang')} ${getComputedStyle(one).direction}`)),
		]);
	expect(directions).toEqual(
		expect.arrayContaining([expect.stringMatching(/^ar.* rtl$/), expect.stringMatching(/^en.* ltr$/)]),
	);
	await button(app.page, 'Stop').focus();
	await app.page.keyboard.press('Enter');
	await button(app.page, 'Stop now')
		.click({ timeout: 5000 })
		.catch(() => {});
	await button(app.page, 'Start').waitFor({ timeout: 45_000 });
}, 240_000);

test('the settings have no fault in any theme, language or width', async () => {
	await button(app.page, 'Settings').click();
	expect(await walk(app.page, 'settings')).toEqual([]);
}, 180_000);

test('what refines the look of something wins, in whichever order the styles were loaded', async () => {
	const { page } = app;
	await until('the settings are open', async () => {
		await page.keyboard.press('Control+,');
		return page.getByRole('heading', { name: 'Settings', level: 1 }).isVisible();
	});
	const found = await lostStyles(page);
	await page.getByRole('navigation').getByRole('button', { name: 'General', exact: true }).click();
	await button(page, 'Show glossaries').click();
	await button(page, 'Make a glossary').click();
	await button(page, 'Edit as text').click();
	const table = page.getByRole('textbox', { name: 'Table' });
	found.push(...(await lostStyles(page)));
	// Eight lines, not one.
	expect((await table.boundingBox())?.height).toBeGreaterThan(100);
	await button(page, 'Cancel').click();
	await button(page, 'Back').click();
	await button(page, 'Back').click();
	await button(page, 'Sound and pace').click();
	await page.getByRole('slider').first().waitFor();
	expect([...found, ...(await lostStyles(page))]).toEqual([]);
}, 60_000);

test('the window broke no rule of its own policy and threw nothing on the way', () => {
	expect(complaints).toEqual([]);
});

/**
 * If an element has two classes that set the same property, the one named last refines the other. Which of two rules
 * of the same specificity wins depends on the order in which their files are loaded, which differs between the built
 * app and development. Each entry is a value that was lost: `a beats b: property, value, not value`.
 */
function lostStyles(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		type Values = Map<string, { readonly value: string; readonly at: number }>;
		const rules = new Map<string, Values>();
		let at = 0;
		function keep({ selectorText, style }: CSSStyleRule): void {
			at++;
			for (const selector of selectorText.split(',')) {
				const [, name] = /^\s*\.([\w-]+)\s*$/.exec(selector) ?? [];
				if (name === undefined) continue;
				const values: Values = rules.get(name) ?? new Map();
				for (const property of style) values.set(property, { value: style.getPropertyValue(property), at });
				rules.set(name, values);
			}
		}
		function read(list: CSSRuleList): void {
			for (const rule of list) {
				if (rule instanceof CSSStyleRule) keep(rule);
				else if (rule instanceof CSSMediaRule && matchMedia(rule.conditionText).matches) read(rule.cssRules);
			}
		}
		for (const sheet of document.styleSheets) read(sheet.cssRules);
		const lost = new Set<string>();
		for (const element of document.querySelectorAll('[class]')) {
			const names = [...element.classList];
			for (const [index, name] of names.entries())
				for (const before of names.slice(0, index))
					for (const [property, mine] of rules.get(name) ?? []) {
						const other = rules.get(before)?.get(property);
						if (other && other.at > mine.at && other.value !== mine.value)
							lost.add(`${before} beats ${name}: ${property}, ${other.value}, not ${mine.value}`);
					}
		}
		return [...lost];
	});
}
