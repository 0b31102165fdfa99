import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { VoiceMemory } from '#renderer/replay/voice-memory.ts';
import { noStandby, type State } from '#shared/conversation/machine/state.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { Problem } from '#shared/problem.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { VoiceSlice } from '#shared/sound/voice-ring.ts';
import { createRig, nothingOpen } from '#test/support/conversation-rig.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	createScriptedTransport,
	type ScriptedTransport,
	type TransportScript,
} from '#test/support/scripted-transport.ts';
import { createLateSpeech, KEPT_MS } from './late-speech.ts';

const RATE_HZ = 1000;
const full: Problem = { kind: 'session-limit', detail: '' };

/** A microphone into which somebody speaks all the time, and a memory of its last part. */
function createMemory(clock: Clock) {
	let sinceMs: number | null = null;
	const given: Int16Array[] = [];
	const memory: VoiceMemory = {
		follow(track) {
			sinceMs = track ? clock.now() : null;
		},
		async read(fromMs, toMs) {
			const from = Math.max(fromMs, sinceMs ?? Infinity, clock.now() - KEPT_MS - 1000);
			const length = Math.max(0, Math.round(((toMs - from) * RATE_HZ) / 1000));
			const samples = new Int16Array(length).fill(8000);
			given.push(samples);
			return { samples, rateHz: RATE_HZ };
		},
		erase() {
			if (sinceMs !== null) sinceMs = clock.now();
		},
	};
	return { memory, given, isKeeping: () => sinceMs !== null };
}

const track = { kind: 'audio', id: 'microphone' } as MediaStreamTrack;

/** States, with only the fields that are read. */
const run = {
	paused: false,
	route: 'webrtc',
	plan: { socketTask: { pipeline: { translations: [] } }, choices: { voiceOf: 'es', hear: ['es'] } },
};
const stateOf = (stage: object) =>
	({ muted: false, serial: 0, standby: noStandby, stage }) as unknown as State;
const live = (heardMs: number) =>
	stateOf({ name: 'live', run, watch: { queueLevels: 5, heardMs, answeredMs: heardMs } });
const away = stateOf({ name: 'reconnecting', run });

/** Without a conversation around it, so that every ms is known. */
function createAlone() {
	const clock = createManualClock();
	const played: { readonly atMs: number; readonly ms: number }[] = [];
	const lose: (readonly [ms: number, atMs: number])[] = [];
	const late = createLateSpeech({
		clock,
		log: silentLogger,
		memory: createMemory(clock).memory,
		refused() {},
		captions: { lose: (ms, atMs) => void lose.push([ms, atMs]), receiveLate() {} },
		elapsedMs: () => clock.now(),
		createSocket: () => createScriptedTransport(clock, { kind: 'websocket' }),
		openSound: () => createSound(clock, played),
		voice: { speak() {}, settled: async () => {}, close() {} },
	});
	return { late, clock, played, lose };
}

function createSound(clock: Clock, played: { readonly atMs: number; readonly ms: number }[]) {
	let stop = () => {};
	return {
		track: { kind: 'audio', id: 'kept' } as MediaStreamTrack,
		play: ({ samples, rateHz }: VoiceSlice) =>
			new Promise<boolean>((done) => {
				const ms = (samples.length / rateHz) * 1000;
				played.push({ atMs: clock.now(), ms });
				const cancel = clock.after(ms, () => done(true));
				stop = () => {
					cancel();
					done(false);
				};
			}),
		stop: () => stop(),
		close: () => stop(),
	};
}

interface LateScript {
	/** One script per socket opened for late sending; the last one serves all that follow. */
	readonly links: Partial<TransportScript>[];
	/** How long its voice still speaks when the service has said everything, ms. */
	readonly voiceMs: number;
}

async function goLive(given: Partial<LateScript> = {}, rigged: Parameters<typeof createRig>[0] = {}) {
	const script: LateScript = { links: [{}], voiceMs: 0, ...given };
	const links: ScriptedTransport[] = [];
	const played: { readonly atMs: number; readonly ms: number }[] = [];
	const spoken: (string | null)[] = [];
	let kept: ReturnType<typeof createMemory> | null = null;
	const rig = createRig({
		...rigged,
		late: (clock) => {
			const mine = createMemory(clock);
			kept = mine;
			return (ends) =>
				createLateSpeech({
					...ends,
					clock,
					log: silentLogger,
					memory: mine.memory,
					createSocket() {
						const script_ = script.links[links.length] ?? script.links.at(-1);
						const link = createScriptedTransport(clock, { kind: 'websocket', ...script_ });
						links.push(link);
						return link;
					},
					openSound: () => createSound(clock, played),
					voice: {
						speak: (track) => void spoken.push(track?.id ?? null),
						async settled() {
							if (script.voiceMs > 0) await new Promise<void>((done) => clock.after(script.voiceMs, done));
						},
						close: () => void spoken.push('closed'),
					},
				});
		},
	});
	await rig.goLive();
	const all = () => rig.conversation.captions.finals();
	return {
		...rig,
		links,
		played,
		spoken,
		memory: () => kept,
		link(at = links.length - 1) {
			const link = links[at];
			if (!link) throw new Error('nothing was sent late');
			return link;
		},
		/** Lengths of what is marked as lost, ms. */
		lost: () => all().flatMap(({ kind, startMs, endMs }) => (kind === 'lost' ? [endMs - startMs] : [])),
		texts: () => all().flatMap(({ kind, text }) => (kind === 'lost' ? [] : [text])),
		/** The room is away for so long; then it is there again, and the conversation is live. */
		async away(ms: number) {
			rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
			await rig.clock.run(ms);
			rig.room().tell({ type: 'link', link: { state: 'up' } });
			await rig.clock.run(10);
		},
	};
}

/** Until the last of it has been sent. */
async function sentAll({ clock, played }: Awaited<ReturnType<typeof goLive>>): Promise<void> {
	await clock.run(900);
	const { atMs = 0, ms = 0 } = played[0] ?? {};
	await clock.run(atMs + ms - clock.now());
}

function said(
	text: string,
	fields: Partial<Extract<ServerMessage, { type: 'transcript' }>> = {},
): ServerMessage {
	return {
		type: 'transcript',
		kind: 'source',
		final: true,
		transcriptionId: 'a',
		partId: '0',
		language: 'en',
		text,
		startS: 0,
		endS: 1,
		...fields,
	} as ServerMessage;
}

describe('what was said while a room was away', () => {
	it('is sent over a socket of its own at the pace it was said at, and told in its time', async () => {
		const it = await goLive();
		const goneMs = it.clock.now();
		await it.away(4000);
		expect([it.view().phase, it.links.length, it.lost()]).toEqual(['live', 1, []]);
		await it.clock.run(900);
		const [sent] = it.link().sent;
		expect(sent).toMatchObject({ message_type: 'set_task' });
		expect(it.link().microphones).toMatchObject([{ id: 'kept' }]);
		// From the server's last sign of life on, which comes once a second.
		expect(it.played).toHaveLength(1);
		expect(it.played[0]?.ms).toBeGreaterThanOrEqual(4000);
		expect(it.played[0]?.ms).toBeLessThan(5100);
		it.room().say(said('Now.', { transcriptionId: 'a', startS: null, endS: null }));
		it.link().say(said('Meanwhile.', { startS: 1, endS: 2 }));
		it.link().say(said('Mientras.', { kind: 'translation', language: 'es', startS: null, endS: null }));
		expect(it.texts()).toEqual(['Meanwhile.', 'Mientras.', 'Now.']);
		const { captions } = it.conversation;
		const late = captions.row(1);
		const wall = it.clock.wall() - it.clock.now();
		expect(captions.row(0)?.late).toBeUndefined();
		expect(Math.abs((late?.late ?? 0) - wall - goneMs)).toBeLessThan(1100);
		// The conversation goes on as if nothing were sent.
		expect([it.view().phase, it.view().travel?.route]).toEqual(['live', 'webrtc']);
		await it.clock.run(8000);
		expect(it.link().sent.at(-1)).toMatchObject({ message_type: 'end_task' });
		expect([it.link().state, it.lost(), it.spoken.at(-1)]).toEqual(['closed', [], 'closed']);
		// Overwritten in place.
		for (const samples of it.memory()?.given ?? []) expect(samples.every((one) => one === 0)).toBe(true);
	});

	it.each([
		[KEPT_MS, []],
		// Too short to report.
		[KEPT_MS + 499, []],
		[KEPT_MS + 500, [500]],
		[KEPT_MS + 40_000, [40_000]],
	])('of %d ms, twenty seconds are kept, and the rest is marked as lost', async (ms, lost) => {
		const { late, clock, played, lose } = createAlone();
		late.follow(track);
		await clock.run(30_000);
		late.observe(live(clock.now()), away);
		await clock.run(ms);
		late.missed(ms);
		late.observe(away, live(clock.now()));
		await clock.run(900);
		expect(played.map((one) => one.ms)).toEqual([KEPT_MS]);
		expect(lose.map(([lengthMs]) => lengthMs)).toEqual(lost);
		// Where it is missing: before what is sent.
		for (const [lengthMs, atMs] of lose)
			expect([lengthMs, atMs]).toEqual([ms - KEPT_MS, 30_000 + ms - KEPT_MS]);
	});

	it('begins with the last sign of the server, but no earlier than a loss takes to be found', async () => {
		for (const [quietMs, ms] of [
			[0, 3000],
			[1200, 4200],
			[5000, 8000],
			[5001, 8000],
			[60_000, 8000],
		] as const) {
			const { late, clock, played } = createAlone();
			late.follow(track);
			await clock.run(90_000);
			late.observe(live(clock.now() - quietMs), away);
			await clock.run(3000);
			late.missed(3000);
			late.observe(away, live(clock.now()));
			await clock.run(900);
			expect(played.map((one) => one.ms)).toEqual([ms]);
		}
	});

	it('is taken out of the ring in one piece where a socket kept what came between', async () => {
		const { late, clock, played } = createAlone();
		late.follow(track);
		await clock.run(30_000);
		late.observe(live(clock.now()), away);
		await clock.run(2000);
		late.missed(2000);
		await clock.run(1000);
		late.missed(1000);
		await clock.run(2000);
		await clock.run(1500);
		late.missed(1500);
		late.observe(away, live(clock.now()));
		await clock.run(10_000);
		expect(played.map((one) => one.ms)).toEqual([3000, 1500]);
		// A pause between them.
		expect((played[1]?.atMs ?? 0) - (played[0]?.atMs ?? 0)).toBe(4000);
	});

	it.each(['mute', 'pause', 'stop'] as const)('is erased and marked as lost at %s', async (how) => {
		const it = await goLive();
		it.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		await it.clock.run(3000);
		if (how === 'mute') it.conversation.setMuted(true);
		else if (how === 'pause') it.conversation.pause();
		else it.conversation.stop();
		await it.clock.run(10);
		expect(it.lost().every((ms) => ms >= 3000 && ms < 4100)).toBe(true);
		expect([it.lost().length, it.memory()?.isKeeping()]).toEqual([1, false]);
		if (how === 'stop') return;
		it.room().tell({ type: 'link', link: { state: 'up' } });
		await it.clock.run(3000);
		expect([it.links, it.lost().length]).toEqual([[], 1]);
	});

	it('is never kept while muted', async () => {
		const it = await goLive();
		it.conversation.setMuted(true);
		await it.away(4000);
		await it.clock.run(900);
		expect([it.links, it.lost(), it.memory()?.given]).toEqual([[], [], []]);
		it.conversation.setMuted(false);
		await it.clock.run(2000);
		await it.away(1000);
		await it.clock.run(900);
		// Only what was said since.
		expect(it.played[0]?.ms).toBeLessThanOrEqual(2010);
	});

	it.each(['mute', 'pause', 'stop'] as const)(
		'ends in the middle at %s, and the rest is marked',
		async (how) => {
			const it = await goLive();
			await it.away(5000);
			await it.clock.run(2860);
			const { atMs = 0, ms = 0 } = it.played[0] ?? {};
			const saidMs = it.clock.now() - atMs;
			expect(saidMs).toBeGreaterThan(1500);
			if (how === 'mute') it.conversation.setMuted(true);
			else if (how === 'pause') it.conversation.pause();
			else it.conversation.stop();
			await it.clock.run(0);
			expect(it.lost()).toEqual([Math.round(ms - saidMs)]);
			// What was sent is still heard.
			it.link().say(said('The beginning.'));
			expect(it.texts()).toEqual(['The beginning.']);
			await it.clock.run(10_000);
			expect([it.link().state, it.lost().length]).toEqual(['closed', 1]);
			if (how === 'stop') expect([it.view().phase, it.open()]).toEqual(['idle', nothingOpen]);
		},
	);

	it('is closed at once when the conversation is ended at once', async () => {
		const it = await goLive();
		await it.away(5000);
		await it.clock.run(2860);
		void it.conversation.stopNow();
		await it.clock.run(0);
		expect([it.link().state, it.open(), it.lost().length]).toEqual(['closed', nothingOpen, 1]);
	});

	it('is marked as lost where the service takes no second connection, and that is said once', async () => {
		const it = await goLive({ links: [{ open: full }] });
		await it.away(4000);
		await it.clock.run(100);
		expect(it.view().notice).toEqual({ kind: 'not-sent-late', problem: full });
		expect([it.lost().length, it.played, it.link().state]).toEqual([1, [], 'closed']);
		it.conversation.dismissNotice();
		await it.clock.run(60_000);
		expect([it.view().notice, it.links.length, it.view().phase]).toEqual([null, 1, 'live']);
	});

	it.each<readonly [string, Partial<TransportScript>]>([
		['refuses the task', { refuse: { code: 'VALIDATION_ERROR', text: 'no', field: '' } }],
		['never answers', { silent: true }],
	])('is marked as lost where a service %s', async (_, script) => {
		const it = await goLive({ links: [script] });
		await it.away(4000);
		await it.clock.run(30_000);
		expect([it.lost().length, it.view().notice?.kind]).toEqual([1, 'not-sent-late']);
		expect(it.link().state).toBe('closed');
	});

	it('is tried once more where the network keeps it from connecting', async () => {
		const unreachable: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
		const it = await goLive({ links: [{ open: unreachable }, {}] });
		await it.away(4000);
		await it.clock.run(100);
		expect([it.link().state, it.lost(), it.view().notice]).toEqual(['closed', [], null]);
		await it.clock.run(4000);
		expect([it.links.length, it.played.length, it.lost(), it.view().notice]).toEqual([2, 1, [], null]);
	});

	it('is followed by a second of silence before its end is told, so that the last word has been sent', async () => {
		const it = await goLive();
		await it.away(4000);
		await sentAll(it);
		await it.clock.run(999);
		expect(it.link().sent.at(-1)).toMatchObject({ message_type: 'set_task' });
		await it.clock.run(1);
		expect(it.link().sent.at(-1)).toMatchObject({ message_type: 'end_task' });
	});

	it('is over after 6 s without a word, and after 30 s in any case, where the service does not say that it is', async () => {
		const quiet = await goLive({ links: [{ tailMs: null }] });
		await quiet.away(4000);
		await sentAll(quiet);
		await quiet.clock.run(6900);
		expect(quiet.link().state).toBe('open');
		await quiet.clock.run(200);
		expect(quiet.link().state).toBe('closed');

		const busy = await goLive({ links: [{ tailMs: null }] });
		await busy.away(4000);
		await sentAll(busy);
		await busy.clock.run(1000);
		for (let second = 0; second < 29; second += 1) {
			busy.link().say(said('More.', { transcriptionId: `t${second}` }));
			await busy.clock.run(1000);
		}
		expect(busy.link().state).toBe('open');
		await busy.clock.run(1100);
		expect(busy.link().state).toBe('closed');
	});

	it('stays connected until its voice was heard to the end', async () => {
		const it = await goLive({ voiceMs: 3000 });
		await it.away(4000);
		await sentAll(it);
		// A second until its end is told, and one until the service has said everything.
		await it.clock.run(2000 + 2999);
		expect(it.link().state).toBe('open');
		await it.clock.run(1);
		expect(it.link().state).toBe('closed');
	});

	it('and is no broken one where the service closes after its end', async () => {
		const it = await goLive({ voiceMs: 3000 });
		await it.away(4000);
		await sentAll(it);
		await it.clock.run(2000);
		it.link().tell({ type: 'link', link: { state: 'restoring', cause: 'connection-lost' } });
		const problem = { kind: 'connection-lost', reason: 'closed' } as const;
		it.link().tell({ type: 'link', link: { state: 'down', problem } });
		await it.clock.run(1000);
		expect(it.spoken).not.toContain('closed');
		await it.clock.run(30_000);
		expect([it.links.length, it.lost()]).toEqual([1, []]);
	});

	it('twice in a row is sent twice, each in its time', async () => {
		const it = await goLive();
		await it.away(2000);
		await it.clock.run(1500);
		// The first piece is being sent.
		await it.away(3000);
		it.link(0).say(said('First.', { startS: 1, endS: 2 }));
		await it.clock.run(5000);
		it.link(1).say(said('Second.', { startS: 1, endS: 2 }));
		expect([it.texts(), it.lost(), it.links.length]).toEqual([['First.', 'Second.'], [], 2]);
		const [first, second] = [it.conversation.captions.row(0), it.conversation.captions.row(1)];
		expect((second?.late ?? 0) - (first?.late ?? 0)).toBeGreaterThan(2000);
		await it.clock.run(20_000);
		expect(it.links.map(({ state }) => state)).toEqual(['closed', 'closed']);
	});

	it('goes on behind the last finished sentence when its own connection breaks, and is given up after that', async () => {
		const it = await goLive();
		await it.away(6000);
		await it.clock.run(4000);
		it.link().say(said('Begun.', { startS: 0, endS: 2 }));
		it.link().tell({ type: 'link', link: { state: 'restoring', cause: 'closed' } });
		await it.clock.run(3900);
		const [first, second] = it.played;
		expect(it.links.map(({ state }) => state)).toEqual(['closed', 'open']);
		expect(Math.abs((first?.ms ?? 0) - (second?.ms ?? 0) - 2000)).toBeLessThan(60);
		expect([it.lost(), it.view().notice]).toEqual([[], null]);
		it.link().tell({ type: 'link', link: { state: 'restoring', cause: 'closed' } });
		await it.clock.run(30_000);
		expect([it.links.length, it.lost().length, it.view().notice?.kind]).toEqual([2, 1, 'not-sent-late']);
		expect(Math.abs((it.lost()[0] ?? 0) - (second?.ms ?? 0))).toBeLessThan(2);
	});

	it('is sent beside the socket that has taken over from the room', async () => {
		const auto = { route: 'webrtc', mayFallBack: true } as const;
		const it = await goLive({}, { travel: auto, rooms: [{ path: true }] });
		for (let n = 0; n < 3; n++) {
			it.room().say({ type: 'queue-level', levels: new Map() });
			await it.clock.run(1000);
		}
		const room = it.room();
		Object.assign(room.script, { silent: true, voice: false, path: false });
		await it.clock.run(800);
		room.tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		for (const afterMs of [0, 300, 1500, 2100])
			it.clock.after(afterMs, () => room.state === 'open' && room.tell({ type: 'refused' }));
		await it.clock.run(6000);
		expect([it.view().phase, it.view().travel?.route]).toEqual(['live', 'websocket']);
		// The socket that took over has kept what was said since the refusal.
		await it.clock.run(2000);
		const kept = it.played.reduce((sum, { ms }) => sum + ms, 0);
		expect([it.links.length, it.lost()]).toEqual([it.played.length, []]);
		expect(kept).toBeLessThan(2000);
	});

	it('the live voice’s language is spoken late, and no other', async () => {
		const it = await goLive();
		await it.away(3000);
		await it.clock.run(900);
		it.link().tell({ type: 'voice', language: 'fr', track: { id: 'fr' } as MediaStreamTrack });
		it.link().tell({ type: 'voice', language: 'es', track: { id: 'es' } as MediaStreamTrack });
		expect(it.spoken).toEqual(['es']);
	});

	it('whatever happens, nothing stays open or in memory after Stop, and no mark is shorter than what is told', async () => {
		const move = fc.oneof(
			fc.record({ away: fc.integer({ min: 100, max: 9000 }) }),
			fc.record({ wait: fc.integer({ min: 1, max: 8000 }) }),
			fc.constant({ muted: true }),
			fc.constant({ muted: false }),
			fc.constant({ broken: true }),
		);
		type Move = typeof move extends fc.Arbitrary<infer One> ? One : never;
		async function make(one: Move, it: Awaited<ReturnType<typeof goLive>>): Promise<void> {
			if ('away' in one) await it.away(one.away);
			else if ('wait' in one) await it.clock.run(one.wait);
			else if ('muted' in one) it.conversation.setMuted(one.muted);
			else if (it.links.at(-1)?.state === 'open')
				it.link().tell({ type: 'link', link: { state: 'restoring', cause: 'x' } });
		}
		await fc.assert(
			fc.asyncProperty(fc.array(move, { maxLength: 8 }), async (moves) => {
				const it = await goLive();
				for (const one of moves) await make(one, it);
				await it.clock.run(60_000);
				it.conversation.stop();
				await it.clock.run(40_000);
				expect(it.open()).toEqual(nothingOpen);
				expect(it.links.every(({ state }) => state === 'closed')).toBe(true);
				for (const samples of it.memory()?.given ?? []) expect(samples.every((one) => one === 0)).toBe(true);
				const spans = it.conversation.captions.finals().filter(({ kind }) => kind === 'lost');
				for (const { startMs, endMs } of spans) expect(endMs - startMs).toBeGreaterThanOrEqual(499);
			}),
			{ numRuns: 12 },
		);
	});
});
