import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSessionClient } from '#main/service/session-client.ts';
import { createSessionKeeper, type SessionKeeper } from '#main/sessions/session-keeper.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createRandom } from '#test/support/random.ts';
import {
	createLedgerDisk,
	createMemoryLedger,
	createPretendService,
	type LedgerDisk,
	MISHAPS,
	type Mishap,
	type PretendService,
	type PretendSession,
} from '#test/support/sessions.ts';

const ACTS = [
	...(['prepare', 'open', 'joined', 'close', 'suspend', 'resume', 'crash', 'quit', 'list'] as const),
	...(['foreign', 'outage'] as const),
];
type Act = (typeof ACTS)[number];
const LIKELY = ['open', 'close', 'resume'] as const;
const moment = fc.record({
	act: fc.constantFrom(...ACTS, ...LIKELY),
	thenMs: fc.oneof(
		fc.constant(0),
		fc.integer({ min: 0, max: 3000 }),
		fc.integer({ min: 1000, max: 1_200_000 }),
	),
	/** Between two awaits. */
	thenTicks: fc.integer({ min: 0, max: 60 }),
});
const world = fc.record({
	faulty: fc.double({ min: 0, max: 0.6, noNaN: true }),
	seed: fc.integer(),
	/** How far the service's clock is from ours. */
	skewMs: fc.constantFrom(0, 86_400_000, -86_400_000, 3_600_000),
	limit: fc.constantFrom(2, 10),
	lifeMs: fc.constantFrom(600_000, 30 * 86_400_000),
	tokenLifeMs: fc.constantFrom(undefined, 200_000, 21_600_000),
});
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

interface Program {
	readonly keeper: SessionKeeper;
	/** Sessions whose id it received and may not have written down yet. */
	readonly heard: PretendSession[];
	/** `kill -9`: no timer, no answer, no write from here on. */
	die(): void;
}

function startProgram(
	clock: Clock,
	service: PretendService,
	disk: LedgerDisk,
	random: () => number,
): Program {
	const name = `program-${random()}`;
	const heard: PretendSession[] = [];
	let alive = true;
	const own: Clock = {
		now: clock.now,
		wall: clock.wall,
		after: (delayMs, run) => clock.after(delayMs, () => alive && run()),
		every: (periodMs, run) => clock.every(periodMs, () => alive && run()),
	};
	const never = () => new Promise<never>(() => {});
	const fetch: typeof globalThis.fetch = async (input, init) => {
		if (!alive) return await never();
		try {
			const response = await service.fetch(input, init);
			const made = service.toldBy(response);
			if (alive && made) heard.push(made);
			return alive ? response : await never();
		} catch (thrown) {
			if (alive) throw thrown;
			return await never();
		}
	};
	const common = { clock: own, random, log: silentLogger };
	const api = createSessionClient({
		...common,
		fetch,
		baseUrl: () => 'https://api.example.com',
		key: () => 'the-key',
	});
	const keeper = createSessionKeeper({
		...common,
		api,
		ledger: createMemoryLedger(disk, name),
		preparedIdleMs: () => 120_000,
	});
	const die = () => {
		alive = false;
		disk.alive.delete(name);
	};
	return { keeper, heard, die };
}

/** One person, one computer, one service: what they do, and what must hold meanwhile. */
function startWorld({ faulty, seed, skewMs, limit, lifeMs, tokenLifeMs }: World) {
	const clock = createManualClock();
	const random = createRandom(seed);
	const disk = createLedgerDisk();
	const released = new Set<string>();
	let outageUntil = 0;
	let isHealthy = false;
	let granted: { handle: string; id: string } | null = null;
	let opening: symbol | null = null;
	/** The most sessions made by one call of `open`, including those whose answer was lost. */
	let mostMadeByOne = 0;

	function next(): Mishap {
		if (isHealthy) return 'none';
		if (clock.now() < outageUntil) return 'refused';
		return random() < faulty ? (MISHAPS[Math.floor(random() * MISHAPS.length)] ?? 'none') : 'none';
	}
	const service = createPretendService(clock, {
		next,
		latencyMs: () => 800 * random(),
		skewMs,
		limit,
		lifeMs,
		tokenLifeMs,
	});
	let program = startProgram(clock, service, disk, random);

	/** Includes what a dead program used. */
	function releaseAll(): void {
		for (const { id } of service.sessions.values()) released.add(id);
		granted = null;
		opening = null;
	}

	async function open(): Promise<void> {
		if (granted || opening) return;
		const mine = Symbol('opening');
		opening = mine;
		// Sessions requested earlier, and perhaps given up since, do not count as made by this call.
		const madeBefore = service.made() + service.creating();
		const opened = await program.keeper.open();
		if (opening !== mine) return;
		opening = null;
		mostMadeByOne = Math.max(mostMadeByOne, service.made() - madeBefore);
		if (opened.ok) granted = { handle: opened.value.handle, id: service.idOf(opened.value.publisher) };
	}

	const acts: Readonly<Record<Act, () => void>> = {
		prepare: () => program.keeper.prepare(),
		open: () => void open(),
		joined: () => granted && program.keeper.joined(granted.handle),
		close() {
			if (!granted) return;
			released.add(granted.id);
			void program.keeper.close(granted.handle);
			granted = null;
		},
		suspend: () => program.keeper.suspend(),
		resume: () => program.keeper.resume(),
		crash() {
			program.die();
			releaseAll();
			program = startProgram(clock, service, disk, random);
			void program.keeper.sweep();
		},
		quit() {
			releaseAll();
			void program.keeper.closeAll(3000);
		},
		list: () => void program.keeper.list(),
		foreign: () => service.addForeign(),
		outage() {
			outageUntil = clock.now() + 600_000 * random();
		},
	};

	async function pass(ms: number): Promise<void> {
		for (let left = ms; left > 0; left -= 1000) {
			await clock.run(Math.min(1000, left));
			for (const session of program.heard.splice(0)) session.delivered = true;
			const inUse = [...service.sessions.values()].filter(
				({ id, delivered, deleteTried }) => delivered && !deleteTried && !released.has(id),
			);
			// One leg: the session it uses, or the one made ahead for it.
			expect(inUse.length).toBeLessThanOrEqual(1);
			expect(mostMadeByOne).toBeLessThanOrEqual(1);
		}
	}

	async function ticks(count: number): Promise<void> {
		for (let tick = 0; tick < count; tick++) await Promise.resolve();
	}

	/** The computer is awake and the network up again; the program is quit or killed, and started once more. */
	async function finish(end: 'quit' | 'killed'): Promise<void> {
		isHealthy = true;
		acts.resume();
		await pass(70_000);
		if (end === 'quit') {
			acts.quit();
			// As long as the longest pause between two tries of a deletion.
			await pass(460_000);
			expect(leftOpen()).toEqual([]);
		}
		program.die();
		program = startProgram(clock, service, disk, random);
		const sweeping = program.keeper.sweep();
		await clock.run(10_000);
		expect(await sweeping).toMatchObject({ ok: true, value: { failed: 0 } });
	}

	/** Open sessions whose id a living program had. */
	function leftOpen(): readonly PretendSession[] {
		return [...service.sessions.values()].filter(({ delivered }) => delivered);
	}

	return { acts, pass, ticks, finish, leftOpen, service, clock };
}

/** A computer whose clock is a day ahead starts again while nothing answers: its own time says that all have expired. */
const clockAhead: World = {
	faulty: 0,
	seed: 0,
	skewMs: -86_400_000,
	limit: 2,
	lifeMs: 600_000,
	tokenLifeMs: undefined,
};
const crashedInOutage = (['prepare', 'outage', 'crash'] as const).map((act) => {
	return { act, thenMs: 1200, thenTicks: 0 };
});

test('a day of use on a bad network leaves nothing open and touches nothing foreign', {
	timeout: 120_000,
}, async () => {
	const days = fc.asyncProperty(
		world,
		fc.array(moment, { minLength: 10, maxLength: 80 }),
		async (given, moments) => {
			const { acts, pass, ticks, finish, leftOpen, service, clock } = startWorld(given);
			for (const { act, thenMs, thenTicks } of moments) {
				acts[act]();
				await ticks(thenTicks);
				await pass(thenMs);
			}
			await finish(given.seed % 2 === 0 ? 'quit' : 'killed');
			expect(leftOpen()).toEqual([]);
			expect(service.trespasses()).toBe(0);
			expect(service.requests()).toBeLessThanOrEqual(clock.now() / 1000 + 60);
		},
	);
	await fc.assert(days, { numRuns: 25, examples: [[clockAhead, crashedInOutage]] });
});
