import type { Host } from '#renderer/host.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { APPEND_AT_MOST, type HistoryCaption, INCOMING_MARK } from '#shared/host/history.ts';
import type { LegName } from '#shared/leg-name.ts';
import { backoffDelay, type Clock } from '#shared/lib/clock.ts';

export interface TakenHow {
	readonly typed: boolean;
	/** Absent = the outgoing direction. */
	readonly leg?: LegName;
}

/** While the conversation runs, retries go on for ever at the longest delay; after its end, at most `tries` times. */
const RETRY = { baseMs: 500, capMs: 30_000, tries: 12 } as const;

interface Recording {
	readonly mode: string;
	readonly startedMs: number;
	/** Main's id of the kept conversation to append this one to; null = none, or no caption yet. */
	continues: string | null;
	/** Main's id; null until there is a caption to keep. */
	id: string | null;
	/** All captions sent or waiting, by key. */
	readonly known: Map<string, HistoryCaption>;
	readonly waiting: Map<string, HistoryCaption>;
	ending: boolean;
	/** True if main knows that the conversation ended. If it resumes, inform main before sending more captions. */
	ended: boolean;
	forgotten: boolean;
	/** True if the conversation was forgotten and main has erased it. */
	erased: boolean;
	/** True if the conversation was written and ended, or discarded. */
	over: boolean;
	busy: boolean;
	failures: number;
}

export type HistoryWriter = ReturnType<typeof createHistoryWriter>;

/**
 * Sends each text to the history in main at once; texts that arrive while waiting for an answer are sent
 * together. Texts that cannot be written wait here and are tried again: a failing history never disturbs the
 * conversation, and main reports the failure.
 */
export function createHistoryWriter({
	host,
	clock,
	random = Math.random,
	takeContinued = () => null,
}: {
	readonly host: Pick<Host, 'ask'>;
	readonly clock: Clock;
	/** Called at the first words: main's id of the kept conversation that it continues; null = none. */
	readonly takeContinued?: () => string | null;
	/** [0, 1), for back-off; default `Math.random`. */
	readonly random?: () => number;
}) {
	let current: Recording | null = null;
	/** The last conversation with captions; without captions there is nothing to delete. */
	let last: Recording | null = null;
	/** The conversation that began last, even without captions. */
	let newest: Recording | null = null;
	const open = new Set<Recording>();
	let listeners: (() => void)[] = [];

	/** Takes one step. `on`: there may be another step; `rest`: nothing to do; `failed`: try again later. */
	async function advance(recording: Recording): Promise<'on' | 'rest' | 'failed'> {
		if (recording.forgotten && !recording.erased) {
			recording.erased = await eraseAll(recording);
			return recording.erased ? finish(recording) : 'failed';
		}
		if (recording.waiting.size > 0)
			return recording.id === null || recording.ended ? begin(recording) : append(recording, recording.id);
		if (!recording.ending) return 'rest';
		if (recording.id === null || recording.ended) return finish(recording);
		const ended = await host.ask('history.end', { id: recording.id });
		recording.ended = ended.ok;
		return ended.ok ? 'on' : 'failed';
	}

	async function begin(recording: Recording): Promise<'on' | 'rest' | 'failed'> {
		const agoMs = Math.max(0, Math.round(clock.now() - recording.startedMs));
		const { mode, id, continues } = recording;
		const begun = await host.ask('history.begin', {
			mode,
			agoMs,
			...(id !== null && { id }),
			...(continues !== null && { continues }),
		});
		// The user has erased the conversation since, so store nothing more of it.
		if (!begun.ok) return begun.error.kind === 'not-found' ? finish(recording) : 'failed';
		recording.id = begun.value.id;
		recording.ended = false;
		return 'on';
	}

	async function append(recording: Recording, id: string): Promise<'on' | 'rest' | 'failed'> {
		const batch = [...recording.waiting.values()].slice(0, APPEND_AT_MOST);
		const written = await host.ask('history.append', { id, captions: batch });
		if (written.ok) {
			recording.failures = 0;
			// A caption replaced meanwhile must still be sent.
			for (const one of batch) if (recording.waiting.get(one.key) === one) recording.waiting.delete(one.key);
			return 'on';
		}
		// The user has erased the running conversation, so store nothing more of it.
		if (written.error.kind === 'not-found') return finish(recording);
		if (written.error.kind === 'history-unreadable') {
			for (const one of recording.known.values()) recording.waiting.set(one.key, one);
		}
		return 'failed';
	}

	async function eraseAll({ id }: Recording): Promise<boolean> {
		if (id === null) return true;
		await host.ask('history.end', { id });
		return (await host.ask('history.erase', { id })).ok;
	}

	function finish(recording: Recording): 'on' | 'rest' {
		// The user cleared the conversation while it was being written.
		if (recording.forgotten && !recording.erased) return 'on';
		recording.over = true;
		recording.waiting.clear();
		recording.known.clear();
		open.delete(recording);
		if (open.size > 0) return 'rest';
		for (const done of listeners) done();
		listeners = [];
		return 'rest';
	}

	async function work(recording: Recording): Promise<void> {
		if (recording.busy || recording.over) return;
		recording.busy = true;
		let outcome: 'on' | 'rest' | 'failed' = 'on';
		while (outcome === 'on') outcome = await advance(recording);
		recording.busy = false;
		if (outcome === 'failed') retry(recording);
		// Something arrived since the last check.
		else if (!recording.over && (recording.waiting.size > 0 || recording.ending || recording.forgotten))
			void work(recording);
	}

	function retry(recording: Recording): void {
		recording.failures += 1;
		const isOver = recording.ending || recording.forgotten;
		const attempt = isOver ? recording.failures : Math.min(recording.failures, RETRY.tries - 1);
		const delayMs = backoffDelay(RETRY, attempt, random);
		if (delayMs === null) {
			recording.erased = true;
			return void finish(recording);
		}
		recording.busy = true;
		clock.after(delayMs, () => {
			recording.busy = false;
			void work(recording);
		});
	}

	function end(): void {
		if (!current) return;
		current.ending = true;
		current.failures = 0;
		if (current.id !== null || current.known.size > 0) last = current;
		void work(current);
		current = last ?? current;
	}

	function beginNew(mode: string, startedMs: number, continues: string | null = null): void {
		end();
		current = {
			mode,
			startedMs,
			continues,
			id: null,
			known: new Map(),
			waiting: new Map(),
			ending: false,
			ended: false,
			forgotten: false,
			erased: false,
			over: false,
			busy: false,
			failures: 0,
		};
		newest = current;
		open.add(current);
	}

	return {
		/** Begins a conversation and ends a running one. Nothing is written before the first caption. */
		begin: (mode: string): void => beginNew(mode, clock.now()),
		/** Resumes the last conversation after its end, unless it was cleared. */
		goOn(mode: string): void {
			if (!newest || newest.forgotten) {
				beginNew(mode, clock.now(), newest?.continues);
				return;
			}
			current = newest;
			Object.assign(current, { ending: false, over: false });
			open.add(current);
		},
		/** A repeated segment replaces its earlier version; an unchanged one costs nothing. */
		take(segment: Segment, how: TakenHow): void {
			if (!current || current.over || current.forgotten || current.ending) return;
			if (current.id === null && current.known.size === 0) current.continues ??= takeContinued();
			const caption = captionOf(segment, how);
			if (isSame(current.known.get(caption.key), caption)) return;
			current.known.set(caption.key, caption);
			current.waiting.set(caption.key, caption);
			void work(current);
		},
		/** Ends the conversation: no more text will arrive. */
		end,
		/** The user has cleared the captions: deletes the running or else the last conversation. */
		forget(): void {
			if (!current) return;
			const forgotten = current;
			if (forgotten.forgotten) return;
			forgotten.over = false;
			forgotten.forgotten = true;
			forgotten.failures = 0;
			// Write later captions as a new conversation, with times from the same Start.
			if (!forgotten.ending) beginNew(forgotten.mode, forgotten.startedMs, forgotten.continues);
			open.add(forgotten);
			void work(forgotten);
		},
		/** Resolves when all ended conversations are sent to main or given up. */
		async settled(): Promise<void> {
			if ([...open].every((recording) => !recording.ending && !recording.forgotten)) return;
			await new Promise<void>((done) => listeners.push(done));
		},
	};
}

/** Writes both directions as one conversation of the history, with the other people's captions marked. */
export function createLegJournals(journal: HistoryWriter): { readonly [Name in LegName]: HistoryWriter } {
	const running = new Set<LegName>();

	function of(leg: LegName): HistoryWriter {
		return {
			begin(mode) {
				// A direction that begins although it never ended belongs to another conversation.
				if (running.has(leg) || running.size === 0) {
					running.clear();
					journal.begin(mode);
				}
				running.add(leg);
			},
			goOn(mode) {
				if (running.size === 0) journal.goOn(mode);
				running.add(leg);
			},
			take: (segment, how) => journal.take(segment, { ...how, leg }),
			end() {
				if (running.delete(leg) && running.size === 0) journal.end();
			},
			forget: () => journal.forget(),
			settled: () => journal.settled(),
		};
	}

	return { outgoing: of('outgoing'), incoming: of('incoming') };
}

const TEXT_LETTERS = 20_000;
const NAME_LETTERS = 200;

function captionOf(segment: Segment, { typed, leg }: TakenHow): HistoryCaption {
	return {
		key: segment.key.slice(0, 500) || '-',
		row: segment.transcriptionId.slice(0, NAME_LETTERS),
		part: segment.partId.slice(0, NAME_LETTERS),
		kind: segment.kind,
		language: segment.language.slice(0, NAME_LETTERS),
		text: segment.text.slice(0, TEXT_LETTERS).toWellFormed(),
		startMs: Math.max(0, Math.round(segment.startMs)),
		endMs: Math.max(0, Math.round(segment.endMs)),
		final: segment.final,
		mark: typed ? 'typed' : leg === 'incoming' ? INCOMING_MARK : '',
	};
}

function isSame(one: HistoryCaption | undefined, other: HistoryCaption): boolean {
	return (
		one !== undefined &&
		one.text === other.text &&
		one.startMs === other.startMs &&
		one.endMs === other.endMs &&
		one.final === other.final &&
		one.language === other.language &&
		one.mark === other.mark
	);
}
