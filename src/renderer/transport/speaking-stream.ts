import type { Host } from '#renderer/host.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { createVoicePlayer, type VoicePlayerState } from '#renderer/sound/voice-player.ts';
import { SpeakDown, type SpeakUp } from '#shared/host/streams.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { StreamPorts, StreamPortsReceiver } from './stream-ports.ts';

export type SpeakingEvent =
	| { readonly type: 'opened' }
	/** The stream could not be opened, or is gone. No further event follows. */
	| { readonly type: 'lost'; readonly problem: Problem }
	/** The stream's own voice track, which ends with the stream. */
	| { readonly type: 'voice'; readonly track: MediaStreamTrack }
	/** The next sentence of the translation that is spoken in place of a text. */
	| { readonly type: 'translated'; readonly id: string; readonly text: string }
	/** A text is now heard. */
	| { readonly type: 'sounding'; readonly id: string }
	/** A text was heard to its end. */
	| { readonly type: 'played'; readonly id: string }
	/** A text failed; `partly`: some of it was heard. */
	| { readonly type: 'failed'; readonly id: string; readonly problem: Problem; readonly partly: boolean };

/** An upgrade may take 10 s, and a refused key is tried by two methods; main has its own time limit. */
const OPEN_LIMIT_MS = 25_000;
/** Sound travels on its own port: this long after the last message, the last piece of sound has surely arrived. */
const LAST_PIECE_MS = 300;
/** How long to wait for unheard speech after the message that all of it was sent, ms. */
const ON_ITS_WAY_MS = 2000;
/** Speech still unheard this long after it should be over will not be heard: playback is blocked. */
const BLOCKED_MS = 8000;
/** Long enough that typed text is never skipped, however much waits. */
const QUEUE_MS = 60_000;

type TextEnd = Extract<SpeakDown, { readonly type: 'made' | 'failed' }>;

/** The text being spoken; `ended` is set when no more of its sound will come. */
interface Current {
	readonly id: string;
	sounding: boolean;
	ended: { readonly atMs: number; readonly said: TextEnd } | null;
}

export type SpeakingStream = ReturnType<typeof openSpeakingStream>;

/** One socket that speaks typed texts, one after another, in one language with one voice. */
export function openSpeakingStream(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly receiver: StreamPortsReceiver;
	readonly engine: AudioEngine;
	readonly clock: Clock;
	readonly language: string;
	readonly voiceId: string;
	/** Language of the texts, which are translated first. */
	readonly from?: string | undefined;
	readonly heard: (event: SpeakingEvent) => void;
}) {
	const { host, receiver, engine, clock } = parts;
	const scope = createScope(clock);
	const stream = crypto.randomUUID();
	let control: MessagePort | null = null;
	let current: Current | null = null;
	let cancelBlocked: Cancel = () => {};

	const player = createVoicePlayer({
		engine,
		clock,
		heard: (_language, track) => tell({ type: 'voice', track }),
		changed: look,
		lost: () => end({ kind: 'connection-lost', reason: 'audio' }),
	});
	player.setLimit(QUEUE_MS);
	scope.add(() => player.close());

	function tell(event: SpeakingEvent): void {
		if (!scope.closed) parts.heard(event);
	}

	function end(problem: Problem): void {
		tell({ type: 'lost', problem });
		close();
	}

	function close(): void {
		if (scope.closed) return;
		scope.close();
		void host.ask('stream.close', { stream });
	}

	function say(message: SpeakUp): void {
		control?.postMessage(message);
	}

	/** Checks whether the text is being heard, or has been heard to its end. */
	function look(states: readonly VoicePlayerState[]): void {
		if (!current) return;
		const { id, ended } = current;
		if (!current.sounding && states.some(({ audible }) => audible)) {
			current.sounding = true;
			tell({ type: 'sounding', id });
		}
		if (!ended || clock.now() - ended.atMs < LAST_PIECE_MS) return;
		// A voice that has just begun has not reported a state yet.
		if (states.length === 0 && ended.said.ms > 0) return;
		// On a busy machine the last report may be older than the speech.
		if (!current.sounding && ended.said.ms > 0 && clock.now() - ended.atMs < ON_ITS_WAY_MS) return;
		if (states.every(({ waitingMs, audible }) => waitingMs === 0 && !audible)) over(id, ended.said);
	}

	function over(id: string, said: TextEnd): void {
		cancelBlocked();
		current = null;
		if (said.type === 'made') tell({ type: 'played', id });
		else tell({ type: 'failed', id, problem: said.problem, partly: said.ms > 0 });
	}

	function hear(said: SpeakDown): void {
		// Main closed the stream, because the account changed or the program is quitting.
		if (said.type === 'closed') {
			end({ kind: 'connection-lost', reason: 'closed' });
			return;
		}
		if (!current || said.id !== current.id) return;
		if (said.type === 'translated') {
			tell(said);
			return;
		}
		current.ended = { atMs: clock.now(), said };
		scope.after(LAST_PIECE_MS, () => look(player.states()));
		cancelBlocked = scope.after(said.ms + BLOCKED_MS, () => {
			player.drop(said.id);
			over(said.id, { type: 'failed', id: said.id, ms: said.ms, problem: { kind: 'output-blocked' } });
		});
	}

	function take(ports: StreamPorts): void {
		if (scope.closed) {
			for (const port of [ports.control, ports.capture, ports.voice]) port.close();
			return;
		}
		control = ports.control;
		scope.add(() => {
			ports.control.close();
			ports.capture.close();
		});
		control.onmessage = ({ data }) => {
			const parsed = SpeakDown.safeParse(data);
			if (parsed.success && !scope.closed) hear(parsed.data);
		};
		player.playFrom(ports.voice);
	}

	async function open(): Promise<void> {
		const came = new Promise<void>((done) => {
			scope.add(
				receiver.expect(stream, (ports) => {
					take(ports);
					done();
				}),
			);
		});
		const stop = scope.after(OPEN_LIMIT_MS, () =>
			end({ kind: 'timed-out', what: 'open-socket', afterMs: OPEN_LIMIT_MS }),
		);
		const { language, voiceId, from } = parts;
		const opened = await host.ask('stream.open', {
			stream,
			purpose: 'text-to-speech',
			language,
			voiceId,
			...(from !== undefined && { from }),
		});
		// The answer and the ports arrive separately, in either order.
		if (opened.ok) await came;
		stop();
		if (scope.closed) return;
		if (opened.ok) tell({ type: 'opened' });
		else end(opened.error);
	}

	void open();
	return {
		/** Does nothing before the stream is open. Accepts one text at a time. */
		speak(id: string, text: string): void {
			if (scope.closed || !control) return;
			current = { id, sounding: false, ended: null };
			say({ type: 'speak', id, text });
		},
		/** Ignores any further sound of this text, and reports no more events about it. */
		drop(id: string): void {
			if (current?.id !== id) return;
			cancelBlocked();
			current = null;
			player.drop(id);
			say({ type: 'cancel', id });
		},
		/** Silences the voice and releases the socket. Harmless to repeat; no more events follow. */
		close,
	};
}
