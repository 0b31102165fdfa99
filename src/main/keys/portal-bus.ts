import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { Message, MessageType, sessionBus, Variant } from '@jellybrick/dbus-next';

/** A combination to request; `trigger` in the portal's format, null = none is proposed. */
export interface PortalShortcut {
	readonly id: string;
	readonly description: string;
	readonly trigger: string | null;
}

/** The data that this worker starts with. */
export interface PortalOrder {
	readonly busAddress: string;
	readonly shortcuts: readonly PortalShortcut[];
}

export type PortalReport =
	/** The worker waits for an answer to `what`, for `ms` at most. */
	| { readonly type: 'asks'; readonly what: string; readonly ms: number }
	| { readonly type: 'answered' }
	/** A combination went down or up. */
	| { readonly type: 'key'; readonly id: string; readonly isPressed: boolean }
	| { readonly type: 'ended'; readonly cause: string };

const PORTAL = 'org.freedesktop.portal.Desktop';
const PATH = '/org/freedesktop/portal/desktop';
const SHORTCUTS = 'org.freedesktop.portal.GlobalShortcuts';
const BUS = 'org.freedesktop.DBus';
/** The name of our desktop file (packaging/config.ts): the desktop keeps the person's answer under it. */
const APP = 'app.dragoman.desktop';
/** A portal answers at once, but may have to be started first. */
const CALL_LIMIT_MS = 10_000;
/** Time for a person to read and answer the desktop's question. */
const ANSWER_LIMIT_MS = 120_000;

const { busAddress, shortcuts } = workerData as PortalOrder;
const report = (what: PortalReport) => parentPort?.postMessage(what);
const fail = (cause: unknown) =>
	report({ type: 'ended', cause: cause instanceof Error ? cause.message : String(cause) });

async function within<T>(what: string, ms: number, answer: Promise<T>): Promise<T> {
	report({ type: 'asks', what, ms });
	const value = await answer;
	report({ type: 'answered' });
	return value;
}

/** Any program on the bus may send us anything under any path: only messages from the portal itself count. */
let portalName = '';
let session = '';
const answers = new Map<string, (body: readonly unknown[]) => void>();

function heard({ sender, path, interface: from, member, body }: Message): void {
	if (sender === BUS) {
		if (member === 'NameOwnerChanged' && body[0] === PORTAL && body[1] !== '') fail('the portal has ended');
	} else if (sender !== portalName) return;
	else if (member === 'Response') answers.get(path)?.(body);
	else if (from === SHORTCUTS && body[0] === session) {
		if (member === 'Activated') report({ type: 'key', id: String(body[1]), isPressed: true });
		if (member === 'Deactivated') report({ type: 'key', id: String(body[1]), isPressed: false });
	} else if (member === 'Closed' && path === session) fail('the desktop has closed the session');
}

const bus = sessionBus({ busAddress });
// The library's types know neither errors nor the end of the connection.
const { _connection } = bus as unknown as { _connection: NodeJS.EventEmitter };
_connection.on('end', () => fail('the session bus has ended'));
(bus as NodeJS.EventEmitter).on('error', fail);
bus.on('message', (message) => message.type === MessageType.SIGNAL && heard(message));

const call = (member: string, to: object, signature: string, body: readonly unknown[]) =>
	within(member, CALL_LIMIT_MS, bus.call(new Message({ ...to, member, signature, body: [...body] })));
const onBus = { destination: BUS, path: '/org/freedesktop/DBus', interface: BUS };
const portal = (interfaceName: string) => ({ destination: PORTAL, path: PATH, interface: interfaceName });

/** Random, so that no other program can guess the name of our request. */
const newToken = () => `dragoman_${randomUUID().replaceAll('-', '')}`;

/** Makes a request that a person may have to answer; resolves to its results. Our token names the path of the answer. */
async function request(member: string, signature: string, body: readonly unknown[], ms: number) {
	const token = newToken();
	const sender = (bus.name ?? '').slice(1).replaceAll('.', '_');
	const options = body.at(-1) as Record<string, unknown>;
	const all = [...body.slice(0, -1), { ...options, handle_token: new Variant('s', token) }];
	const answer = Promise.withResolvers<readonly unknown[]>();
	answers.set(`${PATH}/request/${sender}/${token}`, answer.resolve);
	await call(member, portal(SHORTCUTS), signature, all);
	const [status, results] = await within(member, ms, answer.promise);
	if (status !== 0) throw new Error(`${member}: ${status === 1 ? 'refused by the person' : 'refused'}`);
	return results as Record<string, { readonly value: unknown } | undefined>;
}

async function open(): Promise<void> {
	await call('AddMatch', onBus, 's', [`type='signal',sender='${PORTAL}'`]);
	await call('AddMatch', onBus, 's', [
		`type='signal',sender='${BUS}',member='NameOwnerChanged',arg0='${PORTAL}'`,
	]);
	// Newer portals require the program's name; older ones and sandboxed programs do not.
	await call('Register', portal('org.freedesktop.host.portal.Registry'), 'sa{sv}', [APP, {}]).catch(() => {});
	// The call above has started the portal. Our session ends with the portal, so its owner name stays valid until then.
	const owner = await call('GetNameOwner', onBus, 's', [PORTAL]);
	portalName = String(owner?.body[0]);
	const sessionToken = { session_handle_token: new Variant('s', newToken()) };
	const made = await request('CreateSession', 'a{sv}', [sessionToken], CALL_LIMIT_MS);
	session = String(made.session_handle?.value);
	const wanted = shortcuts.map(({ id, description, trigger }) => {
		const keys = trigger === null ? {} : { preferred_trigger: new Variant('s', trigger) };
		return [id, { description: new Variant('s', description), ...keys }];
	});
	await request('BindShortcuts', 'oa(sa{sv})sa{sv}', [session, wanted, '', {}], ANSWER_LIMIT_MS);
}
open().catch(fail);
