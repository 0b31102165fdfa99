import { program } from './program.ts';
import { strict } from './strict.ts';

type Handler = (request: Request) => Response | Promise<Response>;
type CheckHandler = (contents: null, permission: string, origin: string, details: object) => boolean;
type RequestHandler = (
	contents: { getURL(): string },
	permission: string,
	answer: (granted: boolean) => void,
	details: object,
) => void;

let check: CheckHandler = () => false;
let request: RequestHandler = (_contents, _permission, answer) => answer(false);

/** Both handlers must agree, as in Electron, before the browser is told to grant. */
program.mayUse = (permission, origin) => {
	let granted = false;
	request(
		{ getURL: () => `${origin}/` },
		permission,
		(answer) => {
			granted = answer;
		},
		{
			isMainFrame: true,
			mediaTypes: ['audio'],
		},
	);
	return granted && check(null, permission, origin, { mediaType: 'audio', isMainFrame: true });
};

/** Node and the browser took their proxies at the start and keep them, so a change is only reported. */
const proxied = {
	async setProxy({ mode = 'system' }: { mode?: string }): Promise<void> {
		process.stderr.write(`[stand-in] the proxy stays as it is; Electron would change it to: ${mode}\n`);
	},
	closeAllConnections: async (): Promise<void> => {},
};

const defaultSession = strict('session', {
	protocol: strict('session.protocol', {
		handle: (scheme: string, handler: Handler): void => void program.handlers.set(scheme, handler),
	}),
	setPermissionRequestHandler(handler: RequestHandler): void {
		request = handler;
	},
	setPermissionCheckHandler(handler: CheckHandler): void {
		check = handler;
	},
	/** There is no loopback audio here (`main/app/system-sound.ts` offers none), so nobody asks for it. */
	setDisplayMediaRequestHandler(): void {},
	webRequest: strict('session.webRequest', {
		/** Called for every HTTP request; the page's WebSockets are not seen here (`web-contents.ts`). */
		onBeforeRequest(listener: typeof program.beforeRequest): void {
			program.beforeRequest = listener;
		},
	}),
	...proxied,
	/** No devices beyond microphone and speakers are reachable from here. */
	setDevicePermissionHandler(): void {},
});

export const session = strict('session', {
	defaultSession,
	/** Requests of main go through Node, apart from the browser in any case. */
	fromPartition: (_name: string) =>
		strict('session', {
			fetch: (input: string | Request, init?: RequestInit) => globalThis.fetch(input, init),
			/** Node asks no system; a proxy of the environment is taken at the start (`start.ts`). */
			resolveProxy: async (_address: string) => 'DIRECT',
			...proxied,
		}),
});

export const protocol = strict('protocol', {
	/** The loopback address is a secure context already; there is nothing to register. */
	registerSchemesAsPrivileged(): void {},
});
