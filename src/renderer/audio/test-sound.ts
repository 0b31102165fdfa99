import { chime } from '#shared/audio/chime.ts';
import { encodeWav } from '#shared/audio/wav.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { OutputDevice } from './output.ts';

/** Longer than the chime by far; a device that has not played it by then does not play. */
const LIMIT_MS = 5000;

/**
 * Plays a chime on an output (`null` = the system default) the way a voice is played. Resolves when
 * it has ended: `output-missing` when the device refuses, `output-blocked` when the browser does.
 */
export async function playTestSound(
	parts: { readonly clock: Clock },
	output: OutputDevice | null,
	volume = 1,
): Promise<Result<void, Problem>> {
	const { samples, rateHz } = chime();
	const address = URL.createObjectURL(new Blob([encodeWav(samples, rateHz)], { type: 'audio/wav' }));
	const element = new Audio(address);
	element.volume = volume;
	const missing: Problem = { kind: 'output-missing', device: output?.label ?? '' };
	let cancel = () => {};
	try {
		if (output) await element.setSinkId(output.id);
		const ended = new Promise<Result<void, Problem>>((resolve) => {
			element.addEventListener('ended', () => resolve(ok()), { once: true });
			element.addEventListener('error', () => resolve(err(missing)), { once: true });
			cancel = parts.clock.after(LIMIT_MS, () => resolve(err(missing)));
		});
		await element.play();
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
