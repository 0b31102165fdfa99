import {
	type ControlDown,
	ControlUp,
	packMessage,
	type StreamOpening,
	type VoiceFrame,
} from '#shared/host/streams.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';

/** Our end of one MessagePort. */
export interface PortEnd {
	post(value: unknown): void;
	/** Called once; messages that came before are told then. */
	listen(heard: (value: unknown) => void): void;
	/** The other end is gone. */
	closed(heard: () => void): void;
	close(): void;
}

/** Our ends of the three ports of a stream. */
export interface StreamEnds {
	readonly control: PortEnd;
	readonly capture: PortEnd;
	readonly voice: PortEnd;
}

/** What a port carries: a conversation over a socket. */
export interface SpeechLink {
	/** Resolves when the socket is up. A failed one leaves nothing behind. */
	open(signal: AbortSignal): Promise<Result<void, Problem>>;
	send(command: ClientMessage): boolean;
	/** Mono 16 bit, 24 kHz. */
	audio(samples: Int16Array): void;
	close(): Promise<void>;
	counts(): { readonly chunksSent: number; readonly chunksReceived: number; readonly roundTripMs: number };
}

export type SpeechLinkEvent =
	| { readonly type: 'message'; readonly message: ServerMessage }
	| { readonly type: 'audio'; readonly frame: VoiceFrame }
	| { readonly type: 'up' }
	| { readonly type: 'restoring'; readonly cause: string }
	| { readonly type: 'closed'; readonly problem: Problem }
	| { readonly type: 'speech-lost'; readonly ms: number };

export interface StreamsParts {
	readonly clock: Clock;
	readonly log: Logger;
	/** Gives the window its ends and keeps ours; null when there is no window. */
	readonly createPorts: (stream: string) => StreamEnds | null;
	readonly createLink: (
		options: Pick<StreamOpening, 'keepSpeech' | 'chunkMs'>,
		heard: (event: SpeechLinkEvent) => void,
	) => SpeechLink;
}

/** The streams the window has open: sockets here, sound and messages over ports. */
export interface Streams {
	open(opening: StreamOpening): Promise<Result<void, Problem>>;
	/** Resolves when the socket is closed. */
	close(stream: string): Promise<void>;
	/** The page is gone, or the account changes. */
	closeAll(): Promise<void>;
}

/** Often enough to see the first packet leave, seldom enough to cost nothing. */
const COUNTS_MS = 250;
/** One conversation has one leg; a second may be closing. More is a mistake of ours. */
const MOST_STREAMS = 4;

interface Stream {
	readonly link: SpeechLink;
	readonly scope: Scope;
	end(): Promise<void>;
}

export function createStreams({ clock, log, createPorts, createLink }: StreamsParts): Streams {
	const streams = new Map<string, Stream>();

	function begin(opening: StreamOpening, ends: StreamEnds, abort: AbortController): Stream {
		const id = opening.stream;
		const scope = createScope(clock);
		const tell = (message: ControlDown) => {
			if (!scope.closed) ends.control.post(message);
		};
		const link = createLink(opening, (event) => {
			if (scope.closed) return;
			switch (event.type) {
				case 'message': {
					const message = packMessage(event.message);
					if (message) tell({ type: 'message', message });
					return;
				}
				case 'audio':
					return ends.voice.post(event.frame);
				case 'closed':
					tell({ type: 'down', problem: event.problem });
					return void stream.end();
				default:
					tell(event);
			}
		});
		let ending: Promise<void> | null = null;

		async function end(): Promise<void> {
			scope.close();
			abort.abort();
			await link.close();
			// A moment later the last words are over; then the ports go.
			for (const port of [ends.control, ends.capture, ends.voice]) port.close();
			if (streams.get(id) === stream) streams.delete(id);
		}

		const stream: Stream = {
			link,
			scope,
			end() {
				ending ??= end();
				return ending;
			},
		};
		ends.control.listen((value) => {
			const parsed = ControlUp.safeParse(value);
			if (!parsed.success) return log.warn('a stream said what is not in the contract');
			if (parsed.data.type === 'close') return void stream.end();
			link.send(parsed.data.command);
		});
		ends.capture.listen((value) => {
			if (!scope.closed && value instanceof Int16Array) link.audio(value);
		});
		// No call needs to be missed for it: a page that died says nothing.
		ends.control.closed(() => void stream.end());
		scope.every(COUNTS_MS, () => tell({ type: 'counts', ...link.counts() }));
		return stream;
	}

	async function closeAll(): Promise<void> {
		await Promise.all([...streams.values()].map((stream) => stream.end()));
	}

	return {
		async open(opening) {
			const id = opening.stream;
			if (streams.has(id) || streams.size >= MOST_STREAMS) return err({ kind: 'bug', where: 'stream.open' });
			const ends = createPorts(id);
			if (!ends) return err({ kind: 'cancelled' });
			const abort = new AbortController();
			const stream = begin(opening, ends, abort);
			streams.set(id, stream);
			const opened = await stream.link.open(abort.signal);
			if (stream.scope.closed) return err({ kind: 'cancelled' });
			if (opened.ok) return ok();
			await stream.end();
			return opened;
		},
		async close(id) {
			await streams.get(id)?.end();
		},
		closeAll,
	};
}
