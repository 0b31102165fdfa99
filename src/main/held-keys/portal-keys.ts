import { randomUUID } from 'node:crypto';
import type { Message, MessageBus } from '@jellybrick/dbus-next';
import { type Combination, parseCombination } from '#shared/commands/combination.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { usesWayland } from '#shared/overlay/abilities.ts';
import type { HeldKeys } from './held-keys.ts';
import { portalTrigger } from './portal-trigger.ts';

const PORTAL = 'org.freedesktop.portal.Desktop';
const PATH = '/org/freedesktop/portal/desktop';
const SHORTCUTS = 'org.freedesktop.portal.GlobalShortcuts';
const BUS = 'org.freedesktop.DBus';
/** The name of our desktop file (scripts/package/config.ts): the desktop keeps the person's answer under it. */
const APP = 'app.dragoman.desktop';
/** A portal answers at once, where there is one; it may have to be started. */
const CALL_LIMIT_MS = 10_000;
/** Time for a person to read and answer the desktop's question. */
const ANSWER_LIMIT_MS = 120_000;

export interface PortalKeysParts {
	readonly env: NodeJS.ProcessEnv;
	readonly clock: Clock;
	readonly log: Logger;
	/** What the desktop shows beside the keys, in the interface's language. */
	readonly title: () => string;
	/** The keys went down, or up. */
	readonly held: (down: boolean) => void;
	/** `works` has changed. */
	readonly changed: () => void;
}

/** Whether this session may have a portal that reports keys in other programs; the portal itself is asked only when needed. */
export function mayHavePortal(platform: string, env: NodeJS.ProcessEnv): boolean {
	return platform === 'linux' && usesWayland(env, '') && Boolean(env.DBUS_SESSION_BUS_ADDRESS);
}

/**
 * Keys held in other programs, as the desktop reports them: GlobalShortcuts of the XDG desktop portal (GNOME 48, KDE
 * Plasma 5.27, Hyprland). The desktop asks the person once, may choose other keys, and reports each press and release
 * of these alone. Without a portal, or when it refuses, `works` becomes false.
 */
export function createPortalKeys(parts: PortalKeysParts): HeldKeys {
	const { log, held, changed } = parts;
	let works = true;
	let wanted = '';
	let isDown = false;
	let session: { close(): void } | null = null;

	function tell(down: boolean): void {
		if (down === isDown) return;
		isDown = down;
		held(down);
	}

	function end(): void {
		wanted = '';
		session?.close();
		session = null;
		tell(false);
	}

	return {
		works: () => works,
		follow(texts) {
			const combinations = texts.flatMap((text) => parseCombination(text) ?? []);
			const next = works ? JSON.stringify(combinations) : '[]';
			if (next === wanted) return;
			end();
			if (next === '[]') return;
			wanted = next;
			const down = new Set<string>();
			const mine = openSession(parts, combinations, {
				key(id, isPressed) {
					if (isPressed) down.add(id);
					else down.delete(id);
					if (session === mine) tell(down.size > 0);
				},
				ended(cause) {
					if (session !== mine) return;
					log.warn('keys cannot be held in other programs', { failure: cause });
					works = false;
					end();
					changed();
				},
			});
			session = mine;
		},
		close: end,
	};
}

interface SessionEvents {
	/** One of the combinations, by its number, went down or up. */
	key(id: string, isPressed: boolean): void;
	/** The session failed or has ended; also called after `close`, and more than once. */
	ended(cause: string): void;
}

/** Asks the portal for these combinations; `close` ends it by dropping the connection. */
function openSession(
	{ env, clock, title }: PortalKeysParts,
	combinations: readonly Combination[],
	events: SessionEvents,
): { close(): void } {
	let bus: MessageBus | null = null;
	let isOpen = true;
	let handle = '';
	let stopWaiting = () => {};

	function close(): void {
		isOpen = false;
		stopWaiting();
		bus?.disconnect();
	}
	function fail(cause: unknown): void {
		close();
		events.ended(cause instanceof Error ? cause.message : String(cause));
	}
	/** Rejects after `ms`; `close` ends the wait. */
	function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
		const late = Promise.withResolvers<never>();
		const stop = clock.after(ms, () => late.reject(new Error(`${what}: no answer`)));
		stopWaiting = stop;
		return Promise.race([promise, late.promise]).finally(stop);
	}

	const answers = new Map<string, (body: readonly unknown[]) => void>();
	function heard({ path, interface: from, member, body }: Message): void {
		if (member === 'Response') answers.get(path)?.(body);
		else if (from === SHORTCUTS && body[0] === handle && handle !== '') {
			if (member === 'Activated') events.key(String(body[1]), true);
			if (member === 'Deactivated') events.key(String(body[1]), false);
		} else if (member === 'Closed' && path === handle) fail('the desktop has closed the session');
		else if (member === 'NameOwnerChanged' && body[0] === PORTAL && body[1] !== '')
			fail('the portal has ended');
	}

	async function open(): Promise<void> {
		const { Message, MessageType, sessionBus, Variant } = await import('@jellybrick/dbus-next');
		if (!isOpen) return;
		const connected = sessionBus({ busAddress: env.DBUS_SESSION_BUS_ADDRESS ?? '' });
		bus = connected;
		// The library's types know neither errors nor the end of the connection.
		const { _connection } = connected as unknown as { _connection: NodeJS.EventEmitter };
		_connection.on('end', () => fail('the session bus has ended'));
		(connected as NodeJS.EventEmitter).on('error', fail);

		const call = (member: string, to: object, signature: string, body: readonly unknown[]) =>
			within(
				CALL_LIMIT_MS,
				member,
				connected.call(new Message({ ...to, member, signature, body: [...body] })),
			);
		const match = (rule: string) =>
			call('AddMatch', { destination: BUS, path: '/org/freedesktop/DBus', interface: BUS }, 's', [rule]);
		const portal = (interfaceName: string) => ({ destination: PORTAL, path: PATH, interface: interfaceName });
		connected.on('message', (message) => message.type === MessageType.SIGNAL && heard(message));

		/** Makes a request that a person may have to answer; resolves to its results. Our token names the path of the answer. */
		async function request(member: string, signature: string, body: readonly unknown[], ms: number) {
			const token = `dragoman_${randomUUID().replaceAll('-', '')}`;
			const sender = (connected.name ?? '').slice(1).replaceAll('.', '_');
			const options = body.at(-1) as Record<string, unknown>;
			const all = [...body.slice(0, -1), { ...options, handle_token: new Variant('s', token) }];
			const answer = Promise.withResolvers<readonly unknown[]>();
			answers.set(`${PATH}/request/${sender}/${token}`, answer.resolve);
			await call(member, portal(SHORTCUTS), signature, all);
			const [status, results] = await within(ms, member, answer.promise);
			if (status !== 0) throw new Error(`${member}: ${status === 1 ? 'refused by the person' : 'refused'}`);
			return results as Record<string, { readonly value: unknown } | undefined>;
		}

		await match(`type='signal',sender='${PORTAL}'`);
		await match(`type='signal',sender='${BUS}',member='NameOwnerChanged',arg0='${PORTAL}'`);
		// Newer portals want to know whose keys they are; older ones, and packaged (sandboxed) programs, need not be told.
		await call('Register', portal('org.freedesktop.host.portal.Registry'), 'sa{sv}', [APP, {}]).catch(
			() => {},
		);
		const sessionToken = new Variant('s', `dragoman_${process.pid}`);
		const made = await request(
			'CreateSession',
			'a{sv}',
			[{ session_handle_token: sessionToken }],
			CALL_LIMIT_MS,
		);
		const shortcuts = combinations.map((one, number) => {
			const trigger = portalTrigger(one);
			const keys = trigger === null ? {} : { preferred_trigger: new Variant('s', trigger) };
			return [`talk-${number}`, { description: new Variant('s', title()), ...keys }];
		});
		handle = String(made.session_handle?.value);
		await request('BindShortcuts', 'oa(sa{sv})sa{sv}', [handle, shortcuts, '', {}], ANSWER_LIMIT_MS);
	}
	open().catch(fail);
	return { close };
}
