/**
 * Pictures of the window in its states, and what axe finds in them:
 * `node test/preview/shoot.ts [--out DIR] [--states a,b] [--sizes 420x700] [--themes dark] [--languages ar] [--colors forced|more]`
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AxeBuilder } from '@axe-core/playwright';
import react from '@vitejs/plugin-react';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';
import { chromiumFlags, findChromium } from '#stand-in/chromium.ts';

const { values } = parseArgs({
	options: {
		out: { type: 'string', default: 'out/preview' },
		states: {
			type: 'string',
			default:
				'idle,live,captions,captions-live,several,reconnecting,failed,ending,welcome,settings,sessions',
		},
		sizes: { type: 'string', default: '420x700,1000x700,1600x900' },
		themes: { type: 'string', default: 'light,dark,contrast' },
		languages: { type: 'string', default: 'en,ar' },
		axe: { type: 'boolean', default: false },
		/** As where the system replaces the colours (forced-colors: active), or asks for more contrast. */
		colors: { type: 'string', default: '' },
	},
});
const list = (text: string) => text.split(',');

const server = await createServer({
	configFile: false,
	plugins: [react()],
	server: { port: 0, hmr: false },
	logLevel: 'error',
});
await server.listen();
const base = server.resolvedUrls?.local[0] ?? '';
const found = await findChromium();
const browser = await chromium.launch({
	executablePath: found.executablePath,
	args: [...chromiumFlags],
	env: { ...process.env, ...found.env } as Record<string, string>,
});
mkdirSync(values.out, { recursive: true });
let violations = 0;
try {
	const context = await browser.newContext();
	const page = await context.newPage();
	if (values.colors === 'forced') await page.emulateMedia({ forcedColors: 'active' });
	if (values.colors === 'more') await page.emulateMedia({ contrast: 'more' });
	page.on('pageerror', (error) => console.error(error.message));
	page.on('console', (message) => message.type() === 'error' && console.error(message.text()));
	for (const size of list(values.sizes)) {
		const [width = 1000, height = 700] = size.split('x').map(Number);
		await page.setViewportSize({ width, height });
		for (const state of list(values.states)) {
			for (const theme of list(values.themes)) {
				for (const language of list(values.languages)) {
					const query = new URLSearchParams({ state, theme, language });
					await page.goto(`${base}test/preview/index.html?${query}`);
					await page.locator('main').waitFor();
					await page.evaluate(() => document.fonts.ready);
					const name = `${state}-${size}-${theme}-${language}`;
					await page.screenshot({ path: `${values.out}/${name}.png` });
					if (!values.axe) continue;
					const report = await new AxeBuilder({ page }).analyze();
					for (const violation of report.violations) {
						violations += 1;
						console.log(name, violation.id, violation.nodes.map((node) => node.target.join(' ')).slice(0, 3));
					}
				}
			}
		}
	}
} finally {
	await browser.close();
	await server.close();
}
console.log(`pictures in ${values.out}${values.axe ? `, ${violations} violations` : ''}`);
