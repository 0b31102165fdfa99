import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Sandbox } from '#sandbox/sandbox.ts';
import type { LivekitVersion } from '#test/support/livekit-server.ts';
import type { Line } from './line.ts';

export interface ServiceWish {
	/** Rooms on such a server; without it on the sandbox's own. */
	readonly livekit?: LivekitVersion;
	/** Relays that LiveKit tells its clients of. */
	readonly turnServers?: readonly object[];
	/** Faults of the sandbox, on from the beginning. */
	readonly faults?: readonly string[];
}

/** Where the service is for the near end. */
export interface ServicePlaces {
	readonly api: string;
	readonly s2s: string;
	readonly key: string;
	readonly webrtc: string;
	/** Its certificate authority: a PEM file, and a home directory whose browser trusts it. */
	readonly authority: string;
	readonly home: string;
	readonly tcpPorts: { readonly service: number; readonly room: number; readonly media: number };
	/** As seen from the far end. */
	readonly livekit: { readonly url: string; readonly key: string; readonly secret: string } | null;
}

/** The service at the far end of a line. */
export interface FarService {
	readonly places: ServicePlaces;
	/** For an app at the near end. */
	readonly env: Readonly<Record<string, string>>;
	openSessions(): Promise<ReturnType<Sandbox['openSessions']>>;
	counts(): Promise<ReturnType<Sandbox['counts']>>;
	setFault(name: string, on: boolean): Promise<void>;
	/** The LiveKit server dies, with its rooms and what was in them. */
	killLivekit(): Promise<void>;
	startLivekitAgain(): Promise<void>;
	/** The sockets of all who are in a room break; their media goes on. */
	dropSignals(): Promise<void>;
	stop(): Promise<void>;
}

export type Call =
	| 'openSessions'
	| 'counts'
	| 'setFault'
	| 'killLivekit'
	| 'startLivekitAgain'
	| 'dropSignals'
	| 'end';

export type ServiceAnswer =
	| { readonly missing: string }
	| { readonly places: ServicePlaces }
	| { readonly id: number; readonly value: unknown }
	| { readonly id: number; readonly failed: string };

/** Says what is missing where it cannot. */
export async function startFarService(
	line: Line,
	wish: ServiceWish = {},
): Promise<FarService | { readonly missing: string }> {
	const script = join(import.meta.dirname, 'service-child.ts');
	const [program = '', ...args] = [...line.far.wrap, process.execPath, script, JSON.stringify(wish)];
	const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
	const waiting = new Map<number, { done(value: unknown): void; fail(why: Error): void }>();
	const exited = new Promise<void>((done) => child.once('exit', () => done()));
	const first = new Promise<ServiceAnswer>((done) => {
		void exited.then(() => done({ missing: 'the service at the far end did not start' }));
		child.on('message', (answer: ServiceAnswer) => {
			if (!('id' in answer)) return done(answer);
			const { done: settle, fail } = waiting.get(answer.id) ?? {};
			waiting.delete(answer.id);
			if ('failed' in answer) fail?.(new Error(answer.failed));
			else settle?.(answer.value);
		});
	});
	void exited.then(() => {
		for (const { fail } of waiting.values()) fail(new Error('the service at the far end is gone'));
	});
	const answer = await first;
	if ('missing' in answer) return answer;
	if (!('places' in answer)) throw new Error('the service at the far end did not say where it is');
	let last = 0;
	function call<Value>(name: Call, ...args: readonly unknown[]): Promise<Value> {
		last += 1;
		const id = last;
		return new Promise((done, fail) => {
			waiting.set(id, { done: done as (value: unknown) => void, fail });
			child.send({ id, call: name, args });
		});
	}
	const { places } = answer;
	return {
		places,
		env: {
			DRAGOMAN_API_URL: places.api,
			DRAGOMAN_S2S_URL: places.s2s,
			DRAGOMAN_API_KEY: places.key,
			NODE_EXTRA_CA_CERTS: places.authority,
			HOME: places.home,
		},
		openSessions: () => call('openSessions'),
		counts: () => call('counts'),
		setFault: (name, on) => call('setFault', name, on),
		killLivekit: () => call('killLivekit'),
		startLivekitAgain: () => call('startLivekitAgain'),
		dropSignals: () => call('dropSignals'),
		async stop() {
			const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
			await call('end').catch(() => {});
			child.kill('SIGKILL');
			await exited;
			clearTimeout(timer);
		},
	};
}
