import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { notRun } from '#test/support/not-run.ts';
import {
	openSocket,
	openSpeech,
	ready,
	type SocketClient,
	socketTask,
	speak,
	tokenOf,
} from '#test/support/socket-client.ts';
import { createVoiceWire } from '#test/support/voices.ts';

const sandbox = await startSandbox();
const wire = createVoiceWire(sandbox);
afterAll(() => sandbox.close());

const noEspeak = spawnSync('espeak-ng', ['--version']).status !== 0;

/** A sentence there is a clip of, and one there is none of. */
const CLIP = 'Buenos días, mucho gusto en conocerle.';
const OWN = 'Esto no lo ha dicho nadie todavía.';

interface Heard {
	readonly pcm: Buffer;
	readonly warnings: readonly unknown[];
}

function heard(client: SocketClient, type: string, field: string): Heard {
	client.ws.terminate();
	return {
		pcm: Buffer.concat(client.messages(type).map(({ data }) => Buffer.from(String(data[field]), 'base64'))),
		// The warning that no microphone is sending is expected.
		warnings: client
			.messages('warning')
			.map(({ data }) => String(data.code))
			.filter((code) => !code.startsWith('AUDIO_STREAM_')),
	};
}

const isLast = (message: Readonly<Record<string, unknown>>) =>
	(message.data as Record<string, unknown> | undefined)?.last_chunk === true;

/** A text by text to speech. */
async function typed(text: string, voiceId: string, faults = 'fast-output'): Promise<Heard> {
	const token = encodeURIComponent(tokenOf(sandbox, { faults }));
	const client = await openSocket(`${sandbox.addresses.tts}?token=${token}`);
	client.send({
		type: 'init',
		language: 'es',
		model: 'auto',
		voice_options: { voice_id: voiceId },
		output: { format: 'pcm', sample_rate: 24_000 },
	});
	client.send({ type: 'text', text, generation_id: 'g', is_eos: true });
	await client.until(isLast);
	return heard(client, 'audio_chunk', 'audio');
}

/** A sentence typed into a conversation. */
async function said(text: string, voiceId: string, faults = 'fast-output'): Promise<Heard> {
	const client = await openSpeech(sandbox, { faults });
	client.send(socketTask({ source: { sample_rate: 16_000 }, voiceId }));
	await ready(client);
	speak(client, text);
	await client.until((message) => message.message_type === 'output_audio_data' && isLast(message));
	return heard(client, 'output_audio_data', 'data');
}

const RATE = 24_000;
/** Samples of 40 ms. */
const FRAME = 960;

/** The most frequent pitch of the loud parts, Hz. */
function pitchOf(pcm: Buffer): number {
	const samples = Array.from({ length: Math.floor(pcm.length / 2) }, (_, at) => pcm.readInt16LE(at * 2));
	const lags = Array.from({ length: 240 }, (_, at) => 60 + at);
	const pitches: number[] = [];
	for (let from = 0; from + 2 * FRAME < samples.length; from += FRAME * 2) {
		const frame = samples.slice(from, from + FRAME);
		if (Math.max(...frame) < 1500) continue;
		const likeness = lags.map((lag) =>
			frame.reduce((sum, one, at) => sum + one * (samples[from + at + lag] ?? 0), 0),
		);
		pitches.push(RATE / (lags[likeness.indexOf(Math.max(...likeness))] ?? 1));
	}
	return pitches.sort((one, other) => one - other)[Math.floor(pitches.length / 2)] ?? 0;
}

describe.concurrent('a cloned voice', { timeout: 30_000 }, () => {
	test.skipIf(noEspeak && notRun('how a cloned voice sounds', 'espeak-ng is not installed')).each([
		['by text to speech, of a text of one’s own', typed, OWN],
		['by text to speech, though there is a clip', typed, CLIP],
		['in a conversation, of a text of one’s own', said, OWN],
		['in a conversation, though there is a clip', said, CLIP],
	])('sounds much higher than the usual one %s', async (_where, speak, text) => {
		const id = await wire.readyVoice();
		const [usual, cloned] = await Promise.all([speak(text, 'default_low'), speak(text, id)]);
		expect([usual.warnings, cloned.warnings]).toEqual([[], []]);
		expect(pitchOf(cloned.pcm)).toBeGreaterThan(pitchOf(usual.pcm) * 1.3);
	});

	test('that is not there, not ready or deleted warns, and the usual one speaks', async () => {
		const { id: created } = await wire.cloned();
		const deleted = await wire.readyVoice();
		await wire.ask('DELETE', `/saas/voice/m/${deleted}`);
		const usual = await typed(CLIP, 'default_low');
		for (const id of ['nobody', created, deleted]) {
			const instead = await typed(CLIP, id);
			expect(instead.warnings).toEqual(['VOICE_NOT_FOUND']);
			expect(instead.pcm.equals(usual.pcm)).toBe(true);
		}
		expect((await said(CLIP, created)).warnings).toEqual(['VOICE_NOT_FOUND']);
	});

	test('is the clip in its own voice, which is said, where nothing can speak', async () => {
		const id = await wire.readyVoice();
		for (const speak of [typed, said]) {
			const usual = await speak(CLIP, 'default_low');
			const instead = await speak(CLIP, id, 'fast-output+placeholder-voice');
			expect(instead.warnings).toEqual(['PLACEHOLDER_VOICE']);
			expect(instead.pcm.equals(usual.pcm)).toBe(true);
		}
	});
});
