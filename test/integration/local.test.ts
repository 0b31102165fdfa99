import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { COMMAND_LIMIT } from '#shared/protocol/limits.ts';
import { wavHead } from '#shared/sound/wav.ts';
import {
	openSocket,
	openSpeech,
	pace,
	type SocketClient,
	silence,
	socketTask,
	tokenOf,
} from '#test/support/socket-client.ts';
import {
	allPrompts,
	interpretersOf,
	noModels,
	promptsOf,
	shareHeard,
	testModels,
} from '#test/support/test-models.ts';

// Real models, real recordings of people, real sockets. What must hold is what a listener needs, so words are counted, not letters.

const RATE = 16_000;
const soon = { timeout: 20_000 };
const source = { sample_rate: RATE };
const gap = silence(1200, RATE);

let sandbox: Sandbox;
const clients: SocketClient[] = [];

async function converse(task: Parameters<typeof socketTask>[0] = {}): Promise<SocketClient> {
	const client = await openSpeech(sandbox);
	clients.push(client);
	client.send(socketTask({ source, targets: ['pt'], ...task }));
	await client.type('task_status');
	return client;
}

const say = (client: SocketClient, ...sound: readonly Buffer[]) =>
	pace(client, Buffer.concat([...sound]), { rateHz: RATE, chunkMs: 100 });

function texts(client: SocketClient, type: string): readonly string[] {
	return client.messages(type).map(({ data }) => {
		const { transcription } = data as { transcription: { text: string } };
		return transcription.text;
	});
}

/** Whether it ends a sentence: each of these is longer than its first part. */
const endsSentence = ({ data }: { readonly data: Readonly<Record<string, unknown>> }) =>
	data.last_chunk === true && data.translation_part_id !== '0';

/** Its sentences, each with a pause after it, as a listener hears them. */
function voiceOf(client: SocketClient): Buffer {
	const pieces = client.messages('output_audio_data').flatMap((message) => {
		const sound = Buffer.from(String(message.data.data), 'base64');
		return endsSentence(message) ? [sound, silence(800, 24_000)] : [sound];
	});
	return Buffer.concat(pieces);
}

/** What the model of many languages understands of a sound. */
async function recognise(pcm: Buffer, rateHz: number, language: string, targets = ''): Promise<SocketClient> {
	const query = new URLSearchParams({ format: 'pcm_s16le', sample_rate: String(rateHz), language });
	if (targets !== '') query.set('translate_languages', targets);
	const headers = { authorization: `Bearer ${tokenOf(sandbox)}` };
	const client = await openSocket(`${sandbox.addresses.stt}?${query}`, { headers });
	clients.push(client);
	await pace(client, Buffer.concat([pcm, silence(1000, rateHz)]), {
		rateHz,
		chunkMs: 100,
		periodMs: 20,
		send: (chunk) => client.ws.send(chunk),
	});
	return client;
}

const isFinal = (message: object) => 'is_eos' in message && message.is_eos === true;
const flatText = (message: unknown) =>
	String((message as { segment?: { text?: string } } | null)?.segment?.text ?? '');

describe.skipIf(noModels('the local interpreter'))('on this computer', () => {
	beforeAll(async () => {
		sandbox = await startSandbox({ interpreter: 'local', models: testModels.folder });
	});
	afterAll(async () => {
		for (const { ws } of clients) ws.terminate();
		await sandbox.close();
	});

	it('people are recognised, translated and spoken for, so that the voice is understood', async () => {
		const [one, two] = promptsOf('en', 'conf-getconfno', 'confbridge-begin-glorious-c');
		if (!one || !two) throw new Error('no recordings');
		const client = await converse();
		await say(client, one.pcm, gap, two.pcm, gap);
		await expect.poll(() => texts(client, 'translated_transcription').length, soon).toBe(2);
		const [first = '', second = ''] = texts(client, 'validated_transcription');
		expect(shareHeard(one.text, first)).toBeGreaterThan(0.8);
		expect(shareHeard(two.text, second)).toBeGreaterThan(0.8);
		expect(texts(client, 'partial_transcription').length).toBeGreaterThanOrEqual(3);
		const translated = texts(client, 'translated_transcription').join(' ');
		expect(shareHeard('número conferência seguido começará quando chegar', translated)).toBeGreaterThan(0.6);
		await expect.poll(() => client.messages('output_audio_data').filter(endsSentence).length, soon).toBe(2);
		const understood = await recognise(voiceOf(client), 24_000, 'pt');
		understood.send({ message_type: 'finalize' });
		await understood.until((message) => flatText(message).includes('<fin>'));
		understood.ws.terminate();
		const heard = understood.frames.map(({ message }) =>
			message && isFinal(message) ? flatText(message) : '',
		);
		expect(shareHeard(translated, heard.join(' '))).toBeGreaterThan(0.5);
	}, 60_000);

	it('compares with what the prompts say, not with misprints in their texts', () => {
		const texts = allPrompts('it').map(({ text }) => text);
		expect(texts).toContain('La chiamata non può essere completata così come composta.');
	});

	it('captions come with their translation, and finalize is answered with its marker', async () => {
		const [prompt] = promptsOf('en', 'vm-savefolder');
		if (!prompt) throw new Error('no recording');
		const client = await recognise(prompt.pcm, RATE, 'en', 'pt');
		const translated = await client.type('translated_transcription');
		expect(shareHeard('qual pasta mensagem', flatText(translated.message))).toBeGreaterThan(0.6);
		client.send({ message_type: 'finalize' });
		await client.until((message) => flatText(message).includes('<fin>'));
	}, 30_000);

	it('noise and silence are no words', async () => {
		const noise = Buffer.alloc(RATE * 2 * 5);
		// A constant seed: the same noise each time.
		let seed = 1;
		for (let at = 0; at < noise.length; at += 2) {
			seed = (seed * 48_271) % 0x7fffffff;
			noise.writeInt16LE((seed % 2000) - 1000, at);
		}
		const client = await converse();
		await say(client, noise, silence(2000, RATE));
		expect(texts(client, 'validated_transcription').join('')).toBe('');
		expect(texts(client, 'translated_transcription')).toEqual([]);
	}, 30_000);

	it('a sentence that is dropped is neither written nor spoken; the next one is', async () => {
		const [one, two] = promptsOf('en', 'conf-getconfno', 'vm-savefolder');
		if (!one || !two) throw new Error('no recordings');
		const client = await converse();
		await say(client, one.pcm.subarray(0, RATE * 2 * 2));
		client.send({ message_type: 'interrupt_task', data: { languages: ['global'] } });
		await say(client, one.pcm.subarray(RATE * 2 * 2), gap, two.pcm, gap);
		await client.type('translated_transcription');
		expect(texts(client, 'validated_transcription')).toHaveLength(1);
		expect(shareHeard(two.text, texts(client, 'validated_transcription')[0] ?? '')).toBeGreaterThan(0.5);
	}, 30_000);

	it('this computer has no plan: connections are not counted, and two may transcribe at once', async () => {
		const open = () =>
			openSocket(`${sandbox.addresses.stt}?format=pcm_s16le&sample_rate=${RATE}&language=en`, {
				headers: { authorization: `Bearer ${tokenOf(sandbox)}` },
			});
		const first = await open();
		for (let count = 0; count <= COMMAND_LIMIT.sockets.count; count += 1) {
			const next = await open();
			next.ws.close();
			expect((await next.closed).code).not.toBe(1008);
		}
		expect(first.ws.readyState).toBe(first.ws.OPEN);
		first.ws.close();
	}, 30_000);

	it('what one conversation said last is not heard by the next', async () => {
		const [prompt] = promptsOf('en', 'conf-getconfno');
		if (!prompt) throw new Error('no recording');
		const first = await converse();
		await pace(first, Buffer.concat([prompt.pcm, prompt.pcm, gap]), { rateHz: RATE, periodMs: 1 });
		first.ws.terminate();
		const next = await converse();
		await say(next, silence(3000, RATE));
		expect([texts(next, 'partial_transcription'), texts(next, 'validated_transcription')]).toEqual([[], []]);
	}, 30_000);

	it('its threads end between two sentences: stopped within one they would end the whole process', async () => {
		// In a process of its own, because that would be this one.
		const script = `
			import { createThreads } from '#sandbox/local/threads.ts';
			import { createSystemClock } from '#sandbox/system-clock.ts';
			const clock = createSystemClock();
			const threads = createThreads({ clock, folder: process.argv[1], detector: 'silero-v5' });
			const text = 'This is heard. This is being said when it ends. This is never said.';
			const mouth = await threads.mouth();
			const spoken = mouth.speak({ text, language: 'en', timbre: 'low', tempo: 1 }, () => {
				void threads.close().then(() => console.log('closed'));
			});
			await spoken.catch(() => {});`;
		const child = spawn(process.execPath, ['-e', script, testModels.folder]);
		let said = '';
		child.stdout.on('data', (data) => {
			said += String(data);
		});
		expect(await once(child, 'close')).toEqual([0, null]);
		expect(said).toContain('closed');
	}, 30_000);

	it('a pair without models is refused, with the field', async () => {
		const client = await openSpeech(sandbox);
		clients.push(client);
		client.send(socketTask({ source, targets: ['ja'] }));
		const { message } = await client.type('error');
		expect(message?.data).toMatchObject({
			code: 'VALIDATION_ERROR',
			param: 'pipeline.translations.0.target_language',
		});
	});
});

describe.skipIf(noModels('the commands with --local'))('a command with --local', () => {
	/** The models have a name of their own there, by which their interpreter is found among all processes. */
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-local-'));
	const models = join(folder, 'models');
	const talk = join(folder, 'talk.wav');
	let talkMs = 0;
	beforeAll(() => {
		symlinkSync(testModels.folder, models);
		const pcm = Buffer.concat(
			Array(4)
				.fill(promptsOf('en', 'conf-getconfno', 'vm-savefolder'))
				.flat()
				.flatMap(({ pcm }) => [pcm, gap]),
		);
		talkMs = pcm.length / 2 / (RATE / 1000);
		writeFileSync(talk, Buffer.concat([wavHead({ rateHz: RATE, channels: 1, bytes: pcm.length }), pcm]));
	});
	afterAll(() => rmSync(folder, { recursive: true }));

	function start(...words: readonly string[]) {
		const args = ['src/main/cli/index.ts', ...words, '--local', '--models', models];
		// A process group of its own, as a terminal gives it.
		const child = spawn(process.execPath, [...args, '--user-data-dir', folder], { detached: true });
		let said = '';
		for (const stream of [child.stdout, child.stderr])
			stream.on('data', (data) => {
				said += String(data);
			});
		const ended = new Promise<number | null>((done) => child.once('close', done));
		return { child, ended, said: () => said };
	}

	it('translates a file sooner than it plays, each sentence at its time, and leaves no process', async () => {
		const out = join(folder, 'whole');
		const beganMs = performance.now();
		const { ended, said } = start('translate', talk, '--from', 'en', '--to', 'pt', '--out', out);
		expect(await ended, said()).toBe(0);
		expect(performance.now() - beganMs).toBeLessThan(talkMs);
		const captions = readFileSync(join(out, 'talk.pt.srt'), 'utf8');
		const starts = [...captions.matchAll(/^\d+:(\d+):(\d+),\d+ -->/gm)].map(
			([, m, s]) => Number(m) * 60 + Number(s),
		);
		expect(starts).toHaveLength(8);
		// The last of eight sentences of the same two.
		expect(starts.at(-1)).toBeGreaterThan((talkMs / 1000) * 0.8);
		expect(shareHeard('qual pasta mensagem', captions)).toBe(1);
		expect(readFileSync(join(out, 'talk.pt.wav')).length).toBeGreaterThan(24_000 * 2 * 8);
		expect(interpretersOf(models)).toEqual([]);
	}, 90_000);

	it('Ctrl-C, which a terminal sends to every process, keeps what is finished', async () => {
		const out = join(folder, 'cut');
		const words = ['translate', talk, '--from', 'en', '--to', 'pt', '--out', out, '--json'];
		const { child, ended, said } = start(...words);
		await expect.poll(() => said().includes('conferência'), { timeout: 30_000 }).toBe(true);
		expect(interpretersOf(models)).toHaveLength(1);
		process.kill(-(child.pid ?? 0), 'SIGINT');
		expect(await ended, said()).toBe(130);
		expect(readdirSync(out)).toContain('talk.cut.pt.srt');
		expect(readFileSync(join(out, 'talk.cut.pt.srt'), 'utf8')).toContain('conferência');
		expect(interpretersOf(models)).toEqual([]);
	}, 60_000);

	it('speaks English with a voice of which every word is understood', async () => {
		const text = 'The meeting begins tomorrow morning at nine. Please bring the papers that we talked about.';
		const out = join(folder, 'english.wav');
		const spoken = start('speak', text, '--lang', 'en', '--out', out);
		expect(await spoken.ended, spoken.said()).toBe(0);
		const heard = start('transcribe', out, '--from', 'en');
		expect(await heard.ended, heard.said()).toBe(0);
		expect(shareHeard(text, heard.said())).toBeGreaterThan(0.9);
	}, 60_000);

	it('speaks a text', async () => {
		const out = join(folder, 'said.wav');
		const { ended, said } = start('speak', 'Bom dia a todos', '--lang', 'pt', '--out', out);
		expect(await ended, said()).toBe(0);
		expect(readFileSync(out).length).toBeGreaterThan(24_000);
	}, 60_000);
});
