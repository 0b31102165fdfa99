import { expect, type TestContext, test } from 'vitest';
import { createSpeechToSpeech, type SpeechToSpeechEvent } from '#main/streaming/speech-to-speech.ts';
import { startSandbox } from '#sandbox/sandbox.ts';
import { buildTask } from '#shared/conversation/task-builder.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { type BadLineOptions, startBadLine } from '#test/support/bad-line.ts';
import { conversationPcm, speakInto, streamingParts } from '#test/support/streaming-rig.ts';

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
