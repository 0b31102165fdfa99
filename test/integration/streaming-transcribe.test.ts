import { describe, expect, type TestContext, test } from 'vitest';
import { createSpeechToText, type SpeechToTextEvent } from '#main/streaming/speech-to-text.ts';
import type { SandboxOptions } from '#sandbox/sandbox.ts';
import { conversationPcm, speakInto, startEngine } from '#test/support/streaming-rig.ts';

const signal = new AbortController().signal;

async function transcriber(
	context: TestContext,
	fault = '',
	generation: SandboxOptions['generation'] = 'current',
) {
	const { engine } = await startEngine(
		context,
		(parts) => createSpeechToText({ ...parts, address: parts.address('stt') }),
		{ fault, generation },
	);
	const events: SpeechToTextEvent[] = [];
	engine.listen((event) => events.push(event));
	const texts = () => events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
	return { engine, events, texts };
}

describe('speech to text', () => {
	test('what is said is written, the last words made final, and translated', {
		timeout: 30_000,
	}, async (context) => {
		const { engine, texts } = await transcriber(context);
		expect((await engine.open({ language: 'en', targets: ['es', 'de'] }, signal)).ok).toBe(true);
		await speakInto(engine, conversationPcm(3));
		await engine.finish();
		const finals = texts().filter(({ final }) => final);
		expect(new Set(finals.map(({ language }) => language))).toEqual(new Set(['en', 'es', 'de']));
		expect(finals.find(({ kind }) => kind === 'source')?.text).toMatch(/\w/);
		expect(texts().some(({ final }) => !final)).toBe(true);
	});

	test.for([
		['answers with the marker on them', '+only-finalize', 'current'],
		['answers with the marker after them', '+only-finalize+lone-fin', 'current'],
		['answers late', '+only-finalize+late-fin', 'current'],
		['obeys without an answer', '+no-fin', 'current'],
		['refuses the question', '+finalize-error', 'current'],
		['does not know the question', '', 'older'],
	] as const)(
		'the last words come from a service that %s',
		{ timeout: 40_000 },
		async ([, faults, generation], context) => {
			const { engine, events, texts } = await transcriber(context, faults, generation);
			expect((await engine.open({ language: 'en', targets: ['es'] }, signal)).ok).toBe(true);
			await speakInto(engine, conversationPcm(2));
			await engine.finish();
			const finals = texts().filter(({ final }) => final);
			expect(finals.map(({ language }) => language)).toEqual(['en', 'es']);
			expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['text']));
			expect(JSON.stringify(events)).not.toContain('<fin>');
		},
	);

	test('a service that leaves when it is asked is not asked again; nothing fails', {
		timeout: 40_000,
	}, async (context) => {
		const { engine, events, texts } = await transcriber(context, '+finalize-closes');
		for (const _ of [1, 2]) {
			expect((await engine.open({ language: 'en', targets: [] }, signal)).ok).toBe(true);
			await speakInto(engine, conversationPcm(2));
			await engine.finish();
		}
		expect(texts().filter(({ final }) => final)).toHaveLength(1);
		expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['text']));
	});

	test('a language the service does not know is said, in its words', async (context) => {
		const { engine } = await transcriber(context);
		const result = await engine.open({ language: 'xx', targets: [] }, signal);
		expect(result).toMatchObject({
			ok: false,
			error: { kind: 'task-refused', detail: expect.stringContaining('language') },
		});
	});

	test('after a lost connection it goes on', { timeout: 30_000 }, async (context) => {
		const { engine, events, texts } = await transcriber(context, '+close-1011:1');
		expect((await engine.open({ language: 'en', targets: [] }, signal)).ok).toBe(true);
		await speakInto(engine, conversationPcm(7));
		await engine.finish();
		expect(events.flatMap(({ type }) => (type === 'up' || type === 'restoring' ? [type] : []))).toEqual([
			'restoring',
			'up',
		]);
		expect(texts().some(({ final }) => final)).toBe(true);
	});

	test('a close that means the end is told once and not tried again', {
		timeout: 20_000,
	}, async (context) => {
		const { engine, events } = await transcriber(context, '+close-1003:1');
		expect((await engine.open({ language: 'en', targets: [] }, signal)).ok).toBe(true);
		await speakInto(engine, conversationPcm(4));
		expect(events.filter(({ type }) => type === 'closed')).toEqual([
			{ type: 'closed', problem: { kind: 'connection-lost', reason: 'closed 1003', final: true } },
		]);
	});
});
