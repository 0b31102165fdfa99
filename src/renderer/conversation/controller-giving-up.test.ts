import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import { type createRig, liveRig, nothingOpen } from '#test/support/conversation-rig.ts';

/** Live in a room that goes away; then one session after another is refused with `problem`. */
async function refusedWith(problem: Problem, times = 1) {
	const rig = await liveRig({ sessionMs: 10, sessions: [null, ...Array<Problem>(times).fill(problem)] });
	rig.room().down();
	return rig;
}

/** The wait before each session but the first two, ms, counted from the previous refusal. */
function waits(rig: ReturnType<typeof createRig>): readonly number[] {
	const atMs = rig.asked.filter(({ name }) => name === 'session.open').map((one) => one.atMs);
	return atMs.slice(2).map((at, index) => at - (atMs[index + 1] ?? 0) - 10);
}

describe('a refusal while the conversation is taken up again', () => {
	it.each<Problem>([
		{ kind: 'api-key-missing' },
		{ kind: 'key-elsewhere', host: 'x' },
		{ kind: 'account-changed' },
		{ kind: 'api-key-rejected', status: 401 },
		{ kind: 'forbidden', detail: '' },
		{ kind: 'no-credit', detail: '' },
		{ kind: 'opened-elsewhere' },
		{ kind: 'address-refused', host: 'x' },
		{ kind: 'port-refused', host: 'x', port: 25 },
		{ kind: 'task-refused', field: '', detail: '' },
		{ kind: 'sandbox-failed', reason: 'x' },
		{ kind: 'socket-off', socket: 's2s' },
		{ kind: 'bug', where: 'x' },
	])('that no time mends ends it at once: $kind', async (problem) => {
		const rig = await refusedWith(problem);
		await rig.clock.run(10);
		expect([rig.view().phase, rig.view().problem, rig.created()]).toEqual(['failed', problem, 2]);
		await rig.clock.run(120_000);
		expect([rig.created(), rig.open()]).toEqual([2, nothingOpen]);
	});

	const network = [250, 500, 1000, 2000, 2000, 2000];
	const service = [500, 1000, 2000, 4000, 8000, 10_000, 10_000];

	it.each<readonly [Problem, readonly number[]]>([
		[{ kind: 'service-unreachable', cause: 'ENOTFOUND' }, network],
		[{ kind: 'certificate-untrusted', cause: 'x' }, network],
		[{ kind: 'timed-out', what: 'session', afterMs: 1 }, network],
		[{ kind: 'service-failed', status: 503, detail: '' }, service],
		[{ kind: 'session-uncertain' }, service],
		[{ kind: 'rate-limited', retryAfterMs: 3000 }, [3000, 3000, 3000]],
	])('of %o is asked again after longer and longer waits', async (problem, expected) => {
		const rig = await refusedWith(problem, expected.length);
		await rig.clock.run(60_000);
		expect([rig.view().phase, waits(rig)]).toEqual(['live', expected]);
	});
});

describe('a room that refuses us while the conversation is taken up again', () => {
	const refused = { open: { kind: 'room-refused', reason: 'not-allowed-403' } } as const;

	/** After `offline` sessions that could not be asked for, rooms refuse us this many times. */
	async function endOf(times: number, offline = 0) {
		const away: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
		const rig = await liveRig({
			sessionMs: 10,
			sessions: [null, ...Array<Problem>(offline).fill(away)],
			rooms: [{}, ...Array<typeof refused>(times).fill(refused), {}],
		});
		rig.room().down();
		await rig.clock.run(300_000);
		return [rig.view().phase, rig.view().problem?.kind, rig.created() - offline, rig.open().sessions];
	}

	it('is asked six times, and then it is over', async () => {
		expect(await endOf(5)).toEqual(['live', undefined, 7, 1]);
		expect(await endOf(6)).toEqual(['failed', 'room-refused', 7, 0]);
	});

	it('is asked six times after a network that was away for longer, too', async () => {
		expect(await endOf(5, 20)).toEqual(['live', undefined, 7, 1]);
		expect(await endOf(6, 20)).toEqual(['failed', 'room-refused', 7, 0]);
	});
});

describe('a session that is taken from us', () => {
	const drop = (rig: ReturnType<typeof createRig>, cause: string) =>
		rig.room().down({ kind: 'session-lost', cause });

	it.each([
		['room-deleted', 250],
		['room-closed', 250],
		['participant-removed', 250],
		['something else', 0],
	])('is followed by another once main can have said who did it: %s, %d ms', async (cause, ms) => {
		const rig = await liveRig();
		drop(rig, cause);
		await rig.clock.run(Math.max(0, ms - 1));
		expect(rig.created()).toBe(ms === 0 ? 2 : 1);
		await rig.clock.run(1);
		expect(rig.created()).toBe(2);
	});

	it.each([
		[59_999, 'failed'],
		[60_000, 'reconnecting'],
	])('again after %d ms: %s', async (ms, phase) => {
		const rig = await liveRig();
		drop(rig, 'x');
		await rig.clock.run(ms);
		expect(rig.view().phase).toBe('live');
		drop(rig, 'x');
		expect(rig.view().phase).toBe(phase);
	});

	it('is not forgotten by another outage in the same minute', async () => {
		const rig = await liveRig();
		drop(rig, 'x');
		await rig.clock.run(20_000);
		rig.room().down();
		await rig.clock.run(20_000);
		expect(rig.view().phase).toBe('live');
		drop(rig, 'x');
		expect(rig.view().phase).toBe('failed');
	});
});
