import { fine, type Outcome, skipped, trouble, warning } from '#shared/diagnosis/finding.ts';
import type { Check } from '#shared/diagnosis/run-checks.ts';
import type { DiagnosisParts, Socket } from './parts.ts';

/** Making a session may take its time, and its deletion is tried again. */
const ROOM_MS = 25_000;
const SOCKET_MS = 12_000;
const sockets: readonly Socket[] = ['s2s', 'stt', 'tts'];

/** A session with its room, and the sockets. One after the other: a plan may allow one at a time. */
export function roomChecks(parts: DiagnosisParts): readonly Check[] {
	return [
		{ name: 'room', needs: ['account'], limitMs: ROOM_MS, run: (signal) => lookAtRoom(parts, signal) },
		...sockets.map(
			(product, at): Check => ({
				name: product,
				needs: ['key'],
				after: [sockets[at - 1] ?? 'room'],
				limitMs: SOCKET_MS,
				run: (signal) => lookAtSocket(parts, product, signal),
			}),
		),
	];
}

async function lookAtRoom({ room, busy, clock }: DiagnosisParts, signal: AbortSignal): Promise<Outcome> {
	if (busy()) return skipped('roomBusy');
	const started = clock.now();
	const opened = await room.open(signal);
	if (!opened.ok) return trouble(opened.error);
	const reached = signal.aborted ? null : await opened.value.signal(signal);
	const ms = Math.round(clock.now() - started);
	// In any case: whatever was found, and even if nobody listens any more.
	const closed = await opened.value.close();
	if (reached === null) return skipped('cancelled');
	if (!reached.ok) return trouble(reached.error);
	return closed.ok ? fine('roomFine', { ms }) : warning('roomLeft');
}

async function lookAtSocket(parts: DiagnosisParts, product: Socket, signal: AbortSignal): Promise<Outcome> {
	if (product === 's2s' && parts.busy()) return skipped('roomBusy');
	const started = parts.clock.now();
	const dialled = await parts.dialSocket(product, signal);
	if (dialled.ok) {
		return fine('socketFine', { host: dialled.value.host, ms: Math.round(parts.clock.now() - started) });
	}
	return dialled.error.kind === 'socket-off' ? skipped('socketOff') : trouble(dialled.error);
}
