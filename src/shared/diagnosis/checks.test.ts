import { describe, expect, it } from 'vitest';
import { exitStatusOfFindings } from '#main/cli/commands/doctor.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	type Check,
	type Finding,
	fine,
	type Outcome,
	runChecks,
	skipped,
	trouble,
	warning,
} from './checks.ts';

const settled = async () => {
	for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

function begin(checks: readonly Check[]) {
	const clock = createManualClock();
	const control = new AbortController();
	const told: Finding[] = [];
	const done = runChecks(checks, {
		clock,
		signal: control.signal,
		told: (finding) => void told.push(finding),
	});
	return { clock, control, told, done };
}

/** A check that ends when told to, or with its signal. */
function held(name: Check['name'], more: Partial<Check> = {}) {
	let end: (outcome: Outcome) => void = () => {};
	let putAway = false;
	let begun = false;
	const check: Check = {
		name,
		limitMs: 1000,
		run: (signal) =>
			new Promise((done) => {
				begun = true;
				end = done;
				signal.addEventListener('abort', () => {
					putAway = true;
					done(skipped('cancelled'));
				});
			}),
		...more,
	};
	return { check, end: (outcome: Outcome) => end(outcome), putAway: () => putAway, begun: () => begun };
}

describe('checks', () => {
	it('run side by side, except where one needs another or must come after it', async () => {
		const [service, account, room, sound] = [
			held('service'),
			held('account', { needs: ['service'] }),
			held('room', { after: ['account'] }),
			held('sound'),
		];
		const { done } = begin([service, account, room, sound].map(({ check }) => check));
		await settled();
		expect([service, account, room, sound].map((one) => one.begun())).toEqual([true, false, false, true]);
		sound.end(fine('soundNone'));
		service.end(trouble({ kind: 'service-unreachable', cause: 'ENOTFOUND' }));
		await settled();
		expect([account.begun(), room.begun()]).toEqual([false, true]);
		room.end(fine('roomFine'));
		expect((await done).map(({ check, state }) => [check, state])).toEqual([
			['service', 'failed'],
			['account', 'skipped'],
			['room', 'ok'],
			['sound', 'ok'],
		]);
	});

	it('are left out all the way where what they need was left out, and not where it only warned', async () => {
		const service = held('service');
		const [account, room] = [held('account', { needs: ['service'] }), held('room', { needs: ['account'] })];
		const { done } = begin([service, account, room].map(({ check }) => check));
		await settled();
		service.end(trouble({ kind: 'service-unreachable', cause: 'ENOTFOUND' }));
		expect((await done).slice(1)).toMatchObject([
			{ check: 'account', state: 'skipped', says: 'waitsFor', facts: { check: 'service' } },
			{ check: 'room', state: 'skipped', says: 'waitsFor', facts: { check: 'account' } },
		]);
		expect([account.begun(), room.begun()]).toEqual([false, false]);

		const warned = begin([{ ...service.check, run: async () => warning('clockWrong') }, account.check]);
		await settled();
		expect(account.begun()).toBe(true);
		account.end(fine('keyAccepted'));
		expect((await warned.done).map(({ state }) => state)).toEqual(['warning', 'ok']);
	});

	it.each([
		[3000, 3000],
		[8000, 8000],
		// The wait for it is limited.
		[60_000, 8000],
	])('that need %d ms to put away what they made are waited for %d ms', async (needMs, waitedMs) => {
		let clock: Clock | null = null;
		const check: Check = {
			name: 'room',
			limitMs: 1000,
			run: (signal) =>
				new Promise((done) => {
					signal.addEventListener('abort', () => clock?.after(needMs, () => done(skipped('cancelled'))));
				}),
		};
		const run = begin([check]);
		clock = run.clock;
		let endedMs: number | null = null;
		void run.done.then(() => {
			endedMs = run.clock.now();
		});
		await run.clock.run(1000);
		expect(run.told).toMatchObject([{ state: 'failed', problem: { kind: 'timed-out' } }]);
		await run.clock.run(100_000);
		expect(endedMs).toBe(1000 + waitedMs);
	});

	it('that last too long have failed, and put away what they made', async () => {
		const slow = held('room');
		const { clock, done } = begin([slow.check]);
		await settled();
		clock.advance(1000);
		expect(await done).toMatchObject([{ state: 'failed', problem: { kind: 'timed-out', afterMs: 1000 } }]);
		expect(slow.putAway()).toBe(true);
	});

	it('that are cancelled say so, also those that had not begun; what they made is put away first', async () => {
		const [first, second] = [held('service'), held('account', { needs: ['service'] })];
		const { control, done } = begin([first.check, second.check]);
		await settled();
		control.abort();
		expect((await done).map(({ state, says }) => [state, says])).toEqual([
			['skipped', 'cancelled'],
			['skipped', 'cancelled'],
		]);
		expect([first.putAway(), second.begun()]).toEqual([true, false]);
	});

	it('that throw are a fault of ours, and the others go on', async () => {
		const { done } = begin([
			{ name: 'disk', limitMs: 10, run: () => Promise.reject(new Error('a secret')) },
			{ name: 'ledger', limitMs: 10, run: async () => fine('ledgerFine') },
		]);
		const found = await done;
		expect(found.map(({ state }) => state)).toEqual(['failed', 'ok']);
		expect(JSON.stringify(found)).not.toContain('a secret');
	});
});

it('the exit status is that of the worst failure; warnings and what was not looked at are none', () => {
	const of = (...outcomes: readonly Outcome[]) =>
		exitStatusOfFindings(outcomes.map((outcome) => ({ check: 'service', ...outcome })));
	expect(of(fine('serviceAnswers'), warning('clockWrong'), skipped('roomBusy'))).toBe(0);
	expect(of(trouble({ kind: 'storage-failed', what: '' }))).toBe(1);
	expect(of(trouble({ kind: 'service-unreachable', cause: '' }), trouble({ kind: 'bug', where: '' }))).toBe(
		6,
	);
	const refused = trouble({ kind: 'api-key-rejected', status: 401 });
	expect(of(trouble({ kind: 'service-unreachable', cause: '' }), refused)).toBe(3);
});

it('an address that was given wrongly is the user’s to mend; one that the service gave is a failure', () => {
	const problem = { kind: 'address-refused', host: 'nonsense' } as const;
	const statusOf = (check: 'account' | 'room') => exitStatusOfFindings([{ check, ...trouble(problem) }]);
	expect([statusOf('account'), statusOf('room')]).toEqual([2, 1]);
});
