import type { SocketHeard, Sockets, SocketTarget } from '#main/streaming/socket.ts';
import type { PortEnd, StreamEnds } from '#main/streaming/streams.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** A socket whose other end the test plays. */
interface FakeLine {
	readonly target: SocketTarget;
	/** The messages sent, by name; sound as `audio`. */
	readonly sent: string[];
	readonly heard: SocketHeard;
	/** Sound that has not left yet, ms. */
	waitingMs: number;
	closed: boolean;
}

/** `refusals`: problems with which opening ends, in turn; after the last it succeeds, with a round trip of 42 ms. */
export function createFakeSockets(
	refusals: Problem[],
	sent: (name: string) => void = () => {},
): Sockets & { readonly lines: readonly FakeLine[]; readonly line: () => FakeLine } {
	const lines: FakeLine[] = [];
	return {
		lines,
		line() {
			const last = lines.at(-1);
			if (!last) throw new Error('no socket was opened');
			return last;
		},
		async open(target, heard) {
			const refusal = refusals.shift();
			if (refusal) return err(refusal);
			const line: FakeLine = { target, sent: [], heard, waitingMs: 0, closed: false };
			lines.push(line);
			return ok({
				send(data) {
					const { message_type: name } = JSON.parse(String(data)) as { message_type: string };
					line.sent.push(name);
					sent(name);
					return true;
				},
				sendAudio: () => line.sent.push('audio') > 0,
				get waitingMs() {
					return line.waitingMs;
				},
				roundTripMs: 42,
				async close() {
					line.closed = true;
				},
			});
		},
	};
}

/** Main's end of a port, with the page in the test's hand. */
interface FakeEnd {
	readonly end: PortEnd;
	/** The messages from main. */
	readonly posted: readonly unknown[];
	/** The page says something. */
	say(value: unknown): void;
	/** The page is gone. */
	leave(): void;
	closes(): number;
}

function createFakeEnd(): FakeEnd {
	const posted: unknown[] = [];
	let heard: (value: unknown) => void = () => {};
	let gone: () => void = () => {};
	let closes = 0;
	const end: PortEnd = {
		post: (value) => void posted.push(value),
		listen: (next) => {
			heard = next;
		},
		closed: (next) => {
			gone = next;
		},
		close: () => {
			closes += 1;
		},
	};
	return { end, posted, say: (value) => heard(value), leave: () => gone(), closes: () => closes };
}

export interface FakePorts {
	readonly ends: StreamEnds;
	readonly control: FakeEnd;
	readonly capture: FakeEnd;
	readonly voice: FakeEnd;
	/** How often any of the three ports was closed. */
	closes(): number;
}

export function createFakePorts(): FakePorts {
	const [control, capture, voice] = [createFakeEnd(), createFakeEnd(), createFakeEnd()];
	return {
		ends: { control: control.end, capture: capture.end, voice: voice.end },
		control,
		capture,
		voice,
		closes: () => control.closes() + capture.closes() + voice.closes(),
	};
}
