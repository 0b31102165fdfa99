import { describe, expect, it } from 'vitest';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import { createInterpreterStage, SILENCE, SPEECH, webrtcTask } from '#test/support/interpreter-stage.ts';
import commands from '#test/wire/client-messages.json' with { type: 'json' };
import samples from '#test/wire/server-messages.json' with { type: 'json' };

type Json = Record<string, unknown>;

/** Everything a conversation of that generation makes the interpreter say. */
async function everythingSaid(generation: 'current' | 'older'): Promise<Json[]> {
	const stage = createInterpreterStage({ generation });
	const task = webrtcTask({
		targets: ['es', 'en-us'],
		pipeline: {
			translations: [
				{
					target_language: 'es',
					translate_partial_transcriptions: true,
					speech_generation: { voice_id: 'x' },
				},
			],
			allowed_message_types: [
				'partial_transcription',
				'validated_transcription',
				'partial_translated_transcription',
				'translated_transcription',
				'pipeline_timings',
				'tts_buffer_stats',
				'tts_text',
			],
		},
	});
	stage.command('get_task');
	stage.command('set_task', task);
	await stage.hear(SILENCE, 2100);
	stage.command('get_task');
	await stage.hear(SPEECH, 1000);
	await stage.hear(SILENCE, 2500);
	stage.command('tts_task', { text: 'Hola', language: 'es', translate_text: false });
	stage.command('interrupt_task', { languages: ['global'] });
	stage.command('pause_task');
	stage.command('set_task', { pipeline: {} });
	stage.command('end_task');
	await stage.wait(6000);
	return stage.deeds.filter(({ what }) => what === 'say').map(({ value }) => value as Json);
}

/** Which fields a message has and of what type, as `path: type` lines; lists by their first element. */
function shape(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) return value.length === 0 ? [] : shape(value[0], `${path}[]`);
	if (typeof value !== 'object' || value === null)
		return [`${path}: ${value === null ? 'null' : typeof value}`];
	return Object.entries(value).flatMap(([name, inner]) => shape(inner, `${path}.${name}`));
}

const isText = (message: Json) => String(message.message_type).endsWith('transcription');

describe.each(['current', 'older'] as const)('what the %s generation says', (generation) => {
	it('is read without remainder by the decoder that reads the wire samples', async () => {
		const said = await everythingSaid(generation);
		const unread = said.filter((message) => decodeServerMessage(JSON.stringify(message)).type === 'unknown');
		// The decoder ignores the text for the synthesiser, because nothing needs it.
		expect(unread.map((message) => message.message_type).filter((type) => type !== 'tts_text')).toEqual([]);
		const kinds = new Set(said.map((message) => decodeServerMessage(JSON.stringify(message)).type));
		const both = [
			'error',
			'warning',
			'queue-level',
			'current-task',
			'transcript',
			'timings',
			'end-of-stream',
			'unknown',
		];
		expect(kinds).toEqual(new Set(generation === 'current' ? [...both, 'task-status'] : both));
	});

	it('has the fields of the samples that were seen on the wire, with their types', async () => {
		const said = (await everythingSaid(generation)).filter(isText);
		const names = new Set(said.map((message) => message.message_type));
		expect(names.size).toBe(4);
		for (const name of names) {
			const ours = said
				.filter((message) => message.message_type === name)
				.flatMap((message) => shape(message));
			const sample = samples.find(
				({ wire, source }) =>
					(wire as Json).message_type === name &&
					typeof (wire as Json).data === 'object' &&
					source.includes('4.6'),
			);
			const theirs = shape(sample?.wire).filter((line) => !/part_id|: null$/.test(line));
			expect(
				theirs.filter((line) => !ours.includes(line)),
				String(name),
			).toEqual([]);
		}
		// A number in text messages, a string with audio (protocol 4.6).
		const translated = said.filter((message) => message.message_type === 'translated_transcription');
		expect(translated.flatMap((message) => shape(message))).toContain(
			'.data.transcription.translation_part_id: number',
		);
	});
});

describe('the commands of the wire samples', () => {
	it.each(commands)('are taken or refused as their source says: $what', ({ wire, expect: wanted }) => {
		const stage = createInterpreterStage();
		stage.interpreter.command(typeof wire === 'string' ? wire : JSON.stringify(wire));
		const codes = stage.messages('error').map(({ data }) => data.code);
		const refused = codes.filter((code) => code !== 'NOT_FOUND');
		expect(refused.length > 0).toBe(!wanted.ok);
	});
});
