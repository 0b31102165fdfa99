import { ConnectionError, ConnectionErrorReason, type Room } from 'livekit-client';
import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { limitResumes, retries } from './room-resume.ts';

const JOIN_LIMIT_MS = 15_000;

/** The parts of the library's engine (2.18.7) that are used; its connection comes when the test says so. */
function createEngine(refusal: Error | null = null) {
	const asked: { limitMs: number; stopped: boolean }[] = [];
	const disconnects: string[] = [];
	let refusals = 0;
	let connect = () => {};
	const engine = {
		fullReconnectOnNext: false,
		pcState: 0,
		pcManager: {
			ensurePCTransportConnection(stop: AbortController, limitMs: number) {
				const one = { limitMs, stopped: stop.signal.aborted };
				asked.push(one);
				return new Promise<void>((resolve, reject) => {
					connect = resolve;
					if (stop.signal.aborted) reject(new Error('stopped'));
					stop.signal.addEventListener('abort', () => {
						one.stopped = true;
						reject(new Error('stopped'));
					});
				});
			},
		},
		resumeConnection: () => (refusal ? Promise.reject(refusal) : engine.waitForPCReconnected()),
		restartConnection: async (): Promise<void> => {},
		waitForPCReconnected: (): Promise<void> => Promise.reject(new Error('the library’s own')),
		handleDisconnect: (why: string) => void disconnects.push(why),
	};
	const clock = createManualClock();
	const livekit = { ConnectionError, ConnectionErrorReason };
	const parts = {
		livekit,
		clock,
		log: silentLogger,
		joinLimitMs: JOIN_LIMIT_MS,
		refused: () => void refusals++,
	};
	limitResumes({ engine: engine as unknown as Room['engine'], ...parts });
	return { engine, clock, asked, disconnects, connect: () => connect(), refusals: () => refusals };
}

test('a resume waits for its packets, and ends when they flow', async () => {
	const { engine, clock, asked, connect } = createEngine();
	const resumed = engine.resumeConnection();
	await clock.run(1999);
	expect(asked).toEqual([]);
	await clock.run(1);
	expect(asked).toEqual([{ limitMs: 6000, stopped: false }]);
	connect();
	await expect(resumed).resolves.toBeUndefined();
	expect(engine.pcState).toBe(1);
	// The search for the old connection has been told to stop.
	expect(asked).toEqual([{ limitMs: 6000, stopped: true }]);
	expect(clock.pending).toBe(0);
});

test.each([0, 1000, 3000])(
	'told to join anew after %d ms, a resume waits no longer, and a join follows at once',
	async (afterMs) => {
		const { engine, clock, disconnects } = createEngine();
		const resumed = engine.resumeConnection().then(
			() => 'resumed',
			() => 'ended',
		);
		await clock.run(afterMs);
		engine.fullReconnectOnNext = true;
		engine.handleDisconnect('leave-reconnect');
		expect(await resumed).toBe('ended');
		expect(engine.pcState).toBe(2);
		expect(disconnects).toEqual([]);
		// The library does this after a failed attempt.
		engine.handleDisconnect('reconnect');
		engine.handleDisconnect('reconnect');
		expect(disconnects).toEqual(['leave-reconnect', 'reconnect']);
		expect(clock.pending).toBe(0);
	},
);

test.each([
	[ConnectionError.leaveRequest('gone', 0), ['signal', 'leave-reconnect']],
	[ConnectionError.internal('something else'), ['signal', 'reconnect']],
])('a resume that is answered with a leave is followed by a join at once: %s', async (refusal, then) => {
	const { engine, disconnects } = createEngine(refusal);
	await expect(engine.resumeConnection()).rejects.toBe(refusal);
	for (const why of ['signal', 'reconnect']) engine.handleDisconnect(why);
	expect(disconnects).toEqual(then);
});

test.each([
	['resumeConnection', 999, 1],
	['resumeConnection', 1000, 0],
	['restartConnection', 999, 1],
	['restartConnection', 1000, 0],
] as const)('%s that has failed after %d ms was refused: %d times', async (tried, afterMs, times) => {
	const { engine, clock, refusals } = createEngine(ConnectionError.internal('nobody there'));
	await engine[tried]().catch(() => {});
	await clock.run(afterMs);
	// A closed socket says nothing about a try.
	engine.handleDisconnect('signal');
	engine.handleDisconnect('reconnect');
	expect(refusals()).toBe(times);
});

test('a server that sends us away has not refused', async () => {
	const { engine, refusals } = createEngine(ConnectionError.leaveRequest('gone', 0));
	await engine.resumeConnection().catch(() => {});
	engine.handleDisconnect('reconnect');
	expect(refusals()).toBe(0);
});

test('new connections are waited for at once, as long as for a first join, and any other trouble is the library’s', async () => {
	const { engine, asked, disconnects, connect } = createEngine();
	const joined = engine.waitForPCReconnected();
	expect(asked).toEqual([{ limitMs: JOIN_LIMIT_MS, stopped: false }]);
	engine.handleDisconnect('signal');
	expect(disconnects).toEqual(['signal']);
	connect();
	await joined;
});

test('tries often enough to find a server within five seconds, not for ever, and never two clients at one time', () => {
	const delays = (retryCount: number) =>
		Array.from({ length: 50 }, () => retries.nextRetryDelayInMs({ retryCount, elapsedMs: 0 }) ?? -1);
	expect(delays(0)).toEqual(Array(50).fill(0));
	for (let retry = 2; retry < 17; retry += 1) {
		expect(Math.max(...delays(retry))).toBeLessThan(4000);
		expect(Math.min(...delays(retry))).toBeGreaterThanOrEqual([2, 3].includes(retry) ? 400 : 1000);
		expect(new Set(delays(retry)).size).toBeGreaterThan(1);
	}
	expect(retries.nextRetryDelayInMs({ retryCount: 17, elapsedMs: 0 })).toBeNull();
});
