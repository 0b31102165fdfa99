import { afterAll, describe, expect, it } from 'vitest';
import { phrases } from '#sandbox/canned/phrases.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { decodeSttMessage } from '#shared/protocol/speech-to-text.ts';
import {
	conversation,
	openSocket,
	pace,
	type SocketClient,
	silence,
	tokenOf,
	type UpgradeRefused,
} from '#test/support/socket-client.ts';

const RATE = 16_000;
const FIRST_S = 4.2;

/* The tests run at the same time, each with a sandbox of its own: they take as long as the speech they send. */

const opened: Sandbox[] = [];
afterAll(() => Promise.all(opened.map((sandbox) => sandbox.close())));

async function start(): Promise<Sandbox> {
	const sandbox = await startSandbox();
	opened.push(sandbox);
	return sandbox;
}

function open(sandbox: Sandbox, query: Readonly<Record<string, string>> = {}): Promise<SocketClient> {
	const token = tokenOf(sandbox);
	const asked = new URLSearchParams({ format: 'pcm_s16le', sample_rate: String(RATE), ...query });
	return openSocket(`${sandbox.addresses.stt}?${asked}`, { headers: { authorization: `Bearer ${token}` } });
}

const binary = (client: SocketClient) => (chunk: Buffer) => client.ws.send(chunk);
const [phrase] = phrases;

/** The first sentence and the silence that confirms it. */
function spoken(): Buffer {
	return Buffer.concat([conversation(RATE).subarray(0, RATE * 2 * (FIRST_S - 1)), silence(1500, RATE)]);
}

const finalOf = (message: object) => 'is_eos' in message && message.is_eos === true;

describe.concurrent('speech to text', () => {
	it('gives a growing text, a final one and its translations, flat and in that order', async () => {
		const sandbox = await start();
		const client = await open(sandbox, { language: 'en', translate_languages: 'es,de' });
		const feed = pace(client, Buffer.concat([spoken(), silence(1500, RATE)]), {
			rateHz: RATE,
			send: binary(client),
		});
		await client.until(
			(message) => message.message_type === 'translated_transcription' && message.language === 'de',
		);
		await client.until(
			(message) => message.message_type === 'translated_transcription' && message.language === 'es',
		);
		await feed;
		const messages = client.frames.flatMap(({ message }) => (message ? [message] : []));
		expect(messages.every((message) => !('data' in message))).toBe(true);
		const final = messages.find(finalOf);
		expect(final).toMatchObject({
			message_type: 'transcription',
			language: 'en',
			segment: { text: phrase?.text.en },
			delta: { text: expect.any(String) },
		});
		const before = messages.slice(0, messages.indexOf(final ?? {}));
		expect(before.length).toBeGreaterThan(3);
		expect(before.every((message) => message.transcription_id === final?.transcription_id)).toBe(true);
		const { end_time: end } = (final?.segment ?? {}) as { end_time: number };
		const translations = messages.filter(({ message_type: type }) => type === 'translated_transcription');
		expect(translations).toHaveLength(2);
		for (const translation of translations) {
			expect(translation).toMatchObject({
				transcription_id: final?.transcription_id,
				segment: { end_time: end },
			});
			expect(translation).not.toHaveProperty('delta');
		}
		// Our own reader understands every one.
		expect(client.frames.map(({ text }) => decodeSttMessage(text).type)).toEqual(
			client.frames.map(() => 'text'),
		);
	}, 20_000);

	it('confirms the last sentence about a second after the silence that follows it', async () => {
		const sandbox = await start();
		const client = await open(sandbox, { language: 'en' });
		const feed = pace(client, Buffer.concat([spoken(), silence(1000, RATE)]), {
			rateHz: RATE,
			send: binary(client),
		});
		const final = await client.until(finalOf);
		const { end_time: endS } = (final.message?.segment ?? {}) as { end_time: number };
		// The first piece was sent at once: audio runs 320 ms ahead of the clock.
		expect(final.atMs - endS * 1000).toBeGreaterThan(450);
		expect(final.atMs - endS * 1000).toBeLessThan(2200);
		await feed;
	}, 20_000);

	it('hears floats of the other byte order as well', async () => {
		const sandbox = await start();
		const pcm = spoken();
		const convert = (bytes: number, write: (out: Buffer, sample: number, at: number) => void) => {
			const out = Buffer.alloc((pcm.length / 2) * bytes);
			for (let at = 0; at * 2 < pcm.length; at += 1) write(out, pcm.readInt16LE(at * 2), at * bytes);
			return out;
		};
		const floats = convert(4, (out, sample, at) => out.writeFloatBE(sample / 0x8000, at));
		const client = await open(sandbox, { format: 'pcm_f32be', language: 'en' });
		const feed = pace(client, floats, { rateHz: RATE * 2, send: binary(client) });
		expect((await client.until(finalOf)).message?.segment).toMatchObject({ text: phrase?.text.en });
		await feed;
	}, 20_000);

	it('takes any bytes of a container for speech', async () => {
		const sandbox = await start();
		const client = await open(sandbox, { format: 'ogg' });
		const feed = pace(client, Buffer.alloc(RATE * 2 * 3, 0x55), { rateHz: RATE, send: binary(client) });
		await client.type('transcription');
		await feed;
	}, 20_000);

	it('closes with 1001 after 10 s without audio, not before', async () => {
		const sandbox = await start();
		const client = await open(sandbox);
		// Text is not audio.
		const chatter = setInterval(() => client.ws.send('{}'), 1000);
		const closing = await client.closed;
		clearInterval(chatter);
		expect(closing.code).toBe(1001);
		expect(closing.atMs).toBeGreaterThan(9800);
		expect(closing.atMs).toBeLessThan(12_000);
		expect(sandbox.openSessions()).toEqual([]);
	}, 20_000);

	it('refuses what it cannot do before the upgrade: 401, 400 with the reason, 409', async () => {
		const sandbox = await start();
		const { stt, key } = sandbox.addresses;
		const refused = (url: string) =>
			openSocket(url).then(
				() => null,
				({ status, body }: UpgradeRefused) => ({
					status,
					detail: JSON.parse(body).errors[0].detail as string,
				}),
			);
		expect(await refused(`${stt}?format=pcm_s16le`)).toMatchObject({ status: 401 });
		expect(await refused(`${stt}?format=pcm_s16le&token=nobody`)).toMatchObject({ status: 401 });
		const bad = (query: string) => refused(`${stt}?token=${key}&${query}`);
		expect(await bad('')).toMatchObject({ status: 400, detail: expect.stringContaining('format') });
		expect(await bad('format=pcm_s16')).toMatchObject({ status: 400 });
		expect(await bad('format=pcm_s16le&sample_rate=lots')).toMatchObject({ status: 400 });
		expect(await bad('format=pcm_s16le&language=xx')).toMatchObject({
			status: 400,
			detail: expect.stringContaining('language'),
		});
		expect(await bad('format=pcm_s16le&translate_languages=es,auto')).toMatchObject({ status: 400 });
		expect(await bad('format=pcm_s16le&enable_filler_filter=maybe')).toMatchObject({ status: 400 });
		expect(sandbox.counts().created).toBe(0);
		const client = await openSocket(`${stt}?token=${key}&format=pcm_s16le&translate_languages=es,de`);
		expect(await bad('format=pcm_s16le')).toMatchObject({ status: 409 });
		client.ws.close();
		await client.closed;
		await expect.poll(() => sandbox.openSessions()).toEqual([]);
		expect(await bad('format=pcm_s16le')).toBeNull();
	}, 20_000);
});
