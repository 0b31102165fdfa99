import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';

/** One port that speaks only TLS, with the certificate of an authority that nobody knows. */
export interface TlsFront {
	readonly port: number;
	/** PEM file of the authority, for `NODE_EXTRA_CA_CERTS`. */
	readonly authority: string;
	/** A home whose browser profile trusts the authority; without the wish for a browser it is empty. */
	readonly home: string;
	/** Handshakes that the other side broke off. */
	readonly refused: () => number;
	/** Bytes that came through TLS. */
	readonly received: () => number;
	/** What lies behind; before that nothing is let through. */
	leadTo(port: number): void;
	close(): Promise<void>;
}

export interface TlsFrontOptions {
	/** The name its certificate is for. Default localhost. */
	readonly name?: string;
	/** A browser's profile is to trust it. Default true. */
	readonly browser?: boolean;
}

/** Needs `openssl`, and `certutil` for a browser; says what is missing where it cannot. */
export async function startTlsFront({
	name = 'localhost',
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
	writeFileSync(file('names'), `subjectAltName=DNS:${name}\nextendedKeyUsage=serverAuth\n`);
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
	const keep = (socket: Socket): Socket => {
		open.add(socket);
		return socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
	};
	const server: Server = createServer(
		{ key: readFileSync(file('front.key')), cert: readFileSync(file('front.pem')) },
		(near) => {
			if (behind === null) return void near.destroy();
			near.on('data', (chunk) => {
				received += chunk.length;
			});
			keep(near)
				.pipe(keep(connect(behind, '127.0.0.1')))
				.pipe(near);
		},
	);
	server.on('tlsClientError', () => {
		refused += 1;
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		port: (server.address() as AddressInfo).port,
		authority: file('ca.pem'),
		home,
		refused: () => refused,
		received: () => received,
		leadTo(port) {
			behind = port;
		},
		async close() {
			for (const socket of open) socket.destroy();
			await new Promise((done) => server.close(done));
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
