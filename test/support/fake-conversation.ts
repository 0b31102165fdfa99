import { createStore } from 'zustand/vanilla';
import {
	type CaptionsView,
	type ControlledTranscript,
	createTranscript,
} from '#renderer/captions/caption-view.ts';
import {
	type ConversationView,
	idleView,
	type WholeConversation,
} from '#renderer/conversation/conversation.ts';
import { systemClock } from '#renderer/system-clock.ts';
import type { CaptionRow, Segment } from '#shared/captions/segment.ts';
import type { Clock } from '#shared/lib/clock.ts';

/** A conversation that does only what a test tells it, and remembers what the window asked of it. */
export interface FakeConversation extends WholeConversation {
	/** Names of the calls in order, with what they were given where there is something. */
	readonly calls: readonly (readonly [string, ...unknown[]])[];
	readonly captions: ControlledTranscript;
	/** Shows this state, the rest as in a fresh conversation unless `before` is kept. */
	show(view: Partial<ConversationView>): void;
	/** Adds or replaces a row; `index` default: at the end. */
	putRow(row: CaptionRow, index?: number): void;
}

export function createFakeConversation(clock: Pick<Clock, 'now' | 'wall'> = systemClock): FakeConversation {
	const calls: (readonly [string, ...unknown[]])[] = [];
	const rows: CaptionRow[] = [];
	const store = createStore<ConversationView>()(() => idleView);
	const captionsStore = createStore<{ version: number; rows: number }>()(() => ({ version: 0, rows: 0 }));
	const call = (name: string, ...given: unknown[]) => void calls.push([name, ...given]);
	const changed = () =>
		captionsStore.setState(({ version }) => ({ version: version + 1, rows: rows.length }));

	const leg: CaptionsView = {
		store: captionsStore,
		row: (index) => rows[index],
		finals: () => rows.flatMap(segmentsOf).filter((segment) => segment.final),
		clear() {
			rows.length = 0;
			changed();
		},
	};
	// All rows come by the first leg, whatever they say about theirs.
	const silent: CaptionsView = {
		store: createStore(() => ({ version: 0, rows: 0 })),
		row: () => undefined,
		finals: () => [],
		clear() {},
	};
	const captions = createTranscript({
		legs: { outgoing: leg, incoming: silent },
		conversation: { store },
		clock,
	});
	captions.show(['outgoing']);

	return {
		calls,
		store,
		captions,
		show: (view) => store.setState({ ...idleView, ...view }, true),
		putRow(row, index = rows.length) {
			rows[index] = row;
			changed();
		},
		prepare: () => call('prepare'),
		start: (choices) => call('start', choices),
		tryAgain: (choices) => call('tryAgain', choices),
		stop: () => call('stop'),
		async stopNow() {
			call('stopNow');
		},
		pause: () => call('pause'),
		resume: () => call('resume'),
		setMuted(muted) {
			call('setMuted', muted);
			store.setState({ muted });
		},
		backToWebrtc: () => call('backToWebrtc'),
		catchUp: () => call('catchUp'),
		reconnect: () => call('reconnect'),
		say(typed) {
			call('say', typed);
			const { phase, paused } = store.getState();
			return phase === 'live' && !paused;
		},
		change: (choices) => call('change', choices),
		dismissNotice() {
			call('dismissNotice');
			store.setState({ notice: null });
		},
		async close() {
			call('close');
		},
	};
}

function segmentsOf(row: CaptionRow): readonly Segment[] {
	return row.source ? [row.source, ...row.translations] : row.translations;
}

/** A row of one source text and its translations `[language, text]`, in time after the one before. */
export function captionRow(
	id: number,
	source: readonly [language: string, text: string],
	translations: readonly (readonly [language: string, text: string])[],
	final = true,
): CaptionRow {
	const segment = (kind: Segment['kind'], [language, text]: readonly [string, string]): Segment => ({
		key: `${kind}|t${id}|0|${language}`,
		transcriptionId: `t${id}`,
		partId: '0',
		kind,
		language,
		text,
		final,
		startMs: id * 3000,
		endMs: id * 3000 + 2500,
	});
	return {
		transcriptionId: `t${id}`,
		source: segment('source', source),
		translations: translations.map((translation) => segment('translation', translation)),
	};
}

/** `ms` of speech that nobody heard, with nothing else in its row. */
export function lostRow(id: number, ms: number): CaptionRow {
	const transcriptionId = `lost-${id}`;
	const lost: Segment = {
		key: `lost|${transcriptionId}|0|`,
		transcriptionId,
		partId: '0',
		kind: 'lost',
		language: '',
		text: '',
		final: true,
		startMs: id * 3000,
		endMs: id * 3000 + ms,
	};
	return { transcriptionId, source: null, translations: [], lost };
}
