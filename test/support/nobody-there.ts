import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * `127.0.0.1:PORT` where nobody answers, until this process ends: the port belongs to the near end of a connection, so
 * that no other program is given it to listen at.
 */
export async function hostOfNobody(): Promise<string> {
	const server = createServer();
	server.listen(0, '127.0.0.1').unref();
	await once(server, 'listening');
	const end = connect((server.address() as AddressInfo).port, '127.0.0.1').unref();
	await once(end, 'connect');
	return `127.0.0.1:${end.localPort}`;
}

/** The same as an address of a service: `http://127.0.0.1:PORT`. */
export async function nobodyThere(): Promise<string> {
	return `http://${await hostOfNobody()}`;
}
