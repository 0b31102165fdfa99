import { createStore, type StoreApi } from 'zustand/vanilla';
import type { VoiceSample } from '#shared/host/voices.ts';
import { emptyDraft, type VoiceDraft } from '#shared/voices/draft.ts';

/** The voice being described. It outlives the page, so that leaving loses nothing. */
export interface VoiceForm {
	readonly store: StoreApi<VoiceFormView>;
	/** Continues the present draft; `language` applies if none is chosen yet. */
	open(language: string): void;
	/** The page shows the list; everything stays. */
	close(): void;
	change(patch: Partial<VoiceDraft>): void;
	setAttributes(text: string): void;
	setSample(sample: VoiceSample | null): void;
	/** Begins anew, closed. */
	reset(): void;
}

export interface VoiceFormView {
	readonly shown: boolean;
	readonly draft: VoiceDraft;
	/** As typed; the draft has them one by one. */
	readonly attributes: string;
	readonly sample: VoiceSample | null;
}

const blank: VoiceFormView = { shown: false, draft: emptyDraft, attributes: '', sample: null };

export function createVoiceForm(): VoiceForm {
	const store = createStore<VoiceFormView>()(() => blank);
	const change = (patch: Partial<VoiceDraft>) =>
		store.setState(({ draft }) => ({ draft: { ...draft, ...patch } }));
	return {
		store,
		change,
		open(language) {
			if (store.getState().draft.language === '') change({ language });
			store.setState({ shown: true });
		},
		close: () => store.setState({ shown: false }),
		setAttributes(text) {
			store.setState({ attributes: text });
			const parts = text.split(/[,،、;؛\n]/).map((part) => part.trim());
			change({ attributes: parts.filter((part) => part !== '') });
		},
		setSample: (sample) => store.setState({ sample }),
		reset: () => store.setState(blank, true),
	};
}
