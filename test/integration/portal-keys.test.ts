import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Message, sessionBus } from '@jellybrick/dbus-next';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPortalKeys, mayHavePortal, type PortalKeysParts } from '#main/keys/portal-keys.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { eventually } from '#test/support/eventually.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { notRun } from '#test/support/not-run.ts';
import { type PretendPortalOptions, startPretendPortal } from '#test/support/pretend-portal.ts';
import { startSessionBus } from '#test/support/session-bus.ts';

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
