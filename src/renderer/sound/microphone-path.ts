import type { Face } from '#renderer/face-to-face/create-face.ts';
import type { ConversationRecorder } from '#renderer/recording/conversation-recorder.ts';
import type { EchoGuard } from './echo-guard.ts';
import { createMicrophone, type Microphone, type MicrophoneParts } from './microphone.ts';
import type { WindowSound } from './sound.ts';

/*
 * The path from the microphone to the room: each stage is a microphone that wraps the previous one. After these
 * stages a direction watches for silence (`conversation/create-directions.ts`), and the transport sends the track
 * (`transport/room-tracks.ts`).
 */

export interface MicrophonePathParts extends Omit<MicrophoneParts, 'heard'> {
	readonly window: Pick<WindowSound, 'metered'>;
	readonly guard: Pick<EchoGuard, 'guard' | 'heard'>;
}

/** The first stages, which every conversation shares: the device, its meter, and the guard against echo. */
export function openMicrophonePath({ window, guard, ...parts }: MicrophonePathParts): Microphone {
	const opened = createMicrophone({ ...parts, heard: guard.heard });
	// Measures the device's own sound, even while the guard keeps it from being sent.
	const metered = window.metered(opened);
	return guard.guard(metered);
}

/** The stages of the direction that translates the user. */
export function outgoingMicrophone({
	talk,
	face,
	recorder,
}: {
	/** The microphone behind push to talk. */
	readonly talk: { readonly microphone: Microphone };
	readonly face: Pick<Face, 'microphoneOf'>;
	readonly recorder: Pick<ConversationRecorder, 'source'>;
}): Microphone {
	// In face-to-face mode, the other person's turn closes the microphone, regardless of push to talk.
	const inTurn = face.microphoneOf('outgoing', talk.microphone);
	// Record last, so that a recording holds exactly what is sent.
	return recorder.source(inTurn);
}
