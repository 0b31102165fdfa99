import { inflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import {
	conversation,
	loudest,
	openSocket,
	openSpeech,
	pace,
	ready,
	type SocketClient,
	silence,
	socketTask,
	speak,
	UpgradeRefused,
	withData,
} from '#test/support/socket-client.ts';

const RATE = 16_000;
const source = { sample_rate: RATE };
/** The first sentence and the pause after it. */
const FIRST_S = 4.2;

/* The tests run at the same time, each with a sandbox of its own: they take as long as the speech they send. */

const opened: Sandbox[] = [];
afterAll(() => Promise.all(opened.map((sandbox) => sandbox.close())));

async function start(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
	const sandbox = await startSandbox(options);
	opened.push(sandbox);
	return sandbox;
}

function firstSentence(): Buffer {
	return conversation(RATE).subarray(0, RATE * 2 * FIRST_S);
}

async function started(
	options: Parameters<typeof startSandbox>[0] & {
		task?: Parameters<typeof socketTask>[0];
		fault?: string;
	} = {},
): Promise<{ client: SocketClient; sandbox: Sandbox }> {
	const sandbox = await start(options);
	const client = await openSpeech(sandbox, options.fault === undefined ? {} : { faults: options.fault });
	client.send(socketTask({ source, ...options.task }));
	await ready(client);
	return { client, sandbox };
}

interface Chunk {
	readonly atMs: number;
	readonly language: string;
	readonly last: boolean;
	readonly id: string;
	readonly part: unknown;
	readonly bytes: Buffer;
}

function chunks(client: SocketClient): readonly Chunk[] {
	return client.messages('output_audio_data').map(({ atMs, data }) => ({
		atMs,
		language: String(data.language),
		last: data.last_chunk === true,
		id: String(data.transcription_id),
		part: data.translation_part_id,
		bytes: Buffer.from(String(data.data), 'base64'),
	}));
}

describe.concurrent('a conversation', () => {
	for (const generation of ['current', 'older'] as const) {
		it(`has texts, a burst of speech and an end: ${generation}`, async () => {
			const { client, sandbox } = await started({ generation, task: { targets: ['es'] } });
			await pace(client, firstSentence(), { rateHz: RATE });
			const endAt = client.now();
			client.send({ message_type: 'end_task', data: generation === 'current' ? {} : { eos_timeout: 4 } });
			const { code, atMs } = await client.closed;
			expect(code).toBe(1000);
			expect(atMs - endAt).toBeLessThan(6000);

			const [phrase] = phrases;
			const texts = client.messages().filter(({ message_type: type }) => type.endsWith('transcription'));
			const kinds = texts.map(({ message_type: type }) => type);
			expect(kinds.slice(-2)).toEqual(['validated_transcription', 'translated_transcription']);
			expect(kinds.filter((kind) => kind === 'partial_transcription').length).toBeGreaterThan(3);
			const final = texts.at(-1)?.data.transcription;
			expect(final).toMatchObject({ language: 'es', text: phrase?.text.es, translation_part_id: 0 });

			const burst = chunks(client);
			expect(new Set(burst.map(({ id }) => id))).toEqual(
				new Set([(final as { transcription_id: string }).transcription_id]),
			);
			expect(burst.every(({ language, part }) => language === 'es' && part === '0')).toBe(true);
			expect(burst.map(({ last }) => last)).toEqual(burst.map((_, index) => index === burst.length - 1));
			// 200 ms each, the last shorter.
			expect(burst.slice(0, -1).every(({ bytes }) => bytes.length === 9600)).toBe(true);
			expect(loudest(Buffer.concat(burst.map(({ bytes }) => bytes)))).toBeGreaterThan(0.1);
			const end = generation === 'current' ? 'end_of_stream' : 'eos';
			expect(client.frames.at(-1)?.message?.message_type).toBe(end);
			expect(client.messages('error').filter(({ data }) => data.code !== 'NOT_FOUND')).toEqual([]);
			expect(sandbox.openSessions()).toEqual([]);
		}, 30_000);
	}

	it('keeps to the timing of the service', async () => {
		const { client } = await started();
		// Nothing comes before its time; how much later depends on the machine. To the millisecond: interpreter.test.ts.
		expect(client.now()).toBeGreaterThan(480);
		const paced = pace(client, Buffer.concat([firstSentence(), silence(3000, RATE)]), { rateHz: RATE });
		await withData(client, 'last_chunk', true);
		const at = (type: string) => client.messages(type)[0]?.atMs ?? Number.NaN;
		const translation = at('translated_transcription') - at('validated_transcription');
		expect(translation).toBeGreaterThan(190);
		const speech = at('output_audio_data') - at('translated_transcription');
		expect(speech).toBeGreaterThan(290);
		// Three to five times faster than it is spoken, where the machine keeps up.
		const burst = chunks(client);
		const tookMs = (burst.at(-1)?.atMs ?? 0) - (burst[0]?.atMs ?? 0);
		const lengthMs = burst.slice(0, -1).length * 200;
		expect(lengthMs / tookMs).toBeGreaterThan(1);
		expect(lengthMs / tookMs).toBeLessThan(5.5);
		client.ws.close();
		await paced;
	}, 30_000);

	it('speaks every target, and deflates where asked', async () => {
		const { client } = await started({ task: { targets: ['es', 'fr'], output: 'zlib_pcm_s16le' } });
		await pace(client, firstSentence(), { rateHz: RATE });
		client.send({ message_type: 'end_task', data: {} });
		await client.closed;
		for (const language of ['es', 'fr']) {
			const own = chunks(client).filter((chunk) => chunk.language === language);
			expect(own.at(-1)?.last).toBe(true);
			expect(loudest(Buffer.concat(own.map(({ bytes }) => inflateSync(bytes))))).toBeGreaterThan(0.1);
		}
	}, 30_000);

	it('gives the speaker back in echo, whatever the rate of the input', async () => {
		const { client } = await started({
			interpreter: 'echo',
			task: { source: { sample_rate: 48_000, channels: 1 } },
		});
		const pcm = conversation(48_000).subarray(0, 48_000 * 2 * FIRST_S);
		await pace(client, pcm, { rateHz: 48_000 });
		client.send({ message_type: 'end_task', data: {} });
		await client.closed;
		const heard = Buffer.concat(chunks(client).map(({ bytes }) => bytes));
		expect(loudest(heard)).toBeGreaterThan(0.1);
		// As long as the sentence was, at 24 kHz.
		expect(heard.length / 48_000).toBeGreaterThan(1.5);
		expect(heard.length / 48_000).toBeLessThan(FIRST_S);
	}, 30_000);

	it('takes JSON in binary frames and data as a string, and says nothing it was not asked for', async () => {
		const sandbox = await start();
		const client = await openSpeech(sandbox);
		const task = socketTask({ source, allowed: ['validated_transcription'] }) as { data: object };
		client.ws.send(Buffer.from(JSON.stringify({ ...task, data: JSON.stringify(task.data) })), {
			binary: true,
		});
		await ready(client);
		await pace(client, firstSentence(), {
			rateHz: RATE,
			send: (chunk) => {
				const data = JSON.stringify({ data: chunk.toString('base64') });
				client.ws.send(Buffer.from(JSON.stringify({ message_type: 'input_audio_data', data })));
			},
		});
		client.send({ message_type: 'end_task', data: {} });
		await client.closed;
		const kinds = new Set(client.messages().map(({ message_type: type }) => type));
		expect([...kinds].filter((kind) => kind !== 'warning').sort()).toEqual(
			['end_of_stream', 'output_audio_data', 'task_status', 'validated_transcription'].sort(),
		);
	}, 30_000);

	it('reads a WAV stream as its header says, not as the task does', async () => {
		const { client } = await started({
			task: { source: { format: 'wav', sample_rate: 24_000, channels: 1 } },
		});
		const header = Buffer.alloc(44);
		header.write('RIFF....WAVEfmt ', 0, 'latin1');
		header.writeUInt32LE(16, 16);
		header.writeUInt16LE(1, 20);
		header.writeUInt16LE(1, 22);
		header.writeUInt32LE(RATE, 24);
		header.writeUInt32LE(RATE * 2, 28);
		header.writeUInt16LE(2, 32);
		header.writeUInt16LE(16, 34);
		header.write('data', 36, 'latin1');
		header.writeUInt32LE(0xffff_ffff, 40);
		await pace(client, Buffer.concat([header, firstSentence()]), { rateHz: RATE });
		client.send({ message_type: 'end_task', data: {} });
		await client.closed;
		expect(client.messages('validated_transcription')).toHaveLength(1);
		expect(client.messages('warning').filter(({ data }) => data.code === 'AUDIO_STREAM_TOO_FAST')).toEqual(
			[],
		);
	}, 30_000);
});

describe.concurrent('commands', () => {
	it('speaks a text of the client’s own, really where it can', async () => {
		const { client } = await started();
		const feed = pace(client, silence(8000, RATE), { rateHz: RATE });
		const text = 'Esto no lo ha dicho nadie todavía.';
		speak(client, text);
		await withData(client, 'last_chunk', true);
		const queued = client.messages('task_status').find(({ data }) => data.command === 'tts_task');
		expect(new Set(chunks(client).map(({ id }) => id))).toEqual(new Set([queued?.data.transcription_id]));
		expect(loudest(Buffer.concat(chunks(client).map(({ bytes }) => bytes)))).toBeGreaterThan(0.1);
		client.send({ message_type: 'end_task', data: { force: true } });
		await feed;
	}, 30_000);

	it('says so when a placeholder spoke', async () => {
		const { client } = await started({ fault: 'placeholder-voice' });
		speak(client, 'Hola, ¿qué tal?');
		const warning = await client.type('warning');
		expect(warning.message?.data).toMatchObject({ code: 'PLACEHOLDER_VOICE' });
		await client.type('output_audio_data');
	}, 30_000);

	it('drops a burst half way when interrupted', async () => {
		const { client } = await started({ fault: 'slow-output' });
		const text = 'Una frase bastante larga, que se tarda un buen rato en decir entera. Y otra más detrás.';
		speak(client, text);
		await client.type('output_audio_data');
		client.send({ message_type: 'interrupt_task', data: { languages: ['global'], pause_task: false } });
		await withData(client, 'event', 'interrupted');
		const had = chunks(client).length;
		await pace(client, silence(1600, RATE), { rateHz: RATE });
		expect(chunks(client)).toHaveLength(had);
		expect(chunks(client).some(({ last }) => last)).toBe(false);
	}, 30_000);

	it('ends at once when forced, with nothing of the tail', async () => {
		const { client } = await started({ fault: 'slow-output' });
		const text = 'Una frase bastante larga, que se tarda un buen rato en decir entera. Y otra más detrás.';
		speak(client, text);
		await client.type('output_audio_data');
		const at = client.now();
		client.send({ message_type: 'end_task', data: { force: true } });
		const closing = await client.closed;
		expect(closing.code).toBe(1000);
		expect(client.messages('end_of_stream')).toEqual([]);
		// The rest of it would take ten seconds.
		expect(closing.atMs - at).toBeLessThan(3000);
	}, 30_000);
});

describe.concurrent('pacing', () => {
	it('warns of audio faster and stalled, and ends after 10 s without any', async () => {
		const { client } = await started();
		await pace(client, silence(6400, RATE), { rateHz: RATE, periodMs: 40 });
		await withData(client, 'code', 'AUDIO_STREAM_TOO_FAST', 3000);
		const lastAt = client.now();
		await withData(client, 'code', 'AUDIO_STREAM_STALLED', 6000);
		const error = await client.type('error', 14_000);
		expect(error.message?.data).toMatchObject({ code: 'SERVICE_TIMEOUT' });
		expect(error.atMs - lastAt).toBeGreaterThan(8900);
		expect(error.atMs - lastAt).toBeLessThan(11_500);
		const closing = await client.closed;
		expect(closing.code).toBe(1008);
		expect(closing.atMs - error.atMs).toBeGreaterThan(200);
		expect(closing.atMs - error.atMs).toBeLessThan(3000);
	}, 50_000);

	it('lets a paused conversation be without audio', async () => {
		const { client } = await started();
		client.send({ message_type: 'pause_task', data: {} });
		await withData(client, 'event', 'paused');
		await new Promise((done) => setTimeout(done, 11_000));
		expect(client.messages('error')).toEqual([]);
		expect(client.messages('warning')).toEqual([]);
		client.send(socketTask({ source }));
		await withData(client, 'event', 'resumed');
	}, 30_000);
});

describe.concurrent('who may come in', () => {
	const refusal = (url: string, authorization?: string) =>
		openSocket(url, authorization ? { headers: { authorization } } : {}).then(
			() => null,
			(failure: unknown) => (failure instanceof UpgradeRefused ? failure.status : String(failure)),
		);

	it('takes the key in the query or the header, with and without a hash, and refuses others with 403', async () => {
		const sandbox = await start();
		const { s2s, key } = sandbox.addresses;
		const direct = s2s.replace('{hash}/', '');
		for (const url of [`${direct}?token=${key}`, `${s2s.replace('{hash}', 'x-1')}?token=${key}`]) {
			const client = await openSocket(url);
			expect(sandbox.openSessions()).toMatchObject([{ connected: true }]);
			client.ws.close();
			await client.closed;
		}
		expect(await refusal(direct, `Bearer ${key}`)).toBeNull();
		expect(await refusal(direct)).toBe(403);
		expect(await refusal(`${direct}?token=nobody`)).toBe(403);
		expect(await refusal(direct, 'Bearer a.b.c')).toBe(403);
		expect(await refusal(direct.replace('/v1/', '/v2/'), `Bearer ${key}`)).toBe(404);
	}, 20_000);

	it('takes a publisher token, keeps its session, and closes when that is deleted', async () => {
		const sandbox = await start();
		const { api, key } = sandbox.addresses;
		const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
		const created = await fetch(`${api}/session-storage/session`, {
			method: 'POST',
			headers,
			body: '{"data":{}}',
		});
		const { data } = (await created.json()) as { data: { id: string; publisher: string } };
		const first = await openSpeech(sandbox, { token: data.publisher });
		expect(sandbox.openSessions()).toMatchObject([{ id: data.id, connected: true }]);
		first.ws.close();
		await first.closed;
		expect(sandbox.openSessions()).toMatchObject([{ id: data.id, connected: false }]);
		const second = await openSpeech(sandbox, { token: data.publisher });
		await fetch(`${api}/session-storage/sessions/${data.id}`, { method: 'DELETE', headers });
		expect(await second.closed).toMatchObject({ code: 1000, reason: 'session deleted' });
		await expect(openSpeech(sandbox, { token: data.publisher })).rejects.toMatchObject({ status: 403 });
	}, 20_000);

	it('counts a session of its own towards the limit, and 20 connections a minute', async () => {
		const sandbox = await start();
		const client = await openSpeech(sandbox, { faults: 'limit-1' });
		await expect(openSpeech(sandbox, { faults: 'limit-1' })).rejects.toMatchObject({ status: 403 });
		client.ws.close();
		await client.closed;
		for (let count = 0; count < 20; count += 1) {
			const next = await openSpeech(sandbox);
			next.ws.close();
			await next.closed;
		}
		const late = await openSpeech(sandbox);
		expect((await late.closed).code).toBe(1008);
		expect(sandbox.openSessions()).toEqual([]);
	}, 30_000);
});
