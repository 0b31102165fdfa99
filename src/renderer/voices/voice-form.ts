import { createStore } from 'zustand/vanilla';
import type { VoiceSample } from '#shared/host/voices.ts';
import type { Problem } from '#shared/problem.ts';
import { emptyDraft, type VoiceDraft } from '#shared/voices/draft.ts';

export interface VoiceFormView {
	readonly shown: boolean;
	readonly draft: VoiceDraft;
	/** The attributes as typed; the draft contains them as separate items. */
	readonly attributes: string;
	readonly sample: VoiceSample | null;
	/** True until the service has answered. */
	readonly sending: boolean;
	/** Why the service refused the voice; null once something has changed. */
	readonly refusal: Problem | null;
}

const blank: VoiceFormView = {
	shown: false,
	draft: emptyDraft,
	attributes: '',
	sample: null,
	sending: false,
	refusal: null,
};

export type VoiceForm = ReturnType<typeof createVoiceForm>;

/** State of the form for a new voice. It outlives the page, so that leaving the page loses nothing. */
export function createVoiceForm() {
	const store = createStore<VoiceFormView>()(() => blank);
	const change = (patch: Partial<VoiceDraft>) =>
		store.setState(({ draft }) => ({ draft: { ...draft, ...patch }, refusal: null }));
	return {
		store,
		change,
		/** Opens the form with the current draft; `language` applies if no language is chosen yet. */
		open(language: string): void {
			if (store.getState().draft.language === '') change({ language });
			store.setState({ shown: true });
		},
		/** Closes the form and keeps its content. */
		close: (): void => store.setState({ shown: false }),
		setAttributes(text: string): void {
			store.setState({ attributes: text });
			const parts = text.split(/[,،、;؛\n]/).map((part) => part.trim());
			change({ attributes: parts.filter((part) => part !== '') });
		},
		setSample: (sample: VoiceSample | null): void => store.setState({ sample, refusal: null }),
		/** The form was sent (`send`) or answered (`answered`; null = accepted, so reset and close the form). */
		send: (): void => store.setState({ sending: true, refusal: null }),
		answered: (refusal: Problem | null): void =>
			store.setState(refusal ? { sending: false, refusal } : blank),
		/** Removes the refusal that the user has dismissed. */
		dismiss: (): void => store.setState({ refusal: null }),
		/** Resets and closes the form. */
		reset: (): void => store.setState(blank, true),
	};
}
