import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';

/** One port that speaks only TLS, with the certificate of an authority that nobody knows. */
export interface TlsFront {
	readonly port: number;
	/** PEM file of the authority, for `NODE_EXTRA_CA_CERTS`. */
	readonly authority: string;
	/** A home directory whose browser profile trusts the authority; empty if `browser` is false. */
	readonly home: string;
	/** Handshakes that the other side broke off. */
	readonly refused: () => number;
	/** Bytes that came through TLS. */
	readonly received: () => number;
	/** Sets the port behind it; until then nothing is let through. */
	leadTo(port: number): void;
	/** One more port, with the same certificate, that leads to the given one. */
	openTo(port: number): Promise<number>;
	/** Breaks every connection to that port; new ones are let through. */
	drop(port: number): void;
	close(): Promise<void>;
}

export interface TlsFrontOptions {
	/** The name or address its certificate is for. Default localhost. */
	readonly name?: string;
	/** Where it listens. Default 127.0.0.1. */
	readonly host?: string;
	/** A browser's profile is to trust it. Default true. */
	readonly browser?: boolean;
}

/** Needs `openssl`, and `certutil` for a browser; says what is missing where it cannot. */
export async function startTlsFront({
	name = 'localhost',
	host = '127.0.0.1',
	browser = true,
}: TlsFrontOptions = {}): Promise<TlsFront | { readonly missing: string }> {
	const needed = [['openssl', 'version'] as const, ...(browser ? [['certutil', '-H'] as const] : [])];
	for (const [program, option] of needed) {
		if (spawnSync(program, [option]).error) return { missing: `${program} is not installed` };
	}
	const folder = mkdtempSync(join(tmpdir(), 'tls-front-'));
	const file = (name: string) => join(folder, name);
	const run = (program: string, ...args: string[]) => {
		const { status, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: folder });
		if (status !== 0) throw new Error(`${program} ${args[0]}: ${stderr}`);
	};
	const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
	run(
		'openssl',
		'req',
		'-x509',
		...key,
		'-keyout',
		'ca.key',
		'-out',
		'ca.pem',
		'-days',
		'2',
		'-subj',
		'/CN=Test authority',
	);
	run('openssl', 'req', ...key, '-keyout', 'front.key', '-out', 'front.csr', '-subj', `/CN=${name}`);
	writeFileSync(
		file('names'),
		`subjectAltName=${isIP(name) ? 'IP' : 'DNS'}:${name}\nextendedKeyUsage=serverAuth\n`,
	);
	run(
		'openssl',
		'x509',
		'-req',
		'-in',
		'front.csr',
		'-CA',
		'ca.pem',
		'-CAkey',
		'ca.key',
		'-CAcreateserial',
		'-out',
		'front.pem',
		'-days',
		'2',
		'-extfile',
		'names',
	);
	const home = file('home');
	const profile = `sql:${join(home, '.pki', 'nssdb')}`;
	mkdirSync(join(home, '.pki', 'nssdb'), { recursive: true });
	if (browser) {
		run('certutil', '-N', '-d', profile, '--empty-password');
		run('certutil', '-A', '-d', profile, '-n', 'Test authority', '-t', 'C,,', '-i', 'ca.pem');
	}

	let behind: number | null = null;
	let refused = 0;
	let received = 0;
	const open = new Set<Socket>();
	const visitors = new Map<Socket, number>();
	const keep = (socket: Socket): Socket => {
		open.add(socket);
		return socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
	};
	const servers: Server[] = [];
	const credentials = { key: readFileSync(file('front.key')), cert: readFileSync(file('front.pem')) };
	async function listen(target: () => number | null): Promise<number> {
		const server = createServer(credentials, (near) => {
			const port = target();
			if (port === null) return void near.destroy();
			visitors.set(near, near.localPort ?? 0);
			near.on('data', (chunk) => {
				received += chunk.length;
			});
			const far = keep(connect(port, '127.0.0.1'));
			keep(near).pipe(far).pipe(near);
			// If nothing listens behind it any more, the client is not kept waiting.
			far.once('close', () => near.end());
			near.once('close', () => {
				visitors.delete(near);
				far.destroy();
			});
		});
		server.on('tlsClientError', () => {
			refused += 1;
		});
		servers.push(server);
		await new Promise<void>((done) => server.listen(0, host, done));
		return (server.address() as AddressInfo).port;
	}
	const own = await listen(() => behind);
	return {
		port: own,
		authority: file('ca.pem'),
		home,
		refused: () => refused,
		received: () => received,
		leadTo(port) {
			behind = port;
		},
		openTo: (port) => listen(() => port),
		drop(port) {
			for (const [socket, own] of visitors) if (own === port) socket.destroy();
		},
		async close() {
			for (const socket of open) socket.destroy();
			await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
