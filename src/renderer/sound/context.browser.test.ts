import { afterEach, describe, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createAudioEngine } from './context.ts';

/** A context whose state the test controls. */
class FakeContext extends EventTarget {
	state: AudioContextState = 'running';
	resumes = 0;
	/** The action of `resume`; by default none, as if the browser refuses. */
	revive = () => {};
	readonly sinks: string[] = [];
	async resume() {
		this.resumes += 1;
		this.revive();
	}
	async close() {
		this.state = 'closed';
	}
	async setSinkId(id: string) {
		if (id === 'gone') throw new DOMException('', 'NotFoundError');
		this.sinks.push(id);
	}
	become(state: AudioContextState) {
		this.state = state;
		this.dispatchEvent(new Event('statechange'));
	}
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
});

function setUp() {
	const clock = createManualClock();
	const made: FakeContext[] = [];
	const latencies: string[] = [];
	const gestures = new EventTarget();
	const engine = createAudioEngine({
		clock,
		log: silentLogger,
		gestures,
		createContext: (latency) => {
			const context = new FakeContext();
			made.push(context);
			latencies.push(latency);
			return context as unknown as AudioContext;
		},
	});
	ends.push(() => engine.close());
	const built: unknown[] = [];
	const graph = (context: AudioContext) => {
		built.push(context);
		return () => void built.splice(built.indexOf(context), 1);
	};
	return { clock, made, latencies, gestures, engine, built, graph };
}

const contextAt = (made: readonly FakeContext[], index: number): FakeContext => {
	const context = made.at(index);
	if (!context) throw new Error('no context was made');
	return context;
};

describe('the audio context', () => {
	test('is there while somebody uses it, and only then', () => {
		const { engine, made, built, graph, clock } = setUp();
		expect(made).toHaveLength(0);
		const leaveFirst = engine.use(graph);
		const leaveSecond = engine.use(graph);
		expect([made.length, built.length]).toEqual([1, 2]);
		leaveFirst();
		expect(contextAt(made, 0).state).toBe('running');
		leaveSecond();
		leaveSecond();
		expect([contextAt(made, 0).state, built.length, clock.pending]).toEqual(['closed', 0, 0]);
		engine.use(graph);
		expect(made).toHaveLength(2);
	});

	test('takes its time while it only measures, and is made anew, once, for the first who is heard', async () => {
		const { engine, made, latencies, built, graph } = setUp();
		const leaveMeter = engine.use(graph, 'playback');
		engine.use(graph, 'playback');
		expect(latencies).toEqual(['playback']);
		const leaveVoice = engine.use(graph);
		expect([latencies, built]).toEqual([
			['playback', 'interactive'],
			[made[1], made[1], made[1]],
		]);
		await expect.poll(() => contextAt(made, 0).state).toBe('closed');
		engine.use(graph, 'playback');
		engine.use(graph);
		expect([made.length, built.length]).toEqual([2, 5]);
		leaveVoice();
		leaveMeter();
		contextAt(made, 1).become('closed');
		expect([latencies.at(-1), built]).toEqual(['interactive', [made[2], made[2], made[2]]]);
	});

	test('is made anew at once when the browser closed it, and not when we did', async () => {
		const { engine, made, built, graph, clock } = setUp();
		const leave = engine.use(graph);
		contextAt(made, 0).become('closed');
		expect([made.length, built]).toEqual([2, [made[1]]]);
		leave();
		contextAt(made, 1).become('closed');
		await clock.run(10_000);
		expect([made.length, clock.pending]).toEqual([2, 0]);
	});

	test('is closed only when what was built on it has been taken apart, or after 2 s', async () => {
		const { engine, made, clock } = setUp();
		const apart = Promise.withResolvers<void>();
		const leave = engine.use(() => () => apart.promise);
		leave();
		engine.use(() => () => new Promise(() => {}))();
		await clock.run(1900);
		expect(made.map(({ state }) => state)).toEqual(['running', 'running']);
		apart.resolve();
		await clock.run(0);
		expect(made.map(({ state }) => state)).toEqual(['closed', 'running']);
		await clock.run(200);
		expect([made.map(({ state }) => state), clock.pending]).toEqual([['closed', 'closed'], 0]);
	});

	test('is asked to go on after 250 ms of standing still', async () => {
		const { engine, made, graph, clock } = setUp();
		engine.use(graph);
		const context = contextAt(made, 0);
		context.revive = () => context.become('running');
		context.become('suspended');
		await clock.run(249);
		expect(context.resumes).toBe(0);
		await clock.run(1);
		expect([context.resumes, context.state]).toEqual([1, 'running']);
		await clock.run(10_000);
		expect(made).toHaveLength(1);
	});

	test('is made anew after 1.5 s, with every graph and the same output', async () => {
		const { engine, made, built, graph, clock } = setUp();
		engine.use(graph);
		engine.use(graph);
		await engine.setSink('headset');
		contextAt(made, 0).become('suspended');
		await clock.run(1500);
		expect(made).toHaveLength(2);
		expect(contextAt(made, 0).state).toBe('closed');
		expect(built).toEqual([made[1], made[1]]);
		expect(contextAt(made, 1).sinks).toEqual(['headset']);
	});

	test('is made anew at most three times a minute, then again in the next', async () => {
		const { engine, made, graph, clock } = setUp();
		engine.use(graph);
		for (let round = 0; round < 10; round += 1) {
			contextAt(made, -1).become('suspended');
			await clock.run(2000);
		}
		expect(made).toHaveLength(4);
		// By itself: nothing says that there is a sound system again.
		await clock.run(45_000);
		expect(made).toHaveLength(5);
		contextAt(made, -1).become('suspended');
		await clock.run(2000);
		expect(made).toHaveLength(6);
	});

	test('one that waits for the next minute is not made anew once it runs, or nobody uses it', async () => {
		for (const state of ['closed', 'suspended'] as const) {
			const { engine, made, graph, clock } = setUp();
			const leave = engine.use(graph);
			for (let round = 0; round < 4; round += 1) {
				contextAt(made, -1).become(state);
				await clock.run(2000);
			}
			expect([made.length, clock.pending]).toEqual([4, 1]);
			if (state === 'closed') leave();
			else contextAt(made, -1).become('running');
			expect(clock.pending).toBe(0);
			await clock.run(60_000);
			expect(made).toHaveLength(4);
		}
	});

	test('goes on at the next gesture when the browser wants one', async () => {
		const { engine, made, graph, gestures, clock } = setUp();
		engine.use(graph);
		const context = contextAt(made, 0);
		context.become('suspended');
		context.revive = () => context.become('running');
		gestures.dispatchEvent(new Event('pointerdown'));
		expect(context.resumes).toBe(1);
		gestures.dispatchEvent(new Event('keydown'));
		expect(context.resumes).toBe(1);
		expect(clock.pending).toBe(0);
	});

	test('an output that refuses is refused, and not taken to the next context', async () => {
		const { engine, made, graph, clock } = setUp();
		engine.use(graph);
		expect(await engine.setSink('gone')).toBe(false);
		contextAt(made, 0).become('suspended');
		await clock.run(1500);
		expect(contextAt(made, 1).sinks).toEqual([]);
	});

	test('closing takes everything apart and it can be used again', async () => {
		const { engine, made, built, graph, clock } = setUp();
		const leave = engine.use(graph);
		await engine.close();
		expect([contextAt(made, 0).state, built.length, clock.pending]).toEqual(['closed', 0, 0]);
		leave();
		engine.use(graph);
		expect(built).toEqual([made[1]]);
	});
});
