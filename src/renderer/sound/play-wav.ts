import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { s16ToFloat } from '#shared/sound/pcm.ts';
import { turnTone } from '#shared/sound/tones.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import type { OutputDevice } from './output.ts';

interface PlayOptions {
	/** `null` = the system default. */
	readonly output: OutputDevice | null;
	/** 0..1 */
	readonly volume: number;
	/** Fails if playback has not ended within this time, ms. */
	readonly limitMs: number;
	/** 0.5 to 2, without changing the pitch; default 1. */
	readonly speed?: number;
	/** Stops playback, which then counts as complete. */
	readonly signal?: AbortSignal;
	readonly started?: () => void;
}

/** Plays a WAV as a voice is played, to its end. Fails with `output-missing` or `output-blocked`. */
export async function playWav(
	{ clock }: { readonly clock: Clock },
	wav: Uint8Array<ArrayBuffer>,
	{ output, volume, limitMs, speed = 1, signal, started }: PlayOptions,
): Promise<Result<void, Problem>> {
	if (signal?.aborted) return ok();
	const address = URL.createObjectURL(new Blob([wav], { type: 'audio/wav' }));
	const element = new Audio(address);
	element.volume = volume;
	element.playbackRate = speed;
	const missing: Problem = { kind: 'output-missing', device: output?.label ?? '' };
	let cancel = () => {};
	try {
		if (output) await element.setSinkId(output.id);
		if (signal?.aborted) return ok();
		const ended = new Promise<Result<void, Problem>>((resolve) => {
			element.addEventListener('ended', () => resolve(ok()), { once: true });
			element.addEventListener('error', () => resolve(err(missing)), { once: true });
			signal?.addEventListener('abort', () => resolve(ok()), { once: true });
			cancel = clock.after(limitMs, () => resolve(err(missing)));
		});
		await element.play();
		started?.();
		return await ended;
	} catch (failure) {
		const blocked = failure instanceof DOMException && failure.name === 'NotAllowedError';
		return err(blocked ? { kind: 'output-blocked' } : missing);
	} finally {
		cancel();
		element.pause();
		element.removeAttribute('src');
		URL.revokeObjectURL(address);
	}
}

const TAIL_S = 0.25;
/** A tone later than this, ms, is dropped, because it would interrupt a sentence. */
const LIMIT_MS = 2000;

/** Plays "Your turn" where the call hears the user. If the device is gone, plays nothing rather than use another. */
export function playCallTone(clock: Clock, output: OutputDevice): Promise<Result<void, Problem>> {
	const { samples, rateHz } = turnTone();
	// Add silence, so that the device has played the tone before its stream is closed.
	const heard = new Float32Array(samples.length + TAIL_S * rateHz);
	s16ToFloat(samples, heard);
	return playWav({ clock }, encodeWav(heard, rateHz), { output, volume: 1, limitMs: LIMIT_MS });
}
