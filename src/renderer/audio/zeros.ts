import { FLOOR_DB, type Level } from '#shared/audio/level.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Microphone } from './microphone.ts';

export interface ZerosParts {
	readonly clock: Clock;
	/** Readings of a track, so many ms apart; returns a function that ends it. */
	readonly tap: (track: MediaStreamTrack, heard: (level: Level) => void, periodMs: number) => Cancel;
	/** How long it must deliver nothing but zeros before that is reported. */
	readonly afterMs: number;
	readonly tell: (zeros: boolean) => void;
}

/** Often enough to report in time, rarely enough to cost nothing. */
const PERIOD_MS = 250;

/**
 * The same source, which reports when it delivers nothing but digital silence, and when sound comes again. Reports
 * nothing while muted.
 */
export function withZeros(source: Microphone, { clock, tap, afterMs, tell }: ZerosParts): Microphone {
	let untap: Cancel = () => {};
	let muted = false;
	let soundMs = clock.now();
	let told = false;

	function set(zeros: boolean): void {
		if (zeros === told) return;
		told = zeros;
		tell(zeros);
	}

	function begin(): void {
		soundMs = clock.now();
		set(false);
	}

	function watch(track: MediaStreamTrack): void {
		untap();
		begin();
		untap = tap(
			track,
			({ peakDb }) => {
				if (peakDb > FLOOR_DB) begin();
				else if (!muted && clock.now() - soundMs >= afterMs) set(true);
			},
			PERIOD_MS,
		);
	}

	return {
		...source,
		get device() {
			return source.device;
		},
		async open() {
			const opened = await source.open();
			if (opened.ok) watch(opened.value);
			return opened;
		},
		setMuted(next) {
			muted = next;
			begin();
			source.setMuted(next);
		},
		close() {
			untap();
			untap = () => {};
			begin();
			source.close();
		},
		listen: (heard) =>
			source.listen((event) => {
				if (event.type === 'replaced') watch(event.track);
				heard(event);
			}),
	};
}
