import { Message, type MessageBus, sessionBus, Variant } from '@jellybrick/dbus-next';

const PORTAL = 'org.freedesktop.portal.Desktop';
const PATH = '/org/freedesktop/portal/desktop';
const SHORTCUTS = 'org.freedesktop.portal.GlobalShortcuts';

/** Stands in for a desktop's portal: its GlobalShortcuts interface, as specified (version 1). */
export interface PretendPortal {
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

export interface PretendPortalOptions {
	/** What the person answers when keys are to be bound; default yes. */
	readonly answer?: 'yes' | 'no' | 'nothing';
}

export async function startPretendPortal(
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
