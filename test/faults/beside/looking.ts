import { setTimeout as wait } from 'node:timers/promises';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { until } from '#test/support/app-steps.ts';
import type { LivekitServer } from '#test/support/livekit-server.ts';
import type { Front } from './front.ts';
import type { Subject } from './subjects.ts';

/** One subject with a service of its own. */
export interface Stage {
	readonly subject: Subject;
	readonly sandbox: Sandbox;
	readonly front: Front;
	/** The rooms' server, where the case asked for a real one. */
	readonly livekit: LivekitServer | null;
}

/** A fault, and what must be seen of a client of any kind. */
export interface Case {
	/** Its row of the catalogue. */
	readonly row: number;
	/** In words; also its name. */
	readonly fault: string;
	readonly lookedFor: string;
	/** Switched on in the sandbox from the beginning. */
	readonly faults?: readonly string[];
	readonly realRooms?: boolean;
	/** Rejects, saying what was not seen. */
	see(stage: Stage): Promise<void>;
}

export const creates = ({ front }: Stage) =>
	front.asked.filter(({ method, path }) => method === 'POST' && path.endsWith('/session'));

export function must(holds: boolean, otherwise: string): void {
	if (!holds) throw new Error(otherwise);
}

export const microphones = ({ subject }: Stage) => subject.page.evaluate(() => window.__watch.microphones());

export async function isAllOver(stage: Stage, limitMs = 8000): Promise<void> {
	await until('the microphone is let go', async () => (await microphones(stage)) === 0, limitMs);
	await until('no session is left', () => stage.sandbox.openSessions().length === 0, limitMs);
}

/** It ends by itself, says words like these, lets the microphone go and leaves no session. */
export async function endsTold(stage: Stage, words: RegExp, limitS = 20): Promise<void> {
	await stage.subject.begin();
	await endsSaying(stage, words, limitS);
	await isAllOver(stage);
}

export async function endsSaying({ subject }: Stage, words: RegExp, limitS: number): Promise<void> {
	await until('it says that it ended', async () => (await subject.state()) === 'ended', 1000 * limitS);
	await until(`it says ${words}`, async () => words.test(await subject.told()), 3000);
}

/** Texts come, from a conversation that is not over. */
export async function comesAbout({ subject }: Stage, limitS = 20): Promise<void> {
	const before = await subject.texts();
	await until('texts come', async () => (await subject.texts()) > before, 1000 * limitS);
	must((await subject.state()) !== 'ended', 'it says that it ended');
}

export async function beginsWell(stage: Stage, limitS = 20): Promise<void> {
	await stage.subject.begin();
	await comesAbout(stage, limitS);
}

/** After a fault in the middle: texts and a voice, again and by themselves. */
export async function goesOn(stage: Stage, limitS = 30): Promise<void> {
	// What was under way when it struck does not count.
	await wait(3000);
	await comesAbout(stage, limitS);
	await until(
		'a voice is there',
		() => stage.subject.page.evaluate(() => window.__watch.voices() > 0),
		10_000,
	);
}

export async function leavesNothing(stage: Stage, limitMs = 40_000): Promise<void> {
	await stage.subject.end();
	await until('no session is left', () => stage.sandbox.openSessions().length === 0, limitMs);
	await until('the microphone is let go', async () => (await microphones(stage)) === 0, 10_000);
}

export const anything = /\S/;

/** Refused at the first try, with a reason that is passed on, and not asked again. */
export function refused(row: number, fault: string, name: string, words: RegExp, most = 1): Case {
	return {
		row,
		fault,
		lookedFor: `ends, says why; ${most === 1 ? 'asked once only' : `asked at most ${most} times`}; microphone off, no session`,
		faults: [`${name}@create`],
		async see(stage) {
			await endsTold(stage, words);
			await wait(3000);
			must(creates(stage).length <= most, `asked ${creates(stage).length} times`);
		},
	};
}

/** The answer cannot be used; a session may have been made, whose id nobody can know. */
export function unusable(row: number, fault: string, name: string, limitS = 25): Case {
	return {
		row,
		fault,
		lookedFor: `within ${limitS} s it ends and says so, microphone off, or the conversation comes about`,
		faults: [`${name}@create:1`],
		async see(stage) {
			const { subject } = stage;
			await subject.begin();
			await until(
				'an end or a conversation',
				async () => (await subject.state()) === 'ended' || (await subject.texts()) > 0,
				1000 * limitS,
			);
			if ((await subject.state()) !== 'ended') return;
			must(anything.test(await subject.told()), 'nothing is said');
			await until('the microphone is let go', async () => (await microphones(stage)) === 0, 5000);
		},
	};
}

/** An oddity that changes nothing. */
export function harmless(row: number, fault: string, ...faults: readonly string[]): Case {
	return {
		row,
		fault,
		lookedFor: 'texts come, and after Stop no session is left',
		faults,
		async see(stage) {
			await beginsWell(stage);
			await leavesNothing(stage);
		},
	};
}

/** The service asks for patience, and is well afterwards. */
export function patient(row: number, fault: string, name: string, waitMs: number): Case {
	return {
		row,
		fault,
		lookedFor: `not asked again sooner; then the conversation comes about by itself`,
		faults: [`${name}@create:1`],
		async see(stage) {
			await beginsWell(stage);
			const [first, second] = creates(stage);
			must(first !== undefined && second !== undefined, 'not asked again');
			const gapMs = (second?.atMs ?? 0) - (first?.atMs ?? 0);
			must(gapMs >= waitMs - 100, `asked again after ${gapMs.toFixed(0)} ms`);
		},
	};
}

/** Something happens in the room while it is live. */
export function strikes(row: number, fault: string, faults: readonly string[]): Case {
	return {
		row,
		fault,
		lookedFor: 'texts and a voice go on by themselves',
		faults,
		async see(stage) {
			await beginsWell(stage);
			// They strike 5 s after the client came.
			await wait(7000);
			await goesOn(stage);
		},
	};
}

export async function endsOrComesAbout(stage: Stage): Promise<void> {
	const { subject } = stage;
	await subject.begin();
	await until(
		'an end or a conversation',
		async () => (await subject.state()) === 'ended' || (await subject.texts()) > 0,
		45_000,
	);
	if ((await subject.state()) !== 'ended') return;
	must(anything.test(await subject.told()), 'nothing is said');
	await isAllOver(stage);
}
