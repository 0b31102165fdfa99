import { contextBridge, ipcRenderer } from 'electron';
import type { HostBridge } from '#shared/host/contract.ts';
import { ASK, announcementNames, askedFirst, PORTS, requestNames, TELL } from '#shared/host/names.ts';

/**
 * Requests that the window needs before it can show anything, sent while its code is still loading. Any
 * announcement from main before the page takes an answer makes that answer outdated.
 */
const first = new Map<string, Promise<unknown>>();
if (!globalThis.location?.pathname.includes('/overlay/'))
	for (const name of askedFirst)
		first.set(
			name,
			ipcRenderer.invoke(ASK, name).catch(() => null),
		);
const forget = () => {
	first.clear();
	ipcRenderer.removeListener(TELL, forget);
};
ipcRenderer.on(TELL, forget);

const bug = (where: string) => ({ ok: false, error: { kind: 'bug', where: `preload: ${where}` } });

/*
 * The bridge knows only the names of the contract, because every page waits for it to load: main parses the
 * requests, and the answers are parsed there and by the page itself (`renderer/host.ts`). None of Electron's
 * objects reaches the page.
 */
const bridge: HostBridge = {
	async ask(name, input) {
		if (!Object.hasOwn(requestNames, name)) return bug('unknown request');
		const early = input === undefined ? first.get(name) : undefined;
		first.delete(name);
		try {
			return (await early) ?? (await ipcRenderer.invoke(ASK, name, input));
		} catch {
			return bug(name);
		}
	},
	listen(name, heard) {
		if (!Object.hasOwn(announcementNames, name)) return () => {};
		const receive = (_event: unknown, told: unknown, payload: unknown) => {
			if (told === name) heard(payload);
		};
		ipcRenderer.on(TELL, receive);
		return () => void ipcRenderer.removeListener(TELL, receive);
	},
};

contextBridge.exposeInMainWorld('dragoman', bridge);

// A bridge cannot carry ports, so they travel in a message from the window to itself, which no other page can read.
ipcRenderer.on(PORTS, ({ ports }, note: unknown) => {
	window.postMessage({ name: PORTS, note }, window.location.origin, [...ports]);
});
