import axe from 'axe-core';
import { createRoot, type Root } from 'react-dom/client';
import { App } from '#renderer/shell/app.tsx';
import { preloadPages } from '#renderer/shell/pages.tsx';
import { Providers } from '#renderer/shell/providers.tsx';
import '#renderer/ui/fonts.css';
import '#renderer/window.css';
import type { InterfaceLanguage } from '#shared/i18n/interface-languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { allWords } from '#test/support/all-words.ts';
import type { FakeWindow } from '#test/support/fake-window.ts';
import { type WindowState, windowStates } from '#test/support/window-states.ts';
import { focusOutOfView, judge, wrongRings } from './judge.ts';

/** What the walk asks of the page, which shows the real window over a scripted main process. */
export interface Looks {
	readonly states: readonly string[];
	/** Shows it in English; resolves when it is complete. */
	show(state: string): Promise<void>;
	/** Notes what presses have opened since `show`; resolves once it can be seen. */
	opened(): Promise<void>;
	/** Whether all of that is still there; false if nothing was opened, because then nothing is known. */
	isStillOpen(): boolean;
	/** The settings refuse an unknown theme or language. */
	set(theme: string, language: string): Promise<void>;
	judge(): readonly string[];
	/** After a Tab: what is wrong with the focused element, or null once all have had the focus. */
	focus(): readonly string[] | null;
	/** What is wrong with the headings that get the focus when a page comes. */
	land(): Promise<readonly string[]>;
	/** What axe finds against WCAG 2.2 AA. */
	axe(): Promise<readonly string[]>;
	/** The visible switches and ticks that can be clicked: those of the dialog, where one is open. */
	toggles(): readonly HTMLInputElement[];
	/** Two frames more: what the first one measures is drawn in the second. */
	settled(): Promise<void>;
}

declare global {
	interface Window {
		looks: Looks;
	}
}

const place = document.getElementById('root');
if (!place) throw new Error('no #root');
let root: Root | null = null;
let shown: FakeWindow | null = null;

const settled = async () => {
	await document.fonts.ready;
	for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
};

const isIn = (language: string) => document.documentElement.lang.startsWith(language);

/** Without what React Aria numbers anew at each start, and the hashes of the build. */
const nameOfTarget = (target: string) =>
	target.replace(/react-aria[^\s"]*?_r_[^_]*_/g, '…').replace(/\._([\w-]+?)_[a-z0-9]+_\d+/g, '.$1');

const LONGEST_MS = 5000;
const dialogs = () => [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')];
const everything = () => [...document.querySelectorAll('body *')];
let before = new WeakSet<Element>();
let openedByPress: readonly Element[] = [];

/** Elements that had the focus since the state was shown. */
let walked = new WeakSet<Element>();

window.looks = {
	states: Object.keys(windowStates),
	async show(state) {
		root?.unmount();
		walked = new WeakSet();
		shown = windowStates[state as WindowState]();
		await shown.ready;
		await shown.parts.settings.write({ interfaceLanguage: 'en', theme: 'light', motion: 'reduced' });
		await preloadPages();
		root = createRoot(place);
		root.render(
			<Providers parts={shown.parts} i18n={await allWords('en')}>
				<App />
			</Providers>,
		);
		await settled();
		before = new WeakSet(everything());
		openedByPress = [];
	},
	async opened() {
		// React Aria waits up to 600 ms for a keyboard on the screen before it shows a dialog that has a field.
		const until = performance.now() + LONGEST_MS;
		while (dialogs().some((one) => !one.checkVisibility({ opacityProperty: true })))
			if (performance.now() > until) throw new Error('a dialog stays hidden');
			else await new Promise(requestAnimationFrame);
		openedByPress = everything().filter((one) => !before.has(one));
	},
	isStillOpen: () => openedByPress.length > 0 && openedByPress.every((one) => one.isConnected),
	async set(theme, interfaceLanguage) {
		await shown?.parts.settings.write({
			theme: theme as Settings['theme'],
			interfaceLanguage: interfaceLanguage as InterfaceLanguage,
		});
		// Counts frames, not time: however slow the machine, it comes within a few frames.
		for (let frame = 0; frame < 60 && !isIn(interfaceLanguage); frame++)
			await new Promise(requestAnimationFrame);
		await settled();
		if (!isIn(interfaceLanguage)) throw new Error(`not in ${interfaceLanguage}`);
	},
	judge: () => judge(place),
	focus() {
		const one = document.activeElement;
		if (one === null || one === document.body || walked.has(one)) return null;
		walked.add(one);
		return [...focusOutOfView(), ...wrongRings()];
	},
	async land() {
		const says: string[] = [];
		for (const one of document.querySelectorAll<HTMLElement>('h1, h2, h3')) {
			one.focus({ focusVisible: true } as FocusOptions);
			await settled();
			if (document.activeElement === one) says.push(...wrongRings());
		}
		return says;
	},
	async axe() {
		const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
		const { violations } = await axe.run(document, { runOnly: tags, resultTypes: ['violations'] });
		return violations.map(
			({ id, nodes }) =>
				`axe ${id}: ${nodes
					.map(({ target }) => nameOfTarget(target.join(' ')))
					.slice(0, 3)
					.join(' | ')}`,
		);
	},
	toggles: () =>
		[
			...(dialogs()[0] ?? place).querySelectorAll<HTMLInputElement>('input[type="checkbox"]:not(:disabled)'),
		].filter((one) => one.checkVisibility({ visibilityProperty: true })),
	settled,
};
