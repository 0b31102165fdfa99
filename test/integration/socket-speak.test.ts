import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { ok } from '#shared/lib/result.ts';
import { decodeTtsMessage } from '#shared/protocol/text-to-speech.ts';
import { readWavHead } from '#shared/sound/wav.ts';
import { notRun } from '#test/support/not-run.ts';
import { loudest, openSocket, type SocketClient, tokenOf } from '#test/support/socket-client.ts';

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

async function open(faults?: string): Promise<SocketClient> {
	sandbox ??= await startSandbox();
	const token = tokenOf(sandbox, faults === undefined ? {} : { faults });
	return openSocket(`${sandbox.addresses.tts}?token=${encodeURIComponent(token)}`);
}

function init(output: object = { format: 'pcm', sample_rate: 16_000 }, language = 'es'): object {
	return { type: 'init', language, model: 'auto', voice_options: { voice_id: 'default_low' }, output };
}

async function begun(
	options: { output?: object; language?: string; faults?: string; generation?: 'current' | 'older' } = {},
): Promise<SocketClient> {
	sandbox = await startSandbox({ generation: options.generation ?? 'current' });
	const client = await open(options.faults);
	client.send(init(options.output, options.language));
	return client;
}

interface Chunk {
	readonly atMs: number;
	readonly id: string;
	readonly last: boolean;
	readonly bytes: Buffer;
	readonly audio_len: number | null;
	readonly delta: number | null;
	readonly size: number;
}

function chunks(client: SocketClient, id?: string): readonly Chunk[] {
	return client
		.messages('audio_chunk')
		.map(({ atMs, data }) => ({
			atMs,
			id: String(data.generation_id),
			last: data.last_chunk === true,
			bytes: Buffer.from(String(data.audio), 'base64'),
			audio_len: data.audio_len as number | null,
			delta: data.chunk_generation_delta as number | null,
			size: Number(data.size),
		}))
		.filter((chunk) => id === undefined || chunk.id === id);
}

function last(client: SocketClient, id: string) {
	return client.until(({ data }) => {
		const { generation_id, last_chunk } = (data ?? {}) as Record<string, unknown>;
		return generation_id === id && last_chunk === true;
	});
}

function errors(client: SocketClient): readonly unknown[] {
	return client.messages('error').map(({ data }) => data.code);
}

const phrase = phrases[0]?.text.es ?? '';

describe('text to speech', () => {
	it('speaks a text in pieces that carry its generation, and marks the end', async () => {
		const client = await begun();
		client.send({ type: 'text', text: phrase, is_eos: true, generation_id: 'g1' });
		await last(client, 'g1');
		const all = chunks(client);
		const sound = all.slice(0, -1);
		expect(all.at(-1)).toMatchObject({ id: 'g1', last: true, audio_len: null, delta: null });
		expect(all.at(-1)?.bytes).toHaveLength(0);
		expect(
			sound.every(({ id, last: isLast, bytes, size }) => id === 'g1' && !isLast && bytes.length === size),
		).toBe(true);
		// 200 ms at 16 kHz, said to be that long.
		expect(sound.slice(0, -1).every(({ bytes }) => bytes.length === 6400)).toBe(true);
		expect(sound.reduce((sum, { audio_len }) => sum + (audio_len ?? 0), 0)).toBeCloseTo(
			Buffer.concat(sound.map(({ bytes }) => bytes)).length / 32_000,
			1,
		);
		expect(sound[0]?.delta).toBe(0);
		expect(loudest(Buffer.concat(sound.map(({ bytes }) => bytes)))).toBeGreaterThan(0.1);
		expect(client.frames.map(({ text }) => decodeTtsMessage(text).type)).toEqual(
			client.frames.map(() => 'audio'),
		);
	}, 20_000);

	it('speaks whole sentences as they come in, the rest at the end, one generation after the other', async () => {
		const client = await begun();
		client.send({ type: 'text', text: 'Una frase entera. Y otra que no', generation_id: 'a' });
		await client.type('audio_chunk');
		expect(chunks(client).some(({ last: isLast }) => isLast)).toBe(false);
		client.send({ type: 'text', text: ' lo es', generation_id: 'a' });
		client.send({ type: 'text', text: 'La siguiente.', is_eos: true, generation_id: 'b' });
		await last(client, 'b');
		const order = chunks(client).map(({ id, last: isLast }) => (isLast ? `${id}!` : id));
		expect(order.filter((id, index) => id !== order[index - 1])).toEqual(['a', 'a!', 'b', 'b!']);
	}, 20_000);

	it('drops what it is speaking when cancelled, and goes on with the next', async () => {
		const client = await begun({ faults: 'slow-output' });
		client.send({ type: 'text', text: phrase, is_eos: true, generation_id: 'long' });
		await client.type('audio_chunk');
		client.send({ type: 'cancel' });
		client.send({ type: 'text', text: 'Ya.', is_eos: true, generation_id: 'next' });
		await last(client, 'next');
		expect(chunks(client, 'long').some(({ last: isLast }) => isLast)).toBe(false);
		expect(chunks(client, 'next').length).toBeGreaterThan(1);
	}, 20_000);

	it.each(['current', 'older'] as const)(
		'cancels one text of several, in the %s generation: there that one, here all',
		async (generation) => {
			const client = await begun({ faults: 'slow-output', generation });
			for (const generation_id of ['one', 'two', 'three'])
				client.send({ type: 'text', text: 'Ya está bien así.', is_eos: true, generation_id });
			await client.type('audio_chunk');
			client.send({ type: 'cancel', generation_id: 'one' });
			client.send({ type: 'cancel', generation_id: 'two' });
			client.send({ type: 'text', text: 'Ya.', is_eos: true, generation_id: 'next' });
			await last(client, 'next');
			const whole = chunks(client).flatMap(({ id, last: isLast }) => (isLast ? [id] : []));
			expect(whole).toEqual(generation === 'current' ? ['three', 'next'] : ['next']);
			expect(chunks(client, 'two')).toEqual([]);
		},
		30_000,
	);

	it('sends the pieces of several texts in turn, each whole, with a fault for it', async () => {
		const client = await begun({ faults: 'interleaved-chunks' });
		for (const generation_id of ['a', 'b'])
			client.send({ type: 'text', text: phrase, is_eos: true, generation_id });
		await last(client, 'a');
		await last(client, 'b');
		const ids = chunks(client).map(({ id }) => id);
		expect(ids.lastIndexOf('a')).toBeGreaterThan(ids.indexOf('b'));
		const [a, b] = ['a', 'b'].map((id) => Buffer.concat(chunks(client, id).map(({ bytes }) => bytes)));
		expect(a?.equals(b ?? Buffer.alloc(0))).toBe(true);
	}, 20_000);

	it('keeps to the sample rate asked for', async () => {
		const lengths: number[] = [];
		for (const sample_rate of [8000, 24_000, 48_000]) {
			const client = await begun({ output: { format: 'pcm', sample_rate } });
			client.send({ type: 'text', text: phrase, is_eos: true, generation_id: 'g' });
			await last(client, 'g');
			lengths.push(Buffer.concat(chunks(client).map(({ bytes }) => bytes)).length / 2 / sample_rate);
			client.ws.close();
			await sandbox.close();
		}
		expect(lengths[0]).toBeGreaterThan(0.5);
		for (const seconds of lengths) expect(seconds).toBeCloseTo(lengths[0] ?? 0, 2);
	}, 30_000);

	it('makes a whole WAV file of a generation', async () => {
		const client = await begun({ output: { format: 'wav', sample_rate: 22_050 } });
		client.send({ type: 'text', text: `${phrase} ${phrase}`, is_eos: true, generation_id: 'g' });
		await last(client, 'g');
		const file = Buffer.concat(chunks(client).map(({ bytes }) => bytes));
		const head = { tag: 1, channels: 1, rateHz: 22_050, bits: 16, frameBytes: 2, dataAt: 44 };
		expect(readWavHead(file)).toEqual(ok({ ...head, bytes: file.length - 44 }));
	}, 20_000);

	const noFfmpeg = spawnSync('ffmpeg', ['-version']).status !== 0;
	it.skipIf(noFfmpeg && notRun('MP3 of the sandbox', 'ffmpeg is not installed'))(
		'makes MP3 with ffmpeg',
		async () => {
			const client = await begun({ output: {} });
			client.send({ type: 'text', text: phrase, is_eos: true, generation_id: 'g' });
			await last(client, 'g');
			const file = Buffer.concat(chunks(client).map(({ bytes }) => bytes));
			// A tag, or the sync word of the first frame.
			expect(file.toString('latin1', 0, 3) === 'ID3' || file.readUInt16BE(0) >= 0xffe0).toBe(true);
		},
		20_000,
	);

	it('says that it cannot make MP3 without ffmpeg, and that a placeholder spoke', async () => {
		const client = await begun({ output: { format: 'mp3' }, faults: 'no-mp3+placeholder-voice' });
		expect((await client.type('error')).message?.data).toMatchObject({ code: 'VALIDATION_ERROR' });
		client.send(init());
		client.send({ type: 'text', text: 'Esto no lo dice nadie.', is_eos: true, generation_id: 'g' });
		expect((await client.type('warning')).message?.data).toMatchObject({ code: 'PLACEHOLDER_VOICE' });
		await last(client, 'g');
		expect(loudest(Buffer.concat(chunks(client).map(({ bytes }) => bytes)))).toBeGreaterThan(0.1);
	}, 20_000);

	it('refuses what is out of order or out of bounds, and stays open', async () => {
		sandbox = await startSandbox();
		const client = await open();
		client.send({ type: 'text', text: 'too early', is_eos: true });
		client.ws.send('no json');
		client.send({ type: 'dance' });
		client.send(init({ format: 'pcm', sample_rate: 7999 }));
		client.send(init(undefined, 'xx'));
		client.send({ type: 'init', language: 'es', voice_options: {} });
		client.send(init());
		client.send(init());
		client.send({ type: 'text', text: 'x'.repeat(1025), is_eos: true });
		client.send({ type: 'text', text: '   ', is_eos: true });
		client.send({ type: 'text', text: phrase, is_eos: true, generation_id: 'g' });
		await last(client, 'g');
		expect(errors(client)).toEqual([
			'BAD_REQUEST',
			'BAD_REQUEST',
			...Array.from({ length: 4 }, () => 'VALIDATION_ERROR'),
			'CONFLICT',
			'VALIDATION_ERROR',
			'VALIDATION_ERROR',
		]);
	}, 20_000);

	it('takes 50 texts a second and no more', async () => {
		const client = await begun();
		for (let count = 0; count < 60; count += 1) client.send({ type: 'text', text: 'eh' });
		client.send({ type: 'cancel' });
		await client.type('error');
		await expect.poll(() => errors(client).length).toBe(10);
		expect(new Set(errors(client))).toEqual(new Set(['RATE_LIMIT_EXCEEDED']));
	}, 20_000);

	it('refuses a bad key with 403', async () => {
		sandbox = await startSandbox();
		await expect(openSocket(`${sandbox.addresses.tts}?token=nobody`)).rejects.toMatchObject({ status: 403 });
	});
});
