import { describe, expect, it, test } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import {
	createInterpreterStage,
	runningStage,
	SILENCE,
	SPEECH,
	webrtcTask,
} from '#test/support/interpreter-stage.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createRateLimits } from './interpreter.ts';

const first = phrases[0]?.text;
const second = phrases[1]?.text;

/** A stage whose task runs and whose client sends silence. */
async function running(
	options: Parameters<typeof createInterpreterStage>[0] = {},
	task: object = webrtcTask(),
) {
	const stage = createInterpreterStage(options);
	stage.command('set_task', task);
	await stage.hear(SILENCE, 1100);
	return stage;
}

describe('one sentence', () => {
	it('runs from partial texts through the final ones to speech, each at its time', async () => {
		const stage = await running();
		await stage.hear(SPEECH, 2000);
		const endOfSpeech = stage.clock.now();
		await stage.hear(SILENCE, 5000);
		const partials = stage.texts().filter(([type]) => type === 'partial_transcription');
		expect(partials.length).toBeGreaterThanOrEqual(7);
		expect(partials.length).toBeLessThanOrEqual(8);
		expect(partials[0]?.[2].length).toBeLessThan(partials.at(-1)?.[2].length ?? 0);
		expect(stage.texts().slice(partials.length)).toEqual([
			['validated_transcription', 'en', first?.en],
			['translated_transcription', 'es', first?.es],
		]);
		const at = (type: string) =>
			stage.deeds.find(
				({ what, value }) => what === 'say' && (value as { message_type?: string }).message_type === type,
			)?.atMs ?? Number.NaN;
		expect(at('validated_transcription') - endOfSpeech).toBeCloseTo(750, -2);
		expect(at('translated_transcription') - at('validated_transcription')).toBe(300);
		const spoken = stage.deeds.find(({ what }) => what === 'speak');
		expect((spoken?.atMs ?? 0) - at('translated_transcription')).toBe(450);
		expect(spoken?.value).toMatchObject({ language: 'es', part: '0' });
	});

	it('has one id for its source, its translations and its speech, and a fresh one for the next', async () => {
		const stage = createInterpreterStage();
		const ids = async () => {
			const from = stage.deeds.length;
			await stage.hear(SPEECH, 1000);
			await stage.hear(SILENCE, 3000);
			const found = stage.deeds.slice(from).flatMap(({ what, value }) => {
				if (what === 'speak') return [(value as { id: string }).id];
				const data = (value as { data?: { transcription?: { transcription_id: string } } })?.data;
				return data?.transcription ? [data.transcription.transcription_id] : [];
			});
			return new Set(found);
		};
		stage.command('set_task', webrtcTask());
		await stage.hear(SILENCE, 1100);
		const one = await ids();
		expect(one.size).toBe(1);
		expect([...one][0]).toMatch(/^[\da-f]{16}$/);
		expect((await ids()).size).toBe(1);
	});

	it('gives partial texts four times a second with words and times, as on the wire', async () => {
		const stage = await running();
		await stage.hear(SPEECH, 1000);
		expect(stage.messages('partial_transcription').at(-1)).toMatchObject({
			data: {
				transcription: {
					language: 'en',
					segments: [
						{ start: expect.any(Number), end: expect.any(Number), end_timestamp: expect.any(Number) },
					],
				},
			},
		});
		const transcription = stage.messages('partial_transcription')[1]?.data.transcription as {
			segments: { start: number; end: number; words: { word: string }[] }[];
			text: string;
		};
		expect(transcription.segments[0]?.words.map(({ word }) => word).join(' ')).toBe(transcription.text);
	});

	it('is not made of a click, nor of noise that stays', async () => {
		const stage = await running();
		await stage.hear(SPEECH, 40);
		await stage.hear(SILENCE, 2000);
		await stage.hear(0.003, 3000);
		expect(stage.texts()).toEqual([]);
	});

	it('is split after 8 s, unless the splitter is off', async () => {
		const stage = await running();
		await stage.hear(SPEECH, 10_000);
		expect(stage.texts().filter(([type]) => type === 'validated_transcription')).toEqual([
			['validated_transcription', 'en', first?.en],
		]);
		const transcription = { source_language: 'en', sentence_splitter: { enabled: false } };
		const whole = await running({}, webrtcTask({ pipeline: { transcription } }));
		await whole.hear(SPEECH, 10_000);
		expect(whole.texts().filter(([type]) => type === 'validated_transcription')).toEqual([]);
	});

	it('ends at the silence the task asks for', async () => {
		const transcription = { source_language: 'en', segment_confirmation_silence_threshold: 1.5 };
		const stage = await running({}, webrtcTask({ pipeline: { transcription } }));
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 1400);
		expect(stage.messages('validated_transcription')).toEqual([]);
		await stage.hear(SILENCE, 300);
		expect(stage.messages('validated_transcription')).toHaveLength(1);
	});
});

describe('a conversation', () => {
	it('says the phrases in order whatever is heard, in every target', async () => {
		const stage = await running({}, webrtcTask({ targets: ['fr', 'ja'] }));
		for (let turn = 0; turn < 2; turn += 1) {
			await stage.hear(SPEECH, 1500);
			await stage.hear(SILENCE, 2000);
		}
		const finals = stage.texts().filter(([type]) => !type.startsWith('partial'));
		expect(finals.map(([, language, text]) => [language, text])).toEqual([
			['en', first?.en],
			['fr', first?.fr],
			['ja', first?.ja],
			['en', second?.en],
			['fr', second?.fr],
			['ja', second?.ja],
		]);
		expect(stage.deeds.find(({ what }) => what === 'publish')?.value).toEqual(['fr', 'ja']);
	});

	it('hears the first language it may detect under auto', async () => {
		const transcription = { source_language: 'auto', detectable_languages: ['de', 'en'] };
		const stage = await running({}, webrtcTask({ pipeline: { transcription } }));
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 1000);
		expect(stage.texts().at(-1)).toEqual(['validated_transcription', 'de', first?.de]);
	});

	it('hears two people in turns where each is translated for the other alone', async () => {
		const transcription = { source_language: 'auto', detectable_languages: ['en', 'es'] };
		const translations = [
			{ target_language: 'es', allowed_source_languages: ['en'] },
			{ target_language: 'en-us', allowed_source_languages: ['es'] },
		];
		const stage = await running({}, webrtcTask({ pipeline: { transcription, translations } }));
		for (let sentence = 1; sentence <= 2; sentence++) {
			await stage.hear(SPEECH, 1500);
			await stage.hear(SILENCE, 2500);
		}
		const finals = stage.texts().filter(([type]) => !type.startsWith('partial'));
		expect(finals.map(([, language, text]) => [language, text])).toEqual([
			['en', first?.en],
			['es', first?.es],
			['es', second?.es],
			['en-us', second?.en],
		]);
	});

	it('keeps the region of a target in its code and speaks its base', async () => {
		const stage = await running({}, webrtcTask({ targets: ['es-mx'] }));
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 2500);
		expect(stage.texts().at(-1)).toEqual(['translated_transcription', 'es-mx', first?.es]);
		expect(
			stage.deeds.some(
				({ what, value }) => what === 'speak' && (value as { language: string }).language === 'es-mx',
			),
		).toBe(true);
	});

	it('says plainly that it has no phrase in a language, and gives the speaker back', async () => {
		const stage = await running({}, webrtcTask({ targets: ['pl'] }));
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 3000);
		expect(stage.texts().at(-1)?.[2]).toBe('[pl] The sandbox has no phrase 1 in this language.');
		const spoken = stage.deeds.find(({ what }) => what === 'speak')?.value as { packets: Uint8Array[] };
		expect(spoken.packets.filter((packet) => packet[2] === SPEECH * 100)).toHaveLength(50);
		expect(spoken.packets.length).toBeLessThan(70);
	});

	it('echoes the speaker when it is the echo', async () => {
		const stage = await running({ kind: 'echo' });
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 3000);
		const spoken = stage.deeds.find(({ what }) => what === 'speak')?.value as { packets: Uint8Array[] };
		expect(spoken.packets.filter((packet) => packet[2] === SPEECH * 100)).toHaveLength(50);
	});

	it('translates unconfirmed text only where the task wants it and the type is allowed', async () => {
		const pipeline = {
			translations: [
				{ target_language: 'es', translate_partial_transcriptions: true },
				{ target_language: 'fr' },
			],
			allowed_message_types: ['partial_translated_transcription', 'translated_transcription'],
		};
		const stage = await running({}, webrtcTask({ pipeline }));
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 2000);
		const types = new Set(stage.texts().map(([type, language]) => `${type} ${language}`));
		expect(types).toEqual(
			new Set([
				'partial_translated_transcription es',
				'translated_transcription es',
				'translated_transcription fr',
			]),
		);
		const part = stage.messages('translated_transcription')[0]?.data.transcription;
		expect(part).toMatchObject({ translation_part_id: 0 });
	});

	it('routes by allowed source languages', async () => {
		const translations = [
			{ target_language: 'es', allowed_source_languages: ['fr'] },
			{ target_language: 'de', allowed_source_languages: ['en'] },
		];
		const stage = await running({}, webrtcTask({ pipeline: { translations } }));
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 2000);
		expect(stage.texts().filter(([type]) => type === 'translated_transcription')).toEqual([
			['translated_transcription', 'de', first?.de],
		]);
	});

	it('is text only without an output stream', async () => {
		const stage = await running({}, { ...webrtcTask(), output_stream: null });
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 3000);
		expect(stage.deeds.find(({ what }) => what === 'publish')?.value).toEqual([]);
		expect(stage.messages('translated_transcription')).toHaveLength(1);
		expect(stage.deeds.some(({ what }) => what === 'speak')).toBe(false);
	});
});

describe('queue levels', () => {
	it('come once a second, empty when nothing waits, and shrink while it speaks', async () => {
		const stage = await running();
		const levels = () =>
			stage.deeds.filter(({ what, value }) => what === 'say' && !('message_type' in (value as object)));
		expect(levels().map(({ atMs, value }) => [atMs, value])).toEqual([[1000, {}]]);
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 4000);
		const seen = levels().map(
			({ value }) => (value as { es?: { current_queue_level_ms: number } }).es?.current_queue_level_ms,
		);
		const spoken = seen.filter((ms) => ms !== undefined);
		expect(spoken.length).toBeGreaterThanOrEqual(2);
		expect((spoken[0] ?? 0) - (spoken[1] ?? 0)).toBe(1000);
		await stage.hear(SILENCE, 3000);
		expect(levels().at(-1)?.value).toEqual({});
	});

	it('stay below the most that may wait: the oldest waiting sentence goes', async () => {
		const pipeline = {
			translation_queue_configs: { global: { desired_queue_level_ms: 3000, max_queue_level_ms: 6000 } },
			transcription: { source_language: 'en', segment_confirmation_silence_threshold: 0.3 },
		};
		const stage = await running({}, webrtcTask({ pipeline }));
		for (let turn = 0; turn < 8; turn += 1) {
			await stage.hear(SPEECH, 400);
			await stage.hear(SILENCE, 340);
		}
		await stage.hear(SILENCE, 1000);
		expect(stage.deeds.some(({ what }) => what === 'drop')).toBe(true);
		for (const { value } of stage.deeds.filter(({ what }) => what === 'say')) {
			const level = (value as { es?: { current_queue_level_ms: number } }).es;
			if (level) expect(level.current_queue_level_ms).toBeLessThanOrEqual(6000);
		}
	});
});

describe('an interpreter that is closed', () => {
	it('is silent and leaves no timer', async () => {
		const stage = await running();
		await stage.hear(SPEECH, 1000);
		stage.interpreter.close();
		const before = stage.deeds.filter(({ what }) => what === 'say').length;
		stage.command('get_task');
		await stage.hear(SPEECH, 3000);
		expect(stage.deeds.filter(({ what }) => what === 'say')).toHaveLength(before);
		expect(stage.clock.pending).toBe(0);
	});
});

describe('misbehaviour', () => {
	it('encodes data twice', async () => {
		const stage = await runningStage({ faults: ['double-encoded'] });
		const status = stage.messages('task_status')[0];
		expect(typeof status?.data).toBe('string');
		expect(decodeServerMessage(JSON.stringify(status))).toMatchObject({
			type: 'task-status',
			event: 'started',
		});
	});

	it('says final messages twice and a partial after them', async () => {
		const stage = await runningStage({ faults: ['duplicate-messages'] });
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 1000);
		expect(
			stage
				.texts()
				.slice(-3)
				.map(([type]) => type),
		).toEqual(['validated_transcription', 'validated_transcription', 'partial_transcription']);
	});

	it('storms with a thousand errors a second while the task runs', async () => {
		const stage = await runningStage({ faults: ['error-storm'] });
		const before = stage.messages('error').length;
		await stage.hear(SILENCE, 1000);
		expect(stage.messages('error').length - before).toBe(1000);
	});

	it('sends garbage and messages nobody knows, none of which a client can take for text', async () => {
		const stage = await runningStage({ faults: ['garbage-data', 'unknown-messages'] });
		await stage.hear(SILENCE, 5000);
		expect(stage.messages('weather_report').length).toBeGreaterThan(5);
		const garbled = stage.messages().filter(({ data }) => typeof data !== 'object' || data === null);
		expect(garbled.length).toBeGreaterThan(2);
		for (const message of stage.messages()) {
			expect(decodeServerMessage(JSON.stringify(message)).type).not.toBe('transcript');
		}
	});

	it('keeps quiet under no-voice while the texts go on', async () => {
		const stage = await runningStage({ faults: ['no-voice'] });
		await stage.hear(SPEECH, 1000);
		await stage.hear(SILENCE, 3000);
		expect(stage.messages('translated_transcription')).toHaveLength(1);
		expect(stage.deeds.some(({ what }) => what === 'speak')).toBe(false);
	});

	it('never answers end_task under no-end-of-stream', async () => {
		const stage = await runningStage({ faults: ['no-end-of-stream'] });
		stage.command('end_task');
		await stage.wait(60_000);
		expect(stage.deeds.some(({ what }) => what === 'end')).toBe(false);
	});
});

test('sixty texts within a minute, not one more, and again a minute after the first', async () => {
	const clock = createManualClock();
	const limits = createRateLimits(clock, () => true);
	const allowed = (count: number) =>
		Array.from({ length: count }, () => limits.allows('tts_task')).filter((is) => is).length;
	expect(allowed(1)).toBe(1);
	await clock.run(30_000);
	expect(allowed(60)).toBe(59);
	await clock.run(29_999);
	expect(allowed(1)).toBe(0);
	await clock.run(1);
	// A refused command does not count.
	expect(allowed(2)).toBe(1);
});

test.each([
	['set_task', 'get_task', 1800],
	['get_task', 'set_task', 1800],
	['pause_task', 'pause_task', 2800],
	['end_task', 'end_task', 2800],
])('%s, then %s: %i ms apart, and not sooner', async (first, second, afterMs) => {
	const clock = createManualClock();
	const limits = createRateLimits(clock, () => true);
	expect(limits.allows(first)).toBe(true);
	await clock.run(afterMs - 1);
	expect(limits.allows(second)).toBe(false);
	await clock.run(1);
	expect(limits.allows(second)).toBe(true);
});

test('where they are counted apart, set_task and get_task do not wait for each other; what has no limit never waits', () => {
	const limits = createRateLimits(createManualClock(), () => false);
	const commands = ['set_task', 'get_task', 'pause_task', 'end_task', 'flush_task', 'flush_task'];
	expect(commands.map(limits.allows)).toEqual(Array(6).fill(true));
});
