import type { Transport, TransportEvent } from '#renderer/transport/transport.ts';
import { endTask, getTask, setTask } from '#shared/conversation/machine/link.ts';
import {
	confirmTask,
	hear,
	nextDueMs,
	type Readiness,
	type ReadinessStep,
	tick,
} from '#shared/conversation/readiness.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import { matchLanguage } from '#shared/protocol/languages.ts';
import { TAIL } from '#shared/protocol/limits.ts';
import type { ServerMessage, TranscriptMessage } from '#shared/protocol/server-message.ts';
import type { Task } from '#shared/protocol/task.ts';
import type { VoiceSlice } from '#shared/sound/voice-ring.ts';
import type { KeptSound } from './kept-sound.ts';
import type { LateVoice } from './late-voice.ts';

/** Something that was said while nobody heard it; times of our clock, ms. */
export interface LatePiece {
	readonly fromMs: number;
	readonly toMs: number;
	readonly slice: VoiceSlice;
}

/** How a late sending ended. */
export interface LateOutcome {
	/** Why it failed; null: it succeeded, or we ceased. */
	readonly problem: Problem | null;
	/** The connection is to blame, not the service: it may be tried again. */
	readonly broken: boolean;
}

export interface LateSending {
	readonly outcome: Promise<LateOutcome>;
	/** How far each piece has reached the interpreter, ms of our clock; `fromMs`: none of it. */
	readonly heardToMs: readonly number[];
	/** Sends nothing more; what was sent may still be heard. */
	cease(): void;
	/** Ends at once. */
	close(): void;
}

export interface LateSendingParts {
	readonly clock: Clock;
	readonly transport: Transport;
	readonly task: Task;
	/** The target that is heard; null = none. */
	readonly voiceOf: string | null;
	readonly openSound: () => KeptSound | null;
	readonly voice: Pick<LateVoice, 'speak' | 'settled'>;
	/** Gets each transcript; `piece` is the piece it belongs to, `zeroMs` the stream's second 0 on our clock. */
	readonly heard: (message: TranscriptMessage, piece: number, zeroMs: number) => void;
}

/** Silence between two pieces that were not spoken together, ms: two sentences must not become one. */
const BETWEEN_MS = 1000;
/** Silence at the end, longer than a socket's chunk, so that the last word has been sent, ms. */
const BEHIND_MS = 1000;
const LOOK_MS = 500;
/** Accuracy of the service's times, s. */
const SLACK_S = 0.3;

/** Sends what was kept over its own socket, at its original pace. Never throws or rejects. */
export function sendLate(pieces: readonly LatePiece[], parts: LateSendingParts): LateSending {
	const { clock, transport, task, voiceOf, voice } = parts;
	const scope = createScope(clock);
	const abort = new AbortController();
	const { promise: outcome, resolve } = Promise.withResolvers<LateOutcome>();
	const heardToMs = pieces.map(({ fromMs }) => fromMs);
	/** When each piece began to be played. */
	const begunMs: number[] = [];
	/** How far each piece has become final text, ms of our clock. */
	const finishedToMs: number[] = [];
	/** The piece each text belongs to. */
	const pieceOf = new Map<string, number>();
	let sound: KeptSound | null = null;
	let readiness: Readiness | null = null;
	let runningMs: number | null = null;
	let tail: { readonly sinceMs: number; progressMs: number } | null = null;
	let isOlder = true;
	let isCeased = false;
	let isFinishing = false;
	let cancelTick: Cancel = () => {};

	/** Notes how much of the current piece has been sent. */
	function noteSaid(): void {
		const at = begunMs.length - 1;
		const [piece, begun] = [pieces[at], begunMs[at]];
		if (!piece || begun === undefined) return;
		heardToMs[at] = Math.min(piece.toMs, piece.fromMs + clock.now() - begun);
	}

	function end(problem: Problem | null, broken: boolean): void {
		if (scope.closed) return;
		if (!broken && !isCeased) noteSaid();
		scope.close();
		abort.abort();
		sound?.close();
		voice.speak(null);
		void transport.close().catch(() => {});
		resolve({ problem, broken });
	}

	/** A broken connection counts as having heard what it finished. */
	function breakOff(problem: Problem): void {
		for (const [at, piece] of pieces.entries()) heardToMs[at] = Math.max(piece.fromMs, finishedToMs[at] ?? 0);
		end(problem, true);
	}

	function judge({ verdict, readiness: next, commands }: ReadinessStep): void {
		readiness = next;
		for (const command of commands) void transport.send(command === 'set_task' ? setTask(task) : getTask);
		if (verdict.is === 'refused') return void end(verdict.problem, false);
		if (verdict.is === 'late')
			return void end({ kind: 'interpreter-silent', afterMs: verdict.afterMs }, false);
		cancelTick();
		if (verdict.is !== 'ready') {
			const waitMs = Math.max(1, nextDueMs(next) - clock.now());
			cancelTick = scope.after(waitMs, () => judge(tick(next, clock.now())));
			return;
		}
		readiness = null;
		runningMs = clock.now();
		void play();
	}

	async function play(): Promise<void> {
		for (const [at, piece] of pieces.entries()) {
			if (at > 0) await new Promise<void>((done) => void scope.after(BETWEEN_MS, done));
			if (isCeased || scope.closed) break;
			begunMs[at] = clock.now();
			const whole = (await sound?.play(piece.slice)) ?? false;
			if (scope.closed) return;
			if (whole) heardToMs[at] = piece.toMs;
			else break;
		}
		scope.after(BEHIND_MS, () => void beginTail());
	}

	function beginTail(): void {
		if (tail) return;
		const begun = { sinceMs: clock.now(), progressMs: clock.now() };
		tail = begun;
		void transport.send(endTask({ acknowledges: !isOlder }));
		scope.every(LOOK_MS, () => {
			const now = clock.now();
			if (now - begun.progressMs >= TAIL.idleMs || now - begun.sinceMs >= TAIL.inAllMs) void finish();
		});
	}

	async function finish(): Promise<void> {
		if (isFinishing) return;
		isFinishing = true;
		await voice.settled();
		end(null, false);
	}

	function take(message: ServerMessage): void {
		if (message.type === 'task-status') isOlder = false;
		if (message.type === 'transcript') told(message);
		if (message.type === 'end-of-stream' && tail) void finish();
		if (readiness) judge(hear(readiness, message, clock.now()));
	}

	function told(message: TranscriptMessage): void {
		if (runningMs === null || begunMs.length === 0) return;
		if (tail) tail.progressMs = clock.now();
		const at = pieceOf.get(message.transcriptionId) ?? placeOf(message.startS, runningMs);
		pieceOf.set(message.transcriptionId, at);
		const piece = pieces[at];
		const zeroMs = (piece?.fromMs ?? 0) - ((begunMs[at] ?? runningMs) - runningMs);
		if (message.kind === 'source' && message.final && message.endS !== null)
			finishedToMs[at] = Math.max(finishedToMs[at] ?? 0, zeroMs + message.endS * 1000);
		parts.heard(message, at, zeroMs);
	}

	/** The last piece that had begun by then; without a time, the current one. */
	function placeOf(startS: number | null, streamMs: number): number {
		if (startS === null) return begunMs.length - 1;
		return Math.max(
			0,
			begunMs.findLastIndex((ms) => (ms - streamMs) / 1000 <= startS + SLACK_S),
		);
	}

	function heard(event: TransportEvent): void {
		if (scope.closed) return;
		if (event.type === 'message') return void take(event.message);
		if (event.type === 'voice' && voiceOf !== null && matchLanguage(event.language, [voiceOf]) !== null)
			return void voice.speak(event.track);
		// The service closes after its end of the stream; the voice may still wait for its turn.
		if (isFinishing || event.type !== 'link' || event.link.state === 'up') return;
		const { link } = event;
		breakOff(link.state === 'down' ? link.problem : { kind: 'connection-lost', reason: link.cause });
	}

	async function begin(): Promise<void> {
		scope.add(transport.listen(heard));
		const opened = await transport.open(abort.signal);
		if (scope.closed) return;
		if (!opened.ok) return void end(opened.error, OF_THE_NETWORK.has(opened.error.kind));
		sound = parts.openSound();
		if (!sound) return void end({ kind: 'bug', where: 'late-sending: no sound' }, false);
		await transport.setMicrophone(sound.track);
		if (scope.closed) return;
		const confirming = confirmTask(clock.now());
		judge({ ...confirming, verdict: { is: 'waiting' }, tell: false });
	}

	void begin().catch(() => end({ kind: 'bug', where: 'late-sending' }, false));

	return {
		outcome,
		heardToMs,
		cease() {
			if (isCeased) return;
			noteSaid();
			isCeased = true;
			if (runningMs === null) return void end(null, false);
			sound?.stop();
		},
		close: () => end(null, false),
	};
}

const OF_THE_NETWORK: ReadonlySet<Problem['kind']> = new Set([
	'service-unreachable',
	'proxy-refused',
	'not-the-service',
	'timed-out',
	'connection-lost',
]);
