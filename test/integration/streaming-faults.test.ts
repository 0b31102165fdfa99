import { describe, expect, type TestContext, test } from 'vitest';
import type { Socket, Sockets } from '#main/streaming/socket.ts';
import {
	createSpeechToSpeech,
	type SpeechToSpeech,
	type SpeechToSpeechEvent,
} from '#main/streaming/speech-to-speech.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { CLOSE_CODES } from '#sandbox/sockets/connection.ts';
import { buildTask } from '#shared/conversation/task-builder.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { eventually } from '#test/support/eventually.ts';
import { createFastClock } from '#test/support/manual-clock.ts';
import {
	conversationPcm,
	type KeptLog,
	keepLog,
	speakInto,
	streamingParts,
} from '#test/support/streaming-rig.ts';

/* The faults of the sandbox's sockets, tried on the engine that ships. */

const KEY = 'streaming-fault-key';
const signal = new AbortController().signal;
const task = buildTask({ ...defaultSettings, speak: 'en', hear: ['es'] }, 'websocket');

interface Rig {
	readonly sandbox: Sandbox;
	readonly engine: SpeechToSpeech;
	readonly events: readonly SpeechToSpeechEvent[];
	readonly log: KeptLog;
	/** The sockets it was given, in order. */
	readonly sockets: readonly Socket[];
}

/** `sockets` and `engine`: how many times as fast as real time their clocks run. */
async function rigOf(
	{ onTestFinished }: Pick<TestContext, 'onTestFinished'>,
	faults: string,
	speed: { sockets?: number; engine?: number } = {},
): Promise<Rig> {
	const sandbox = await startSandbox({ key: KEY });
	const log = keepLog();
	const key = faults === '' ? KEY : `${KEY}+${faults}`;
	const given = streamingParts(sandbox.addresses, { key, log, clock: createFastClock(speed.sockets ?? 1) });
	const held: Socket[] = [];
	const sockets: Sockets = {
		async open(...all) {
			const opened = await given.sockets.open(...all);
			if (opened.ok) held.push(opened.value);
			return opened;
		},
	};
	const engine = createSpeechToSpeech({
		...given,
		sockets,
		clock: createFastClock(speed.engine ?? 1),
		address: given.address('s2s'),
	});
	const events: SpeechToSpeechEvent[] = [];
	engine.listen((event) => events.push(event));
	onTestFinished(async () => {
		await engine.close();
		await eventually(
			() => sandbox.openSessions(),
			(seen) => expect(seen).toEqual([]),
			10_000,
		);
		await sandbox.close();
		expect(log.lines.join('\n')).not.toContain(KEY);
	});
	return { sandbox, engine, events, log, sockets: held };
}

async function opened(...all: Parameters<typeof rigOf>): Promise<Rig> {
	const rig = await rigOf(...all);
	expect(await rig.engine.open(task, signal)).toEqual({ ok: true, value: undefined });
	return rig;
}

const ofType = <Type extends SpeechToSpeechEvent['type']>({ events }: Rig, type: Type) =>
	events.filter((event): event is Extract<SpeechToSpeechEvent, { type: Type }> => event.type === type);
const links = ({ events }: Rig) =>
	events.flatMap(({ type }) => (type === 'up' || type === 'restoring' ? [type] : []));
const heardMs = (rig: Rig) =>
	ofType(rig, 'audio').reduce((sum, { frame }) => sum + frame.samples.length / 24, 0);
const droppedMs = (rig: Rig) => ofType(rig, 'speech-lost').reduce((sum, { ms }) => sum + ms, 0);

describe('an upgrade', () => {
	test.concurrent.for([
		['upgrade-301', 'unexpected-answer'],
		['upgrade-400', 'task-refused'],
		['upgrade-401', 'api-key-rejected'],
		['upgrade-402', 'no-credit'],
		['upgrade-403', 'api-key-rejected'],
		['upgrade-404', 'not-found'],
		['upgrade-409', 'service-failed'],
		['upgrade-429', 'rate-limited'],
		['upgrade-503', 'service-failed'],
		['upgrade-hang', 'timed-out'],
	] as const)('refused as by %s is %s, and leaves nothing', async ([fault, kind], context) => {
		const { engine, sandbox } = await rigOf(context, fault, { sockets: 20 });
		expect(await engine.open(task, signal)).toMatchObject({ ok: false, error: { kind } });
		expect([engine.counts().connections, sandbox.openSessions()]).toEqual([0, []]);
	});

	test.concurrent.for(['upgrade-401:1', 'upgrade-403:1'])(
		'that %s refused with the key in the header is made with the key in the query',
		async (fault, context) => {
			const { engine } = await opened(context, fault);
			expect(engine.counts().connections).toBe(1);
		},
	);

	test.concurrent('that is refused while a lost connection is restored is asked for again, later each time', {
		timeout: 30_000,
	}, async (context) => {
		const rig = await opened(context, 'socket-1006:1', { engine: 5, sockets: 5 });
		rig.sandbox.setFault('upgrade-503', true);
		await eventually(
			() => links(rig),
			(seen) => expect(seen).toEqual(['restoring']),
			10_000,
		);
		const refused = () => rig.log.lines.filter((line) => line.startsWith('socket not opened')).length;
		await eventually(refused, (seen) => expect(seen).toBe(2), 10_000);
		rig.sandbox.setFault('upgrade-503', false);
		await eventually(
			() => links(rig),
			(seen) => expect(seen).toEqual(['restoring', 'up']),
			10_000,
		);
		expect([rig.engine.counts().connections, ofType(rig, 'closed')]).toEqual([2, []]);
	});
});

describe('a connection', () => {
	const FINAL: Readonly<Record<number, string>> = {
		1000: 'session-lost',
		1002: 'connection-lost',
		1003: 'connection-lost',
		1007: 'connection-lost',
		1009: 'connection-lost',
		4001: 'api-key-rejected',
		4003: 'api-key-rejected',
	};

	test.concurrent('closed with any code is over for good or made again, as the code says', {
		timeout: 40_000,
	}, async (context) => {
		const outcome = async (code: number) => {
			const rig = await opened(context, `close-${code}:1`);
			const decided = () => rig.log.lines.find((line) => line.startsWith('speech socket lost')) ?? '';
			await eventually(decided, (seen) => expect(seen).toContain('next'), 15_000);
			if (decided().includes('"next":"again"')) return [code, links(rig)[0]];
			await eventually(
				() => ofType(rig, 'closed'),
				(seen) => expect(seen).toHaveLength(1),
			);
			return [code, ofType(rig, 'closed')[0]?.problem.kind];
		};
		const all = await Promise.all(CLOSE_CODES.map(outcome));
		expect(all).toEqual(CLOSE_CODES.map((code) => [code, FINAL[code] ?? 'restoring']));
	});

	test.concurrent('that hangs half open is found by its ping and made again, and the conversation goes on', {
		timeout: 40_000,
	}, async (context) => {
		const rig = await opened(context, 'half-open:1', { sockets: 12 });
		// Until it is found: on a busy machine the sockets' faster time is slower than the speech.
		while (!links(rig).includes('up')) await speakInto(rig.engine, conversationPcm(1));
		await speakInto(rig.engine, conversationPcm(4));
		await rig.engine.finish();
		expect(links(rig)).toEqual(['restoring', 'up']);
		expect(rig.log.lines.join('\n')).toContain('no answer to a ping');
		expect(rig.engine.counts().connections).toBe(2);
		expect(heardMs(rig)).toBeGreaterThan(500);
	});

	test.concurrent('that is read too slowly costs the oldest sound, which is counted; what waits stays bounded', {
		timeout: 40_000,
	}, async (context) => {
		const speed = 25;
		const rig = await opened(context, 'slow-reader+slow-task:0', { engine: speed });
		const [socket] = rig.sockets;
		// Louder than silence, so that no chunk is taken for a pause.
		const second = new Int16Array(24_000).map((_, at) => (at % 100) * 100);
		/** Dropped by the socket; what the pacer drops is counted separately. */
		const lostMs = () => droppedMs(rig) - rig.engine.counts().droppedMs;
		let givenMs = 0;
		let mostMs = 0;
		const startMs = performance.now();
		while (lostMs() < 3000 && performance.now() - startMs < 30_000) {
			if (rig.engine.flowing) {
				rig.engine.audio(second);
				givenMs += 1000;
			}
			mostMs = Math.max(mostMs, socket?.waitingMs ?? 0);
			await new Promise((done) => setTimeout(done, 5));
		}
		expect(lostMs()).toBeGreaterThanOrEqual(3000);
		expect(lostMs()).toBeLessThan(givenMs);
		// One chunk may be on its way in when the oldest goes.
		expect(mostMs).toBeGreaterThan(1000);
		expect(mostMs).toBeLessThanOrEqual(2320);
	});

	test.concurrent('whose closing is never answered is closed all the same', async (context) => {
		const rig = await opened(context, 'no-close', { sockets: 4 });
		await speakInto(rig.engine, conversationPcm(0.5));
		await eventually(
			() => rig.engine.counts().chunks,
			(seen) => expect(seen).toBeGreaterThan(0),
		);
		await rig.engine.close();
		expect(ofType(rig, 'closed')).toEqual([]);
	});

	test.concurrent('that carries a frame of 50 MB is ended and made again', {
		timeout: 30_000,
	}, async (context) => {
		const rig = await opened(context, 'huge-frame:1');
		await eventually(
			() => links(rig),
			(seen) => expect(seen).toEqual(['restoring', 'up']),
			15_000,
		);
		expect(rig.log.lines.join('\n')).toContain('WS_ERR_UNSUPPORTED_MESSAGE_LENGTH');
	});

	test.concurrent('without an end of stream is finished when nothing more comes, and says that no end was said', async (context) => {
		const rig = await opened(context, 'no-end-of-stream', { engine: 10 });
		expect(await rig.engine.finish()).toBe(false);
	});
});

describe('speech', () => {
	test.concurrent('that comes in disorder, twice, with holes, late or without an end is played as it comes, and once', {
		timeout: 60_000,
	}, async (context) => {
		const faults = [
			'out-of-order',
			'duplicate-chunk',
			'missing-chunk',
			'no-last-chunk',
			'wrong-rate',
			'fast-output',
			'slow-output',
			'stalled-output',
		];
		const pcm = conversationPcm(4);
		const heard = await Promise.all(
			['', ...faults].map(async (fault) => {
				const rig = await opened(context, fault);
				await speakInto(rig.engine, pcm);
				await rig.engine.finish();
				const { connections, piecesDropped } = rig.engine.counts();
				const sequence = ofType(rig, 'audio').map(({ frame }) => frame.sequence);
				expect([fault, connections, piecesDropped > 0]).toEqual([fault, 1, fault === 'duplicate-chunk']);
				expect(sequence).toEqual(sequence.map((_, at) => at));
				return [fault, Math.round(heardMs(rig))] as const;
			}),
		);
		const [[, right = 0] = []] = heard;
		const ms = Object.fromEntries(heard);
		expect(right).toBeGreaterThan(500);
		for (const fault of faults.filter((one) => one !== 'missing-chunk' && one !== 'wrong-rate'))
			expect([fault, ms[fault]]).toEqual([fault, right]);
		expect(ms['missing-chunk']).toBeLessThan(right);
	});
});
