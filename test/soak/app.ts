import type { Page } from 'playwright-core';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { median } from '#test/bench/statistics.ts';
import { button, captionsRegion, chooseLanguage, longMicrophone, until } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { createDice, type Dice } from '#test/support/random.ts';
import { type Sample, type SoakSummary, slopeOf, watchApp } from './watch.ts';

interface AppSoakOptions {
	readonly seed: number;
	readonly minutes: number;
	readonly say: (text: string) => void;
	/** File of what the window shows when something was found. */
	readonly picture: string;
}

const SAMPLE_MS = 10_000;
/** What is loaded and cached in this time is not counted as growth (goals, Q10). */
const WARM_UP_S = 120;
/** R7, P11: the limit for a run long enough to tell. */
const SLOPE_MB_H = 0.5;
const TELLING_MINUTES = 120;
const LOG_MB = 20;
/** 128 and the number of SIGTERM. */
const ASKED_TO_END = 143;

/** Faults that come and go for everyone, by themselves or for a while. */
const FAULTS = [
	...['500:2', '503-after:1', '429-after:1', 'slow:2000', 'drop-connection:1', 'cut-body:1', 'hang-after:1'],
	...[
		'signal-drop',
		'leave-reconnect',
		'resume-refused',
		'no-pong',
		'data-garbage',
		'agent-leaves:3000',
		'agent-late:3000',
	],
	...[
		'error-storm',
		'unknown-messages',
		'garbage-data',
		'duplicate-messages',
		'double-encoded',
		'slow-task:3000',
	],
	...[
		'ignore-first-set-task',
		'room-hang',
		'room-no-answer',
		'double-track',
		'no-end-of-stream',
		'expires-soon',
	],
];

/** Faults of the service that come and go; two at a time at most. */
function createBadDay(sandbox: Sandbox, dice: Dice, count: (what: string) => void) {
	const active = new Map<string, number>();
	return {
		turn() {
			for (const [fault, untilMs] of active) {
				if (performance.now() < untilMs) continue;
				sandbox.setFault(fault, false);
				active.delete(fault);
			}
			if (active.size >= 2 || !dice.chance(0.2)) return;
			const fault = dice.pick(FAULTS);
			count(fault);
			sandbox.setFault(fault, true);
			active.set(fault, performance.now() + dice.between(3000, 20_000));
		},
		end() {
			for (const fault of active.keys()) sandbox.setFault(fault, false);
		},
	};
}

/** The built app in a person's hands on a bad day; everything it holds is checked every ten seconds. */
export async function soakApp({ seed, minutes, say, picture }: AppSoakOptions): Promise<SoakSummary> {
	const dice = createDice(seed);
	const sandbox = await startSandbox();
	const app = await launch({
		microphone: longMicrophone(),
		microphoneLoops: true,
		probe: false,
		service: sandbox,
		settings: { interfaceLanguage: 'en' },
	}).catch(async (failure) => {
		await sandbox.close();
		throw failure;
	});
	const samples: Sample[] = [];
	const findings: string[] = [];
	const counts: Record<string, number> = {};
	const count = (what: string) => {
		counts[what] = (counts[what] ?? 0) + 1;
	};
	const day = createBadDay(sandbox, dice, count);
	const { page } = app;

	async function turn(): Promise<void> {
		await press(page, 'Resume');
		if (await press(page, /^(Start|Try again)$/)) count('start');
		day.turn();
		if (!dice.chance(0.4)) return;
		const [name, act] = dice.pick(acts);
		count(name);
		findings.push(...(await act(page, dice)));
	}

	try {
		const watch = await watchApp(app, sandbox);
		const look = async (check: (sample: Sample) => readonly string[]) => {
			const sample = await watch.sample();
			samples.push(sample);
			findings.push(...check(sample), ...watch.troubles());
			if (samples.length % 6 === 0)
				say(
					`${(sample.atS / 60).toFixed(1)} min: ${sample.pssMb.toFixed(0)} MB, heap ${sample.heapMb.toFixed(1)} MB, ${sample.nodes} nodes`,
				);
		};
		await button(page, 'Start').waitFor({ timeout: 60_000 });
		const endsAt = performance.now() + minutes * 60_000;
		let sampleAt = performance.now();
		while (performance.now() < endsAt && findings.length === 0) {
			await turn();
			await page.waitForTimeout(dice.between(300, 3000));
			if (performance.now() < sampleAt) continue;
			sampleAt = performance.now() + SAMPLE_MS;
			await look(checkOne);
		}
		day.end();
		if (findings.length === 0) findings.push(...(await endsWell(page, sandbox)));
		if (findings.length > 0) await page.screenshot({ path: picture });
		await look(findings.length > 0 ? checkOne : checkEnd);
	} catch (failure) {
		findings.push(`broke off: ${failure instanceof Error ? failure.message.split('\n')[0] : failure}`);
	} finally {
		const status = await app.close();
		// Ended by the signal we sent counts as well.
		if (status !== 0 && status !== ASKED_TO_END) findings.push(`the app ended with status ${status}`);
		if (sandbox.openSessions().length > 0)
			findings.push(`${sandbox.openSessions().length} sessions left after the app`);
		await sandbox.close();
	}
	return summaryOf({ seed, minutes, samples, findings, counts });
}

/** What may never be held at once. */
function checkOne(sample: Sample): readonly string[] {
	const limits: readonly (readonly [keyof Sample, number])[] = [
		...[
			['contexts', 4] as const,
			['connections', 4] as const,
			['tracks', 4] as const,
			['sessions', 3] as const,
		],
		['logMb', LOG_MB],
	];
	return limits
		.filter(([name, most]) => sample[name] > most)
		.map(([name]) => `${name}: ${sample[name]} at ${sample.atS.toFixed(0)} s`);
}

function checkEnd(sample: Sample): readonly string[] {
	return (['connections', 'tracks'] as const)
		.filter((name) => sample[name] > 0)
		.map((name) => `${sample[name]} ${name} after Stop`);
}

interface Seen {
	readonly seed: number;
	readonly minutes: number;
	readonly samples: readonly Sample[];
	readonly findings: readonly string[];
	readonly counts: Readonly<Record<string, number>>;
}

function summaryOf({ seed, minutes, samples, findings, counts }: Seen): SoakSummary {
	const settled = samples.filter(({ atS }) => atS >= Math.min(WARM_UP_S, minutes * 20));
	const slope = (name: 'pssMb' | 'heapMb') =>
		slopeOf(settled.map((one) => [one.atS / 3600, one[name]] as const));
	const slopes = { pssMbPerHour: slope('pssMb'), heapMbPerHour: slope('heapMb') };
	const grows = minutes >= TELLING_MINUTES && slopes.pssMbPerHour > SLOPE_MB_H;
	const names = [
		'pssMb',
		'heapMb',
		'nodes',
		'listeners',
		'contexts',
		'connections',
		'tracks',
		'elements',
		'workers',
		'sessions',
		'logMb',
	] as const;
	const round = (value: number) => Math.round(value * 10) / 10;
	const rows = names.map((name) => {
		const values = samples.map((sample) => sample[name]);
		return `| ${name} | ${round(values[0] ?? 0)} | ${round(median(values))} | ${round(Math.max(...values, 0))} | ${round(values.at(-1) ?? 0)} |`;
	});
	const done = Object.entries(counts)
		.map(([name, times]) => `${name} ${times}`)
		.join(', ');
	return {
		findings: [
			...findings,
			...(grows ? [`memory grows by ${slopes.pssMbPerHour.toFixed(1)} MB an hour`] : []),
		],
		data: { seed, minutes, slopes, counts, samples },
		markdown: [
			`${minutes} minutes, ${samples.length} samples. Slope of a straight line after the warm-up: ${slopes.pssMbPerHour.toFixed(1)} MB an hour ` +
				`(all processes), ${slopes.heapMbPerHour.toFixed(1)} MB an hour (heap of the window); below two hours it tells nothing for sure.`,
			'',
			'| | first | median | most | last |',
			'|---|---|---|---|---|',
			...rows,
			'',
			`Done: ${done}.`,
		].join('\n'),
	};
}

/** By then a stopped conversation has released everything, whatever the service does. */
const END_MS = 60_000;
const FINDING_MS = 10_000;

/** What a person does; resolves to what did not happen as it should. */
type Act = (page: Page, dice: Dice) => Promise<readonly string[]>;

/** Presses it if it is there and enabled. */
async function press(page: Page, name: string | RegExp): Promise<boolean> {
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

const acts: readonly (readonly [name: string, act: Act])[] = [
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
async function endsWell(page: Page, sandbox: Sandbox): Promise<readonly string[]> {
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
