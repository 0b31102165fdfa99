import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A network from which nothing leads out but TCP to the named ports of this computer: no UDP, no name, no route. */
export interface ClosedNetwork {
	/** Put before a program, it runs in there. */
	readonly wrap: readonly string[];
	/** The namespace's file, for programs that enter it by themselves. */
	readonly path: string;
	/** A port that is free in there and can be reached from here, for driving a window over DevTools. */
	readonly devtoolsPort: number;
	/** Bytes carried out of it so far, by port. */
	carried(): Readonly<Record<number, number>>;
	stop(): Promise<void>;
}

/** Needs Linux, root and `unshare`, `nsenter`, `ip`; says what is missing where it cannot. */
export async function startClosedNetwork(
	ports: readonly number[],
): Promise<ClosedNetwork | { readonly missing: string }> {
	for (const [program, option] of [
		['unshare', '--version'],
		['nsenter', '--version'],
		['ip', '-V'],
	] as const) {
		if (spawnSync(program, [option]).error) return { missing: `${program} is not installed` };
	}
	const refused = spawnSync('unshare', ['-n', 'true'], { encoding: 'utf8' });
	if (refused.status !== 0) return { missing: `no network of its own: ${refused.stderr.trim()}` };

	const folder = mkdtempSync(join(tmpdir(), 'closed-network-'));
	const open = new Set<Socket>();
	const servers: Server[] = [];
	const bytes: Record<number, number> = {};
	const keep = (socket: Socket): Socket => {
		open.add(socket);
		return socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
	};
	const carry = (near: Socket, far: Socket) => keep(near).pipe(keep(far)).pipe(near);

	const pathOf = (port: number) => join(folder, String(port));
	for (const port of ports) {
		bytes[port] = 0;
		const server = createServer((near) => {
			near.on('data', (chunk) => {
				bytes[port] = (bytes[port] ?? 0) + chunk.length;
			});
			carry(near, connect(port, '127.0.0.1'));
		});
		servers.push(server);
		await new Promise<void>((done) => server.listen(pathOf(port), done));
	}
	// Taken here, so that it is free on both sides.
	const devtools = createServer((near) => carry(near, connect(join(folder, 'devtools'))));
	servers.push(devtools);
	await new Promise<void>((done) => devtools.listen(0, '127.0.0.1', done));
	const devtoolsPort = (devtools.address() as AddressInfo).port;

	const child = spawn(
		'unshare',
		[
			'-n',
			process.execPath,
			join(import.meta.dirname, 'closed-network-child.ts'),
			...ports.map((port) => `in:${port}:${pathOf(port)}`),
			`out:${devtoolsPort}:${join(folder, 'devtools')}`,
		],
		{ stdio: ['pipe', 'pipe', 'inherit'] },
	);
	await new Promise<void>((done, fail) => {
		child.stdout.once('data', () => done());
		child.once('error', fail);
		child.once('exit', (code) => fail(new Error(`the closed network ended with status ${code}`)));
	});

	const path = `/proc/${child.pid}/ns/net`;
	return {
		wrap: ['nsenter', `--net=${path}`, '--'],
		path,
		devtoolsPort,
		carried: () => ({ ...bytes }),
		async stop() {
			const ended = new Promise((done) => child.once('exit', done));
			child.kill('SIGKILL');
			await ended;
			for (const socket of open) socket.destroy();
			await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
