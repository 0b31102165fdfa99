import { createStore, type StoreApi } from 'zustand/vanilla';

/** Texts that are being typed. They outlive their page, so that leaving it loses nothing. */
export type Drafts = StoreApi<{
	/** In Type to speak. */
	readonly text: string;
	/** In a conversation. */
	readonly sentence: string;
	/** The chosen language of `sentence`, and what becomes of it: a key of `languagesToType`; empty = the first of them. */
	readonly writtenIn: string;
}>;

export function createDrafts(): Drafts {
	return createStore(() => ({ text: '', sentence: '', writtenIn: '' }));
}
