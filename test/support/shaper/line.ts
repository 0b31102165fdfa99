import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ClosedNetwork, startClosedNetwork } from '#test/support/closed-network.ts';

/** Address of the service's end. It looks public, because the app accepts no other; its packets never leave this computer. */
export const FAR_ADDRESS = '11.77.0.1';
/** Between two addresses, as when a cable takes the place of Wi-Fi. */
const OFFLINE_MS = 500;
const NEAR_ADDRESSES = ['10.77.0.2', '10.77.0.3'] as const;
/** A device of this name counts as a network to a browser; one called `tun…` would not. */
export const DEVICE = 'eth0';
const MTU = 1500;

interface WayCount {
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

/** The faults of packets in one direction, explained in `shaper.py`. Empty: a clean line. */
interface Condition {
	/** 0 to 1, each packet by itself. */
	readonly lossRatio?: number;
	/** Chances per packet to enter and to leave a bad state, in which `lossRatio` (default all) are lost. */
	readonly burst?: { readonly enter: number; readonly leave: number; readonly lossRatio?: number };
	readonly delayMs?: number;
	/** Standard deviation; what was sent first still arrives first. */
	readonly jitterMs?: number;
	readonly duplicateRatio?: number;
	/** These packets alone come `reorderMs` later. */
	readonly reorderRatio?: number;
	readonly reorderMs?: number;
	readonly bytesPerSecond?: number;
	/** Size of the queue at that rate; more is lost. */
	readonly queueBytes?: number;
	/** Nothing passes, without any notice. */
	readonly cut?: boolean;
	readonly blockUdp?: boolean;
	readonly blockTcpPorts?: readonly number[];
	/** Cut for the first `forMs` of every period but the first. */
	readonly outage?: { readonly everyMs: number; readonly forMs: number };
}

/** Up: from the app to the service. */
export interface LineCondition {
	readonly up?: Condition;
	readonly down?: Condition;
}

const both = (condition: Condition): LineCondition => ({ up: condition, down: condition });

export const CLEAN: LineCondition = {};
export const CUT: LineCondition = both({ cut: true });

/** Lines as people have them. */
export const profiles = {
	clean: CLEAN,
	'home Wi-Fi': both({ delayMs: 5, jitterMs: 5, lossRatio: 0.005 }),
	// Bursts of 2 to 5 packets; one packet in 33 is lost.
	'bad Wi-Fi': both({ delayMs: 30, jitterMs: 15, burst: { enter: 0.009, leave: 0.29 } }),
	'4G with hand-overs': both({ delayMs: 80, jitterMs: 60, outage: { everyMs: 30_000, forMs: 1000 } }),
} as const satisfies Readonly<Record<string, LineCondition>>;

export type ProfileName = keyof typeof profiles;

/** Lines that are bad in one way each (faults 53). */
export const hardships = {
	'1 % loss': both({ delayMs: 20, lossRatio: 0.01 }),
	'5 % loss': both({ delayMs: 20, lossRatio: 0.05 }),
	'20 % loss': both({ delayMs: 20, lossRatio: 0.2 }),
	'29 % loss in bursts': both({ delayMs: 20, burst: { enter: 0.14, leave: 0.34 } }),
	jitter: both({ delayMs: 60, jitterMs: 40 }),
	'reordering and doubling': both({
		delayMs: 20,
		reorderRatio: 0.2,
		reorderMs: 45,
		duplicateRatio: 0.2,
	}),
} as const satisfies Readonly<Record<string, LineCondition>>;

export type HardshipName = keyof typeof hardships;

/** Outages a line is known to have, s: a lift, a tunnel, LiveKit's issue 4477, a router that starts anew. */
export const outagesS = [5, 25, 84, 600] as const;

/** 20 kbit/s each way, with the queue of a modem that keeps everything for a second. */
export const NARROW: LineCondition = both({ delayMs: 40, bytesPerSecond: 2500, queueBytes: 4000 });
