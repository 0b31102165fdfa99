import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, type TestContext, test } from 'vitest';
import { createSpeechToSpeech, type SpeechToSpeechEvent } from '#main/streaming/speech-to-speech.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { buildTask } from '#shared/conversation/task-builder.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { conversationPcm, speakInto, streamingParts } from '#test/support/streaming-rig.ts';

/** What a long, lossy path does to TCP: nothing is lost, everything is late, and now and then everything waits. */
interface BadLineOptions {
	/** One way, ms. */
	readonly delayMs: number;
	/** Added to that, at most, ms. */
	readonly jitterMs: number;
	/** Chance, 0 to 1, that a packet is lost and what follows waits for its retransmission. */
	readonly loss: number;
	/** Length of such a wait, ms. */
	readonly repeatMs: number;
}

interface BadLine {
	readonly port: number;
	/** Packets that had to be repeated so far. */
	readonly repeated: number;
	close(): Promise<void>;
}

/** Payload of an Ethernet frame. */
const PACKET_BYTES = 1400;

/** A line to a port of this computer; the same random sequence in every run. */
async function startBadLine(targetPort: number, options: BadLineOptions): Promise<BadLine> {
	const { delayMs, jitterMs, loss, repeatMs } = options;
	const open = new Set<Socket>();
	const timers = new Set<NodeJS.Timeout>();
	let repeated = 0;
	let state = 1;
	const random = () => {
		state = (state * 48_271) % 2_147_483_647;
		return state / 2_147_483_647;
	};

	function carry(from: Socket, to: Socket): void {
		/** Nothing overtakes what was sent before it. */
		let dueMs = 0;
		const later = (run: () => void) => {
			const timer = setTimeout(
				() => {
					timers.delete(timer);
					run();
				},
				Math.max(0, dueMs - performance.now()),
			);
			timers.add(timer);
		};
		from.on('data', (chunk: Buffer) => {
			for (let at = 0; at < chunk.length; at += PACKET_BYTES) {
				const isLost = random() < loss;
				if (isLost) repeated += 1;
				const wayMs = delayMs + random() * jitterMs + (isLost ? repeatMs : 0);
				dueMs = Math.max(dueMs, performance.now() + wayMs);
			}
			later(() => to.write(chunk));
		});
		from.on('end', () => later(() => to.end()));
		from.on('error', () => from.destroy());
		from.on('close', () => {
			open.delete(from);
			later(() => to.destroy());
		});
		open.add(from);
	}

	const server = createServer((near) => {
		const far = connect(targetPort, '127.0.0.1');
		carry(near, far);
		carry(far, near);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		port: (server.address() as AddressInfo).port,
		get repeated() {
			return repeated;
		},
		async close() {
			for (const timer of timers) clearTimeout(timer);
			for (const socket of open) socket.destroy();
			await new Promise((done) => server.close(done));
		},
	};
}

/** Half way around the world, with one packet in thirty lost. */
const FAR: BadLineOptions = { delayMs: 150, jitterMs: 40, loss: 1 / 30, repeatMs: 300 };
const NEAR: BadLineOptions = { delayMs: 0, jitterMs: 0, loss: 0, repeatMs: 0 };

/** What is heard and read of eight seconds of speech over such a line. */
async function converse({ onTestFinished }: TestContext, options: BadLineOptions) {
	const sandbox = await startSandbox();
	const port = Number(new URL(sandbox.addresses.api).port);
	const line = await startBadLine(port, options);
	const s2s = sandbox.addresses.s2s.replace(`:${port}/`, `:${line.port}/`);
	const parts = streamingParts({ ...sandbox.addresses, s2s });
	const engine = createSpeechToSpeech({ ...parts, address: parts.address('s2s') });
	onTestFinished(async () => {
		await engine.close();
		await line.close();
		await sandbox.close();
	});
	const events: SpeechToSpeechEvent[] = [];
	engine.listen((event) => events.push(event));
	const task = buildTask({ ...defaultSettings, speak: 'en', hear: ['es'] }, 'websocket');
	expect(await engine.open(task, new AbortController().signal)).toEqual({ ok: true, value: undefined });
	await speakInto(engine, conversationPcm(8));
	const isWhole = await engine.finish();
	const { connections, piecesDropped, droppedMs } = engine.counts();
	return {
		repeated: line.repeated,
		conversation: {
			isWhole,
			connections,
			piecesDropped,
			droppedMs,
			lost: events.filter(({ type }) => ['speech-lost', 'restoring', 'up', 'closed'].includes(type)),
			finals: events
				.flatMap((event) =>
					event.type === 'message' && event.message.type === 'transcript' && event.message.final
						? [`${event.message.language}: ${event.message.text}`]
						: [],
				)
				.sort(),
			voiceMs: events.reduce(
				(sum, one) => sum + (one.type === 'audio' ? one.frame.samples.length / 24 : 0),
				0,
			),
		},
	};
}

test('over a long and lossy way the conversation is the same as over a good one, to the last sample', {
	timeout: 60_000,
}, async (context) => {
	const [near, far] = await Promise.all([converse(context, NEAR), converse(context, FAR)]);
	expect(far.repeated).toBeGreaterThan(10);
	expect(far.conversation.finals.length).toBeGreaterThan(2);
	expect(far.conversation).toEqual(near.conversation);
	expect(near.conversation).toMatchObject({ isWhole: true, connections: 1, piecesDropped: 0, lost: [] });
});
