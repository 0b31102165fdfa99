import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ClosedNetwork, startClosedNetwork } from '#test/support/closed-network.ts';
import { CLEAN, type LineCondition } from './profiles.ts';

/** Address of the service's end. It looks public, because the app accepts no other; its packets never leave this computer. */
export const FAR_ADDRESS = '11.77.0.1';
/** Between two addresses, as when a cable takes the place of Wi-Fi. */
const OFFLINE_MS = 500;
const NEAR_ADDRESSES = ['10.77.0.2', '10.77.0.3'] as const;
/** A device of this name counts as a network to a browser; one called `tun…` would not. */
export const DEVICE = 'eth0';
const MTU = 1500;

export interface WayCount {
	readonly packets: number;
	readonly bytes: number;
	readonly lost: number;
	readonly dropped: number;
	readonly passed: number;
	readonly passedBytes: number;
}

/** Two separate networks with a line between them that can be made as bad as wanted. */
export interface Line {
	/** The app's end: put before a program, it runs there. */
	readonly near: ClosedNetwork;
	/** The service's end. */
	readonly far: ClosedNetwork;
	/**
	 * Replaces the previous condition. With `alike`, a seed, what happens to the n-th packet of one RTP stream
	 * from now on happens to the n-th of every other, so that simultaneous calls can be compared.
	 */
	set(condition: LineCondition, alike?: number): Promise<void>;
	/** The app's end gets another address, as by a change of network; the old one is gone. */
	changeAddress(): Promise<void>;
	/** Removes the app's network device and gives it back, so that the operating system reports the change. */
	unplug(): void;
	plugIn(): void;
	count(): Promise<{ readonly up: WayCount; readonly down: WayCount }>;
	stop(): Promise<void>;
}

/** Needs Linux, root (or a user namespace with a /dev/net/tun), Python 3; says what is missing where it cannot. */
export async function startLine(
	options: { readonly seed?: number } = {},
): Promise<Line | { readonly missing: string }> {
	if (spawnSync('python3', ['--version']).error) return { missing: 'python3 is not installed' };
	try {
		accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
	} catch {
		return { missing: '/dev/net/tun cannot be opened' };
	}
	const near = await startClosedNetwork([]);
	if ('missing' in near) return near;
	const far = await startClosedNetwork([]);
	if ('missing' in far) {
		await near.stop();
		return far;
	}
	const ends = async () => void (await Promise.all([near.stop(), far.stop()]));
	const shaper = await startShaper(near, far);
	if ('missing' in shaper) {
		await ends();
		return shaper;
	}
	const inside = (network: ClosedNetwork, ...words: string[]) => {
		const [program = '', ...args] = [...network.wrap, 'ip', ...words];
		const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
		if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`);
	};
	let address = 0;
	const give = (network: ClosedNetwork, own: string) => {
		inside(network, 'addr', 'add', `${own}/32`, 'dev', DEVICE);
		inside(network, 'route', 'replace', 'default', 'dev', DEVICE, 'src', own);
	};
	const own = () => NEAR_ADDRESSES[address % 2] ?? NEAR_ADDRESSES[0];
	for (const network of [near, far]) inside(network, 'link', 'set', DEVICE, 'mtu', String(MTU), 'up');
	give(far, FAR_ADDRESS);
	give(near, own());
	if (options.seed !== undefined) await shaper.ask({ seed: options.seed });
	await shaper.ask({ set: CLEAN });
	return {
		near,
		far,
		async set(condition, alike) {
			await shaper.ask({ set: condition, ...(alike === undefined ? {} : { alike }) });
		},
		async changeAddress() {
			inside(near, 'addr', 'flush', 'dev', DEVICE);
			// Without a moment in which it sees no address the browser tells the page nothing.
			await new Promise((done) => setTimeout(done, OFFLINE_MS));
			address += 1;
			give(near, own());
		},
		unplug: () => inside(near, 'link', 'set', DEVICE, 'down'),
		plugIn() {
			inside(near, 'link', 'set', DEVICE, 'up');
			inside(near, 'route', 'replace', 'default', 'dev', DEVICE, 'src', own());
		},
		count: async () => (await shaper.ask({ count: true })) as never,
		async stop() {
			await shaper.stop();
			await ends();
		},
	};
}

interface Shaper {
	ask(command: object): Promise<unknown>;
	stop(): Promise<void>;
}

async function startShaper(
	near: ClosedNetwork,
	far: ClosedNetwork,
): Promise<Shaper | { readonly missing: string }> {
	const ends = [near, far].map(({ path }) => `${path}:${DEVICE}:${MTU}`);
	const child: ChildProcess = spawn('python3', [join(import.meta.dirname, 'shaper.py'), ...ends], {
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	let said = '';
	child.stderr?.setEncoding('utf8').on('data', (chunk) => {
		said += chunk;
	});
	const waiting = new Map<number, { done(answer: unknown): void; fail(why: Error): void }>();
	const ended = new Promise<void>((done) => child.once('close', () => done()));
	const ready = new Promise<boolean>((done) => {
		void ended.then(() => done(false));
		child.once('error', () => done(false));
		if (!child.stdout) return done(false);
		createInterface(child.stdout).on('line', (line) => {
			if (line === 'ready') return done(true);
			const answer = JSON.parse(line);
			waiting.get(answer.id)?.done(answer);
			waiting.delete(answer.id);
		});
	});
	void ended.then(() => {
		for (const { fail } of waiting.values()) fail(new Error(`the shaper ended: ${said}`));
	});
	if (!(await ready)) return { missing: `no line between two networks: ${said.trim().split('\n').at(-1)}` };
	let last = 0;
	return {
		ask(command) {
			last += 1;
			const id = last;
			return new Promise((done, fail) => {
				waiting.set(id, { done, fail });
				child.stdin?.write(`${JSON.stringify({ id, ...command })}\n`);
			});
		},
		async stop() {
			child.kill('SIGKILL');
			await ended;
		},
	};
}
