import { useEffect, useRef } from 'react';
import styles from './level-meter.module.css';
import { isOnScreen, listenOnScreen } from './on-screen.ts';

export interface LevelMeterProps {
	readonly label: string;
	/** Returns the level, 0 to 1; called while the meter is shown and active. */
	readonly level: () => number;
	readonly active: boolean;
	/** `after` runs `run` once after `delayMs` and returns a cancel function. */
	readonly clock: { now(): number; after(delayMs: number, run: () => void): () => void };
}

/** Update interval, ms: looks smooth. Drawing a frame takes 4 ms, so all meters move in the same frames. */
const PICTURE_MS = 80;
/** Update interval while the shown level is 0, ms: longer, so that a silent meter costs almost nothing. */
const SILENT_MS = 2 * PICTURE_MS;
/** Smallest change of the bar, percent; smaller changes are not visible. */
const STEP_PERCENT = 2;
/** Update interval of the value for assistive technology, ms. */
const VALUE_MS = 250;

/** A bar that moves without rendering React or animation frames, which redraw the whole window. */
export function LevelMeter({ label, level, active, clock }: LevelMeterProps) {
	const bar = useRef<HTMLDivElement>(null);

	useEffect(() => {
		const element = bar.current;
		if (!element) return;
		let shown = -1;
		let told = -1;
		let sinceToldMs = VALUE_MS;
		let cancel = () => {};
		function draw(): void {
			const value = active ? Math.min(1, Math.max(0, level())) : 0;
			const rounded = Math.round((value * 100) / STEP_PERCENT) * STEP_PERCENT;
			if (rounded !== shown) element?.style.setProperty('--level', String(rounded / 100));
			shown = rounded;
			if (rounded !== told && sinceToldMs >= VALUE_MS) {
				element?.setAttribute('aria-valuenow', String(rounded));
				told = rounded;
				sinceToldMs = 0;
			}
			if (!active || !isOnScreen()) return;
			const nextMs = (rounded > 0 ? PICTURE_MS : SILENT_MS) - (clock.now() % PICTURE_MS);
			sinceToldMs += nextMs;
			cancel = clock.after(nextMs, draw);
		}
		/** Runs only while the window is visible. */
		function follow(): void {
			cancel();
			draw();
		}
		follow();
		const end = listenOnScreen(follow);
		return () => {
			cancel();
			end();
		};
	}, [level, active, clock]);

	return (
		// biome-ignore lint/a11y/useSemanticElements: <meter> cannot be drawn in our colours in every theme
		<div
			ref={bar}
			role="meter"
			aria-label={label}
			aria-valuemin={0}
			aria-valuemax={100}
			aria-valuenow={0}
			className={styles.meter}
		>
			<span className={styles.fill}>
				<span className={styles.scale} />
			</span>
		</div>
	);
}
