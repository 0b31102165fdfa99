import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	type CloseAnswer,
	type CloseQuestion,
	createClosing,
	createMemoryGiver,
	createQuit,
	type QuitParts,
	watchEnd,
} from './lifecycle.ts';

function rig(
	options: { choice?: Settings['closeLive']; hasTray?: boolean; answer?: CloseAnswer; always?: boolean } = {},
) {
	const did: unknown[] = [];
	const asked: CloseQuestion[] = [];
	let choice = options.choice ?? 'ask';
	const closing = createClosing({
		choice: () => choice,
		remember(next) {
			choice = next;
			did.push(['remember', next]);
		},
		hasTray: () => options.hasTray ?? true,
		async ask(question) {
			asked.push(question);
			return { answer: options.answer ?? 'cancel', always: options.always ?? false };
		},
		hide: () => void did.push('hide'),
		end: (reason) => void did.push(['end', reason]),
	});
	return { closing, did, asked, settled: () => new Promise((done) => setImmediate(done)) };
}

test('without a conversation closing closes and quitting quits, unasked', () => {
	const { closing, did, asked } = rig();
	closing.window();
	closing.phase('failed');
	closing.quit();
	expect([did, asked]).toEqual([['hide', ['end', 'window'], 'hide', ['end', 'quit']], []]);
});

test.each(['starting', 'live', 'paused', 'recovering'] as const)(
	'a conversation that is %s is not lost unasked',
	async (phase) => {
		const { closing, did, asked, settled } = rig();
		closing.phase(phase);
		closing.window();
		await settled();
		closing.quit();
		await settled();
		expect(did).toEqual([]);
		expect(asked).toEqual([
			{ what: 'window', canKeep: true },
			{ what: 'quit', canKeep: false },
		]);
	},
);

test('keeps running without the window only if there is a tray icon', async () => {
	const { closing, asked, settled } = rig({ hasTray: false, choice: 'keep' });
	closing.phase('live');
	closing.window();
	await settled();
	expect(asked).toEqual([{ what: 'window', canKeep: false }]);
});

test('the answer is remembered when asked for, but never a cancel', async () => {
	const keep = rig({ answer: 'keep', always: true });
	keep.closing.phase('live');
	keep.closing.window();
	await keep.settled();
	keep.closing.window();
	await keep.settled();
	expect([keep.did, keep.asked.length]).toEqual([[['remember', 'keep'], 'hide', 'hide'], 1]);

	const cancel = rig({ answer: 'cancel', always: true });
	cancel.closing.phase('live');
	cancel.closing.window();
	await cancel.settled();
	expect(cancel.did).toEqual([]);
});

test('who keeps conversations running is asked all the same when quitting', async () => {
	const { closing, did, asked, settled } = rig({ choice: 'keep', answer: 'stop' });
	closing.phase('live');
	closing.quit();
	await settled();
	expect([asked.length, did]).toEqual([1, ['hide', ['end', 'quit']]]);
});

test('one question at a time, and none while the system shuts down', async () => {
	const { closing, did, asked, settled } = rig();
	closing.phase('live');
	closing.window();
	closing.window();
	closing.quit();
	await settled();
	expect(asked.length).toBe(1);
	closing.systemEnds();
	closing.quit();
	expect(did).toEqual(['hide', ['end', 'quit']]);
});

function world(parts: Partial<QuitParts> = {}) {
	const clock = createManualClock();
	const did: string[] = [];
	const note = (what: string) => void did.push(`${what} at ${clock.now()}`);
	const quit = createQuit({
		clock,
		log: silentLogger,
		announce(reason) {
			note(`told ${reason}`);
			return true;
		},
		async closeSessions() {
			note('sessions');
		},
		async closeRest() {
			note('rest');
		},
		exit: (code) => note(`exit ${code}`),
		...parts,
	});
	return { clock, did, quit };
}

test('the deletion of sessions does not wait for the window', async () => {
	const { clock, did, quit } = world();
	void quit.begin('quit', 130);
	await clock.run(0);
	expect(did).toEqual(['told quit at 0', 'sessions at 0']);
	quit.closeReady();
	await clock.run(0);
	expect(did.slice(2)).toEqual(['rest at 0', 'exit 130 at 0']);
});

test('a window that does not answer holds it up two seconds and no more', async () => {
	const { clock, did, quit } = world();
	void quit.begin('window');
	await clock.run(10_000);
	expect(did.at(-1)).toBe('exit 0 at 2000');
});

test('the program does not end before its sessions are deleted, nor does anything they need', async () => {
	const { clock, did, quit } = world({ closeSessions: () => new Promise((done) => clock.after(3000, done)) });
	void quit.begin('quit');
	quit.closeReady();
	await clock.run(2999);
	expect(did).toEqual(['told quit at 0']);
	await clock.run(1);
	expect(did.slice(1)).toEqual(['rest at 3000', 'exit 0 at 3000']);
});

test('without a window nobody is waited for', async () => {
	const { clock, did, quit } = world({ announce: () => false });
	void quit.begin('quit');
	await clock.run(0);
	expect(did.at(-1)).toBe('exit 0 at 0');
});

test('whatever hangs or fails, the program ends', async () => {
	const never = new Promise<void>(() => {});
	const fails = () => Promise.reject(new Error('no'));
	for (const [parts, endMs] of [
		// Sessions must close within five seconds, and get half a second more to report it.
		[{ closeSessions: () => never, closeRest: fails }, 5500],
		[{ closeSessions: () => never, closeRest: () => never }, 7500],
		[{ closeSessions: fails, closeRest: () => never }, 4000],
	] as const) {
		const hanging = world(parts);
		void hanging.quit.begin('quit');
		await hanging.clock.run(20_000);
		expect(hanging.did.at(-1)).toBe(`exit 0 at ${endMs}`);
		expect(hanging.clock.pending).toBe(0);
	}
});

test('asking again changes nothing: one farewell, one exit, the first status', async () => {
	const { clock, did, quit } = world();
	void quit.begin('quit', 130);
	void quit.begin('window', 0);
	await clock.run(10_000);
	expect(did.filter((it) => it.startsWith('exit'))).toEqual(['exit 130 at 2000']);
	expect(did.filter((it) => it.startsWith('told'))).toHaveLength(1);
});

test.each([
	['SIGINT', 130],
	['SIGTERM', 143],
	['SIGHUP', 1],
	['uncaughtException', 1],
	['unhandledRejection', 1],
])('%s ends the program by the way that deletes sessions, with status %i', (event, status) => {
	const program = new EventEmitter();
	const begun: unknown[] = [];
	const errors: unknown[] = [];
	const log = { ...silentLogger, error: (...said: unknown[]) => void errors.push(said) };
	watchEnd(program, { begin: async (...given) => void begun.push(given) }, log);
	const failure = new Error('a bug of ours');
	program.emit(event, event.startsWith('SIG') ? event : failure);
	expect(begun).toEqual([['quit', status]]);
	expect(JSON.stringify(errors).includes('a bug of ours')).toBe(!event.startsWith('SIG'));
});

function stage() {
	const clock = createManualClock();
	let times = 0;
	const collect = () => {
		times += 1;
	};
	const giver = createMemoryGiver({ clock, log: silentLogger, collect });
	return { clock, giver, times: () => times };
}

test('memory is given back once, eight seconds after the conversation was over, and not before', () => {
	const { clock, giver, times } = stage();
	for (const phase of ['starting', 'live', 'ending', 'idle'] as const) giver.phase(phase);
	clock.advance(7999);
	expect(times()).toBe(0);
	clock.advance(1);
	expect(times()).toBe(1);
	clock.advance(3_600_000);
	expect([times(), clock.pending]).toEqual([1, 0]);
});

test.each(['starting', 'live', 'paused', 'recovering', 'ending'] as const)(
	'a conversation that is %s is not stopped for it',
	(phase) => {
		const { clock, giver, times } = stage();
		giver.phase('idle');
		clock.advance(7000);
		giver.phase(phase);
		clock.advance(60_000);
		expect(times()).toBe(0);
	},
);

test('it is not waited for when the program ends, and a failure costs nothing', () => {
	const { clock, giver, times } = stage();
	giver.phase('failed');
	giver.close();
	expect(clock.pending).toBe(0);
	const warnings: string[] = [];
	const failing = createMemoryGiver({
		clock,
		log: { ...silentLogger, warn: (message) => void warnings.push(message) },
		collect() {
			throw new Error('no gc');
		},
	});
	failing.phase('idle');
	clock.advance(8000);
	expect([times(), warnings]).toEqual([0, ['memory is not given back']]);
});

test('frees memory that nothing uses', () => {
	const clock = createManualClock();
	const giver = createMemoryGiver({ clock, log: silentLogger });
	const held: { used: number[][] | null } = {
		used: Array.from({ length: 200 }, () => new Array(10_000).fill(0.5)),
	};
	const before = process.memoryUsage().heapUsed;
	held.used = null;
	giver.phase('idle');
	clock.advance(8000);
	expect(before - process.memoryUsage().heapUsed).toBeGreaterThan(10_000_000);
});
