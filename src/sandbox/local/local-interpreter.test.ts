import { describe, expect, it } from 'vitest';
import { createFaults } from '#sandbox/faults.ts';
import { ALL_TRANSCRIPTS } from '#shared/protocol/vocabulary.ts';
import { createInterpreterStage, SILENCE, webrtcTask } from '#test/support/interpreter-stage.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import type { Heard } from './hearing.ts';
import { createLocalEngine, createLocalTranscriber } from './local-interpreter.ts';
import type { EarEvents } from './threads.ts';

/** Threads that say what they are told to; real ones are in `test/integration/local.test.ts`. */
async function running(task = webrtcTask({ targets: ['es', 'pt'] }), { asHeard = false } = {}) {
	const ears: { readonly recogniser: string; readonly events: EarEvents; readonly did: string[] }[] = [];
	const stage = createInterpreterStage({
		createEngine: (ports) =>
			createLocalEngine(
				{ ...ports, asHeard },
				{
					threads: {
						ear(recogniser, events) {
							const did: string[] = [];
							const ear = { recogniser, events, did };
							ears.push(ear);
							const note = (deed: string) => () => void did.push(deed);
							return {
								ready: Promise.resolve(),
								follow: ({ languages }) => void did.push(languages.join()),
								hear() {},
								finish: note('finish'),
								discard: note('discard'),
								reset: note('reset'),
								release: note('release'),
							};
						},
						mouth: async () => ({
							translate: async (text, route) => `${route.join('+')}: ${text}`,
							async speak(_, heard) {
								heard({ samples: new Int16Array(8000), rateHz: 16_000 });
								heard({ samples: new Int16Array(8000), rateHz: 16_000 });
							},
						}),
						async close() {},
					},
					library: {
						folder: '',
						detector: '',
						recogniserFor: ([language = '']) => (language === 'en' ? 'small' : 'base'),
						routeFor: (from, to) => (from === to ? [] : [`${from}-${to}`]),
					},
					glossaries: { heard: (text) => text, translated: (text) => text },
					frames: (samples) => Array.from({ length: samples.length / 320 }, () => new Uint8Array(640)),
				},
			),
	});
	stage.command('set_task', task);
	await stage.hear(SILENCE, 2100);
	function heard(ear: number, sentence: number, text: string, isFinal: boolean, language = 'en'): void {
		const event: Heard = { sentence, text, sure: '', language, startS: 0, endS: 1, isFinal };
		ears[ear]?.events.heard(event);
	}
	return { stage, ears, heard };
}

const spoken = (stage: Awaited<ReturnType<typeof running>>['stage']) =>
	stage.deeds
		.filter(({ what, value }) => what === 'speak' && (value as { part: string }).part === '0')
		.map(({ value }) => (value as { language: string }).language);

describe('the engine on this computer', () => {
	it('translates and speaks a sentence in each language', async () => {
		const { stage, heard } = await running();
		heard(0, 1, 'Good', false);
		heard(0, 1, 'Good morning', true);
		await stage.wait(100);
		expect(stage.texts()).toEqual([
			['partial_transcription', 'en', 'Good'],
			['validated_transcription', 'en', 'Good morning'],
			['translated_transcription', 'es', 'en-es: Good morning'],
			['translated_transcription', 'pt', 'en-pt: Good morning'],
		]);
		// Each in two parts, so that it is heard before all of it is made.
		const parts = stage.deeds.filter(({ what }) => what === 'speak').map(({ value }) => value);
		expect(parts).toMatchObject([
			{ language: 'es', part: '0' },
			{ language: 'es', part: '1' },
			{ language: 'pt', part: '0' },
			{ language: 'pt', part: '1' },
		]);
	});

	it('after a change of languages still says the sentence that was being said, in its own languages', async () => {
		const { stage, ears, heard } = await running();
		heard(0, 1, 'Good', false);
		stage.command('set_task', webrtcTask({ source: 'fr', targets: ['de'] }));
		await stage.wait(100);
		expect(ears.map(({ recogniser }) => recogniser)).toEqual(['small', 'base']);
		expect(ears[0]?.did).toEqual(expect.arrayContaining(['finish']));
		heard(0, 1, 'Good morning', true);
		heard(1, 1, 'Bonjour', true, 'fr');
		await stage.wait(100);
		expect(stage.texts().filter(([type]) => type === 'translated_transcription')).toEqual([
			['translated_transcription', 'es', 'en-es: Good morning'],
			['translated_transcription', 'pt', 'en-pt: Good morning'],
			['translated_transcription', 'de', 'fr-de: Bonjour'],
		]);
		expect(ears[0]?.did).not.toContain('release');
		ears[0]?.events.done();
		expect(ears[0]?.did.at(-1)).toBe('release');
		expect(ears[1]?.did).toEqual(['fr', 'fr']);
	});

	it('says a sentence of one word that is confirmed by the end only', async () => {
		const { stage, ears, heard } = await running();
		stage.command('end_task', { force: false });
		expect(ears[0]?.did.at(-1)).toBe('finish');
		await stage.hear(SILENCE, 1000);
		expect(stage.messages('end_of_stream')).toEqual([]);
		heard(0, 1, 'Yes', true);
		ears[0]?.events.done();
		await stage.wait(8000);
		expect(stage.texts()).toContainEqual(['translated_transcription', 'es', 'en-es: Yes']);
		expect(spoken(stage)).toEqual(['es', 'pt']);
		expect(stage.messages('end_of_stream')).toHaveLength(1);
	});

	it('where one language is dropped, speaks the other', async () => {
		const { stage, heard } = await running();
		heard(0, 1, 'Good', false);
		stage.command('interrupt_task', { languages: ['es'] });
		heard(0, 1, 'Good morning', true);
		await stage.wait(100);
		const translated = stage.texts().filter(([type]) => type === 'translated_transcription');
		expect(translated.map(([, language]) => language)).toEqual(['pt']);
		expect(spoken(stage)).toEqual(['pt']);
	});

	it('whose ear ends keeps what was understood, goes on with another, and after the second says so', async () => {
		const { stage, ears, heard } = await running();
		heard(0, 1, 'Good mor', false);
		ears[0]?.events.failed('out of memory');
		await stage.wait(100);
		expect(stage.texts()).toContainEqual(['translated_transcription', 'es', 'en-es: Good mor']);
		heard(1, 1, 'Good evening', true);
		ears[1]?.events.failed('out of memory');
		expect(ears).toHaveLength(3);
		expect(stage.messages('error')).toEqual([]);
		ears[2]?.events.failed('out of memory');
		expect(ears).toHaveLength(3);
		expect(stage.messages('error')).toHaveLength(1);
	});

	it('that is late for long says that this computer is too slow', async () => {
		const { stage, ears } = await running();
		ears[0]?.events.slow();
		expect(stage.messages('warning')).toMatchObject([{ data: { code: 'COMPUTER_TOO_SLOW' } }]);
	});

	it('tells who sends a file how much was heard, and of what an ear that ended had, too', async () => {
		const { stage, ears } = await running(undefined, { asHeard: true });
		const told = () => stage.messages('sound_heard').map(({ data }) => Math.floor(Number(data.ms)));
		const second = () => {
			for (let packet = 0; packet < 50; packet += 1) stage.interpreter.heardPacket?.(new Uint8Array(960));
		};
		second();
		expect(told()).toEqual([]);
		ears[0]?.events.progress?.(400);
		ears[0]?.events.progress?.(400);
		expect(told()).toEqual([400, 800]);
		ears[0]?.events.failed('out of memory');
		// A few ms were heard before.
		expect(told()).toEqual([400, 800, 1004]);
		ears[1]?.events.failed('out of memory');
		second();
		expect(told().at(-1)).toBe(2004);
	});

	it('makes corrections before it translates, in partial texts too', async () => {
		const corrections = [{ language: 'en', wrong: 'sea ox', right: 'CEOX' }];
		const partials = [{ target_language: 'es', translate_partial_transcriptions: true }];
		const task = webrtcTask({
			pipeline: {
				transcription: { source_language: 'en', corrections },
				translations: partials,
				allowed_message_types: [...ALL_TRANSCRIPTS],
			},
		});
		const { stage, ears, heard } = await running(task);
		const event = { sentence: 1, language: 'en', startS: 0, endS: 1, isFinal: false };
		ears[0]?.events.heard({ ...event, text: 'The sea ox is', sure: 'The sea ox' });
		await stage.wait(10);
		heard(0, 1, 'The sea ox is open', true);
		await stage.wait(10);
		expect(stage.texts().map(([, , text]) => text)).toEqual([
			'The CEOX is',
			'en-es: The CEOX',
			'The CEOX is open',
			'en-es: The CEOX is open',
		]);
	});
});

describe('captions on this computer', () => {
	function transcribing(asHeard = false) {
		const said: Record<string, unknown>[] = [];
		const ears: EarEvents[] = [];
		const transcriber = createLocalTranscriber(
			{
				clock: createManualClock(),
				random: () => 0.5,
				faults: createFaults(),
				settings: { language: 'en', targets: [] },
				say: (message) => void said.push(message as Record<string, unknown>),
				asHeard,
			},
			{
				threads: {
					ear(_, events) {
						ears.push(events);
						const nothing = () => {};
						const deeds = { follow: nothing, hear: nothing, finish: nothing, discard: nothing };
						return { ready: Promise.resolve(), ...deeds, reset: nothing, release: nothing };
					},
					mouth: () => Promise.reject(new Error('nothing is translated')),
					async close() {},
				},
				library: { folder: '', detector: '', recogniserFor: () => 'small', routeFor: () => null },
			},
		);
		return { said, ears, transcriber };
	}

	it('are heard by another ear when one ends, and after the second it is said', () => {
		const { said, ears } = transcribing();
		ears[0]?.failed('out of memory');
		expect(said).toEqual([]);
		ears[1]?.failed('out of memory');
		expect(said).toMatchObject([{ message_type: 'error', data: { code: 'INTERNAL_ERROR' } }]);
		expect(ears).toHaveLength(2);
	});

	it('that are late for long say that this computer is too slow', () => {
		const { said, ears } = transcribing();
		ears[0]?.slow();
		expect(said).toMatchObject([{ message_type: 'warning', data: { code: 'COMPUTER_TOO_SLOW' } }]);
	});

	it('of a file tell how much was heard', () => {
		const { said, ears, transcriber } = transcribing(true);
		transcriber.hear(0.1, 1000, new Float32Array(16_000), 16_000);
		ears[0]?.progress?.(600);
		ears[0]?.failed('out of memory');
		expect(said).toEqual([600, 1000].map((ms) => ({ message_type: 'sound_heard', data: { ms } })));
	});
});
