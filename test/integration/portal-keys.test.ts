import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Message, type MessageBus, sessionBus, Variant } from '@jellybrick/dbus-next';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPortalKeys, mayHavePortal, type PortalKeysParts } from '#main/keys/portal-keys.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { eventually } from '#test/support/eventually.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { notRun } from '#test/support/not-run.ts';

const PORTAL = 'org.freedesktop.portal.Desktop';
const PATH = '/org/freedesktop/portal/desktop';
const SHORTCUTS = 'org.freedesktop.portal.GlobalShortcuts';

/** Stands in for a desktop's portal: its GlobalShortcuts interface, as specified (version 1). */
interface PretendPortal {
	/** Key combinations requested, by id, as triggers. */
	readonly bound: Map<string, string | undefined>;
	/** The names that the app was last given, and its own on the bus. */
	told(): { readonly client: string; readonly session: string; readonly request: string };
	press(id: string): void;
	release(id: string): void;
	/** The desktop ends the session. */
	closeSession(): void;
	/** How many others are on the bus. */
	others(): Promise<number>;
	/** The portal ends. */
	end(): void;
}

interface PretendPortalOptions {
	/** What the person answers when keys are to be bound; default yes. */
	readonly answer?: 'yes' | 'no' | 'nothing';
}

async function startPretendPortal(
	busAddress: string,
	{ answer = 'yes' }: PretendPortalOptions = {},
): Promise<PretendPortal> {
	const bus: MessageBus = sessionBus({ busAddress });
	await bus.requestName(PORTAL);
	const bound = new Map<string, string | undefined>();
	let client = '';
	let session = '';
	let request = '';

	function signal(path: string, from: string, member: string, signature: string, body: unknown[]): void {
		const said = Message.newSignal(path, from, member, signature, body);
		said.destination = client;
		bus.send(said);
	}
	const respond = (path: string, status: number, results: object) =>
		signal(path, 'org.freedesktop.portal.Request', 'Response', 'ua{sv}', [status, results]);
	const key = (member: string, id: string) =>
		signal(PATH, SHORTCUTS, member, 'osta{sv}', [session, id, 1n, {}]);

	bus.addMethodHandler((message) => {
		if (message.interface !== SHORTCUTS) return false;
		client = message.sender;
		const options = message.body.at(-1) as Record<string, Variant<string> | undefined>;
		const own = client.slice(1).replaceAll('.', '_');
		request = `${PATH}/request/${own}/${options.handle_token?.value}`;
		bus.send(Message.newMethodReturn(message, 'o', [request]));
		if (message.member === 'CreateSession') {
			session = `${PATH}/session/${own}/${options.session_handle_token?.value}`;
			respond(request, 0, { session_handle: new Variant('s', session) });
			return true;
		}
		bound.clear();
		const asked = message.body[1] as [string, Record<string, Variant<string> | undefined>][];
		for (const [id, { preferred_trigger: trigger }] of asked) bound.set(id, trigger?.value);
		if (answer !== 'nothing') respond(request, answer === 'yes' ? 0 : 1, {});
		return true;
	});
	return {
		bound,
		told: () => ({ client, session, request }),
		press: (id) => key('Activated', id),
		release: (id) => key('Deactivated', id),
		closeSession: () => signal(session, 'org.freedesktop.portal.Session', 'Closed', 'a{sv}', [{}]),
		async others() {
			const dbus = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' };
			const call = new Message({ ...dbus, interface: 'org.freedesktop.DBus', member: 'ListNames' });
			const [names] = ((await bus.call(call))?.body ?? []) as [readonly string[]];
			return names.filter((name) => name.startsWith(':')).length - 1;
		},
		end: () => bus.disconnect(),
	};
}

/** A message bus of the test's own. */
interface SessionBus {
	readonly address: string;
	stop(): Promise<void>;
}

/** Starts a `dbus-daemon` that nobody else is on; says what is missing where it cannot. */
async function startSessionBus(): Promise<SessionBus | { readonly missing: string }> {
	if (spawnSync('dbus-daemon', ['--version']).error) return { missing: 'dbus-daemon is not installed' };
	const daemon = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], {
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const ended = new Promise<void>((done) => daemon.once('close', () => done()));
	const address = await Promise.race([
		new Promise<string>((done) => daemon.stdout.once('data', (said) => done(String(said).trim()))),
		ended.then(() => null),
	]);
	if (address === null) return { missing: 'dbus-daemon does not start' };
	return {
		address,
		async stop() {
			// Killed, because a daemon that is asked to end disconnects everybody first.
			daemon.kill('SIGKILL');
			await ended;
		},
	};
}

const trial = await startSessionBus();
const missing = 'missing' in trial ? trial.missing : null;
if (!('missing' in trial)) await trial.stop();

/** The app's side on a real bus, with what it told. */
function listen(address: string, clock: Clock = createSystemClock()) {
	const told: (boolean | 'changed')[] = [];
	const parts: PortalKeysParts = {
		env: { DBUS_SESSION_BUS_ADDRESS: address },
		script: join(import.meta.dirname, '../../src/main/keys/portal-bus.ts'),
		title: () => 'Talk (hold)',
		held: (down) => told.push(down),
		changed: () => told.push('changed'),
		log: silentLogger,
		clock,
	};
	const keys = createPortalKeys(parts);
	const seen = (wanted: typeof told) =>
		eventually(
			() => told,
			(now) => expect(now).toEqual(wanted),
		);
	return { keys, told, seen };
}

let ends: (() => unknown)[] = [];
async function rig(options?: PretendPortalOptions, clock?: Clock) {
	const bus = await startSessionBus();
	if ('missing' in bus) throw new Error(bus.missing);
	ends.push(() => bus.stop());
	const portal = await startPretendPortal(bus.address, options);
	const app = listen(bus.address, clock);
	ends.push(() => app.keys.close());
	const bound = () =>
		eventually(
			() => [...portal.bound.values()],
			(now) => expect(now.length).toBeGreaterThan(0),
		);
	return { ...app, bus, portal, bound };
}

beforeEach(() => {
	ends = [];
});
afterEach(async () => {
	for (const end of ends.reverse()) await end();
});

const group = missing !== null && notRun('keys held in other programs on Wayland', missing);

test.skipIf(group)('the desktop is asked for the keys, and tells when they go down and up', async () => {
	const { keys, portal, bound, seen } = await rig();
	keys.follow(['Mod+Shift+F8', 'Alt+T']);
	await bound();
	expect([...portal.bound]).toEqual([
		['talk-0', 'CTRL+SHIFT+F8'],
		['talk-1', 'ALT+t'],
	]);
	portal.press('talk-0');
	await seen([true]);
	// Both: down until neither is.
	portal.press('talk-1');
	portal.release('talk-0');
	portal.press('talk-0');
	portal.release('talk-0');
	portal.release('talk-1');
	await seen([true, false]);
	// The same keys again: the portal is not asked again.
	portal.bound.clear();
	keys.follow(['Mod+Shift+F8', 'Alt+T']);
	portal.press('talk-0');
	await seen([true, false, true]);
	expect(portal.bound.size).toBe(0);
	// No keys any more: nothing is reported.
	keys.follow([]);
	await seen([true, false, true, false]);
	expect(keys.works()).toBe(true);
	portal.press('talk-0');
	keys.follow(['F9']);
	await bound();
	expect([...portal.bound.values()]).toEqual(['F9']);
	portal.press('talk-0');
	await seen([true, false, true, false, true]);
});

test.skipIf(group).each([
	['the desktop ends the session', ({ portal }: Rig) => portal.closeSession()],
	['the portal ends', ({ portal }: Rig) => portal.end()],
	['the bus ends', ({ bus }: Rig) => bus.stop()],
])('%s: the hold ends, and keys are held no more', async (_when, happens) => {
	const all = await rig();
	all.keys.follow(['F9']);
	await all.bound();
	all.portal.press('talk-0');
	await all.seen([true]);
	await happens(all);
	await all.seen([true, false, 'changed']);
	expect(all.keys.works()).toBe(false);
	all.keys.follow(['F9']);
	expect(all.told).toHaveLength(3);
});
type Rig = Awaited<ReturnType<typeof rig>>;

/** Another program of this user. */
async function intruder({ bus, portal }: Rig, falsify = (bytes: Buffer) => bytes) {
	const connection = sessionBus({ busAddress: bus.address });
	ends.push(() => connection.disconnect());
	await new Promise((done) => (connection as NodeJS.EventEmitter).once('connect', done));
	const { _connection } = connection as unknown as { _connection: { stream: Writable } };
	const write = _connection.stream.write.bind(_connection.stream);
	_connection.stream.write = (bytes: Buffer) => write(Buffer.isBuffer(bytes) ? falsify(bytes) : bytes);
	const { client } = portal.told();
	return (path: string, from: string, member: string, signature: string, body: unknown[]) => {
		const said = Message.newSignal(path, from, member, signature, body);
		said.destination = client;
		connection.send(said);
	};
}

test.skipIf(group)(
	'ends the keys, and nothing else, on a message that the bus library cannot read',
	async () => {
		const all = await rig();
		all.keys.follow(['F9']);
		await all.bound();
		all.portal.press('talk-0');
		await all.seen([true]);
		// The signature of a number becomes that of a file descriptor, which does not come with it.
		const send = await intruder(all, (bytes) =>
			Buffer.from(bytes.toString('latin1').replace('\x01u\0', '\x01h\0'), 'latin1'),
		);
		send('/x', 'x.y', 'Z', 'u', [7]);
		await all.seen([true, false, 'changed']);
		expect(all.keys.works()).toBe(false);
		// Switched off and on again, the keys stay what they are.
		all.keys.follow([]);
		all.keys.follow(['F9']);
		expect(all.told).toHaveLength(3);
	},
);

test.skipIf(group)('heeds nothing that a program other than the portal sends', async () => {
	const all = await rig();
	all.keys.follow(['F9']);
	await all.bound();
	const send = await intruder(all);
	const { session } = all.portal.told();
	expect(session).toMatch(/\/dragoman_[0-9a-f]{32}$/);
	const shortcuts = 'org.freedesktop.portal.GlobalShortcuts';
	const portal = '/org/freedesktop/portal/desktop';
	send(portal, shortcuts, 'Activated', 'osta{sv}', [session, 'talk-0', 1n, {}]);
	send(session, 'org.freedesktop.portal.Session', 'Closed', 'a{sv}', [{}]);
	const gone = ['org.freedesktop.portal.Desktop', ':1.0', ''];
	send('/org/freedesktop/DBus', 'org.freedesktop.DBus', 'NameOwnerChanged', 'sss', gone);
	await all.portal.others();
	all.portal.press('talk-0');
	await all.seen([true]);
	send(portal, shortcuts, 'Deactivated', 'osta{sv}', [session, 'talk-0', 2n, {}]);
	await all.portal.others();
	all.portal.release('talk-0');
	all.portal.press('talk-0');
	await all.seen([true, false, true]);
	expect(all.keys.works()).toBe(true);
});

test.skipIf(group)('an answer that another program makes up is no permission', async () => {
	const all = await rig({ answer: 'nothing' });
	all.keys.follow(['F9']);
	await all.bound();
	const send = await intruder(all);
	send(all.portal.told().request, 'org.freedesktop.portal.Request', 'Response', 'ua{sv}', [1, {}]);
	await all.portal.others();
	all.portal.press('talk-0');
	await all.seen([true]);
});

test.skipIf(group)(
	'who says no to the desktop, or nothing for two minutes, has keys that switch',
	async () => {
		const no = await rig({ answer: 'no' });
		no.keys.follow(['F9']);
		await no.seen(['changed']);
		expect(no.keys.works()).toBe(false);

		const clock = createManualClock();
		const nothing = await rig({ answer: 'nothing' }, clock);
		nothing.keys.follow(['F9']);
		await nothing.bound();
		// Sent after the call's own answer, which has then been processed as well.
		nothing.portal.press('talk-0');
		await nothing.seen([true]);
		await clock.run(119_999);
		expect(nothing.told).toEqual([true]);
		await clock.run(1);
		await nothing.seen([true, false, 'changed']);
	},
);

test.skipIf(group)('a desktop without a portal, and a bus that is not there, are said', async () => {
	const bus = await startSessionBus();
	if ('missing' in bus) throw new Error(bus.missing);
	ends.push(() => bus.stop());
	for (const address of [bus.address, 'unix:path=/nowhere']) {
		const { keys, seen } = listen(address);
		keys.follow(['F9']);
		await seen(['changed']);
		expect(keys.works()).toBe(false);
	}
});

test.skipIf(group)('when keys are wanted no more nobody stays on the bus, however soon', async () => {
	const { keys, portal, bound, told } = await rig();
	keys.follow(['F9']);
	keys.follow([]);
	keys.follow(['F9']);
	await bound();
	await eventually(portal.others, (others) => expect(others).toBe(1));
	keys.close();
	await eventually(portal.others, (others) => expect(others).toBe(0));
	expect(told).toEqual([]);
});

test('only on Wayland with a session bus is there anybody to ask', () => {
	const wayland = { XDG_SESSION_TYPE: 'wayland', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' };
	expect(mayHavePortal('linux', wayland)).toBe(true);
	expect(mayHavePortal('darwin', wayland)).toBe(false);
	expect(mayHavePortal('linux', { ...wayland, XDG_SESSION_TYPE: 'x11' })).toBe(false);
	expect(mayHavePortal('linux', { ...wayland, DBUS_SESSION_BUS_ADDRESS: '' })).toBe(false);
});
