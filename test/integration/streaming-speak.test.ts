import { describe, expect, type TestContext, test } from 'vitest';
import { createTextToSpeech, type SpokenPiece } from '#main/streaming/text-to-speech.ts';
import { eventually } from '#test/support/eventually.ts';
import { startEngine } from '#test/support/streaming-rig.ts';

const signal = new AbortController().signal;

async function speaker(context: TestContext, fault = '') {
	const { engine } = await startEngine(
		context,
		(parts) => createTextToSpeech({ ...parts, address: parts.address('tts') }),
		{ fault },
	);
	const pieces: SpokenPiece[] = [];
	const speak = (text: string) => engine.speak(text, (piece) => pieces.push(piece));
	const heardMs = () => pieces.reduce((sum, { samples }) => sum + samples.length / 24, 0);
	return { engine, pieces, speak, heardMs };
}

// They mostly wait, each with a service of its own.
describe.concurrent('text to speech', () => {
	test('a text is spoken to its end', { timeout: 20_000 }, async (context) => {
		const { engine, speak, heardMs, pieces } = await speaker(context);
		expect((await engine.open({ language: 'es' }, signal)).ok).toBe(true);
		expect(await speak('Buenos días. Mucho gusto en conocerle.')).toEqual({ ok: true, value: undefined });
		expect(heardMs()).toBeGreaterThan(1000);
		expect(new Set(pieces.map(({ generationId }) => generationId)).size).toBe(1);
	});

	test('a text longer than one message may be is spoken whole', { timeout: 60_000 }, async (context) => {
		const { engine, speak, heardMs } = await speaker(context);
		expect((await engine.open({ language: 'en' }, signal)).ok).toBe(true);
		expect((await speak('This is one of many sentences. '.repeat(36))).ok).toBe(true);
		expect(heardMs()).toBeGreaterThan(20_000);
	});

	test('cancelled, the rest is not heard, and the next text is', { timeout: 20_000 }, async (context) => {
		const { engine, speak, pieces } = await speaker(context);
		expect((await engine.open({ language: 'en' }, signal)).ok).toBe(true);
		const first = speak('This is a long story that nobody will hear to its end. '.repeat(10));
		await eventually(
			() => pieces.length,
			(seen) => expect(seen).toBeGreaterThan(0),
		);
		engine.cancel();
		expect(await first).toEqual({ ok: false, error: { kind: 'cancelled' } });
		const before = pieces.length;
		expect((await speak('Short.')).ok).toBe(true);
		expect(new Set(pieces.slice(before).map(({ generationId }) => generationId)).size).toBe(1);
		expect(pieces.at(-1)?.generationId).not.toBe(pieces[0]?.generationId);
	});

	test('a text that ends in the middle delays its rest, and does not take it away', {
		timeout: 40_000,
	}, async (context) => {
		const { engine, speak, pieces } = await speaker(context, '+cut-text:1');
		expect((await engine.open({ language: 'en' }, signal)).ok).toBe(true);
		const story = `This is how it goes on${', and on'.repeat(28)}. `;
		expect((await speak(`${story}${story}`)).ok).toBe(true);
		const lengthOf = (id: string) =>
			pieces.reduce((sum, piece) => sum + (piece.generationId === id ? piece.samples.length : 0), 0);
		const [first = '', second = ''] = new Set(pieces.map(({ generationId }) => generationId));
		expect(lengthOf(first)).toBeLessThan(lengthOf(second) * 0.8);
		expect((await speak('Short.')).ok).toBe(true);
	});

	test('a service that is not available for a moment is asked again', {
		timeout: 20_000,
	}, async (context) => {
		const { engine, speak, heardMs } = await speaker(context, '+tts-unavailable:1');
		expect((await engine.open({ language: 'en' }, signal)).ok).toBe(true);
		expect((await speak('Hello there.')).ok).toBe(true);
		expect(heardMs()).toBeGreaterThan(200);
	});

	test('a connection that is lost on the way repeats no sentence and loses none that was not cut off', {
		timeout: 40_000,
	}, async (context) => {
		const { engine, speak, pieces } = await speaker(context, '+close-1011:1');
		expect((await engine.open({ language: 'en' }, signal)).ok).toBe(true);
		const story = `This is how it goes on${', and on'.repeat(28)}.`;
		const outcome = await speak(
			`The first sentence takes a good while to say aloud, word by word by word. ${story}`,
		);
		const generations = [...new Set(pieces.map(({ generationId }) => generationId))];
		// The connection ends two seconds after the first text, when the story is in flight and held back.
		if (outcome.ok) expect(generations).toHaveLength(2);
		// On a very slow machine it is still in the first sentence, which is cut off and reported as such.
		else expect([generations.length, outcome.error.kind]).toEqual([1, 'connection-lost']);
	});

	test('a language nobody speaks is refused with its reason', async (context) => {
		const { engine, speak } = await speaker(context);
		expect((await engine.open({ language: 'xx' }, signal)).ok).toBe(true);
		expect(await speak('Hello')).toMatchObject({ ok: false, error: { kind: 'task-refused' } });
	});
});
