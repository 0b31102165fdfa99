import styles from './icon.module.css';

/** Paths on a 24 × 24 grid, drawn with round 1.75 strokes. */
const paths = {
	microphone:
		'M12 3.5a3 3 0 0 0-3 3V12a3 3 0 0 0 6 0V6.5a3 3 0 0 0-3-3ZM5.5 11.5V12a6.5 6.5 0 0 0 13 0v-.5M12 18.5v2.5',
	'microphone-off':
		'M9 6.5a3 3 0 0 1 6 0V12M15 14.2A3 3 0 0 1 9 12V9.5M5.5 11.5V12a6.5 6.5 0 0 0 10.6 5M18.5 11.5V12c0 .9-.2 1.700-.5 2.500M12 18.500V21M4 4l16 16',
	pause: 'M9 6v12M15 6v12',
	resume: 'M8 5.500v13l10-6.500Z',
	swap: 'M4 9h14l-3.500-3.500M20 15H6l3.500 3.500',
	settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
	close: 'M6.500 6.500l11 11M17.500 6.500l-11 11',
	plus: 'M12 5.500v13M5.500 12h13',
	down: 'M6.500 9.500 12 15l5.500-5.500',
	back: 'M14.500 6 8.500 12l6 6',
	copy: 'M9 9h10v11H9ZM15 9V4.500H5V15h4',
	save: 'M12 4v11M7.500 11 12 15.500 16.500 11M5 20h14',
	speaker: 'M4.500 9.500v5H8l5 4v-13l-5 4ZM16.500 9a4.500 4.500 0 0 1 0 6M19 6.500a8 8 0 0 1 0 11',
	check: 'M5.500 12.500 10 17l8.500-9.500',
	skip: 'M5 6.500v11l8-5.500ZM14 6.500v11l6-5.500Z',
	bolt: 'M13 3.500 5.500 13.500H12l-1 7 7.500-10H12Z',
	balance:
		'M12 4v16M8 20h8M5 7.500h14M5 7.500 2.500 13a2.800 2.800 0 0 0 5 0ZM19 7.500 16.500 13a2.800 2.800 0 0 0 5 0Z',
	target: 'M12 4.500a7.500 7.500 0 1 0 0 15 7.500 7.500 0 0 0 0-15ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
	clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 8v4.500l3 2',
	alert: 'M12 4.500 3.500 19h17ZM12 10v4M12 16.500v.1',
	info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 11v5M12 8v.1',
	trash: 'M5 7h14M9.500 7V4.500h5V7M7 7l1 13h8l1-13',
	key: 'M14.500 4.500a5 5 0 1 0-4.600 7L8 13.500v2H6v2H4V20h3l6.500-6.500M16 8v.1',
	flask:
		'M9.500 4h5M10.500 4v6L5 18.500c-.6 1 .1 1.500 1 1.500h12c.9 0 1.600-.5 1-1.500L13.500 10V4M8 14.500h8',
	'text-smaller': 'M4 18 8.500 7 13 18M5.500 14.500h6M16.500 11.500h5',
	'text-larger': 'M3 18 8 5.500 13 18M4.800 13.500h6.400M16 11.500h6M19 8.500v6',
	captions: 'M4 6h16v12H4ZM7.500 12h4M7.500 15h7M14 12h2.500',
} as const;

export type IconName = keyof typeof paths;

/** Decoration only: the control it sits in carries the name. Arrows that point along the text turn with it. */
export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: 16 | 20 | 24 | 28 }) {
	return (
		<svg
			aria-hidden="true"
			className={`${styles.icon} ${name === 'back' || name === 'skip' ? styles.turns : ''}`}
			width={size}
			height={size}
			viewBox="0 0 24 24"
		>
			<path d={paths[name]} />
		</svg>
	);
}

/** Start and Stop are filled, so that they read at a glance. */
export function FilledIcon({ name }: { readonly name: 'start' | 'stop' | 'dot' }) {
	return (
		<svg aria-hidden="true" className={styles.filled} width="18" height="18" viewBox="0 0 18 18">
			{name === 'start' && (
				<path d="M9 1.500a3 3 0 0 0-3 3v4.200a3 3 0 0 0 6 0V4.500a3 3 0 0 0-3-3ZM3.300 8a.9.9 0 0 0-.9.9 6.600 6.600 0 0 0 5.700 6.500v1.400h1.800v-1.400a6.600 6.600 0 0 0 5.700-6.500.9.9 0 1 0-1.800 0 4.800 4.800 0 0 1-9.600 0 .9.9 0 0 0-.9-.9Z" />
			)}
			{name === 'stop' && <rect x="3" y="3" width="12" height="12" rx="2.500" />}
			{name === 'dot' && <circle cx="9" cy="9" r="6" />}
		</svg>
	);
}
