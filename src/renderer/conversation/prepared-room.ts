import type { Host } from '#renderer/host.ts';
import type { Transport, TransportEvent } from '#renderer/transport/transport.ts';
import type { SessionGrant } from '#shared/host/contract.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, type Result } from '#shared/lib/result.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';

/**
 * A room joined before Start, where the person wants that: nothing is sent to it, no task is set, no microphone
 * is open. The service keeps a joined session alive and may charge for it, so it is left after `KEPT_MS`, with
 * the last look at the window, and whenever its session, its link or its account goes.
 */
export interface PreparedRoom {
	/** The person is about to start: has a room joined, if they want that. Harmless to repeat. */
	prepare(): void;
	/**
	 * The room, now the caller's: its session to close, its transport to open (at once) and to close. One that is just
	 * being asked for is waited for, because a second session would count against the plan. Null = none.
	 */
	take(): Promise<JoinedRoom | null>;
	/** Leaves it. Resolves when main has taken over the deletion. */
	leave(): Promise<void>;
	close(): void;
}

export interface JoinedRoom {
	readonly grant: SessionGrant;
	readonly transport: Transport;
}

export interface PreparedRoomParts {
	readonly host: Pick<Host, 'ask' | 'listen'>;
	readonly clock: Clock;
	readonly log: Logger;
	/** Its voices come when the promise resolves: until then nobody listens. */
	readonly createTransport: (grant: SessionGrant, hearsFrom: Promise<void>) => Transport;
	/** The setting says so, a room is the way to travel, and the window is looked at. */
	readonly wanted: () => boolean;
	/** Calls back when `wanted` may have changed. Returns its removal. */
	readonly listenWanted: (changed: () => void) => () => void;
}

/** Nobody pays longer than this for a Start that does not come, ms. */
export const KEPT_MS = 180_000;
/** After one could not be had, the next is not tried sooner, ms. */
const PAUSE_MS = 30_000;

interface Held extends JoinedRoom {
	readonly scope: Scope;
	readonly opened: Promise<Result<void, Problem>>;
	/** What was told before anybody listened: voices that are there. */
	readonly voices: Map<string, TransportEvent>;
	/** From now on somebody listens. */
	readonly hear: () => void;
}

export function createPreparedRoom(parts: PreparedRoomParts): PreparedRoom {
	const { host, clock, log } = parts;
	const scope = createScope(clock);
	let held: Held | null = null;
	let asking: Promise<void> | null = null;
	/** Somebody waits for what is being asked for. */
	let isAwaited = false;
	let notBeforeMs = 0;

	async function join(): Promise<void> {
		const granted = await host.ask('session.open', { prepared: true });
		// It is no conversation: nothing else in the program waits for its end.
		if (!isAwaited) void host.ask('conversation.phase', { phase: 'idle', muted: false });
		if (!granted.ok) {
			notBeforeMs = clock.now() + PAUSE_MS;
			return;
		}
		const grant = granted.value;
		if (scope.closed || !parts.wanted()) return void host.ask('session.close', { handle: grant.handle });
		hold(grant);
	}

	function hold(grant: SessionGrant): void {
		const { promise: hearsFrom, resolve: hear } = Promise.withResolvers<void>();
		const transport = parts.createTransport(grant, hearsFrom);
		const own = createScope(clock);
		const voices: Held['voices'] = new Map();
		own.add(
			transport.listen((event) => {
				if (event.type === 'voice') voices.set(event.language, event);
				if (event.type === 'voice-gone') voices.delete(event.language);
				if (event.type === 'link' && event.link.state === 'down') void lost();
			}),
		);
		const opened = transport.open(new AbortController().signal);
		const mine: Held = { grant, transport, scope: own, opened, voices, hear };
		held = mine;
		own.after(KEPT_MS, () => void leave());
		void opened.then((result) => {
			if (held !== mine) return;
			if (!result.ok) return void lost();
			log.info('room joined ahead');
			void host.ask('session.joined', { handle: grant.handle });
		});
	}

	function lost(): Promise<void> {
		notBeforeMs = clock.now() + PAUSE_MS;
		return leave();
	}

	async function leave(): Promise<void> {
		const left = held;
		held = null;
		if (!left) return;
		left.scope.close();
		await Promise.allSettled([
			left.transport.close(),
			host.ask('session.close', { handle: left.grant.handle }),
		]);
	}

	scope.add(() => void leave());
	scope.add(
		parts.listenWanted(() => {
			if (!parts.wanted()) void leave();
		}),
	);
	scope.add(
		host.listen('session.lost', ({ handle }) => {
			if (held?.grant.handle === handle) void lost();
		}),
	);
	scope.add(host.listen('account.leaving', () => void leave()));

	return {
		prepare() {
			if (held || asking || scope.closed || !parts.wanted() || clock.now() < notBeforeMs) return;
			isAwaited = false;
			asking = join().finally(() => {
				asking = null;
			});
		},
		async take() {
			isAwaited = true;
			await asking;
			const taken = held;
			held = null;
			if (!taken) return null;
			taken.scope.close();
			taken.hear();
			return { grant: taken.grant, transport: handedOver(taken) };
		},
		leave,
		close: () => scope.close(),
	};
}

/** The transport as if it were opened only now. */
function handedOver({ transport, opened, voices }: Held): Transport {
	return {
		...transport,
		async open(signal) {
			if (signal.aborted) return err({ kind: 'cancelled' });
			signal.addEventListener('abort', () => void transport.close(), { once: true });
			return await opened;
		},
		listen(heard) {
			for (const voice of voices.values()) heard(voice);
			return transport.listen(heard);
		},
	};
}
