import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { openSocket, ready, socketTask, tokenOf } from '#test/support/socket-client.ts';
import { anyText } from '#test/support/texts.ts';

/* Whatever a client sends, the service stays up for the others. */

const sandbox = await startSandbox();
afterAll(() => sandbox.close());

const names = [
	'set_task',
	'get_task',
	'pause_task',
	'flush_task',
	'interrupt_task',
	'tts_task',
	'end_task',
	'input_audio_data',
	'init',
	'text',
	'cancel',
	'__proto__',
];
const fields = [
	'data',
	'text',
	'language',
	'languages',
	'translate_text',
	'force',
	'eos_timeout',
	'voice_options',
	'voice_id',
	'speed',
	'output',
	'format',
	'sample_rate',
	'is_eos',
	'generation_id',
	'input_stream',
	'output_stream',
	'pipeline',
	'__proto__',
	'constructor',
];
const value = fc.oneof(
	anyText,
	fc.constantFrom('AAAA', 'es', 'pcm', 'wav', 'default_low', 'Hola.', 'x'.repeat(3000)),
	fc.double(),
	fc.boolean(),
	fc.constant(null),
	fc.array(fc.constantFrom('es', 'global', 7, null), { maxLength: 3 }),
);
const record = fc.dictionary(
	fc.constantFrom(...fields),
	fc.oneof(value, fc.dictionary(fc.constantFrom(...fields), value)),
);
const near = fc
	.tuple(fc.constantFrom(...names), fc.oneof(record, value), record)
	.map(([name, data, rest]) => JSON.stringify({ ...rest, message_type: name, type: name, data }));
const right = fc.constantFrom(
	JSON.stringify(socketTask()),
	JSON.stringify({
		message_type: 'input_audio_data',
		data: { data: Buffer.alloc(640, 9).toString('base64') },
	}),
	JSON.stringify({
		type: 'init',
		language: 'es',
		voice_options: { voice_id: 'x' },
		output: { format: 'wav' },
	}),
	JSON.stringify({ type: 'text', text: 'Hola.', is_eos: true }),
);
const frame = fc.oneof(
	near,
	right,
	anyText,
	fc.constantFrom('', '{', '[]', 'null', `${'['.repeat(50_000)}`, `"${'y'.repeat(1_500_000)}"`),
	fc.uint8Array({ maxLength: 4000 }).map((bytes) => Buffer.from(bytes)),
);

const paths = ['s2s', 'stt', 'tts'] as const;

function address(path: (typeof paths)[number]): string {
	const { s2s, stt, tts } = sandbox.addresses;
	if (path === 's2s') return s2s.replace('{hash}', 'any');
	return path === 'tts' ? tts : `${stt}?format=wav`;
}

it('survives any frames on any of its sockets', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...paths),
			fc.array(frame, { minLength: 20, maxLength: 80 }),
			async (path, frames) => {
				// A task that runs at once, so that most frames arrive while a task is running.
				const headers = { authorization: `Bearer ${tokenOf(sandbox, { faults: 'slow-task:0' })}` };
				const client = await openSocket(address(path), { headers });
				if (path === 's2s') {
					client.send(socketTask());
					await ready(client);
				}
				for (const data of frames) {
					if (client.ws.readyState !== client.ws.OPEN) break;
					client.ws.send(data, { binary: typeof data !== 'string' });
				}
				// The service reads to the end, or closes the socket before.
				const pong = new Promise((done) => client.ws.once('pong', done));
				if (client.ws.readyState === client.ws.OPEN) client.ws.ping();
				await Promise.race([pong, client.closed]);
				client.ws.terminate();
				await client.closed;
				// What it says is always JSON.
				expect(client.frames.every(({ message }) => message !== null)).toBe(true);
			},
		),
		{ numRuns: 18 },
	);
	await expect.poll(() => sandbox.openSessions()).toEqual([]);
	const after = await openSocket(address('s2s'), {
		headers: { authorization: `Bearer ${tokenOf(sandbox, { faults: 'fast-output' })}` },
	});
	after.send(socketTask());
	await ready(after);
	after.ws.terminate();
}, 90_000);

it('closes with 1009 on a frame above 2 MiB, and with 1007 on text that is none', async () => {
	const open = () =>
		openSocket(address('s2s'), {
			headers: { authorization: `Bearer ${tokenOf(sandbox, { faults: 'no-timeout' })}` },
		});
	const large = await open();
	large.ws.send('x'.repeat(2 * 1024 * 1024 + 1));
	expect((await large.closed).code).toBe(1009);
	const broken = await open();
	broken.ws.send(Buffer.of(0xff, 0xfe, 0xfd), { binary: false });
	expect((await broken.closed).code).toBe(1007);
}, 20_000);

it('survives clients that leave in the middle of the upgrade, or ask for it wrongly', async () => {
	const { createConnection } = await import('node:net');
	const { hostname, port } = new URL(sandbox.addresses.api);
	const head = `GET /tts-api/v1/text-to-speech/stream?token=${sandbox.addresses.key} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
	const tries = [
		`${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n`,
		`${head}Sec-WebSocket-Version: 7\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
		`${head}\r\n`,
		head,
	];
	for (const text of tries) {
		const socket = createConnection(Number(port), hostname);
		socket.on('error', () => {});
		await new Promise<void>((done) => socket.once('connect', () => socket.write(text, () => done())));
		socket.destroy();
	}
	await expect.poll(() => sandbox.openSessions()).toEqual([]);
});
