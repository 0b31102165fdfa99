import { createActivity } from '#shared/sound/activity.ts';
import { type TapParts, tapLevel } from './level-tap.ts';
import type { SharedMicrophone } from './shared-microphone.ts';

/** Somebody at the table speaks; the pauses inside a sentence belong to it. */
const SPEECH = { onDb: -42, offDb: -50, attackMs: 120, holdMs: 900 };

/**
 * Reports when somebody starts or stops speaking into a gated microphone: a closed gate sends silence. `wanted` is
 * asked each time the microphone is opened. Returns a function that ends it.
 */
export function watchSpeech(
	parts: TapParts,
	shared: Pick<SharedMicrophone<string>, 'watch'>,
	wanted: () => boolean,
	heard: (speaking: boolean) => void,
): () => void {
	const activity = createActivity(SPEECH);
	let untap = () => {};

	function follow(tracks: readonly MediaStreamTrack[]): void {
		untap();
		untap = () => {};
		if (activity.active) heard(false);
		activity.reset();
		const [track] = tracks;
		if (!track || !wanted()) return;
		untap = tapLevel(parts, track, ({ rmsDb }) => {
			const before = activity.active;
			const now = activity.push(rmsDb, parts.clock.now());
			if (now !== before) heard(now);
		});
	}

	const unwatch = shared.watch(follow);
	return () => {
		unwatch();
		untap();
	};
}
