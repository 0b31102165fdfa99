import type { Host } from '#renderer/host.ts';
import type { Transport, TransportEvent } from '#renderer/transport/transport.ts';
import type { SessionGrant } from '#shared/host/contract.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, type Result } from '#shared/lib/result.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';

/**
 * A room joined before Start, where the person wants that: nothing is sent to it, no task is set, no microphone is
 * open. The service keeps a joined session alive and may charge for it, so it is left after `KEPT_MS`, when the window
 * is hidden, and whenever its session, its link or its account goes.
 */
export interface PreparedRoom {
	/** The person is about to start: joins a room, if they want that. Harmless to repeat. */
	prepare(): void;
	/**
	 * Hands over the room: the caller must open its transport (at once), and close transport and session. A room still
	 * being requested is waited for, because a second session would count against the plan. Null = none; that is said at
	 * once, so that the request for a session goes out before React renders the press (30 ms).
	 */
	take(): Promise<JoinedRoom | null> | null;
	/** Leaves it, also one still being requested. Resolves when main has taken over the deletion. */
	leave(): Promise<void>;
	close(): void;
}

export interface JoinedRoom {
	readonly grant: SessionGrant;
	readonly transport: Transport;
}

/** The longest that anybody pays for a Start that does not come, ms. */
export const KEPT_MS = 180_000;
/** Wait after a failure before the next try, ms. */
const PAUSE_MS = 30_000;

interface Held extends JoinedRoom {
	readonly scope: Scope;
	readonly opened: Promise<Result<void, Problem>>;
	/** Events from before anybody listened: the voices present. */
	readonly voices: Map<string, TransportEvent>;
	/** From now on somebody listens. */
	readonly hear: () => void;
}

export function createPreparedRoom(parts: {
	readonly host: Pick<Host, 'ask' | 'listen'>;
	readonly clock: Clock;
	readonly log: Logger;
	/** Its voices come once the promise resolves: until then nobody listens. */
	readonly createTransport: (grant: SessionGrant, hearsFrom: Promise<void>) => Transport;
	/** The setting asks for it, the route is a room, and the window is visible. */
	readonly wanted: () => boolean;
	/** Calls back when `wanted` may have changed. Returns an unsubscribe function. */
	readonly listenWanted: (changed: () => void) => () => void;
	/** Any conversation runs, in whichever direction: then nobody is about to start. */
	readonly isUnderWay: () => boolean;
}): PreparedRoom {
	const { host, clock, log } = parts;
	const scope = createScope(clock);
	let held: Held | null = null;
	let asking: Promise<void> | null = null;
	/** Somebody waits for the room being requested. */
	let isAwaited = false;
	let notBeforeMs = 0;

	async function join(): Promise<void> {
		const granted = await host.ask('session.open', { prepared: true });
		// This is no conversation: nothing else in the program waits for its end. One that runs reports for itself.
		if (!isAwaited && !parts.isUnderWay())
			void host.ask('conversation.phase', { phase: 'idle', muted: false });
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
		if (asking) {
			await asking;
			// Start was pressed meanwhile, and takes it.
			if (isAwaited && !scope.closed) return;
		}
		const left = held;
		held = null;
		if (!left) return;
		left.scope.close();
		await Promise.allSettled([
			left.transport.close(),
			host.ask('session.close', { handle: left.grant.handle }),
		]);
	}

	async function take(): Promise<JoinedRoom | null> {
		isAwaited = true;
		await asking;
		const taken = held;
		held = null;
		if (!taken) return null;
		taken.scope.close();
		taken.hear();
		return { grant: taken.grant, transport: handedOver(taken) };
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
			if (held || asking || scope.closed || clock.now() < notBeforeMs) return;
			if (!parts.wanted() || parts.isUnderWay()) return;
			isAwaited = false;
			asking = join().finally(() => {
				asking = null;
			});
		},
		take: () => (held || asking ? take() : null),
		leave,
		close: () => scope.close(),
	};
}

/** The transport, made to look as if it were opened only now. */
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
