import { useEffect, useRef } from 'react';
import styles from './level-meter.module.css';

export interface LevelMeterProps {
	readonly label: string;
	/** 0 to 1, read once per frame while shown. */
	readonly level: () => number;
	readonly active: boolean;
}

/** Frames between updates of the value assistive technology reads; the bar itself moves every frame. */
const FRAMES_PER_VALUE = 15;

/** A bar that moves without rendering React: it writes one custom property per frame. */
export function LevelMeter({ label, level, active }: LevelMeterProps) {
	const bar = useRef<HTMLDivElement>(null);

	useEffect(() => {
		const element = bar.current;
		if (!element) return;
		let frame = 0;
		let count = 0;
		let shown = -1;
		function draw(): void {
			frame = requestAnimationFrame(draw);
			const value = active ? Math.min(1, Math.max(0, level())) : 0;
			const rounded = Math.round(value * 100);
			if (rounded !== shown) {
				shown = rounded;
				element?.style.setProperty('--level', String(rounded / 100));
			}
			count += 1;
			if (count % FRAMES_PER_VALUE === 1) element?.setAttribute('aria-valuenow', String(rounded));
		}
		draw();
		return () => cancelAnimationFrame(frame);
	}, [level, active]);

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
		/>
	);
}
