import { createStore } from 'zustand/vanilla';

export type Page =
	| 'live'
	| 'settings'
	| 'sessions'
	| 'history'
	| 'voices'
	| 'glossaries'
	| 'diagnostics'
	| 'setup';

/** The sections of the settings, one of which is shown at a time. */
export const settingsSections = [
	'general',
	'sound',
	'captions',
	'privacy',
	'shortcuts',
	'account',
	'models',
	'advanced',
] as const;
export type SettingsSection = (typeof settingsSections)[number];

/** Where on a page to put focus. */
export type Place =
	| 'microphone'
	| 'output'
	| 'call-route'
	| 'languages'
	| 'spoken-language'
	| 'account'
	| 'key'
	| 'voice-token'
	| 'models'
	| 'addresses'
	| 'history'
	| 'shortcuts';

/** One entry of the trail. */
export interface Stop {
	readonly page: Page;
	/** Which conversation the history page shows; null = the list. */
	readonly conversation: string | null;
}

export interface NavigationView extends Stop {
	/** The pages opened since the live page, oldest first; empty on the live page. */
	readonly trail: readonly Stop[];
	readonly section: SettingsSection;
	/** The search term of the history; empty = none. */
	readonly searched: string;
	/** The place to focus; `ask` increases with each request, so that a repeated request works again. */
	readonly place: Place | null;
	readonly ask: number;
	/** The last `ask` that was served, so that a component that mounts again does not serve it twice. */
	readonly served: number;
	readonly shortcuts: boolean;
	readonly saving: boolean;
	readonly lastMinute: boolean;
	readonly inviting: boolean;
	/** The language whose ready phrases are being changed; null = none. */
	readonly phrases: string | null;
}

const sectionOf: { readonly [P in Place]?: SettingsSection } = {
	'call-route': 'sound',
	account: 'account',
	key: 'account',
	'voice-token': 'account',
	models: 'models',
	addresses: 'advanced',
	history: 'privacy',
	shortcuts: 'shortcuts',
};

const home: Stop = { page: 'live', conversation: null };

export type Navigation = ReturnType<typeof createNavigation>;

/** Which page is shown; the window has no URLs, so there is nothing to spoof or restore. */
export function createNavigation() {
	const store = createStore<NavigationView>()(() => ({
		...home,
		trail: [],
		section: 'general',
		searched: '',
		place: null,
		ask: 0,
		served: 0,
		shortcuts: false,
		saving: false,
		lastMinute: false,
		inviting: false,
		phrases: null,
	}));

	function show(next: Stop, place: Place | null = null): void {
		const { page, conversation, trail, section, searched, ask } = store.getState();
		// A conversation is opened from the list:
		// Back never leads from the list into one, which may have been deleted.
		const isUp = page === 'history' && next.page === 'history' && next.conversation === null;
		const way = isUp ? [...trail] : [...trail, { page, conversation }];
		const known = way.findIndex((stop) => isSame(stop, next));
		const isAnew =
			next.page === 'history' && page !== 'history' && !way.some((stop) => stop.page === 'history');
		store.setState({
			page: next.page,
			conversation: next.conversation,
			trail: next.page === 'live' ? [] : known < 0 ? way : way.slice(0, known),
			section: (place && sectionOf[place]) ?? section,
			searched: isAnew ? '' : searched,
			place,
			ask: ask + 1,
		});
	}

	return {
		store,
		/** Returns to a page already in the trail; every trail begins at the live page. */
		go: (page: Page, place?: Place): void => show({ page, conversation: null }, place),
		/** Returns to the page from which this one was opened. */
		back: (): void => show(store.getState().trail.at(-1) ?? home),
		/** Shows another section of the settings; the choice is kept while another page is shown. */
		showSection: (section: SettingsSection): void => store.setState({ section, place: null }),
		/** Shows a conversation of the history, or with null the list. */
		read: (conversation: string | null): void => show({ page: 'history', conversation }),
		/** Searches the history; the search term is kept until the history is opened again. */
		search: (searched: string): void => store.setState({ searched }),
		/** Opens or closes the dialog that saves captions. */
		showSave(saving: boolean): void {
			if (saving && store.getState().page !== 'live') show(home);
			store.setState({ saving });
		},
		/** Marks the last requested place as shown; see `served`. */
		serve: (): void => store.setState(({ ask }) => ({ served: ask })),
		showShortcuts: (shortcuts: boolean): void => store.setState({ shortcuts }),
		/** Changes the ready phrases of a language; null closes the dialog. */
		changePhrases: (phrases: string | null): void => store.setState({ phrases }),
		/** Shows or hides the last minute of captions in large letters. */
		showLastMinute: (lastMinute: boolean): void => store.setState({ lastMinute }),
		/** Opens the dialog that shares the captions with guests, or closes it without ending the sharing. */
		showGuests: (inviting: boolean): void => store.setState({ inviting }),
	};
}

function isSame(one: Stop, other: Stop): boolean {
	return one.page === other.page && one.conversation === other.conversation;
}
