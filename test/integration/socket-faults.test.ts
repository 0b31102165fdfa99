import { afterEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import {
	openSocket,
	openSpeech,
	ready,
	type SocketClient,
	silence,
	socketTask,
	speak,
	tokenOf,
	withData,
} from '#test/support/socket-client.ts';

/*
 * The effects that socket faults have on a plain client; those that our own client must notice are in
 * streaming-faults.test.ts and streaming-speech-to-speech.test.ts.
 */

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

const CHUNK = silence(320, 24_000).toString('base64');
const audio = { message_type: 'input_audio_data', data: { data: CHUNK } };

/** Opened, the task running, one chunk sent. */
async function working(faults: string, task: Parameters<typeof socketTask>[0] = {}): Promise<SocketClient> {
	sandbox = await startSandbox();
	const client = await openSpeech(sandbox, { faults: `${faults}+slow-task:0` });
	client.send(socketTask(task));
	await ready(client);
	client.send(audio);
	return client;
}

/** The chunks of a sentence of known length, requested as text, up to the time when the last is due. */
async function burst(client: SocketClient, text = 'Buenos días, mucho gusto en conocerle.') {
	speak(client, text);
	await withData(client, 'last_chunk', true);
	return client.messages('output_audio_data').map(({ atMs, data }) => ({ atMs, data: String(data.data) }));
}

async function clean(): Promise<readonly string[]> {
	const client = await working('fast-output');
	const all = await burst(client);
	client.ws.terminate();
	await sandbox.close();
	return all.map(({ data }) => data);
}

describe('upgrades', () => {
	it('are closed at once as by the connection limit', async () => {
		sandbox = await startSandbox();
		const client = await openSpeech(sandbox, { faults: 'bare-1008:1' });
		expect((await client.closed).code).toBe(1008);
		expect(client.frames).toEqual([]);
	});
});

describe('connections', () => {
	it('never finish closing', async () => {
		const client = await working('no-close');
		client.ws.close(1000);
		const ended = await Promise.race([
			client.closed,
			new Promise((done) => setTimeout(done, 1500, 'still open')),
		]);
		expect(ended).toBe('still open');
		client.ws.terminate();
		await expect.poll(() => sandbox.openSessions()).toEqual([]);
	}, 20_000);

	it('carry binary frames, garbage and warnings', async () => {
		const client = await working('binary-frames+garbage-frames+warn-too-fast+warn-too-slow+warn-stalled');
		for (const code of ['AUDIO_STREAM_TOO_FAST', 'AUDIO_STREAM_TOO_SLOW', 'AUDIO_STREAM_STALLED']) {
			await withData(client, 'code', code);
		}
		expect(client.frames.every(({ binary }) => binary)).toBe(true);
		expect(client.frames.filter(({ message }) => message === null).length).toBeGreaterThan(2);
		client.ws.terminate();
	}, 20_000);
});

describe('speech', () => {
	it('comes all at once, at half of real time, or with holes in time', async () => {
		const fast = await working('fast-output');
		const all = await burst(fast);
		expect((all.at(-1)?.atMs ?? 0) - (all[0]?.atMs ?? 0)).toBeLessThan(700);
		fast.ws.terminate();
		await sandbox.close();
		const slow = await working('slow-output');
		const late = await burst(slow);
		expect(((late.at(-1)?.atMs ?? 0) - (late[0]?.atMs ?? 0)) / (late.length - 1)).toBeGreaterThan(390);
		slow.ws.terminate();
		await sandbox.close();
		const stalled = await working('stalled-output');
		speak(stalled, 'Buenos días, mucho gusto en conocerle.');
		await expect
			.poll(() => stalled.messages('output_audio_data').length, { timeout: 8000 })
			.toBeGreaterThan(3);
		const [, , third, fourth] = stalled.messages('output_audio_data');
		expect((fourth?.atMs ?? 0) - (third?.atMs ?? 0)).toBeGreaterThan(2900);
		stalled.ws.terminate();
	}, 40_000);

	it('comes in wrong order, twice, or with pieces missing', async () => {
		const right = await clean();
		const seen: Record<string, readonly string[]> = {};
		for (const fault of ['out-of-order', 'duplicate-chunk', 'missing-chunk']) {
			const client = await working(`${fault}+fast-output`);
			seen[fault] = (await burst(client)).map(({ data }) => data);
			client.ws.terminate();
			await sandbox.close();
		}
		expect(seen['out-of-order']).not.toEqual(right);
		expect([...(seen['out-of-order'] ?? [])].sort()).toEqual([...right].sort());
		expect(seen['out-of-order']?.at(-1)).toBe(right.at(-1));
		expect(new Set(seen['duplicate-chunk'])).toEqual(new Set(right));
		expect(seen['duplicate-chunk']?.length).toBeGreaterThan(right.length);
		expect(seen['missing-chunk']?.length).toBeLessThan(right.length);
	}, 40_000);

	it('never ends its sentences', async () => {
		const client = await working('no-last-chunk+fast-output');
		speak(client, 'Hola.');
		await client.type('output_audio_data');
		await new Promise((done) => setTimeout(done, 500));
		expect(client.messages('output_audio_data').every(({ data }) => data.last_chunk === false)).toBe(true);
		client.ws.terminate();
	}, 20_000);

	it('is unavailable for a text, then is again', async () => {
		sandbox = await startSandbox();
		const token = tokenOf(sandbox, { faults: 'tts-unavailable:1' });
		const client = await openSocket(sandbox.addresses.tts, { headers: { authorization: `Bearer ${token}` } });
		client.send({
			type: 'init',
			language: 'es',
			voice_options: { voice_id: 'x' },
			output: { format: 'pcm' },
		});
		client.send({ type: 'text', text: 'Hola.', is_eos: true });
		expect((await client.type('error')).message?.data).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
		client.send({ type: 'text', text: 'Hola.', is_eos: true });
		await client.type('audio_chunk');
		client.ws.terminate();
	}, 20_000);
});
