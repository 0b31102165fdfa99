import type { Transport, TransportEvent, TransportStats } from '#renderer/transport/transport.ts';
import { atMost } from '#shared/lib/at-most.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';

/** The transports of a conversation by the number of their session: one at a time, each closed once. */
export interface Links {
	/** Joins; the outcome and everything after it is told. Null sends silence, undefined nothing until it is fed. */
	open(id: number, transport: Transport, track: MediaStreamTrack | null | undefined): void;
	/** Null sends silence, undefined nothing. */
	feed(id: number, track: MediaStreamTrack | null | undefined): void;
	/** Another track for whatever is open, or nothing. */
	feedOpen(track: MediaStreamTrack): void;
	send(id: number, command: ClientMessage): void;
	/** Leaves at once. Resolves when the transport has let go, within its own limit. */
	close(id: number): Promise<void>;
}

export type LinkNews =
	| { readonly type: 'opened' }
	| { readonly type: 'failed'; readonly problem: Problem }
	| { readonly type: 'heard'; readonly event: TransportEvent }
	| { readonly type: 'stats'; readonly stats: TransportStats };

export interface LinksParts {
	readonly clock: Clock;
	readonly log: Logger;
	readonly tell: (id: number, news: LinkNews) => void;
}

/** Until the first packet has left, so that "live" is not late; then once a second. */
const FIRST_STATS_MS = 250;
const STATS_MS = 1000;

/** A command given right before the end may still leave; the end does not wait longer for it. */
const LAST_WORDS_MS = 50;

interface Link {
	readonly transport: Transport;
	readonly scope: Scope;
	/** Commands on their way out. */
	readonly sending: Set<Promise<unknown>>;
}

export function createLinks({ clock, log, tell }: LinksParts): Links {
	const links = new Map<number, Link>();

	/** Late news of a link that was closed are no news. */
	function tellIf(id: number, link: Link, news: LinkNews): void {
		if (links.get(id) === link) tell(id, news);
	}

	function watchStats(id: number, link: Link, delayMs: number): void {
		link.scope.after(delayMs, async () => {
			const stats = await attempt(() => link.transport.stats());
			if (stats) tellIf(id, link, { type: 'stats', stats });
			watchStats(id, link, stats && stats.packetsSent > 0 ? STATS_MS : FIRST_STATS_MS);
		});
	}

	async function join(id: number, link: Link, signal: AbortSignal): Promise<void> {
		const opened = await attempt(() => link.transport.open(signal));
		if (!opened) {
			const problem: Problem = { kind: 'bug', where: 'transport.open' };
			return void tellIf(id, link, { type: 'failed', problem });
		}
		if (!opened.ok) return void tellIf(id, link, { type: 'failed', problem: opened.error });
		tellIf(id, link, { type: 'opened' });
		watchStats(id, link, FIRST_STATS_MS);
	}

	async function setMicrophone(link: Link, track: MediaStreamTrack | null | undefined): Promise<void> {
		const set = await attempt(() => link.transport.setMicrophone(track));
		if (!set?.ok) log.warn('the microphone could not be put on the link', { kind: set?.error.kind });
	}

	async function send(link: Link, command: ClientMessage): Promise<void> {
		const sent = await attempt(() => link.transport.send(command));
		if (!sent) log.warn('a command did not leave', { command: command.message_type });
	}

	function lastWords({ sending }: Link): Promise<void> {
		return atMost(clock, LAST_WORDS_MS, Promise.all(sending));
	}

	return {
		open(id, transport, track) {
			const link: Link = { transport, scope: createScope(clock), sending: new Set() };
			links.set(id, link);
			const abort = new AbortController();
			link.scope.add(() => abort.abort());
			link.scope.add(transport.listen((event) => tellIf(id, link, { type: 'heard', event })));
			// Before `open`, so that the track is published while the room is being joined.
			if (track !== undefined) void setMicrophone(link, track);
			void join(id, link, abort.signal);
		},
		feed(id, track) {
			const link = links.get(id);
			if (link) void setMicrophone(link, track);
		},
		feedOpen(track) {
			for (const link of links.values()) void setMicrophone(link, track);
		},
		send(id, command) {
			const link = links.get(id);
			if (!link) return;
			const sent = send(link, command);
			link.sending.add(sent);
			void sent.then(() => link.sending.delete(sent));
		},
		async close(id) {
			const link = links.get(id);
			if (!link) return;
			links.delete(id);
			if (link.sending.size > 0) await lastWords(link);
			link.scope.close();
			await link.transport.close().catch(() => log.warn('the transport failed to close'));
		},
	};
}

/** What came of it; null when it threw or rejected, which a transport should not. */
async function attempt<Value>(call: () => Promise<Value>): Promise<Value | null> {
	try {
		return await call();
	} catch {
		return null;
	}
}
