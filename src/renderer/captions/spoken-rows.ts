import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Conversation } from '#renderer/conversation/conversation.ts';
import { isOver } from '#renderer/conversation/conversation-store.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import { finished, litRow, nothingSpoken, passed, type Spoken, voice } from '#shared/captions/spoken.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { matchLanguage } from '#shared/protocol/languages.ts';

/** Finals come for the newest rows; older ones are not watched. */
const ROWS_WATCHED = 8;

/** Rows whose voice is being heard, by their transcription ids: one of each leg at most. */
export interface SpokenRows {
	readonly store: StoreApi<{
		readonly lit: readonly string[];
		/** The same by leg, in the order of the legs; null = none. */
		readonly sides: readonly (string | null)[];
	}>;
	close: Cancel;
}

type Lit = ReturnType<SpokenRows['store']['getState']>;

interface SpokenLeg extends Pick<Conversation, 'store' | 'captions'> {
	/** What it was asked to translate, which says whose voice is heard; null = not known. */
	readonly choices: () => Targets | null;
}

type Targets = Pick<Choices, 'hear' | 'voiceOf' | 'bothWays'>;

export function createSpokenRows({
	legs,
	clock,
}: {
	readonly legs: readonly SpokenLeg[];
	readonly clock: Clock;
}): SpokenRows {
	const store: SpokenRows['store'] = createStore(() => ({ lit: [], sides: [] }) as Lit);
	const followed = legs.map((leg) => followLeg(leg, clock, show));

	function show(): void {
		const sides = followed.map((one) => litRow(one.spoken()));
		if (sides.join('\n') === store.getState().sides.join('\n')) return;
		store.setState({ lit: sides.filter((row) => row !== null), sides });
	}

	return {
		store,
		close() {
			for (const one of followed) one.close();
		},
	};
}

function followLeg({ store, captions, choices }: SpokenLeg, clock: Clock, show: () => void) {
	let spoken: Spoken = nothingSpoken;
	/** Finals of every language, so that old ones are not taken for new ones when the voice moves to another target. */
	let known = new Set<string>();
	let rows = 0;
	let cancel: Cancel = () => {};

	function set(next: Spoken): void {
		spoken = next;
		cancel();
		cancel = () => {};
		const { active, current, waiting } = spoken;
		if (active && current && waiting.length > 0) {
			cancel = clock.after(Math.max(0, current.endsMs - clock.now()), () => set(passed(spoken, clock.now())));
		}
		show();
	}

	function look(): void {
		const count = captions.store.getState().rows;
		// Another conversation, or cleared.
		if (count < rows) {
			known = new Set();
			set({ ...nothingSpoken, active: spoken.active, rate: spoken.rate });
		}
		rows = count;
		const seen = new Set<string>();
		let next = spoken;
		const targets = choices();
		for (let index = Math.max(0, count - ROWS_WATCHED); index < count; index++) {
			const { translations = [] } = captions.row(index) ?? {};
			const heard = heardOf(translations, targets);
			for (const { key, final, language, transcriptionId, text } of translations) {
				if (!final) continue;
				seen.add(key);
				if (language === heard && !known.has(key)) next = finished(next, transcriptionId, text, clock.now());
			}
		}
		known = seen;
		if (next !== spoken) set(next);
	}

	const ends = [
		captions.store.subscribe(look),
		store.subscribe((view, before) => {
			if (view.voiceActive !== before.voiceActive) set(voice(spoken, view.voiceActive, clock.now()));
			if (view.phase !== before.phase && isOver(view)) set({ ...nothingSpoken, rate: spoken.rate });
		}),
	];
	return {
		spoken: () => spoken,
		close() {
			cancel();
			for (const end of ends) end();
		},
	};
}

/** The language of a row that is heard. Of a single target, or both ways, it is whatever comes. */
function heardOf(translations: CaptionRow['translations'], choices: Targets | null): string | undefined {
	const languages = [...new Set(translations.map(({ language }) => language))];
	const { hear, voiceOf, bothWays } = choices ?? { hear: [], voiceOf: '' };
	if (hear.length > 1 && !bothWays) {
		// The text of another target may be final first.
		const target = matchLanguage(voiceOf, hear) ?? hear[0];
		return languages.find((language) => matchLanguage(language, hear) === target);
	}
	return languages.length > 1 ? (matchLanguage(voiceOf, languages) ?? undefined) : languages[0];
}
