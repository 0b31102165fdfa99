import { describe, expect, it } from 'vitest';
import { createInterpreterStage, SILENCE, webrtcTask } from '#test/support/interpreter-stage.ts';
import type { VoicedText } from './engine.ts';

const OWN = 'Esto no lo ha dicho nadie todavía.';
const packets = [Uint8Array.of(0xf8, 1), Uint8Array.of(0xf8, 2)];

/** A stage whose voice waits until the test lets it speak. */
async function setUp() {
	const asked: {
		text: string;
		language: string;
		answer: (made: VoicedText | null) => void;
		fail: () => void;
	}[] = [];
	const stage = createInterpreterStage({
		voice: (text, language) =>
			new Promise((answer, failed) =>
				asked.push({ text, language, answer, fail: () => failed(new Error('no')) }),
			),
	});
	stage.command('set_task', webrtcTask());
	await stage.wait(1500);
	const say = (text: string) => stage.command('tts_task', { text, language: 'es', translate_text: false });
	const spoken = () => stage.deeds.filter(({ what }) => what === 'speak').map(({ value }) => value);
	return { stage, asked, say, spoken };
}

describe('a text of the client’s own', () => {
	it('is spoken as it was made, however long that took', async () => {
		const { stage, asked, say, spoken } = await setUp();
		say(OWN);
		await stage.hear(SILENCE, 3000);
		expect(asked).toMatchObject([{ text: OWN, language: 'es' }]);
		expect(spoken()).toEqual([]);
		asked[0]?.answer({ packets, note: null });
		await stage.wait(0);
		expect(spoken()).toMatchObject([{ language: 'es', packets }]);
		expect(stage.messages('warning')).toEqual([]);
	});

	it('is not asked for when there is a clip of it', async () => {
		const { stage, asked, say, spoken } = await setUp();
		say('Buenos días, mucho gusto en conocerle.');
		await stage.hear(SILENCE, 2000);
		expect(asked).toEqual([]);
		expect(spoken()).toHaveLength(1);
	});

	it.each(['null', 'a failure'])(
		'is another clip, which is said once, when the voice gives %s',
		async (how) => {
			const { stage, asked, say, spoken } = await setUp();
			for (const text of [OWN, `${OWN} Ni esto.`]) say(text);
			for (const { answer, fail } of asked) how === 'null' ? answer(null) : fail();
			await stage.hear(SILENCE, 2000);
			expect(spoken()).toHaveLength(2);
			expect(stage.messages('warning')).toMatchObject([{ data: { code: 'PLACEHOLDER_VOICE' } }]);
		},
	);

	it('stays unsaid when it was interrupted while it was made', async () => {
		const { stage, asked, say, spoken } = await setUp();
		say(OWN);
		await stage.hear(SILENCE, 2000);
		stage.command('interrupt_task', { languages: ['global'] });
		asked[0]?.answer({ packets, note: null });
		await stage.wait(1000);
		expect(spoken()).toEqual([]);
	});

	it('belongs to the tail: the end waits for it', async () => {
		const { stage, asked, say, spoken } = await setUp();
		say(OWN);
		stage.command('end_task', {});
		await stage.hear(SILENCE, 4000);
		expect(stage.messages('end_of_stream')).toEqual([]);
		asked[0]?.answer({ packets, note: null });
		await stage.wait(1000);
		expect(spoken()).toHaveLength(1);
		expect(stage.messages('end_of_stream')).toHaveLength(1);
	});
});
