import type { Microphone, MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

export interface LoopbackParts {
	readonly media: Pick<MediaDevices, 'getDisplayMedia'>;
	readonly log: Logger;
	/** Asks main for permission to capture; the returned function gives it up. */
	readonly leave: () => Promise<Result<Cancel, Problem>>;
}

/** Not in TypeScript's list yet: leaves our own voice out (Chromium). */
interface LoopbackAudio extends MediaTrackConstraints {
	readonly restrictOwnAudio: boolean;
}

const audio: LoopbackAudio = {
	restrictOwnAudio: true,
	echoCancellation: false,
	noiseSuppression: false,
	autoGainControl: false,
};

/** From `open` to `close`. */
interface Holding {
	track: MediaStreamTrack | null;
	giveBack: Cancel;
}

/**
 * What the computer plays, by the shell's loopback (Windows, macOS): everything at once, our own voice left out by the
 * browser. Opening it requires a user gesture.
 */
export function createLoopbackSound({ media, log, leave }: LoopbackParts): Microphone {
	const listeners = createListeners<[event: MicrophoneEvent]>();
	let holding: Holding | null = null;
	let muted = false;

	function tell(event: MicrophoneEvent): void {
		listeners.tell(event);
	}

	function close(): void {
		const held = holding;
		holding = null;
		held?.track?.stop();
		held?.giveBack();
	}

	return {
		async open() {
			if (holding?.track?.readyState === 'live') return ok(holding.track);
			close();
			const held: Holding = { track: null, giveBack: () => {} };
			holding = held;
			const given = await leave();
			if (holding !== held) {
				if (given.ok) given.value();
				return err({ kind: 'cancelled' });
			}
			if (!given.ok) {
				close();
				return given;
			}
			held.giveBack = given.value;
			const captured = await capture(media);
			if (holding !== held) {
				if (captured.ok) captured.value.stop();
				return err({ kind: 'cancelled' });
			}
			if (!captured.ok) {
				log.warn('no loopback', { problem: captured.error.kind });
				close();
				return captured;
			}
			const track = captured.value;
			track.enabled = !muted;
			held.track = track;
			// Not fired when we stop it ourselves. Without a user gesture it cannot be opened again.
			track.addEventListener('ended', () => {
				if (holding !== held) return;
				log.warn('loopback ended');
				tell({ type: 'lost', problem: { kind: 'system-sound-failed', reason: 'loopback ended' } });
			});
			return captured;
		},
		setMuted(next) {
			muted = next;
			if (holding?.track) holding.track.enabled = !next;
		},
		close,
		listen: listeners.listen,
		device: '',
		async apply() {},
	};
}

/** Sound alone; where that is refused (plain Chromium wants a picture), with a picture that is stopped at once. */
async function capture(media: LoopbackParts['media']): Promise<Result<MediaStreamTrack, Problem>> {
	const alone = await ask(media, { video: false, audio });
	// A refusal by the person or the system applies to both.
	const asked =
		alone.ok || alone.error.kind === 'system-sound-denied' ? alone : await ask(media, { video: true, audio });
	if (!asked.ok) return asked;
	for (const track of asked.value.getVideoTracks()) track.stop();
	const [track, ...rest] = asked.value.getAudioTracks();
	for (const one of rest) one.stop();
	return track ? ok(track) : err({ kind: 'system-sound-unsupported' });
}

async function ask(
	media: LoopbackParts['media'],
	wanted: DisplayMediaStreamOptions,
): Promise<Result<MediaStream, Problem>> {
	try {
		return ok(await media.getDisplayMedia(wanted));
	} catch (cause) {
		const name = cause instanceof Error ? cause.name : '';
		if (name === 'NotAllowedError') return err({ kind: 'system-sound-denied' });
		if (name === 'NotSupportedError' || name === 'NotFoundError')
			return err({ kind: 'system-sound-unsupported' });
		return err({ kind: 'system-sound-failed', reason: name });
	}
}
