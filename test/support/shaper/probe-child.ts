/**
 * Looks at a line from its ends. `echo`: gives back what comes by UDP and TCP, says `ready`. `udp COUNT GAP_MS SIZE`:
 * sends numbered datagrams and says as JSON which came back, in which order and after how long. `tcp BYTES`: sends
 * them and says how long it took until all were back.
 */
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { FAR_ADDRESS } from './line.ts';

const PORT = 7000;
/** After the last datagram was sent. */
const LATEST_MS = 1500;
const [what, first = '0', second = '0', third = '0'] = process.argv.slice(2);

if (what === 'echo') {
	const udp = createSocket('udp4');
	udp.on('message', (data, from) => udp.send(data, from.port, from.address));
	udp.bind(PORT, FAR_ADDRESS);
	const tcp = createServer((socket) => socket.on('error', () => socket.destroy()).pipe(socket));
	tcp.listen(PORT, FAR_ADDRESS, () => console.log('ready'));
} else if (what === 'udp') {
	const came: { number: number; afterMs: number }[] = [];
	const udp = createSocket('udp4');
	udp.on('message', (data) => {
		came.push({ number: data.readUInt32BE(0), afterMs: performance.now() - data.readDoubleBE(4) });
	});
	for (let number = 0; number < Number(first); number += 1) {
		const data = Buffer.alloc(Math.max(12, Number(third)));
		data.writeUInt32BE(number, 0);
		data.writeDoubleBE(performance.now(), 4);
		// Errors are ignored: there may be no way out.
		udp.send(data, PORT, FAR_ADDRESS, () => {});
		await wait(Number(second));
	}
	await wait(LATEST_MS);
	udp.close();
	console.log(JSON.stringify(came));
} else {
	const bytes = Buffer.alloc(Number(first), 'x');
	const began = performance.now();
	let back = 0;
	const socket = connect(PORT, FAR_ADDRESS, () => socket.write(bytes));
	socket.on('data', (chunk) => {
		back += chunk.length;
		if (back < bytes.length) return;
		console.log(JSON.stringify(performance.now() - began));
		socket.destroy();
	});
}
