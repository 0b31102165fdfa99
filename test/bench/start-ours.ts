import type { Page } from 'playwright-core';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { installStartProbe, type StartSeen } from './start-probe.ts';

/** Holds one conversation as short as can be; times in ms after the press. */
export type Arm = (delayMs: number) => Promise<{ packetMs: number | null; soundMs: number | null }>;

export interface BenchParts {
	readonly sandbox: Sandbox;
	/** WAV that is loud from its beginning. */
	readonly microphone: string;
}

export interface Bench {
	readonly arms: Readonly<Record<string, Arm>>;
	close(): Promise<unknown>;
}

const SOUND_LIMIT_MS = 15_000;

/** The page's `__start`, until a sound was heard or the time is up. */
export async function seenBy(page: Page): Promise<{ packetMs: number | null; soundMs: number | null }> {
	const ask = () => page.evaluate<StartSeen>('window.__start.seen()');
	await until('a translated sound', async () => (await ask()).soundMs !== null, SOUND_LIMIT_MS).catch(
		() => {},
	);
	const { pressedMs, packetMs, soundMs } = await ask();
	const since = (at: number | null) => (at === null || pressedMs === null ? null : at - pressedMs);
	return { packetMs: since(packetMs), soundMs: since(soundMs) };
}

/** The built app. `cold`: by key, with nothing made ahead. `warm`: by mouse, which lets it make a session. */
export async function launchOurs({ sandbox, microphone }: BenchParts): Promise<Bench> {
	const { api, key } = sandbox.addresses;
	const app = await launch({
		microphone,
		probe: false,
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
		settings: { speak: 'en', hear: ['es'], voiceOf: 'es' },
	});
	const { page } = app;
	await page.addInitScript(installStartProbe);
	await page.reload();
	await page.waitForFunction('window.__start && document.querySelector("main")');
	const noSession = () => until('no session open', () => sandbox.openSessions().length === 0);

	async function ready(): Promise<void> {
		await untilPhase(page, 'Ready');
		await page.mouse.move(3, 3);
		await page.evaluate('document.activeElement?.blur?.()');
		await noSession();
		await page.evaluate('window.__start.arm()');
	}

	async function finish(): Promise<{ packetMs: number | null; soundMs: number | null }> {
		const seen = await seenBy(page);
		await page.keyboard.press('Control+Enter');
		// The tail is not what is measured.
		await page.keyboard.press('Control+Enter');
		await untilPhase(page, 'Ready');
		await noSession();
		return seen;
	}

	return {
		arms: {
			async cold() {
				await ready();
				await page.keyboard.press('Control+Enter');
				return await finish();
			},
			async warm(delayMs) {
				await ready();
				await button(page, 'Start').hover();
				await until('a session made ahead', () => sandbox.openSessions().length === 1);
				// Its answer is on the way, and one look follows it.
				await page.waitForTimeout(300 + 3 * delayMs);
				await button(page, 'Start').click();
				return await finish();
			},
		},
		close: () => app.close(),
	};
}
