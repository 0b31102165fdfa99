import type { Page } from 'playwright-core';
import { SLIP_MS } from '#renderer/conversation/just-stopped.ts';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { installStartProbe, type StartSeen } from './start-probe.ts';
import type { ArmName, Start } from './start-report.ts';

/** One start as it was seen. */
type Seen = Pick<Start, 'packetMs' | 'soundMs' | 'steps'>;

/** Holds one conversation, as short as possible. */
type Arm = (delayMs: number) => Promise<Seen>;

export interface StartParts {
	readonly sandbox: Sandbox;
	/** WAV that is loud from its beginning to its end. */
	readonly microphone: string;
	/** The far side returns what it hears. */
	readonly echoes: boolean;
}

export interface StartProgram {
	readonly arms: Readonly<Partial<Record<ArmName, Arm>>>;
	close(): Promise<unknown>;
}

const SEEN_LIMIT_MS = 15_000;
const READY_LIMIT_MS = 5000;
/** The tail is not measured. */
const SHORT_TAIL_MS = 2000;

/** The page's `__start`, until the packet was counted (`echoes`: until the sound was heard) or the time is up. */
export async function seenBy(page: Page, echoes: boolean): Promise<Seen> {
	const ask = () => page.evaluate<StartSeen>('window.__start.seen()');
	const last = echoes ? 'soundMs' : 'packetMs';
	await until('the end of a start', async () => (await ask())[last] !== null, SEEN_LIMIT_MS).catch(() => {});
	const { pressedMs, packetMs, soundMs, steps } = await ask();
	const since = (at: number | null) => (at === null || pressedMs === null ? null : at - pressedMs);
	const known = Object.entries(steps).flatMap(([step, at]) => {
		const afterMs = since(at);
		return afterMs === null ? [] : [[step, afterMs]];
	});
	return { packetMs: since(packetMs), soundMs: since(soundMs), steps: Object.fromEntries(known) };
}

/**
 * The built app. `cold`: by key, with nothing made ahead. `warm`: by mouse, which lets it make a session.
 * `joined`: by mouse, with the setting that has a room joined before Start.
 */
export async function launchOurs({ sandbox, microphone, echoes }: StartParts): Promise<StartProgram> {
	const { api, key } = sandbox.addresses;
	const app = await launch({
		microphone,
		probe: false,
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
		settings: { speak: 'en', hear: ['es'], voiceOf: 'es' },
	});
	const { page } = app;
	await page.addInitScript(installStartProbe);
	async function reload(): Promise<void> {
		await page.reload();
		// Not `waitForFunction`: it evaluates in the page, which the page's policy forbids.
		await until('the window', () =>
			page.evaluate<boolean>('Boolean(window.__start && document.querySelector("main"))'),
		);
	}
	await reload();
	const noSession = () => until('no session open', () => sandbox.openSessions().length === 0);
	const joinAhead = (on: boolean) =>
		page.evaluate(`window.dragoman.ask('settings.write', { roomAhead: ${on} })`);

	async function ready(): Promise<void> {
		// After a failed start the window shows its problem instead.
		await untilPhase(page, 'Ready', READY_LIMIT_MS).catch(reload);
		await page.mouse.move(3, 3);
		await page.evaluate('document.activeElement?.blur?.()');
		await noSession();
		// A press so soon after the end would be taken for one more press of Stop.
		await page.waitForTimeout(SLIP_MS);
		await page.evaluate('window.__start.arm()');
	}

	async function finish(): Promise<Seen> {
		const seen = await seenBy(page, echoes);
		// Pressed while it is still connecting, Stop would cancel it instead of ending it.
		await untilPhase(page, 'Live');
		await joinAhead(false);
		await page.keyboard.press('Control+Enter');
		// By the button, which only ends: if the tail is already over, the key would start another conversation.
		await untilPhase(page, 'Ready', SHORT_TAIL_MS).catch(() =>
			button(page, 'Stop now')
				.click({ timeout: SHORT_TAIL_MS })
				.catch(() => {}),
		);
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
				// The answer is under way, and one more reading follows it.
				await page.waitForTimeout(300 + 3 * delayMs);
				await button(page, 'Start').click();
				return await finish();
			},
			async joined(delayMs) {
				await ready();
				await joinAhead(true);
				await button(page, 'Start').hover();
				await until('a room joined ahead', () => sandbox.openSessions().some(({ connected }) => connected));
				await page.waitForTimeout(500 + delayMs);
				await button(page, 'Start').click();
				return await finish();
			},
		},
		close: () => app.close(),
	};
}
