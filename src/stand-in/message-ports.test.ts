import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
	decodeFrame,
	encodeFrame,
	type LoopbackServer,
	MessageChannelMain,
	serveLoopback,
} from './message-ports.ts';

const servers: LoopbackServer[] = [];
afterEach(() => {
	for (const server of servers.splice(0)) server.close();
});

async function serve(): Promise<LoopbackServer> {
	const server = await serveLoopback('app', 'dragoman', async () => new Response('page'));
	servers.push(server);
	return server;
}

/** As the page's worker does. */
async function visit(address: string) {
	const socket = new WebSocket(address);
	const heard: unknown[] = [];
	socket.on('message', (data: Buffer) => {
		heard.push(decodeFrame(data.buffer.slice(data.byteOffset, data.byteOffset + data.length) as ArrayBuffer));
	});
	await once(socket, 'open');
	return { socket, heard };
}

test('a message keeps its numbers, texts and samples; what a port of Electron could not clone raises', () => {
	const message = {
		text: 'ñ🙂',
		list: [1, null, { deep: true }],
		samples: Int16Array.of(-32_768, 0, 32_767),
		more: [Float32Array.of(0.5), new Uint8Array(3), new Int16Array(0)],
	};
	expect(decodeFrame(encodeFrame(message).buffer)).toEqual(message);
	expect(decodeFrame(encodeFrame(Int16Array.of(1, 2)).buffer)).toEqual(Int16Array.of(1, 2));
	for (const odd of [() => {}, { deep: new Map() }])
		expect(() => encodeFrame(odd)).toThrow('could not be cloned');
});

test('a port given to a page carries both ways, in order, also what was said before the page came', async () => {
	const server = await serve();
	const { port1, port2 } = new MessageChannelMain();
	const heard: unknown[] = [];
	port1.on('message', ({ data }) => heard.push(data));
	port1.start();
	const name = port2.ship();
	port1.postMessage('early');
	const page = await visit(server.ports.folder + name);
	port1.postMessage(Int16Array.of(7));
	page.socket.send(encodeFrame({ type: 'command' }));
	await expect.poll(() => [page.heard, heard]).toEqual([['early', Int16Array.of(7)], [{ type: 'command' }]]);
	expect(() => port2.ship()).toThrow('once');
	page.socket.close();
	await once(port1, 'close');
});

test('nobody gets a port twice, by guessing, or under another name of this computer', async () => {
	const server = await serve();
	const name = new MessageChannelMain().port2.ship();
	const fails = (address: string) =>
		new Promise((done) => {
			new WebSocket(address).on('error', () => {}).on('close', done);
		});
	await fails(`${server.ports.folder}guess`);
	await fails(server.ports.folder.replace('127.0.0.1', 'localhost') + name);
	const page = await visit(server.ports.folder + name);
	await fails(server.ports.folder + name);
	page.socket.terminate();
});

test('the worker behind the ports may run in the page, and only below the secret', async () => {
	const server = await serve();
	const answer = await fetch(server.ports.worker);
	expect([answer.status, answer.headers.get('cross-origin-embedder-policy')]).toEqual([200, 'require-corp']);
	expect((await fetch(`${server.origin}/.port-worker.js`)).status).toBe(404);
});
