import { app } from 'electron';
import type { Outside } from './outside.ts';

/** Addresses the window may ask to have opened in the user's browser: where keys come from, and our own page. */
const OUTSIDE: readonly string[] = [
	'www.palabra.ai',
	'palabra.ai',
	'docs.palabra.ai',
	'app.palabra.ai',
	'platform.palabra.ai',
];

/** May this address be opened outside? Encrypted, a host we know, no user name in it. */
export function mayOpenOutside(address: string): boolean {
	const url = URL.parse(address);
	if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.port !== '')
		return false;
	return OUTSIDE.includes(url.hostname);
}

/** The window never goes anywhere: no navigation, no second window, no embedded page. What it may open, `outside` opens. */
export function guardNavigation(outside: Outside): void {
	app.on('web-contents-created', (_event, contents) => {
		contents.on('will-navigate', (event) => event.preventDefault());
		contents.on('will-frame-navigate', (event) => event.preventDefault());
		contents.on('will-redirect', (event) => event.preventDefault());
		contents.on('will-attach-webview', (event) => event.preventDefault());
		contents.setWindowOpenHandler(({ url }) => {
			if (mayOpenOutside(url)) void outside.open(url);
			return { action: 'deny' };
		});
	});
}
