import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The live service's generation, and a current one. */
export type LivekitVersion = 'v1.8.4' | 'v1.13.5';

export interface LivekitServer {
	/** `ws://127.0.0.1:…` */
	readonly url: string;
	readonly key: string;
	readonly secret: string;
	/** Port for media over TCP. */
	readonly tcpPort: number;
	/** Ends at once, as by a failure, with all its rooms. */
	kill(): Promise<void>;
	/** Starts the server again, on the same ports, without its rooms. */
	startAgain(): Promise<void>;
	stop(): Promise<void>;
}

/** Where its media goes: default loopback. Its signalling is always there. */
export interface LivekitPlace {
	readonly address?: string;
	readonly device?: string;
	/** Relays it tells its clients of. */
	readonly turnServers?: readonly object[];
}

const run = promisify(execFile);
const START_LIMIT_MS = 15_000;
/** Compiling took four minutes on two cores. */
const INSTALL_LIMIT_MS = 15 * 60_000;

/**
 * A real LiveKit server on loopback, or why there is none. The binary is kept in
 * `~/.cache/dragoman-tests/livekit-<version>/server` (`XDG_CACHE_HOME`); it is compiled into it where Go 1.26 is and
 * `CI` or `DRAGOMAN_INSTALL_LIVEKIT` is set.
 */
export async function startLivekitServer(
	version: LivekitVersion,
	place: LivekitPlace = {},
): Promise<LivekitServer | { missing: string }> {
	const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	const folder = join(cache, 'dragoman-tests', `livekit-${version}`);
	const binary = join(folder, 'server');
	if (!(await exists(binary))) {
		const failure = await install(version, folder);
		if (failure) return { missing: failure };
	}
	const key = `key${randomBytes(4).toString('hex')}`;
	const secret = randomBytes(24).toString('hex');
	const [port, tcpPort, udpPort] = await freePorts(3);
	const config = await mkdtemp(join(tmpdir(), 'dragoman-livekit-'));
	const file = join(config, 'livekit.yaml');
	await writeFile(file, configText({ port, tcpPort, udpPort, key, secret }, place), { mode: 0o600 });
	const launch = () => spawn(binary, ['--config', file], { stdio: ['ignore', 'pipe', 'pipe'] });
	let server = launch();
	const url = `ws://127.0.0.1:${port}`;
	const said = await answers(server, `http://127.0.0.1:${port}/`);
	if (said !== null) {
		server.kill('SIGKILL');
		await rm(config, { recursive: true, force: true });
		return { missing: `livekit-server ${version} did not start: ${said}` };
	}
	return {
		url,
		key,
		secret,
		tcpPort,
		async kill() {
			const gone = new Promise((done) => server.once('exit', done));
			server.kill('SIGKILL');
			await gone;
		},
		async startAgain() {
			server = launch();
			const failure = await answers(server, `http://127.0.0.1:${port}/`);
			if (failure !== null) throw new Error(`livekit-server did not start again: ${failure}`);
		},
		async stop() {
			await ended(server);
			await rm(config, { recursive: true, force: true });
		},
	};
}

/** Loopback only (a server that listens elsewhere would ask the firewall, and the tests never need it). */
function configText(
	of: { port: number; tcpPort: number; udpPort: number; key: string; secret: string },
	{ address = '127.0.0.1', device = 'lo', turnServers }: LivekitPlace,
): string {
	return JSON.stringify({
		port: of.port,
		bind_addresses: ['127.0.0.1'],
		keys: { [of.key]: of.secret },
		logging: { level: 'warn' },
		rtc: {
			tcp_port: of.tcpPort,
			udp_port: of.udpPort,
			use_external_ip: false,
			node_ip: address,
			enable_loopback_candidate: device === 'lo',
			interfaces: { includes: [device] },
			...(turnServers ? { turn_servers: turnServers } : {}),
		},
	});
}

async function install(version: LivekitVersion, folder: string): Promise<string | null> {
	if (!process.env.CI && !process.env.DRAGOMAN_INSTALL_LIVEKIT) {
		return `no livekit-server ${version} in ${folder} (DRAGOMAN_INSTALL_LIVEKIT=1 compiles it where Go 1.26 is)`;
	}
	try {
		const { stdout } = await run('go', ['env', 'GOVERSION']);
		const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
		if (Number(major) < 1 || (Number(major) === 1 && Number(minor) < 26)) {
			return `livekit-server ${version} needs Go 1.26, this is ${stdout.trim()}`;
		}
		await mkdir(folder, { recursive: true });
		await run('go', ['install', `github.com/livekit/livekit-server/cmd/server@${version}`], {
			env: { ...process.env, GOBIN: folder },
			timeout: INSTALL_LIMIT_MS,
		});
		return null;
	} catch (failure) {
		return `livekit-server ${version} could not be compiled: ${String(failure).slice(0, 200)}`;
	}
}

/** Null once it answers, else what it said instead. */
async function answers(server: ChildProcess, address: string): Promise<string | null> {
	let output = '';
	let exited = false;
	for (const stream of [server.stdout, server.stderr]) {
		stream?.on('data', (chunk) => {
			output = (output + chunk).slice(-2000);
		});
	}
	server.once('error', () => {
		exited = true;
	});
	server.once('exit', () => {
		exited = true;
	});
	const until = performance.now() + START_LIMIT_MS;
	while (performance.now() < until && !exited) {
		const response = await fetch(address).catch(() => null);
		if (response?.ok) return null;
		await new Promise((next) => setTimeout(next, 50));
	}
	return output || 'it said nothing';
}

function ended(server: ChildProcess): Promise<void> {
	if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
	return new Promise((resolve) => {
		// After SIGTERM the server waits for its rooms to empty, which tests cannot.
		const kill = setTimeout(() => server.kill('SIGKILL'), 1000);
		server.once('exit', () => {
			clearTimeout(kill);
			resolve();
		});
		server.kill('SIGTERM');
	});
}

async function freePorts(count: 3): Promise<readonly [number, number, number]> {
	const servers = Array.from({ length: count }, () => createServer());
	const ports = await Promise.all(
		servers.map(
			(server) =>
				new Promise<number>((resolve) =>
					server.listen(0, '127.0.0.1', () => {
						const address = server.address();
						resolve(typeof address === 'object' && address ? address.port : 0);
					}),
				),
		),
	);
	await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
	const [first = 0, second = 0, third = 0] = ports;
	return [first, second, third];
}

async function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}
