import type { Transport, TransportEvent, TransportStats } from '#renderer/transport/transport.ts';
import { atMost, type Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';

export type TransportNews =
	| { readonly type: 'opened' }
	| { readonly type: 'failed'; readonly problem: Problem }
	| { readonly type: 'heard'; readonly event: TransportEvent }
	| { readonly type: 'stats'; readonly stats: TransportStats };

/** Interval until the first packet has been sent, so that "live" is not late; then once a second. */
const FIRST_STATS_MS = 250;
const STATS_MS = 1000;

/** How long ending a conversation waits until a command issued just before has been sent. */
const LAST_WORDS_MS = 50;

interface Joined {
	readonly transport: Transport;
	readonly scope: Scope;
	/** Commands being sent. */
	readonly sending: Set<Promise<unknown>>;
	/** True if the transport sends a track, not silence or nothing. */
	hasTrack: boolean;
}

export type Transports = ReturnType<typeof createTransports>;

/** The transports of a conversation by session number: one in use, perhaps others in parallel, each closed once. */
export function createTransports({
	clock,
	log,
	tell,
}: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly tell: (id: number, news: TransportNews) => void;
}) {
	const open = new Map<number, Joined>();

	/** Reports news, except late news of a transport that has been closed. */
	function tellIf(id: number, joined: Joined, news: TransportNews): void {
		if (open.get(id) === joined) tell(id, news);
	}

	function watchStats(id: number, joined: Joined, delayMs: number): void {
		joined.scope.after(delayMs, async () => {
			const stats = await attempt(() => joined.transport.stats());
			if (stats) tellIf(id, joined, { type: 'stats', stats });
			watchStats(id, joined, stats && stats.packetsSent > 0 ? STATS_MS : FIRST_STATS_MS);
		});
	}

	async function join(id: number, joined: Joined, signal: AbortSignal): Promise<void> {
		const opened = await attempt(() => joined.transport.open(signal));
		if (!opened) {
			const problem: Problem = { kind: 'bug', where: 'transport.open' };
			return void tellIf(id, joined, { type: 'failed', problem });
		}
		if (!opened.ok) return void tellIf(id, joined, { type: 'failed', problem: opened.error });
		tellIf(id, joined, { type: 'opened' });
		watchStats(id, joined, FIRST_STATS_MS);
	}

	async function setMicrophone(joined: Joined, track: MediaStreamTrack | null | undefined): Promise<void> {
		joined.hasTrack = Boolean(track);
		const set = await attempt(() => joined.transport.setMicrophone(track));
		if (!set?.ok) log.warn('the microphone could not be put on the transport', { kind: set?.error.kind });
	}

	async function send(joined: Joined, command: ClientMessage): Promise<void> {
		const sent = await attempt(() => joined.transport.send(command));
		if (!sent) log.warn('a command did not leave', { command: command.message_type });
	}

	function lastWords({ sending }: Joined): Promise<void> {
		return atMost(clock, LAST_WORDS_MS, Promise.all(sending));
	}

	return {
		/** Joins, and reports the outcome and later events. Null sends silence; undefined nothing until `feed`. */
		open(id: number, transport: Transport, track: MediaStreamTrack | null | undefined): void {
			const hasTrack = Boolean(track);
			const joined: Joined = { transport, scope: createScope(clock), sending: new Set(), hasTrack };
			open.set(id, joined);
			const abort = new AbortController();
			joined.scope.add(() => abort.abort());
			joined.scope.add(transport.listen((event) => tellIf(id, joined, { type: 'heard', event })));
			// Set the track before `open`, so that it is published while the room is being joined.
			if (track !== undefined) void setMicrophone(joined, track);
			void join(id, joined, abort.signal);
		},
		/** Replaces the track; null sends silence, undefined nothing. */
		feed(id: number, track: MediaStreamTrack | null | undefined): void {
			const joined = open.get(id);
			if (joined) void setMicrophone(joined, track);
		},
		/** Replaces the track of every transport that has one. */
		feedOpen(track: MediaStreamTrack): void {
			for (const joined of open.values()) if (joined.hasTrack) void setMicrophone(joined, track);
		},
		send(id: number, command: ClientMessage): void {
			const joined = open.get(id);
			if (!joined) return;
			const sent = send(joined, command);
			joined.sending.add(sent);
			void sent.then(() => joined.sending.delete(sent));
		},
		/** Requests final texts for the speech so far from every transport. */
		finalize(): void {
			for (const { transport } of open.values()) transport.finalize?.();
		},
		/** Disconnects at once. Resolves when the transport has closed, within its own limit. */
		async close(id: number): Promise<void> {
			const joined = open.get(id);
			if (!joined) return;
			open.delete(id);
			if (joined.sending.size > 0) await lastWords(joined);
			joined.scope.close();
			await joined.transport.close().catch(() => log.warn('the transport failed to close'));
		},
	};
}

/** The result of the call; null if it threw or rejected, which a transport should not do. */
async function attempt<Value>(call: () => Promise<Value>): Promise<Value | null> {
	try {
		return await call();
	} catch {
		return null;
	}
}
