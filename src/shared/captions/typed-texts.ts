import type { Problem } from '#shared/problem.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';

/** A text typed to be spoken by the voice (`tts_task`, protocol 4.4). */
export interface TypedText {
	readonly text: string;
	/** Language of the text; one of the targets if the text is spoken untranslated. */
	readonly language: string;
	readonly translate: boolean;
}

export type TypedState =
	| { readonly is: 'sending' }
	/** The service has accepted it and speaks it in turn. */
	| { readonly is: 'taken' }
	| { readonly is: 'refused'; readonly problem: Problem };

/** Maps the service's ids, with this `prefix`, to typed texts. */
export function createTypedTexts(prefix = '') {
	const ids = new Map<string, string>();
	/** Accepted without an id: their messages are recognised by text. */
	const nameless = new Map<string, TypedText>();
	const open = new Map<string, TypedText>();
	let serial = 0;

	function isAbout(message: TranscriptMessage, typed: TypedText): boolean {
		if (saysIt(message, typed)) return true;
		// A translation without a spoken source.
		return typed.translate && message.kind === 'translation';
	}

	/** Compares the whole text: speech may begin with the same words. */
	function saysIt(message: TranscriptMessage, typed: TypedText): boolean {
		return message.final && message.language === typed.language && plain(message.text) === plain(typed.text);
	}

	return {
		/** Returns the text's id in our captions. */
		add(typed: TypedText): string {
			serial += 1;
			const id = `${prefix}typed-${serial}`;
			open.set(id, typed);
			return id;
		},
		/**
		 * The service accepted the text under this id; null = it gives no id (protocol 4.4: the older generation).
		 */
		taken(id: string, transcriptionId: string | null): void {
			const typed = open.get(id);
			open.delete(id);
			if (transcriptionId !== null) ids.set(transcriptionId, id);
			else if (typed) nameless.set(id, typed);
		},
		/** The service did not accept the text. */
		dropped: (id: string): void => void open.delete(id),
		/** Our id if the message is about a typed text. `isNew`: its id has not been seen before. */
		idOf(message: TranscriptMessage, isNew: boolean): string | null {
			const known = ids.get(message.transcriptionId);
			if (known !== undefined || !isNew) return known ?? null;
			for (const [id, typed] of nameless) {
				if (!isAbout(message, typed)) continue;
				nameless.delete(id);
				ids.set(message.transcriptionId, id);
				return id;
			}
			// Results of a text may arrive before the service's answer, or instead of one.
			for (const [id, typed] of open) {
				if (!saysIt(message, typed)) continue;
				open.delete(id);
				ids.set(message.transcriptionId, id);
				return id;
			}
			return null;
		},
		/** A new stream: the service may reuse ids for other texts. */
		newEpoch(): void {
			ids.clear();
			nameless.clear();
		},
	};
}

function plain(text: string): string {
	return text.replace(/\s+/gu, ' ').trim();
}
