import type { Captions } from '#renderer/captions/caption-view.ts';
import type { Transport, TransportEvent, TransportStats } from '#renderer/transport/transport.ts';
import type { Typed } from '#renderer/typing/typed-text-queue.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { Event } from '#shared/conversation/machine/events.ts';
import type { Place } from '#shared/conversation/machine/state.ts';
import { atMost, type Cancel, type Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { NoticeSlot } from './conversation.ts';
import type { Gauge } from './delay.ts';
import type { Absence, LostSpeech } from './lost-speech.ts';
import type { Unsent } from './unsent-speech.ts';
import type { VoiceSelection } from './voice-selection.ts';

type TransportNews =
	| { readonly type: 'opened' }
	| { readonly type: 'failed'; readonly problem: Problem }
	| { readonly type: 'heard'; readonly event: TransportEvent }
	| { readonly type: 'stats'; readonly stats: TransportStats };

/** Interval until the first packet has been sent, so that "live" is not late; then once a second. */
const FIRST_STATS_MS = 250;
const STATS_MS = 1000;

/** How long ending a conversation waits until a command issued just before has been sent. */
const LAST_WORDS_MS = 50;

interface Joined {
	readonly transport: Transport;
	readonly scope: Scope;
	readonly sending: Set<Promise<unknown>>;
	/** True if the transport sends a track, not silence or nothing. */
	hasTrack: boolean;
}

export type Transports = ReturnType<typeof createTransports>;

/** The transports of a conversation by session number: one in use, perhaps others in parallel, each closed once. */
export function createTransports({
	clock,
	log,
	tell,
}: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly tell: (id: number, news: TransportNews) => void;
}) {
	const open = new Map<number, Joined>();

	/** Reports news, except late news of a transport that has been closed. */
	function tellIf(id: number, joined: Joined, news: TransportNews): void {
		if (open.get(id) === joined) tell(id, news);
	}

	function watchStats(id: number, joined: Joined, delayMs: number): void {
		joined.scope.after(delayMs, async () => {
			const stats = await attempt(() => joined.transport.stats());
			if (stats) tellIf(id, joined, { type: 'stats', stats });
			watchStats(id, joined, stats && stats.packetsSent > 0 ? STATS_MS : FIRST_STATS_MS);
		});
	}

	async function join(id: number, joined: Joined, signal: AbortSignal): Promise<void> {
		const opened = await attempt(() => joined.transport.open(signal));
		if (!opened) {
			const problem: Problem = { kind: 'bug', where: 'transport.open' };
			return void tellIf(id, joined, { type: 'failed', problem });
		}
		if (!opened.ok) return void tellIf(id, joined, { type: 'failed', problem: opened.error });
		tellIf(id, joined, { type: 'opened' });
		watchStats(id, joined, FIRST_STATS_MS);
	}

	async function setMicrophone(joined: Joined, track: MediaStreamTrack | null | undefined): Promise<void> {
		joined.hasTrack = Boolean(track);
		const set = await attempt(() => joined.transport.setMicrophone(track));
		if (!set?.ok) log.warn('the microphone could not be put on the transport', { kind: set?.error.kind });
	}

	async function send(joined: Joined, command: ClientMessage): Promise<void> {
		const sent = await attempt(() => joined.transport.send(command));
		if (!sent) log.warn('a command did not leave', { command: command.message_type });
	}

	function lastWords({ sending }: Joined): Promise<void> {
		return atMost(clock, LAST_WORDS_MS, Promise.all(sending));
	}

	return {
		/**
		 * Joins, and reports the outcome and later events.
		 * A null track sends silence; undefined sends nothing until `feed`.
		 */
		open(id: number, transport: Transport, track: MediaStreamTrack | null | undefined): void {
			const hasTrack = Boolean(track);
			const joined: Joined = { transport, scope: createScope(clock), sending: new Set(), hasTrack };
			open.set(id, joined);
			const abort = new AbortController();
			joined.scope.add(() => abort.abort());
			joined.scope.add(transport.listen((event) => tellIf(id, joined, { type: 'heard', event })));
			// Set the track before `open`, so that it is published while the room is being joined.
			if (track !== undefined) void setMicrophone(joined, track);
			void join(id, joined, abort.signal);
		},
		/** Replaces the track; null sends silence, undefined nothing. */
		feed(id: number, track: MediaStreamTrack | null | undefined): void {
			const joined = open.get(id);
			if (joined) void setMicrophone(joined, track);
		},
		/** Replaces the track of every transport that has one. */
		feedOpen(track: MediaStreamTrack): void {
			for (const joined of open.values()) if (joined.hasTrack) void setMicrophone(joined, track);
		},
		send(id: number, command: ClientMessage): void {
			const joined = open.get(id);
			if (!joined) return;
			const sent = send(joined, command);
			joined.sending.add(sent);
			void sent.then(() => joined.sending.delete(sent));
		},
		/** Requests final texts for the speech so far from every transport. */
		finalize(): void {
			for (const { transport } of open.values()) transport.finalize?.();
		},
		/** Disconnects at once. Resolves when the transport has closed, within its own limit. */
		async close(id: number): Promise<void> {
			const joined = open.get(id);
			if (!joined) return;
			open.delete(id);
			if (joined.sending.size > 0) await lastWords(joined);
			joined.scope.close();
			await joined.transport.close().catch(() => log.warn('the transport failed to close'));
		},
	};
}

/** The result of the call; null if it threw or rejected, which a transport should not do. */
async function attempt<Value>(call: () => Promise<Value>): Promise<Value | null> {
	try {
		return await call();
	} catch {
		return null;
	}
}

type Message = Extract<Event, { type: 'message' }>['message'];

/** Passes the events of a conversation's transports to captions, voices, gauge and the machine. */
export function createTransportEvents(parts: {
	readonly captions: Captions;
	readonly voices: VoiceSelection;
	readonly gauge: Gauge;
	readonly intake: Intake;
	readonly typed: Typed;
	readonly absence: Pick<Absence, 'dropped'>;
	readonly unsent: Pick<Unsent, 'keeps' | 'settle'>;
	/** Marks speech that was lost. */
	readonly lose: (speech: LostSpeech) => void;
	readonly nowMs: () => number;
	readonly notice: NoticeSlot;
	readonly dispatch: (event: Event) => void;
	/** Time since Start, ms. */
	readonly elapsedMs: () => number;
	/** When the stream in use begins, ms since Start; undefined: not known. */
	readonly streamStartMs: () => number | undefined;
	/** Choices of the running conversation; null when none runs. */
	readonly choices: () => Choices | null;
	/** True while answers to typed texts may arrive: even in a pause, which accepts no new texts. */
	readonly isLive: () => boolean;
	/** The role of a link: only messages of the link in use are shown. */
	readonly placeOf: (id: number) => Place;
	/** True if no change of the task is waiting for its answer. */
	readonly isSettled: () => boolean;
}) {
	const { captions, voices, gauge, intake, typed, absence, notice, unsent, dispatch, elapsedMs } = parts;
	/** True if no text was received on the link in use yet. */
	let isFresh = true;
	/** True after `NOT_FOUND`: the service has no task. */
	let missing = false;

	function hearEvent(id: number, event: TransportEvent): void {
		switch (event.type) {
			case 'voice':
				return void voices.came(id, event.language, event.track);
			case 'voice-gone':
				return void voices.went(id, event.language);
			case 'speech-lost':
				return void loseSpeech(event.ms);
			case 'refused':
				return void dispatch({ type: 'link-refused', id });
			case 'leaving':
				return void dispatch({ type: 'link-leaving', id });
			case 'message':
				return void hearMessage(id, event.message);
			case 'link':
				switch (event.link.state) {
					case 'up':
						return void dispatch({ type: 'link-up', id });
					case 'restoring':
						return void dispatch({ type: 'link-restoring', id, cause: event.link.cause });
					case 'down':
						return void dispatch({ type: 'link-down', id, problem: event.link.problem });
				}
		}
	}

	/** Marks the gap, and adds it to the notice, which sums up consecutive losses. */
	function loseSpeech(ms: number): void {
		if (!absence.dropped(ms)) parts.lose({ ms, untilMs: parts.nowMs(), wasOff: false });
		// It may still be interpreted on this computer.
		if (unsent.keeps()) return;
		const before = notice.now();
		notice.say({ kind: 'speech-lost', ms: ms + (before?.kind === 'speech-lost' ? before.ms : 0) });
	}

	function hearMessage(id: number, message: Message): void {
		const place = parts.placeOf(id);
		if (place === 'in-use') return void hearInUse(id, message);
		if (place === 'former') hearFormer(message);
		dispatch({ type: 'message', id, message });
	}

	/** Handles the former link's last sentences, and answers to the last typed texts. */
	function hearFormer(message: Message): void {
		if (message.type === 'transcript') captions.receive(message, elapsedMs(), 'former');
		if (parts.isLive()) typed.hear(message, parts.isSettled());
	}

	function hearInUse(id: number, message: Message): void {
		if (message.type === 'transcript') {
			isFresh = false;
			unsent.settle();
			const change = captions.receive(message, elapsedMs(), 'now');
			if (change) gauge.caption(change, captions.row(change.row), elapsedMs());
			if (message.kind === 'source') notice.withdraw('silent-microphone');
		}
		if (message.type === 'queue-level') gauge.queue(message.levels, parts.choices(), elapsedMs());
		if (message.type === 'error' && message.code === 'NOT_FOUND') missing = true;
		// This applies even if we had not noticed the end of the previous task.
		if (message.type === 'task-status' && message.event === 'started') newStream();
		if (parts.isLive() && typed.hear(message, parts.isSettled())) return;
		if (intake.admit(message)) dispatch({ type: 'message', id, message });
	}

	function newStream(): void {
		captions.newStream(elapsedMs(), isFresh ? parts.streamStartMs() : undefined);
	}

	function begin(link: number): void {
		isFresh = true;
		newStream();
		gauge.otherSession();
		voices.begin(link);
	}

	return {
		/** Another link is now in use. */
		begin,
		/** Another link takes over; the previous link's remaining speech is shown and heard until `left`. */
		handOver(from: number, to: number): void {
			captions.handOver(elapsedMs());
			gauge.otherSession();
			voices.handOver(from, to);
		},
		/** Nothing more will arrive from the previous link. */
		left: captions.endFormer,
		transport(id: number, news: TransportNews): void {
			switch (news.type) {
				case 'opened':
					if (parts.placeOf(id) === 'in-use') begin(id);
					return void dispatch({ type: 'link-opened', id });
				case 'failed':
					return void dispatch({ type: 'link-failed', id, problem: news.problem });
				case 'stats': {
					const {
						packetsSent: sent,
						packetsReceived: received,
						pathAnswers: answers,
						jitterBufferMs,
						onlyFinals,
					} = news.stats;
					if (parts.placeOf(id) === 'in-use') gauge.second(jitterBufferMs);
					return void dispatch({ type: 'packets', id, sent, received, answers, onlyFinals });
				}
				case 'heard':
					return void hearEvent(id, news.event);
			}
		},
		taskSent(): void {
			intake.expectAnswer();
			// A task after NOT_FOUND is a new one, which may reuse ids.
			if (missing) newStream();
			missing = false;
		},
	};
}

/** Errors with the same code within this time count as one repeated error (faults 67). */
const BURST_MS = 1000;
/** How many error codes are counted separately; further codes share one counter. */
const CODES = 8;
/** How many unknown names are counted separately: a service may send any number of them. */
const NAMES = 20;
const REST = '(others)';

interface Burst {
	readonly code: string;
	more: number;
	readonly cancel: Cancel;
}

type Intake = ReturnType<typeof createIntake>;

/** Filters every message first: counts unknown types, and collapses storms of errors. */
export function createIntake({
	clock,
	log,
	repeated,
}: {
	readonly clock: Clock;
	readonly log: Logger;
	/** Called when the message with this code was repeated `times` times, at most once a second for each code. */
	readonly repeated: (code: string, times: number) => void;
}) {
	const unknown = new Map<string, number>();
	const bursts = new Map<string, Burst>();

	function countUnknown(given: string): void {
		const name = unknown.has(given) || unknown.size < NAMES ? given : REST;
		const before = unknown.get(name) ?? 0;
		unknown.set(name, before + 1);
		if (before === 0) log.debug('unknown message', { name });
	}

	function endBurst(key: string): void {
		const burst = bursts.get(key);
		if (!burst) return;
		bursts.delete(key);
		burst.cancel();
		if (burst.more > 0) repeated(burst.code, burst.more);
	}

	function isFirst(code: string): boolean {
		const key = bursts.has(code) || bursts.size < CODES ? code : REST;
		const burst = bursts.get(key);
		if (burst) {
			burst.more += 1;
			return false;
		}
		bursts.set(key, { code, more: 0, cancel: clock.after(BURST_MS, () => endBurst(key)) });
		return true;
	}

	function expectAnswer(): void {
		for (const key of [...bursts.keys()]) endBurst(key);
	}

	return {
		/** False: the message was counted, and must not be passed to the machine. */
		admit(message: ServerMessage): boolean {
			if (message.type === 'unknown') countUnknown(message.name);
			return message.type === 'error' || message.type === 'warning' ? isFirst(message.code) : true;
		},
		/** A task was sent: an error may be its answer and must be admitted, whatever arrived before. */
		expectAnswer,
		/** The conversation is over: logs the totals and resets them. */
		finish(): void {
			expectAnswer();
			if (unknown.size === 0) return;
			// Prefixed to keep the service's names apart from the log's own fields.
			const counts = [...unknown].map(([name, times]) => [`type ${name}`, times]);
			log.info('unknown messages', Object.fromEntries(counts));
			unknown.clear();
		},
	};
}
