import { createStore, type StoreApi } from 'zustand/vanilla';

export type Page = 'live' | 'settings' | 'sessions' | 'history' | 'voices' | 'diagnostics' | 'setup';

/** Where on a page to put the keyboard. */
export type Place =
	| 'microphone'
	| 'output'
	| 'call-route'
	| 'languages'
	| 'key'
	| 'addresses'
	| 'history'
	| 'shortcuts';

/** Which page is shown; the window has no addresses, so nothing to spoof or to restore. */
export interface Navigation {
	readonly store: StoreApi<NavigationView>;
	go(page: Page, place?: Place): void;
	/** Shows a conversation of the history, or with null the list of them. */
	read(conversation: string | null): void;
	showShortcuts(shown: boolean): void;
	/** Opens or closes the dialog that saves captions. */
	showSave(shown: boolean): void;
}

export interface NavigationView {
	readonly page: Page;
	/** Which conversation the history page shows; null = the list. */
	readonly conversation: string | null;
	/** Asked for and to be focused; `ask` grows so that asking twice works twice. */
	readonly place: Place | null;
	readonly ask: number;
	readonly shortcuts: boolean;
	readonly saving: boolean;
}

export function createNavigation(): Navigation {
	const store = createStore<NavigationView>()(() => ({
		page: 'live',
		conversation: null,
		place: null,
		ask: 0,
		shortcuts: false,
		saving: false,
	}));
	return {
		store,
		go: (page, place) => store.setState((before) => ({ page, place: place ?? null, ask: before.ask + 1 })),
		read: (conversation) => store.setState({ page: 'history', conversation }),
		showSave: (saving) => store.setState(saving ? { saving, page: 'live' } : { saving }),
		showShortcuts: (shortcuts) => store.setState({ shortcuts }),
	};
}
