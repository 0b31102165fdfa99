import type { SocketHeard, Sockets, SocketTarget } from '#main/streaming/socket.ts';
import { err, ok } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** A socket whose other end the test plays. */
export interface FakeLine {
	readonly target: SocketTarget;
	/** What was sent, by name; sound as `audio`. */
	readonly sent: string[];
	readonly heard: SocketHeard;
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
			const line: FakeLine = { target, sent: [], heard, closed: false };
			lines.push(line);
			return ok({
				send(data) {
					const { message_type: name } = JSON.parse(String(data)) as { message_type: string };
					line.sent.push(name);
					sent(name);
					return true;
				},
				sendAudio: () => line.sent.push('audio') > 0,
				waitingMs: 0,
				roundTripMs: 42,
				async close() {
					line.closed = true;
				},
			});
		},
	};
}
