import type { ConversationPhase } from '#renderer/conversation/conversation.ts';
import { nextAct } from './person.ts';
import { createWorld, type World } from './world.ts';

/** What a person is told of the finer phases. */
const named: Readonly<Record<ConversationPhase, string>> = {
	idle: 'stopped',
	failed: 'failed',
	live: 'live',
	reconnecting: 'recovering',
	ending: 'ending',
	preparing: 'starting',
	connecting: 'starting',
	starting: 'starting',
	switching: 'recovering',
};
/** The longest that a start or an end may take. */
const LONGEST_MS: Readonly<Record<string, number>> = { starting: 60_000, ending: 40_000 };
/** No two links are used longer beside each other: joined, a pause waited for, the last words heard out. */
export const TWO_LINKS_MS = 90_000;
const SLICE_MS = 1000;
/** From time to time everything is stopped, and nothing may be left. */
const REST_EVERY_MS = 15 * 60_000;
const REST_MS = 10 * 60_000;

export interface SoakReport {
	readonly seed: number;
	readonly minutes: number;
	readonly acts: Readonly<Record<string, number>>;
	/** Final texts that were said to the conversation, and are shown and recorded once each. */
	readonly finals: number;
	readonly sessions: number;
	readonly requests: number;
	/** The longest time in each state that must pass, ms. */
	readonly longestMs: Readonly<Record<string, number>>;
	/** Timers and listeners at the first rest and the last. */
	readonly baseline: { readonly timers: number; readonly listeners: number };
	readonly findings: readonly string[];
}

/** This many minutes of conversation under fake time, with faults from this seed. Stops at the first finding. */
export async function soakConversation(seed: number, minutes: number): Promise<SoakReport> {
	const world = createWorld(seed);
	const { clock, dice, weather } = world;
	const counts: Record<string, number> = {};
	const findings: string[] = [];
	const longest: Record<string, number> = { starting: 0, ending: 0 };
	let last = 'nothing';
	let since = { name: 'stopped', atMs: 0 };
	let onlyOneMs = 0;
	let baseline: SoakReport['baseline'] | null = null;

	function find(what: string): void {
		findings.push(
			`${what} (at ${(clock.now() / 60_000).toFixed(1)} min, after ${last}, ${world.view().phase})`,
		);
	}

	function look(): void {
		const { phase, paused } = world.view();
		const name = named[phase];
		if (name !== since.name) since = { name, atMs: clock.now() };
		const forMs = clock.now() - since.atMs;
		longest[name] = Math.max(longest[name] ?? 0, forMs);
		if (forMs > (LONGEST_MS[name] ?? Infinity)) find(`${name} for ${forMs} ms`);
		const mayListen = ['starting', 'live', 'recovering'].includes(name) && !paused;
		if (world.isMicrophoneOpen() && !mayListen) find('the microphone is open');
		// The second is a successor, or a socket beside a room in doubt.
		const links = world.inUse().length;
		if (links < 2) onlyOneMs = clock.now();
		if (links > 2) find(`${links} links`);
		if (clock.now() - onlyOneMs > TWO_LINKS_MS) find(`two links for ${clock.now() - onlyOneMs} ms`);
		// A last command may still leave.
		if (['stopped', 'failed'].includes(name) && forMs > 0 && world.inUse().length > 0)
			find('a link without a conversation');
		checkCaptions();
	}

	function checkCaptions(): void {
		const shown = world.conversation.captions.finals().filter(({ kind }) => kind !== 'lost');
		const texts = shown.filter(({ final }) => final).map(({ text }) => text);
		if (new Set(texts).size < texts.length) find('a final twice');
		const missing = world.delivered().filter((text) => !texts.includes(text));
		if (missing.length > 0) find(`a final is not shown: ${missing[0]}`);
		if (texts.length > world.delivered().length) find('a final that nobody said');
	}

	async function pass(ms: number): Promise<void> {
		for (let left = ms; left > 0 && findings.length === 0; left -= SLICE_MS) {
			await clock.run(Math.min(SLICE_MS, left));
			look();
		}
	}

	/** With everything working and nobody doing anything, nothing may go on. */
	async function rest(): Promise<void> {
		Object.assign(weather, { faulty: 0, outageUntilMs: 0, historyFails: 0, link: {}, microphone: null });
		last = 'rest';
		void world.conversation.stopNow();
		await pass(REST_MS);
		if (findings.length > 0) return;
		const now = { timers: clock.pending, listeners: world.listeners() };
		baseline ??= now;
		if (now.timers > baseline.timers) find(`${now.timers} timers, ${baseline.timers} before`);
		if (now.listeners > baseline.listeners) find(`${now.listeners} listeners, ${baseline.listeners} before`);
		if (world.openSessions() > 0) find(`${world.openSessions()} sessions`);
		checkRecorded();
	}

	function checkRecorded(): void {
		const recorded = world.recorded();
		if (new Set(recorded).size < recorded.length) find('a final recorded twice');
		const known = new Set(recorded);
		const missing = [...world.everDelivered()].filter((text) => !known.has(text));
		if (missing.length > 0) find(`not recorded: ${missing[0]}`);
	}

	await rest();
	let restedMs = clock.now();
	while (clock.now() < minutes * 60_000 && findings.length === 0) {
		const [name, , act] = nextAct(dice.next());
		last = name;
		counts[name] = (counts[name] ?? 0) + 1;
		await act(world);
		look();
		await pass(dice.pick([0, 300, 2000, 8000, 20_000]));
		if (clock.now() - restedMs < REST_EVERY_MS) continue;
		await rest();
		restedMs = clock.now();
	}
	if (findings.length === 0) await rest();
	if (findings.length === 0) await end(world, find);
	return {
		seed,
		minutes: clock.now() / 60_000,
		acts: counts,
		finals: world.everDelivered().size,
		findings,
		sessions: world.service.made(),
		requests: world.service.requests(),
		longestMs: longest,
		baseline: baseline ?? { timers: 0, listeners: 0 },
	};
}

async function end(world: World, find: (what: string) => void): Promise<void> {
	await world.close();
	if (world.clock.pending > 0) find(`${world.clock.pending} timers after the end`);
	if (world.listeners() > 0) find(`${world.listeners()} listeners after the end`);
}
