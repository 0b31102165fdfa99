import styles from './icon.module.css';
import markStyles from './mark.module.css';

/** Paths on a 24 × 24 grid, drawn with round 1.75 strokes. */
const paths = {
	microphone:
		'M12 3.5a3 3 0 0 0-3 3V12a3 3 0 0 0 6 0V6.5a3 3 0 0 0-3-3ZM5.5 11.5V12a6.5 6.5 0 0 0 13 0v-.5M12 18.5v2.5',
	'microphone-off':
		'M9 6.5a3 3 0 0 1 6 0V12M15 14.2A3 3 0 0 1 9 12V9.5M5.5 11.5V12a6.5 6.5 0 0 0 10.6 5M18.5 11.5V12c0 .9-.2 1.7-.5 2.5M12 18.5V21M4 4l16 16',
	pause: 'M9 6v12M15 6v12',
	resume: 'M8 5.5v13l10-6.5Z',
	again: 'M5 12a7 7 0 1 0 2.3-5.2L5 9M5 4.5V9h4.5',
	swap: 'M4 9h14l-3.5-3.5M20 15H6l3.5 3.5',
	settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
	close: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
	plus: 'M12 5.5v13M5.5 12h13',
	down: 'M6.5 9.5 12 15l5.5-5.5',
	back: 'M14.5 6 8.5 12l6 6',
	copy: 'M9 9h10v11H9ZM15 9V4.5H5V15h4',
	save: 'M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14',
	speaker: 'M4.5 9.5v5H8l5 4v-13l-5 4ZM16.5 9a4.5 4.5 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11',
	'speaker-off': 'M4.5 9.5v5H8l5 4v-13l-5 4ZM16.5 9.5l5 5M21.5 9.5l-5 5',
	headphones:
		'M4.5 14v-2a7.5 7.5 0 0 1 15 0v2M4.5 13.5h3v6h-1.5a1.5 1.5 0 0 1-1.5-1.5ZM19.5 13.5h-3v6h1.5a1.5 1.5 0 0 0 1.5-1.5Z',
	person: 'M12 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM5 20a7 7 0 0 1 14 0',
	people:
		'M9 12a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM3.5 19a5.5 5.5 0 0 1 11 0M15.5 6.2a3 3 0 0 1 0 5.6M17 14.2a5.5 5.5 0 0 1 3.5 4.8',
	check: 'M5.5 12.5 10 17l8.5-9.5',
	call: 'M7.5 4.5 5 6c-.6 6.5 5.5 13 13 13l1.5-3-4-2-1.5 1.5c-2-.8-3.8-2.6-4.5-4.5l1.5-1.5Z',
	'call-off':
		'M5.8 5.5 5 6c-.3 3.3 1.1 6.6 3.5 9M12 18c1.8.700 3.9 1 6 1l1.5-3-4-2-1.5 1.5M9.8 10.5l1.2-1-2-4.5-1.5-.5M4 4l16 16',
	voice: 'M4 10.5v3M8 7.5v9M12 4.5v15M16 8v8M20 10.5v3',
	skip: 'M5 6.5v11l8-5.5ZM14 6.5v11l6-5.5Z',
	target: 'M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15ZM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z',
	clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 8v4.5l3 2',
	alert: 'M12 4.5 3.5 19h17ZM12 10v4M12 16.5v.1',
	info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 11v5M12 8v.1',
	trash: 'M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13',
	key: 'M12 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM12 12h8.5v3.5M16.5 12v2.5',
	flask: 'M9.5 4h5M10.5 4v6L5 18.5c-.6 1 .1 1.5 1 1.5h12c.9 0 1.6-.5 1-1.5L13.5 10V4M8 14.5h8',
	computer: 'M5.5 6h13v9h-13ZM3 18.5h18',
	'text-smaller': 'M4 18 8.5 7 13 18M5.5 14.5h6M16.5 11.5h5',
	'text-larger': 'M3 18 8 5.5 13 18M4.8 13.5h6.4M16 11.5h6M19 8.5v6',
	letters:
		'M2.5 18 7.5 5.5 12.5 18M4.3 13.5h6.4M14.8 15a2.9 2.9 0 1 0 5.8 0a2.9 2.9 0 1 0-5.8 0M20.6 11.8V18',
	send: 'M5 12h13M12.5 6.5l6 5.5-6 5.5',
	keyboard: 'M3.5 6.5h17v11h-17ZM7 10v.1M10.3 10v.1M13.7 10v.1M17 10v.1M8 14h8',
	pair: 'M8 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM16 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM3.5 19v-1.5a4.5 4.5 0 0 1 8.5-2M20.5 19v-1.5a4.5 4.5 0 0 0-8.5-2',
	'full-screen': 'M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15',
	'part-screen': 'M9 4.5V9H4.5M19.5 9H15V4.5M15 19.5V15h4.5M4.5 15H9v4.5',
	lock: 'M6 11h12v9H6ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.5v2',
	overlay: 'M4 5h16v11H4ZM8 20h8M7.5 12.5h9',
	audience: 'M3.5 5h17M5 5v9.5h14V5M12 14.5V17M8.5 20l3.5-3 3.5 3M8.5 11h7',
	beside: 'M4 6h6.5v12H4ZM13.5 6H20v12h-6.5Z',
	under: 'M4 5h16v5.5H4ZM4 13.5h16V19H4Z',
	outside: 'M14 5h5v5M19 5l-8 8M11 6H6v12h12v-5',
	more: 'M6 11.4l.6.6-.6.6-.6-.6ZM12 11.4l.6.6-.6.6-.6-.6ZM18 11.4l.6.6-.6.6-.6-.6Z',
	edit: 'M5 19l1-4L16 5l3 3L9 18ZM14 7l3 3',
	phrases: 'M4.5 5.5h15v10H11L7.5 19v-3.5h-3ZM8.5 9h7M8.5 12h4',
	captions: 'M4 6h16v12H4ZM7.5 12h4M7.5 15h7M14 12h2.5',
} as const;

export type IconName = keyof typeof paths;

const turning: ReadonlySet<IconName> = new Set(['back', 'send', 'skip']);

/** Decoration: the control around it has the accessible name. Arrows along the text flip with its direction. */
export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: 16 | 20 | 24 | 28 }) {
	return (
		<svg
			aria-hidden="true"
			className={`${styles.icon} ${turning.has(name) ? styles.turns : ''}`}
			width={size}
			height={size}
			viewBox="0 0 24 24"
		>
			<path d={paths[name]} />
		</svg>
	);
}

/** A filled icon: Start and Stop are filled, so that they are recognised at a glance. */
export function FilledIcon({ name }: { readonly name: 'start' | 'stop' | 'dot' }) {
	return (
		<svg aria-hidden="true" className={styles.filled} width="18" height="18" viewBox="0 0 18 18">
			{name === 'start' && (
				<path d="M9 1.500a3 3 0 0 0-3 3v4.200a3 3 0 0 0 6 0V4.500a3 3 0 0 0-3-3ZM3.3 8a.9.9 0 0 0-.9.9 6.6 6.6 0 0 0 5.7 6.500v1.400h1.800v-1.400a6.6 6.6 0 0 0 5.7-6.5.9.9 0 1 0-1.8 0 4.8 4.8 0 0 1-9.6 0 .9.9 0 0 0-.9-.9Z" />
			)}
			{name === 'stop' && <rect x="3" y="3" width="12" height="12" rx="2.5" />}
			{name === 'dot' && <circle cx="9" cy="9" r="6" />}
		</svg>
	);
}

/** The logo of the program: two voices that overlap. */
export function Mark({ size = 22 }: { readonly size?: 22 | 48 }) {
	return (
		<svg aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
			<path
				className={markStyles.first}
				d="M9 3a7 7 0 0 0-4.600 12.300L3.500 19l4-1.900c.5.1 1 .1 1.500.1A7 7 0 0 0 9 3Z"
			/>
			<path
				className={markStyles.second}
				d="M15 6.800a7 7 0 0 1 4.600 12.300l.9 2.400-3.300-1.100A7 7 0 1 1 15 6.800Z"
			/>
		</svg>
	);
}
