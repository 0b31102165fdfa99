import type { Captions } from '#renderer/captions/caption-view.ts';
import type { TransportEvent } from '#renderer/transport/transport.ts';
import type { Typed } from '#renderer/typing/typed-text-queue.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { Event } from '#shared/conversation/machine/events.ts';
import type { Place } from '#shared/conversation/machine/state.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { NoticeSlot } from './conversation.ts';
import type { Gauge } from './delay.ts';
import type { Absence } from './lost-speech.ts';
import type { TransportNews } from './transports.ts';
import type { VoiceSelection } from './voice-selection.ts';

type Message = Extract<Event, { type: 'message' }>['message'];

/** Passes the events of a conversation's transports to captions, voices, gauge and the machine. */
export function createTransportEvents(parts: {
	readonly captions: Captions;
	readonly voices: VoiceSelection;
	readonly gauge: Gauge;
	readonly intake: Intake;
	readonly typed: Typed;
	readonly absence: Absence;
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
	const { captions, voices, gauge, intake, typed, absence, notice, dispatch, elapsedMs } = parts;
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
		absence.told(ms);
		captions.lose(ms, elapsedMs());
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
