import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '#shared/problem.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { planFor } from '#test/support/machine-parts.ts';
import type { Effect, Event, Plan } from './machine/events.ts';
import { initialState, standbyId, successorId } from './machine/state.ts';
import { dueMs, step } from './machine/succession.ts';
import { runOf } from './machine.ts';

/** Pinned to a room, a room with a socket to fall back to, pinned to a socket. */
const travels: readonly Pick<Plan, 'route' | 'mayFallBack'>[] = [
	{ route: 'webrtc', mayFallBack: true },
	{ route: 'webrtc', mayFallBack: false },
	{ route: 'websocket', mayFallBack: false },
];

/** Three plans; which of them the service refuses does not matter, because refusals are messages. */
const simple = ['es', 'fr', 'de'].map((language, index) => planFor(language, travels[index]));
/** And two that the service may accept only in part. */
const plans: readonly Plan[] = [...simple, ...simple.slice(0, 2).map((plan) => ({ ...plan, without: plan }))];

const problems: readonly Problem[] = [
	{ kind: 'session-lost', cause: 'x' },
	{ kind: 'room-refused', reason: 'x' },
	{ kind: 'room-unreachable', reason: 'x' },
	{ kind: 'connection-lost', reason: 'x' },
	{ kind: 'service-unreachable', cause: 'x' },
	{ kind: 'opened-elsewhere' },
	{ kind: 'session-limit', detail: '' },
	{ kind: 'rate-limited', retryAfterMs: 5000 },
	{ kind: 'api-key-rejected', status: 401 },
];

const error = (code: string): ServerMessage => ({ type: 'error', code, text: 'x', field: '' });
const status = (command: string, task: 'running' | 'paused'): ServerMessage => ({
	type: 'task-status',
	command,
	event: 'x',
	status: task,
	transcriptionId: null,
});
const messages: readonly ServerMessage[] = [
	status('set_task', 'running'),
	status('set_task', 'running'),
	status('pause_task', 'paused'),
	{ type: 'current-task', status: 'running', targets: [] },
	{ type: 'current-task', status: 'running', targets: ['es'] },
	{ type: 'current-task', status: 'paused', targets: [] },
	{ type: 'queue-level', levels: new Map() },
	{ type: 'queue-level', levels: new Map([['es', { currentMs: 500, maxMs: null }]]) },
	{ type: 'end-of-stream' },
	{ type: 'warning', code: 'VOICE_NOT_FOUND', text: '' },
	error('NOT_FOUND'),
	error('NOT_FOUND'),
	error('VALIDATION_ERROR'),
	error('RATE_LIMIT_EXCEEDED'),
	error('SERVICE_TIMEOUT'),
	error('UNKNOWN_ERROR'),
];

/** Sleep, network and service around the machine; remembers what is open and complains at once. */
function createWorld() {
	let state = initialState;
	let nowMs = 0;
	let handles = 0;
	let packets = 0;
	let received = 0;
	let answers = 0;
	let microphone: 'off' | 'asked' | 'on' = 'off';
	const asked: number[] = [];
	const microphones: number[] = [];
	/** Handle of each session request that was answered. */
	const handleOf = new Map<number, string>();
	const open = new Set<string>();
	const closed = new Set<string>();
	const links = new Map<number, 'joining' | 'joined'>();
	/** The socket beside the room, which must not be used yet. */
	let standby: number | null = null;
	/** A session or link beside the one in use is to take over from it. */
	let isSucceeded = false;
	let former: number | null = null;
	let watches = false;
	const sent = new Map<string, number>();
	const said: { readonly link: number; readonly atMs: number }[] = [];
	const routes = new Map<number, string>();
	const fed = new Map<number, string>();
	const numbers = new Set<number>();

	function isNew(id: number): void {
		expect(numbers.has(id), 'a number of its own').toBe(false);
		numbers.add(id);
	}

	function checkLimits(link: number, name: string): void {
		const kind = name.endsWith('et_task')
			? 'task'
			: name === 'interrupt_task' || name === 'flush_task' || name === 'tts_task'
				? null
				: 'control';
		const key = `${link}${kind}`;
		const spacing = kind === 'task' ? 2000 : 3000;
		if (kind)
			expect(nowMs - (sent.get(key) ?? -Infinity), `${name} within its limit`).toBeGreaterThan(spacing);
		sent.set(key, nowMs);
		if (name === 'tts_task') said.push({ link, atMs: nowMs });
		const lately = said.filter((one) => one.link === link && one.atMs > nowMs - 60_000);
		expect(lately.length, 'typed texts within their limit').toBeLessThanOrEqual(60);
	}

	function openLink(effect: Effect & { do: 'open-link' }): void {
		if (effect.id === standbyId(state)) {
			const others = links.size - (former === null ? 0 : 1);
			expect([others, standby, effect.route], 'one socket beside a room').toEqual([1, null, 'websocket']);
			standby = effect.id;
		} else if (effect.id === successorId(state)) {
			expect(links.size, 'one beside the one in use').toBeLessThanOrEqual(1);
			expect(effect.audio, 'it hears nothing').toBe('silence');
		} else expect(links.size - (former === null ? 0 : 1), 'one room at a time').toBe(0);
		if (standby === effect.id) expect(open.size).toBeLessThanOrEqual(former === null ? 1 : 2);
		else if (effect.route === 'webrtc')
			expect(open.has(handleOf.get(effect.id) ?? ''), 'joins with an open session').toBe(true);
		else expect(handleOf.has(effect.id), 'a socket without a session').toBe(false);
		if (effect.route === 'websocket') isNew(effect.id);
		routes.set(effect.id, effect.route);
		fed.set(effect.id, effect.audio);
		links.set(effect.id, 'joining');
	}

	function perform(effect: Effect): void {
		switch (effect.do) {
			case 'open-microphone':
				expect(microphone).not.toBe('on');
				microphone = 'asked';
				isNew(effect.id);
				microphones.push(effect.id);
				break;
			case 'close-microphone':
				microphone = 'off';
				break;
			case 'open-session':
				isNew(effect.id);
				asked.push(effect.id);
				break;
			case 'close-session':
				expect(open.has(effect.handle), 'closes what is open, once').toBe(true);
				open.delete(effect.handle);
				closed.add(effect.handle);
				break;
			case 'open-link':
				openLink(effect);
				break;
			case 'close-link':
				expect(effect.id, 'the standby is closed as such').not.toBe(standby);
				expect(links.delete(effect.id), 'leaves a room it is in').toBe(true);
				break;
			case 'feed-link':
				expect(links.has(effect.id)).toBe(true);
				if (effect.audio === 'microphone') expect(microphone).toBe('on');
				fed.set(effect.id, effect.audio);
				break;
			case 'send': {
				expect(links.get(effect.id), 'commands go to a joined room').toBe('joined');
				expect(effect.id, 'no command to the standby').not.toBe(standby);
				const name = effect.command.message_type;
				if (effect.id === former) expect(name, 'nothing new is asked of the one before').toBe('end_task');
				if (effect.command.message_type === 'set_task') {
					const wanted = routes.get(effect.id) === 'websocket' ? 'ws' : 'webrtc';
					expect(effect.command.data.input_stream.source.type, 'a task fit for its link').toBe(wanted);
				}
				checkLimits(effect.id, name);
				break;
			}
			default:
				performBeside(effect);
		}
	}

	/** Performs an effect on a link beside the one in use. */
	function performBeside(effect: Effect): void {
		switch (effect.do) {
			case 'close-standby':
				expect(links.delete(effect.id), 'closes what it opened').toBe(true);
				if (standby === effect.id) standby = null;
				break;
			case 'take-over':
				expect(
					[...links.keys()].filter((id) => id !== former),
					'alone',
				).toEqual([effect.id]);
				if (standby === effect.id) standby = null;
				break;
			case 'hand-over':
				expect([...links.keys()], 'from the one to the other').toEqual([effect.from, effect.to]);
				expect([fed.get(effect.from), fed.get(effect.to)], 'one hears the speaker').toEqual([
					'silence',
					'microphone',
				]);
				former = effect.from;
				break;
			case 'leave-link':
				expect([effect.id, links.delete(effect.id)], 'leaves the one before it, once').toEqual([
					former,
					true,
				]);
				former = null;
				break;
			case 'watch-pauses':
				expect(effect.on).toBe(!watches);
				watches = effect.on;
				break;
			default:
				break;
		}
	}

	function tell(event: Event): void {
		const next = step(state, event, { nowMs, random: 0.5 });
		state = next.state;
		for (const effect of next.effects) perform(effect);
		check();
	}

	function check(): void {
		const { stage, successor } = state;
		isSucceeded = successor.is === 'coming' || successor.is === 'ready' || successor.is === 'leaving';
		expect(open.size, 'never two open sessions but to hand over').toBeLessThanOrEqual(isSucceeded ? 2 : 1);
		expect(links.size, 'nor links').toBeLessThanOrEqual(
			1 + (isSucceeded ? 1 : 0) + (standby === null ? 0 : 1),
		);
		expect(
			[...fed].filter(([id, audio]) => links.has(id) && id !== standby && audio === 'microphone').length,
			'one link hears the speaker',
		).toBeLessThanOrEqual(1);
		expect(former, 'the one before it is known').toBe(successor.is === 'leaving' ? successor.link.id : null);
		expect(standby, 'known to both').toBe(standbyId(state));
		if (standby !== null) {
			const run = runOf(stage);
			expect(
				[run?.route, run?.paused, run?.microphone.is, run?.plan.mayFallBack],
				'a standby for a room',
			).toEqual(['webrtc', false, 'on', true]);
		}
		const run = runOf(stage);
		const mayListen = run !== null && !run.paused && ['opening', 'live', 'reconnecting'].includes(stage.name);
		if (!mayListen) expect(microphone, `microphone in ${stage.name}`).toBe('off');
		if (stage.name === 'live' && run?.paused)
			expect(
				stage.work.is === 'paused' ? ['nothing'] : ['silence', 'nothing'],
				'sent while paused',
			).toContain(fed.get(stage.link.id));
		if (['idle', 'failed', 'resting'].includes(stage.name)) {
			expect([open.size, links.size, dueMs(state), successor.is, watches]).toEqual([
				0,
				0,
				null,
				'none',
				false,
			]);
		} else {
			expect(dueMs(state), 'a limit runs').toBeLessThan(Infinity);
		}
	}

	/** Time passes, with every tick that falls due. */
	function advance(ms: number): void {
		const until = nowMs + ms;
		let atOnce = 0;
		for (;;) {
			const due = dueMs(state);
			if (due === null || due > until) break;
			atOnce = due > nowMs ? 0 : atOnce + 1;
			expect(atOnce, 'a tick moves something').toBeLessThan(20);
			nowMs = Math.max(nowMs, due);
			tell({ type: 'tick' });
		}
		nowMs = until;
	}

	return {
		get stage() {
			return state.stage;
		},
		get nowMs() {
			return nowMs;
		},
		nothingOpen: () => open.size === 0 && links.size === 0 && microphone === 'off',
		get counts() {
			return { opened: handles, closed: closed.size };
		},
		tell,
		advance,
		say() {
			const isPaused = runOf(state.stage)?.paused === true;
			const before = said.length;
			const data = { text: 'Hello', language: 'en', translate_text: true };
			tell({ type: 'say', command: { message_type: 'tts_task', data } });
			if (isPaused) expect(said.length, 'nothing is said while paused').toBe(before);
		},
		answerMicrophone(problem: Problem | null) {
			const id = microphones.shift();
			if (id === undefined) return;
			if (problem) {
				if (microphone === 'asked' && microphones.length === 0) microphone = 'off';
				tell({ type: 'microphone-failed', id, problem });
			} else {
				// The real one answers `cancelled` when it was closed meanwhile; a late track is the harder case.
				microphone = 'on';
				tell({ type: 'microphone-opened', id });
			}
		},
		loseMicrophone() {
			if (microphone !== 'on') return;
			microphone = 'off';
			tell({ type: 'microphone-lost', problem: { kind: 'microphone-missing' } });
		},
		answerSession(problem: Problem | null, which = 0) {
			const [id] = asked.splice(which % Math.max(1, asked.length), 1);
			if (id === undefined) return;
			if (problem) return tell({ type: 'session-failed', id, problem });
			handles += 1;
			const handle = `handle-${handles}`;
			handleOf.set(id, handle);
			open.add(handle);
			// A late session is open for the moment it takes to close it.
			const next = step(state, { type: 'session-opened', id, handle }, { nowMs, random: 0.5 });
			state = next.state;
			for (const effect of next.effects) perform(effect);
			check();
		},
		answerLink(problem: Problem | null, which = 0) {
			const id = [...links.keys()][which];
			if (id === undefined || links.get(id) !== 'joining') return;
			if (problem) return tell({ type: 'link-failed', id, problem });
			links.set(id, 'joined');
			tell({ type: 'link-opened', id });
		},
		link(event: 'up' | 'restoring' | 'refused' | 'leaving' | Problem, which = 0) {
			const id = [...links.keys()][which];
			if (id === undefined || links.get(id) !== 'joined') return;
			if (event === 'leaving') return tell({ type: 'link-leaving', id });
			if (event === 'refused') return tell({ type: 'link-refused', id });
			if (event === 'up') tell({ type: 'link-up', id });
			else if (event === 'restoring') tell({ type: 'link-restoring', id, cause: 'x' });
			else tell({ type: 'link-down', id, problem: event });
		},
		/** The outcome of the socket beside the room: opened, or failed. */
		answerStandby(problem: Problem | null) {
			const id = standby;
			if (id === null) return;
			const isOpen = links.get(id) === 'joined';
			if (problem) return tell({ type: isOpen ? 'link-down' : 'link-failed', id, problem });
			if (isOpen) return tell({ type: 'message', id, message: error('RATE_LIMIT_EXCEEDED') });
			links.set(id, 'joined');
			tell({ type: 'link-opened', id });
		},
		hear(message: ServerMessage, which = 0) {
			const id = [...links.keys()][which];
			if (id !== undefined && links.get(id) === 'joined') tell({ type: 'message', id, message });
		},
		/** `silent`: nothing comes from the interpreter; `cut`: nothing at all. A socket's path has no checks of its own. */
		packets(way: 'whole' | 'silent' | 'cut', isSocket = false, which = 0) {
			const id = [...links.keys()][which];
			packets += 50;
			if (way === 'whole') received += 50;
			if (way !== 'cut') answers += 1;
			if (id !== undefined && links.get(id) === 'joined')
				tell({
					type: 'packets',
					id,
					sent: packets,
					received,
					answers: isSocket ? undefined : answers,
					// Every other seven seconds the line is too bad for partial texts.
					onlyFinals: packets % 700 < 350,
				});
		},
		loseSession(problem: Problem, which = 0) {
			const handle = [...open][which];
			if (handle !== undefined) tell({ type: 'session-lost', handle, problem });
		},
		expire(leftMs: number, which: number) {
			const handle = [...open][which];
			if (handle !== undefined) tell({ type: 'session-expiring', handle, leftMs });
		},
	};
}
type World = ReturnType<typeof createWorld>;

const problem = fc.constantFrom(...problems);
const perhaps = fc.option(problem, { freq: 3 });

/** Every move a user, the system, the network or the service can make. */
const move: fc.Arbitrary<(world: World) => void> = fc.oneof(
	fc.constantFrom(...plans).map((plan) => (world: World) => world.tell({ type: 'start', plan })),
	fc.constantFrom(...plans).map((plan) => (world: World) => world.tell({ type: 'start', plan, again: true })),
	fc.constantFrom(...plans).map((plan) => (world: World) => world.tell({ type: 'change', plan })),
	fc
		.constantFrom<Event['type']>(
			'stop',
			'pause',
			'resume',
			'catch-up',
			'reconnect',
			'go-back',
			'network-back',
			'suspend',
			'stop-now',
		)
		.map((type) => (world: World) => world.tell({ type } as Event)),
	fc.constant((world: World) => world.say()),
	fc.boolean().map((muted) => (world: World) => world.tell({ type: 'set-muted', muted })),
	fc.boolean().map((active) => (world: World) => world.tell({ type: 'voice-active', active })),
	fc
		.constantFrom(1000, 45_000, 900_000)
		.map((sleptMs) => (world: World) => world.tell({ type: 'woke', sleptMs })),
	perhaps.map((failure) => (world: World) => world.answerMicrophone(failure)),
	fc.constant((world: World) => world.loseMicrophone()),
	fc.tuple(perhaps, fc.nat(3)).map(
		([failure, which]) =>
			(world: World) =>
				world.answerSession(failure, which),
	),
	perhaps.map((failure) => (world: World) => world.answerLink(failure)),
	fc
		.oneof(
			problem,
			fc.constantFrom('up' as const, 'restoring' as const, 'refused' as const, 'leaving' as const),
		)
		.map((event) => (world: World) => world.link(event)),
	{ weight: 2, arbitrary: perhaps.map((failure) => (world: World) => world.answerStandby(failure)) },
	// A server that is gone: everything at once, so that a standby is often met by the moves that follow.
	fc.nat(4).map((refusals) => (world: World) => {
		world.link('restoring');
		for (let times = 0; times < refusals; times += 1) world.link('refused');
		world.answerStandby(null);
	}),
	fc.tuple(problem, fc.nat(1)).map(
		([failure, which]) =>
			(world: World) =>
				world.loseSession(failure, which),
	),
	fc.tuple(fc.constantFrom(0, 50_000, 90_000), fc.nat(1)).map(
		([leftMs, which]) =>
			(world: World) =>
				world.expire(leftMs, which),
	),
	{
		weight: 2,
		arbitrary: fc.constantFrom(40, 150, 700).map((ms) => (world: World) => world.tell({ type: 'quiet', ms })),
	},
	// A successor, as far as it gets before the next move.
	{
		weight: 3,
		arbitrary: fc.tuple(fc.nat(7), fc.boolean()).map(([far, leaves]) => (world: World) => {
			if (leaves) world.link('leaving');
			else world.expire(10_000, 0);
			const moves = [
				() => world.answerSession(null),
				() => world.answerLink(null, 1),
				() => world.hear(status('set_task', 'running'), 1),
				() => world.packets('whole', false, 1),
				() => world.tell({ type: 'quiet', ms: 700 }),
				() => world.hear({ type: 'end-of-stream' }),
				() => world.advance(400),
			];
			for (const one of moves.slice(0, far)) one();
		}),
	},
	// The outcome of the second link: the successor, or the standby.
	fc
		.oneof(problem, fc.constantFrom('restoring' as const, 'leaving' as const))
		.map((event) => (world: World) => world.link(event, 1)),
	perhaps.map((failure) => (world: World) => world.answerLink(failure, 1)),
	fc.constantFrom(...messages).map((message) => (world: World) => world.hear(message, 1)),
	fc.constant((world: World) => {
		world.link('restoring');
		world.link('up');
	}),
	{
		weight: 4,
		arbitrary: fc.constantFrom(...messages).map((message) => (world: World) => world.hear(message)),
	},
	{
		weight: 3,
		arbitrary: fc
			.tuple(
				fc.constantFrom('whole' as const, 'whole' as const, 'silent' as const, 'cut' as const),
				fc.boolean(),
			)
			.map(
				([way, isSocket]) =>
					(world: World) =>
						world.packets(way, isSocket),
			),
	},
	// A line that is cut for some seconds, looked at once a second.
	fc.integer({ min: 3, max: 15 }).map((seconds) => (world: World) => {
		for (let second = 0; second < seconds; second += 1) {
			world.advance(1000);
			world.packets('cut');
		}
	}),
	{
		weight: 4,
		arbitrary: fc.integer({ min: 1, max: 12_000 }).map((ms) => (world: World) => world.advance(ms)),
	},
	// The happy path in one move, so that long sequences spend their time in live.
	{ weight: 3, arbitrary: fc.constant(goLive) },
);

function goLive(world: World): void {
	const [plan] = plans;
	if (plan) world.tell({ type: 'start', plan });
	world.answerMicrophone(null);
	world.answerSession(null);
	world.answerLink(null);
	world.hear(status('set_task', 'running'));
	world.packets('whole');
}

const moves = fc.array(move, { minLength: 1, maxLength: 60 });
const runs = { numRuns: 1500 };

describe('the conversation machine, beside a pretend world', () => {
	it('never has two sessions or rooms, closes each once, keeps the microphone off, keeps the limits', () => {
		fc.assert(
			fc.property(moves, (list) => {
				const world = createWorld();
				for (const next of list) next(world);
			}),
			runs,
		);
	});

	it('is idle with nothing open half a minute after Stop, whatever happened and although nobody answers', () => {
		fc.assert(
			fc.property(moves, (list) => {
				const world = createWorld();
				for (const next of list) next(world);
				world.tell({ type: 'stop' });
				world.advance(30_001);
				expect(world.stage.name).toBe('idle');
				// Pending requests are answered now.
				for (let late = 0; late < list.length; late += 1) {
					world.answerMicrophone(null);
					world.answerSession(null);
				}
				expect(world.nothingOpen()).toBe(true);
				expect(world.counts.closed).toBe(world.counts.opened);
			}),
			runs,
		);
	});

	it('closes everything at once on Stop now, at any moment', () => {
		fc.assert(
			fc.property(moves, (list) => {
				const world = createWorld();
				for (const next of list) next(world);
				world.tell({ type: 'stop-now' });
				expect([world.stage.name, world.nothingOpen()]).toEqual(['idle', true]);
			}),
			runs,
		);
	});

	it('rests within twenty minutes when the world falls silent, so no state lasts for ever', () => {
		fc.assert(
			fc.property(moves, (list) => {
				const world = createWorld();
				for (const next of list) next(world);
				world.advance(20 * 60_000);
				expect(['idle', 'failed', 'resting']).toContain(world.stage.name);
				expect(world.nothingOpen()).toBe(true);
			}),
			{ numRuns: 400 },
		);
	});

	it('reaches live by the happy path from wherever it rests', () => {
		fc.assert(
			fc.property(moves, (list) => {
				const world = createWorld();
				for (const next of list) next(world);
				world.tell({ type: 'stop-now' });
				for (let late = 0; late < list.length; late += 1) {
					world.answerMicrophone(null);
					world.answerSession(null);
				}
				goLive(world);
				expect(world.stage.name).toBe('live');
			}),
			{ numRuns: 400 },
		);
	});
});
