import type { Page } from 'playwright-core';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { button, captionsRegion, chooseLanguage, until } from '#test/support/app-steps.ts';
import type { Dice } from '#test/support/random.ts';

/** By then a stopped conversation has released everything, whatever the service does. */
const END_MS = 60_000;
const FINDING_MS = 10_000;

/** What a person does; resolves to what did not happen as it should. */
type Act = (page: Page, dice: Dice) => Promise<readonly string[]>;

/** Presses it if it is there and enabled. */
export async function press(page: Page, name: string | RegExp): Promise<boolean> {
	const found = page.getByRole('button', { name, exact: true }).first();
	if (!(await found.isVisible())) return false;
	// It may be gone again by now.
	return await found.click({ timeout: 3000 }).then(
		() => true,
		() => false,
	);
}

/** Presses it if it is there; it is no finding if not. */
const presses =
	(name: string | RegExp): Act =>
	async (page) => {
		await press(page, name);
		return [];
	};

/** Something the window hears of. */
const happens =
	(what: () => void): Act =>
	async (page) => {
		await page.evaluate(what);
		return [];
	};

export const acts: readonly (readonly [name: string, act: Act])[] = [
	['mute', presses(/^(Mute|Unmute) microphone$/)],
	['pause', presses('Pause')],
	['resume', presses('Resume')],
	['stop', (page, dice) => stops(page, dice.chance(0.5) ? 1 : 3)],
	['language', chooses],
	[
		'device',
		happens(() => {
			navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
		}),
	],
	[
		'network',
		happens(() => {
			window.dispatchEvent(new Event('offline'));
			window.dispatchEvent(new Event('online'));
		}),
	],
	['dismiss', presses(/^(Dismiss|Close notice)$/)],
	['another page', reads],
	['what did they say', says],
	['correct', corrects],
];

/** Looks at another page while the conversation goes on, and comes back. */
async function reads(page: Page, dice: Dice): Promise<readonly string[]> {
	const name = dice.pick(['History', 'Voices', 'Settings']);
	if (!(await press(page, name))) return [];
	const back = button(page, 'Back');
	try {
		await back.waitFor({ timeout: FINDING_MS });
		await page.waitForTimeout(dice.between(100, 2000));
		await back.click();
		await captionsRegion(page).waitFor({ timeout: FINDING_MS });
		return [];
	} catch (failure) {
		return [await finding(page, `${name} and back`, failure)];
	}
}

/** What was heard last, once more. */
async function says(page: Page): Promise<readonly string[]> {
	await page.keyboard.press('r');
	return [];
}

/** A word of a caption is put right, for this caption and all others. */
async function corrects(page: Page, dice: Dice): Promise<readonly string[]> {
	if (!(await press(page, 'Correct a word'))) return [];
	const dialog = page.getByRole('dialog');
	try {
		await dialog.getByLabel('Instead of').fill(`word ${dice.below(300)}`);
		await dialog.getByLabel('It should be').fill('another');
		await dialog.getByRole('button', { name: 'Correct', exact: true }).click({ timeout: FINDING_MS });
		await dialog.waitFor({ state: 'hidden', timeout: FINDING_MS });
		return [];
	} catch (failure) {
		return [await finding(page, 'a word could not be corrected', failure)];
	}
}

async function chooses(page: Page, dice: Dice): Promise<readonly string[]> {
	const name = dice.pick(['French', 'German', 'Spanish']);
	try {
		await chooseLanguage(page, 'They hear', name);
		return [];
	} catch (failure) {
		return [await finding(page, `${name} could not be chosen`, failure)];
	}
}

/** Pressed once, the last words are waited for; pressed more often, they are not. */
async function stops(page: Page, times: number): Promise<readonly string[]> {
	for (let more = 0; more < times; more += 1) await press(page, /^(Stop|Stop now)$/);
	try {
		await until('Start is offered again', () => button(page, 'Start').isVisible(), END_MS);
		return [];
	} catch (failure) {
		return [await finding(page, `pressed Stop ${times} times`, failure)];
	}
}

/** The end of a run: a session made ahead for the next start is released by itself. */
export async function endsWell(page: Page, sandbox: Sandbox): Promise<readonly string[]> {
	const findings = await stops(page, 3);
	if (findings.length > 0) return findings;
	try {
		await until(
			'no session in use',
			() => sandbox.openSessions().every(({ connected }) => !connected),
			END_MS,
		);
		return [];
	} catch (failure) {
		return [await finding(page, 'stopped', failure)];
	}
}

/** A finding with all that can be pressed, as assistive technology sees it: behind an open list or dialog, nothing. */
async function finding(page: Page, what: string, failure: unknown): Promise<string> {
	const why = failure instanceof Error ? failure.message.split('\n')[0] : failure;
	const inReach = page
		.getByRole('button')
		.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent).join(', '))
		.catch(() => 'the window is gone');
	const limit = new Promise<string>((done) => setTimeout(done, FINDING_MS, 'the window does not answer'));
	return `${what}: ${why}; in reach: ${await Promise.race([inReach, limit])}`;
}
