import { Worker } from 'node:worker_threads';
import { type Combination, parseCombination } from '#shared/keys/combination.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { usesWayland } from '#shared/overlay/placement.ts';
import type { HeldKeys } from './held-keys.ts';
import type { PortalOrder, PortalReport } from './portal-bus.ts';

/** Modifiers by the names of the XDG specification of shortcuts, in its order. */
const MODIFIERS = [
	['Mod', 'CTRL'],
	['Ctrl', 'CTRL'],
	['Alt', 'ALT'],
	['Shift', 'SHIFT'],
] as const;

/** Keysym names, where they differ from our name of the key. */
const KEYSYMS: Readonly<Record<string, string>> = {
	Enter: 'Return',
	Space: 'space',
	Plus: 'plus',
	Backspace: 'BackSpace',
	Tab: 'Tab',
	Escape: 'Escape',
	PageUp: 'Page_Up',
	PageDown: 'Page_Down',
	ArrowUp: 'Up',
	ArrowDown: 'Down',
	ArrowLeft: 'Left',
	ArrowRight: 'Right',
	'?': 'question',
	'!': 'exclam',
	',': 'comma',
	'.': 'period',
	'-': 'minus',
	'/': 'slash',
	';': 'semicolon',
	':': 'colon',
	'#': 'numbersign',
	'*': 'asterisk',
	"'": 'apostrophe',
	'"': 'quotedbl',
	'(': 'parenleft',
	')': 'parenright',
	'=': 'equal',
	_: 'underscore',
	'[': 'bracketleft',
	']': 'bracketright',
	'<': 'less',
	'>': 'greater',
	'&': 'ampersand',
};

/** Time for the worker to load, even on a slow machine. */
const START_LIMIT_MS = 15_000;

export interface PortalKeysParts {
	readonly env: NodeJS.ProcessEnv;
	/** The file of portal-bus.ts: as built, `portal-bus.js`. */
	readonly script: string;
	readonly clock: Clock;
	readonly log: Logger;
	/** The text that the desktop shows beside the keys, in the interface's language. */
	readonly title: () => string;
	/** Called when the keys go down or up. */
	readonly held: (down: boolean) => void;
	/** Called when `works` has changed. */
	readonly changed: () => void;
}

/** Whether this session may have a portal that reports keys in other programs; the portal itself is asked only when needed. */
export function mayHavePortal(platform: string, env: NodeJS.ProcessEnv): boolean {
	return platform === 'linux' && usesWayland(env, '') && Boolean(env.DBUS_SESSION_BUS_ADDRESS);
}

/**
 * Keys held in other programs, as the desktop reports them: GlobalShortcuts of the XDG desktop portal (GNOME
 * 48, KDE Plasma 5.27, Hyprland). The desktop asks the person once, may choose other keys, and reports each
 * press and release of these keys only. Without a portal, or when it refuses, `works` becomes false.
 */
export function createPortalKeys(parts: PortalKeysParts): HeldKeys {
	const { log, held, changed } = parts;
	let works = true;
	let wanted = '';
	let isDown = false;
	let session: { close(): void } | null = null;

	function tell(down: boolean): void {
		if (down === isDown) return;
		isDown = down;
		held(down);
	}

	function end(): void {
		wanted = '';
		session?.close();
		session = null;
		tell(false);
	}

	return {
		works: () => works,
		follow(texts) {
			const combinations = texts.flatMap((text) => parseCombination(text) ?? []);
			const next = works ? JSON.stringify(combinations) : '[]';
			if (next === wanted) return;
			end();
			if (next === '[]') return;
			wanted = next;
			const down = new Set<string>();
			const mine = openSession(parts, combinations, {
				key(id, isPressed) {
					if (isPressed) down.add(id);
					else down.delete(id);
					if (session === mine) tell(down.size > 0);
				},
				ended(cause) {
					if (session !== mine) return;
					log.warn('keys cannot be held in other programs', { failure: cause });
					works = false;
					end();
					changed();
				},
			});
			session = mine;
		},
		close: end,
	};
}

interface SessionEvents {
	/** Called when one of the combinations, identified by its number, went down or up. */
	key(id: string, isPressed: boolean): void;
	/** The session failed or has ended; also called after `close`, and more than once. */
	ended(cause: string): void;
}

/**
 * Asks the portal for these combinations; `close` ends it by dropping the connection. The bus is used in a
 * worker: any program may send us a message that crashes the D-Bus library, and only the keys may stop
 * working then.
 */
function openSession(
	{ env, script, clock, title }: PortalKeysParts,
	combinations: readonly Combination[],
	events: SessionEvents,
): { close(): void } {
	const workerData: PortalOrder = {
		busAddress: env.DBUS_SESSION_BUS_ADDRESS ?? '',
		shortcuts: combinations.map((one, number) => ({
			id: `talk-${number}`,
			description: title(),
			trigger: portalTrigger(one),
		})),
	};
	const worker = new Worker(script, {
		workerData,
		execArgv: [],
		resourceLimits: { maxOldGenerationSizeMb: 64 },
	});
	let stopWaiting = () => {};
	function wait(what: string, ms: number): void {
		stopWaiting();
		stopWaiting = clock.after(ms, () => fail(new Error(`${what}: no answer`)));
	}
	function close(): void {
		stopWaiting();
		void worker.terminate();
	}
	function fail(cause: Error): void {
		close();
		events.ended(cause.message);
	}
	worker.on('error', fail);
	worker.on('exit', () => fail(new Error('the worker has ended')));
	worker.on('message', (report: PortalReport) => {
		if (report.type === 'asks') wait(report.what, report.ms);
		else if (report.type === 'answered') stopWaiting();
		else if (report.type === 'key') events.key(report.id, report.isPressed);
		else fail(new Error(report.cause));
	});
	wait('start', START_LIMIT_MS);
	return { close };
}

/** A combination as a portal takes it (`CTRL+SHIFT+F8`); null: no name that we know, so the desktop chooses. */
export function portalTrigger({ modifiers, key }: Combination): string | null {
	const named = Object.hasOwn(KEYSYMS, key) ? KEYSYMS[key] : undefined;
	const keysym =
		named ?? (/^([A-Z]|\d)$/.test(key) ? key.toLowerCase() : /^[A-Z]\w+$/.test(key) ? key : null);
	if (keysym === null) return null;
	const held = MODIFIERS.filter(([name]) => modifiers.includes(name)).map(([, name]) => name);
	return [...new Set(held), keysym].join('+');
}
