import { readFileSync } from 'node:fs';
import type { WebPreferences } from 'electron';
import { type RecordedWindow, recordedElectron } from './recorded-electron.ts';

/* Queries what a started app (`started-shell.ts`) handed to Electron, as Electron would. */

const given = (name: string) => recordedElectron.sessions.get('')?.given.get(name)?.[0];
const listener = <Args extends unknown[], Answer>(name: string) => given(name) as (...args: Args) => Answer;

/** Web preferences of every window. */
export const preferences = (): readonly WebPreferences[] =>
	recordedElectron.windows.map(({ options }) => options.webPreferences ?? {});

/** Every name of a permission that this version of Electron knows, and some that it does not. */
export function permissionNames(): readonly string[] {
	const typings = readFileSync('node_modules/electron/electron.d.ts', 'utf8');
	const all = /setPermissionRequestHandler\(handler: \(\(webContents: WebContents, permission: ([^,]+),/.exec(
		typings,
	)?.[1];
	const known = [...(all ?? '').matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name);
	if (known.length < 40) throw new Error('the names of permissions are not where they were in the typings');
	return [...known, 'camera', 'bluetooth', 'accessibility-events', 'everything', ''];
}

/** May the page request it, and does a check say so? Both handlers are asked. */
export function granted(
	permission: string,
	from: string,
	media: readonly string[] = [],
	isMainFrame = true,
): readonly boolean[] {
	const contents = { id: 0, getURL: () => from };
	const answers: boolean[] = [];
	const details = { isMainFrame, requestingUrl: from, mediaTypes: media };
	listener('setPermissionRequestHandler')(contents, permission, (it: boolean) => answers.push(it), details);
	const origin = URL.canParse(from) ? from.split('/').slice(0, 3).join('/') : '';
	const check = listener<unknown[], boolean>('setPermissionCheckHandler');
	const asked = { isMainFrame, mediaType: media[0] ?? 'unknown' };
	answers.push(check(isMainFrame ? contents : null, permission, origin, asked));
	return answers;
}

/** May it use a device of the bus? */
export const grantedDevice = (deviceType: string): boolean =>
	listener<unknown[], boolean>('setDevicePermissionHandler')({ deviceType });

/** What a page is given when it asks to capture the computer's screen and sound. */
export function sharedWith(page: string): unknown {
	let shared: unknown = 'no answer';
	const frame = { parent: null, url: page };
	const request = { frame, securityOrigin: 'app://dragoman', audioRequested: true, videoRequested: true };
	listener('setDisplayMediaRequestHandler')(request, (answer: unknown) => {
		shared = answer;
	});
	return shared;
}

/** Does the guard of requests let the page ask for it? */
export function mayRequest(url: string): boolean {
	let cancelled: boolean | undefined;
	listener('webRequest.onBeforeRequest')({ url }, ({ cancel }: { cancel?: boolean }) => {
		cancelled = cancel;
	});
	return cancelled === false;
}

/** Is the event that a page of a window brings about prevented? */
export function isPrevented(window: RecordedWindow, event: string): boolean {
	let prevented = false;
	window.webContents.emit(event, {
		preventDefault() {
			prevented = true;
		},
	});
	return prevented;
}

/** IPC senders, as Electron describes them, that must get no answer; `url` is that of our own page. */
export const wrongSenders = (url: string): readonly Readonly<Record<string, unknown>>[] => [
	{ senderFrame: null },
	{ senderFrame: { url, parent: { url } } },
	{ sender: { id: 99 } },
	...['https://a.example/', 'app://dragoman', 'app://dragoman.evil/', 'app://other/index.html', 'about:blank']
		.concat(['file:///index.html', 'data:text/html,x', 'http://127.0.0.1/app://dragoman/', ''])
		.map((address) => ({ senderFrame: { url: address, parent: null } })),
];

/** A policy's rules, by directive. */
export function rulesOf(policy: string): ReadonlyMap<string, readonly string[]> {
	return new Map(policy.split('; ').map((rule) => [rule.split(' ')[0] ?? '', rule.split(' ').slice(1)]));
}
