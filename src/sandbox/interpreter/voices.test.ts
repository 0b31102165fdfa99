import { describe, expect, it } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { builtInTimbre } from '#sandbox/speech/timbre.ts';
import { createInterpreterStage, SILENCE, SPEECH, webrtcTask } from '#test/support/interpreter-stage.ts';

const made = [Uint8Array.of(0xf8, 1), Uint8Array.of(0xf8, 2)];
/** A packet of the stage's speaker. */
const HEARD = Uint8Array.of(0xf8);

/** Interprets one sentence into these languages, each with the given voice: what was asked of the voice, what was spoken. */
async function sentence(
	voices: Readonly<Record<string, string>>,
	options: { faults?: readonly string[]; kind?: 'script' | 'echo'; note?: string } = {},
) {
	const asked: (readonly string[])[] = [];
	const stage = createInterpreterStage({
		...options,
		timbreOf: (id) => builtInTimbre(id) ?? (id === 'mine' ? 'cloned' : null),
		async voice(text, language, timbre) {
			asked.push([text, language, timbre]);
			return { packets: made, note: options.note ?? null };
		},
	});
	const translations = Object.entries(voices).map(([target, id]) => ({
		target_language: target,
		speech_generation: { voice_id: id },
	}));
	stage.command('set_task', webrtcTask({ pipeline: { translations } }));
	await stage.hear(SILENCE, 1500);
	await stage.hear(SPEECH, 2000);
	await stage.hear(SILENCE, 6000);
	const spoken = stage.deeds
		.filter(({ what }) => what === 'speak')
		.map(({ value }) => value as { language: string; packets: readonly Uint8Array[] });
	const warnings = stage.messages('warning').map(({ data }) => data.code);
	return { asked, spoken, warnings };
}

describe('the voice of a language', () => {
	it('is made where it is a cloned one; the others have their clips', async () => {
		const { asked, spoken, warnings } = await sentence({ es: 'mine', de: 'default_high', fr: 'default_low' });
		expect(asked).toEqual([[phrases[0]?.text.es, 'es', 'cloned']]);
		expect(spoken.map(({ language }) => language).sort()).toEqual(['de', 'es', 'fr']);
		for (const { language, packets } of spoken) expect(packets === made).toBe(language === 'es');
		expect(warnings).toEqual([]);
	});

	it('is the usual one, with a warning, where there is no such voice', async () => {
		for (const [id, faults] of [
			['nobody', []],
			['mine', ['voice-not-found']],
		] as const) {
			const { asked, spoken, warnings } = await sentence({ es: id }, { faults });
			expect(asked).toEqual([]);
			expect(spoken).toHaveLength(1);
			expect(warnings).toEqual(['VOICE_NOT_FOUND']);
		}
	});

	it('is the clip’s when the cloned one would be no more than tones', async () => {
		const { spoken, warnings } = await sentence({ es: 'mine' }, { note: 'Tones.' });
		expect(spoken[0]?.packets).not.toBe(made);
		expect(warnings).toEqual(['PLACEHOLDER_VOICE']);
	});

	it('is the speaker’s own where the sandbox gives back what it heard', async () => {
		const { asked, spoken } = await sentence({ es: 'mine' }, { kind: 'echo' });
		expect(asked).toEqual([]);
		expect(spoken[0]?.packets[0]?.subarray(0, 1)).toEqual(HEARD);
	});
});
