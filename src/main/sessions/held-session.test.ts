import { describe, expect, test } from 'vitest';
import type { SessionAccount } from '#main/service/session-client.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	createLedgerDisk,
	createMemoryLedger,
	createScriptedAccount,
	SERVER_NOW,
	sessionAt,
} from '#test/support/sessions.ts';
import { holdSession } from './held-session.ts';
import { sessionLabel } from './ledger.ts';

const refused: Problem = { kind: 'forbidden', detail: '' };
const MINUTE = 60_000;
/** A session with an hour left, so that the keeper rarely polls it. */
const long = (id: string) => ok({ ...sessionAt(id, 1), expiresAt: SERVER_NOW + 60 * MINUTE });

function hold(answers: Partial<SessionAccount> = {}, use: 'prepared' | 'granted' = 'prepared', random = 0.5) {
	const clock = createManualClock();
	const disk = createLedgerDisk();
	const logged: string[] = [];
	const write = (message: string, facts?: object) => void logged.push(`${message} ${JSON.stringify(facts)}`);
	const announced: Problem[] = [];
	const expiring: number[] = [];
	let ends = 0;
	const { account, asked } = createScriptedAccount({ read: async (id) => long(id), ...answers });
	const session = holdSession({
		account,
		ledger: createMemoryLedger(disk, 'this'),
		clock,
		random: () => random,
		log: { error: write, warn: write, info: write, debug: write },
		use,
		announce: (problem) => announced.push(problem),
		expiring: (leftMs) => expiring.push(leftMs),
		ended: () => {
			ends += 1;
		},
	});
	return { session, clock, disk, asked, logged, announced, expiring, ended: () => ends };
}

test('its life, from the ledger to the ledger', async () => {
	const { session, clock, disk, asked, logged, ended } = hold();
	expect([session.id(), session.tokenExpiresAt()]).toEqual([null, null]);
	await clock.run(0);
	expect([session.id(), asked]).toEqual(['made', ['create', 'read made']]);
	expect(disk.entries).toMatchObject([{ id: 'made', state: 'open', expiresAt: SERVER_NOW + 60 * MINUTE }]);
	void session.release();
	await clock.run(0);
	expect([asked, disk.entries, ended()]).toEqual([['create', 'read made', 'remove made'], [], 1]);
	expect(clock.pending).toBe(0);
	expect(logged).toEqual([
		`session opened {"session":"${sessionLabel('made')}","use":"prepared"}`,
		`session deleted {"session":"${sessionLabel('made')}","was":"deleted"}`,
	]);
});

test('given back while it is made, it is deleted as soon as there is one', async () => {
	let answer: (made: Awaited<ReturnType<SessionAccount['create']>>) => void = () => {};
	const create: SessionAccount['create'] = () =>
		new Promise((done) => {
			answer = done;
		});
	const { session, clock, disk, asked } = hold({ create });
	await clock.run(0);
	void session.release();
	await clock.run(0);
	expect(asked).toEqual(['create']);
	answer(ok({ id: 'late', webrtcUrl: 'wss://room.example', publisher: 't', tokenExpiresAt: 7 }));
	await clock.run(0);
	expect([asked, disk.entries]).toEqual([['create', 'remove late'], []]);
	expect(await session.opened).toMatchObject({ ok: false, error: { problem: { kind: 'cancelled' } } });
});

test('one that cannot be used is deleted, and the reason told', async () => {
	const evil: Problem = { kind: 'address-refused', host: 'evil.example' };
	const { session, clock, disk, asked, ended } = hold({ checkMediaAddress: () => evil });
	await clock.run(0);
	expect(await session.opened).toMatchObject({ ok: false, error: { problem: evil } });
	expect([asked, disk.entries, ended()]).toEqual([['create', 'remove made'], [], 1]);
});

test('one that was not made ends by itself', async () => {
	const failed = { problem: refused, created: 'no', id: null } as const;
	const { session, clock, asked, ended } = hold({ create: async () => err(failed) });
	await clock.run(0);
	expect(await session.opened).toMatchObject({ ok: false, error: { problem: refused } });
	await session.release();
	expect([asked, ended(), clock.pending]).toEqual([['create'], 1, 0]);
});

test('a deletion that fails is in the ledger for others, tried again, and not waited for', async () => {
	let works = false;
	const remove: SessionAccount['remove'] = async () => (works ? ok('absent') : err(refused));
	const { session, clock, disk, asked, ended, logged } = hold({ remove });
	await clock.run(0);
	let released = false;
	void session.release().then(() => {
		released = true;
	});
	await clock.run(0);
	expect([released, ended(), disk.entries[0]?.state]).toEqual([true, 0, 'closing']);
	works = true;
	await clock.run(14_999);
	expect(asked.filter((it) => it === 'remove made')).toHaveLength(1);
	await clock.run(1);
	expect([ended(), disk.entries]).toEqual([1, []]);
	expect(logged.at(-1)).toBe(`session deleted {"session":"${sessionLabel('made')}","was":"absent"}`);
});

test('a deletion that hangs is waited for five seconds', async () => {
	const { session, clock } = hold({ remove: () => new Promise(() => {}) });
	await clock.run(0);
	let released = false;
	void session.release().then(() => {
		released = true;
	});
	await clock.run(4999);
	expect(released).toBe(false);
	await clock.run(1);
	expect(released).toBe(true);
});

test('a look or an extension under way ends when it is given back, and the deletion follows it', async () => {
	let aborted = false;
	const read: SessionAccount['read'] = (_id, signal) =>
		new Promise((done) =>
			signal?.addEventListener('abort', () => {
				aborted = true;
				done(err({ kind: 'cancelled' }));
			}),
		);
	const { session, clock, asked, ended } = hold({ read });
	await clock.run(0);
	void session.release();
	await clock.run(0);
	expect([aborted, asked.at(-1), ended()]).toEqual([true, 'remove made', 1]);
});

test.each([
	['not there', { kind: 'not-found', what: 'session' } as const, 1],
	['not to be had', refused, 0],
])(
	'one that is %s is looked for once more, and told as lost only when it is not there',
	async (_n, problem, told) => {
		const { session, clock, announced, logged } = hold({ read: async () => err(problem) }, 'granted');
		await clock.run(0);
		session.tell('joined');
		await clock.run(5 * MINUTE);
		expect(announced).toHaveLength(told);
		if (told > 0)
			expect(logged).toContain(`session lost {"session":"${sessionLabel('made')}","cause":"session-lost"}`);
	},
);

test('one that is granted is given up when nobody joins it in two minutes and a half; joined it is kept', async () => {
	const forgotten = hold({}, 'granted');
	await forgotten.clock.run(150_000 - 1);
	expect(forgotten.announced).toEqual([]);
	await forgotten.clock.run(1);
	expect(forgotten.announced).toEqual([{ kind: 'session-lost', cause: 'never-joined' }]);
	expect([forgotten.disk.entries, forgotten.ended(), forgotten.clock.pending]).toEqual([[], 1, 0]);
	const joined = hold({}, 'granted');
	await joined.clock.run(1000);
	joined.session.tell('joined');
	await joined.clock.run(150_000);
	expect([joined.announced, joined.ended()]).toEqual([[], 0]);
	const prepared = hold();
	await prepared.clock.run(200_000);
	expect(prepared.ended()).toBe(0);
});

test.each([
	[0, 120_000],
	[1, 360_000],
])('a retry is spread: with %s it comes after %i ms', async (random, delayMs) => {
	const failing = { read: async () => err(refused) };
	const { session, clock, asked } = hold(failing, 'granted', random);
	await clock.run(0);
	session.tell('joined');
	await clock.run(10_000);
	const before = asked.length;
	await clock.run(delayMs - 1);
	expect(asked).toHaveLength(before);
	await clock.run(1);
	expect(asked).toHaveLength(before + 1);
});

test('an expiry is written down when it is news: the first, and what differs by four minutes', async () => {
	let leftMs = 60 * MINUTE;
	const read = async (id: string): Promise<Result<ReturnType<typeof sessionAt>, Problem>> =>
		ok({ ...sessionAt(id, 1), expiresAt: SERVER_NOW + leftMs });
	const { session, clock, disk } = hold({ read });
	const look = async (nextMs: number) => {
		leftMs = nextMs;
		session.tell('woke');
		await clock.run(0);
		return (disk.entries[0]?.expiresAt ?? 0) - SERVER_NOW;
	};
	await clock.run(0);
	expect(await look(60 * MINUTE - 239_999)).toBe(60 * MINUTE);
	expect(await look(60 * MINUTE + 239_999)).toBe(60 * MINUTE);
	expect(await look(60 * MINUTE - 240_000)).toBe(60 * MINUTE - 240_000);
	expect(await look(60 * MINUTE)).toBe(60 * MINUTE);
});

test('one look at a time', async () => {
	const { session, clock, asked } = hold({ read: () => new Promise(() => {}) });
	await clock.run(0);
	session.tell('woke');
	session.tell('woke');
	await clock.run(10 * MINUTE);
	expect(asked).toEqual(['create', 'read made']);
});

test('one that is nearly over is extended, and looked at again', async () => {
	let leftMs = 2 * MINUTE;
	const { clock, asked } = hold({
		read: async (id) => ok({ ...sessionAt(id, 1), expiresAt: SERVER_NOW + leftMs }),
		extend: async () => {
			leftMs = 10 * MINUTE;
			return ok();
		},
	});
	await clock.run(0);
	expect(asked).toEqual(['create', 'read made', 'extend made', 'read made']);
});

describe('a joined session that cannot be kept', () => {
	const lasting = (leftMs: number) => {
		let now = 0;
		return {
			serverNow: () => SERVER_NOW + now,
			read: async (id: string) => ok({ ...sessionAt(id, 1), expiresAt: SERVER_NOW + leftMs }),
			pass(ms: number) {
				now += ms;
			},
		};
	};
	async function run(
		held: ReturnType<typeof hold>,
		service: ReturnType<typeof lasting>,
		ms: number,
	): Promise<void> {
		for (let left = ms; left > 0; left -= 1000) {
			service.pass(1000);
			await held.clock.run(1000);
		}
	}

	test.each([
		['its extension is refused for good', async () => err(refused), 10_000],
		['its extension has no effect', async () => ok(), 10_000],
	] as const)('is told again and again, and not given up: %s', async (_why, extend, firstMs) => {
		const service = lasting(95_000);
		const held = hold({ ...service, extend }, 'granted');
		await held.clock.run(0);
		held.session.tell('joined');
		await run(held, service, firstMs - 1000);
		expect(held.expiring).toEqual([]);
		await run(held, service, 1000);
		expect(held.expiring).toEqual([95_000 - firstMs]);
		await run(held, service, 120_000 - firstMs);
		expect(held.expiring.length).toBeGreaterThanOrEqual(5);
		expect(held.expiring.at(-1)).toBe(0);
		expect([held.announced, held.ended()]).toEqual([[], 0]);
		await held.session.release();
		expect(held.asked.at(-1)).toBe('remove made');
	});

	test('is said of none whose extension works, or that nobody can look at', async () => {
		let leftMs = 100_000;
		const service = lasting(0);
		const read = async (id: string) => ok({ ...sessionAt(id, 1), expiresAt: SERVER_NOW + leftMs });
		const extend = async () => {
			leftMs = 700_000;
			return ok();
		};
		const kept = hold({ ...service, read, extend }, 'granted');
		const unseen = hold({ read: async () => err(refused) }, 'granted');
		for (const one of [kept, unseen]) {
			await one.clock.run(0);
			one.session.tell('joined');
		}
		await run(kept, service, 300_000);
		await unseen.clock.run(900_000);
		expect([kept.expiring, unseen.expiring]).toEqual([[], []]);
		expect(kept.asked.filter((call) => call.startsWith('extend'))).toHaveLength(1);
	});
});
