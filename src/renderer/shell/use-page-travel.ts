import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { isDialogOpen, isRecordingKeys, isTyping } from '#renderer/keys/key-place.ts';
import { stateWords } from '#renderer/live/dock/status-line.tsx';
import { keepPlace, land, type Opener, openerNow } from '#renderer/ui/restore-focus.ts';
import type { Page, Place } from './navigation.ts';
import { useParts, useSetting } from './parts.ts';

/**
 * Handles page changes: focus moves to the heading of the new page, and after Back to the element that opened the
 * page just left; Escape goes back; the document title names the page and the state of the conversation.
 */
export function useTravel(page: Page | 'welcome'): void {
	useLanding();
	useEffect(() => {
		const root = document.getElementById('root');
		return root ? keepPlace(root) : undefined;
	}, []);
	useWelcomed(page);
	useEscape();
	useFindKey();
	useTitle(page);
}

function useLanding(): void {
	const { navigation } = useParts();
	/** The element that opened each page after the first. */
	const openers = useRef<(Opener | null)[]>([]);
	useEffect(() => {
		let stop = () => {};
		let frame = 0;
		const end = navigation.store.subscribe((view, before) => {
			if (view.page === before.page && view.conversation === before.conversation) return;
			stop();
			cancelAnimationFrame(frame);
			let opener: Opener | null = null;
			const depth = view.trail.length;
			// The previous page is still shown: the next one is rendered after this.
			if (depth > before.trail.length) openers.current[before.trail.length] = openerNow();
			else opener = openers.current[depth] ?? null;
			openers.current.length = depth;
			if (view.place !== null) return;
			// Wait a frame, because the focused element disappears with its page only then.
			frame = requestAnimationFrame(() => {
				stop = land(opener);
			});
		});
		return () => {
			end();
			cancelAnimationFrame(frame);
			stop();
		};
	}, [navigation]);
}

/** The welcome page closes once an account is chosen, and the pressed button with it. */
function useWelcomed(page: Page | 'welcome'): void {
	const before = useRef(page);
	useEffect(() => {
		const wasWelcome = before.current === 'welcome';
		before.current = page;
		if (wasWelcome && page !== 'welcome') return land(null);
	}, [page]);
}

/** Escape goes back, except where it means something else or where unsaved work would be lost. */
function useEscape(): void {
	const { navigation } = useParts();
	useEffect(() => {
		function pressed(event: KeyboardEvent): void {
			if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return;
			if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
			if (navigation.store.getState().page === 'live' || isDialogOpen()) return;
			if (isTyping(event.target) && !isEmptySearch(event.target)) return;
			if (isRecordingKeys(event.target)) return;
			if (document.querySelector('main [data-unsaved]')) return;
			event.preventDefault();
			navigation.back();
		}
		window.addEventListener('keydown', pressed);
		return () => window.removeEventListener('keydown', pressed);
	}, [navigation]);
}

/** True for an empty search field, in which Escape has nothing to clear. */
function isEmptySearch(target: EventTarget | null): boolean {
	return target instanceof HTMLInputElement && target.type === 'search' && target.value === '';
}

/** Ctrl+F or Cmd+F goes to the page's search box: the browser's own search would miss rows out of view. */
function useFindKey(): void {
	const { info } = useParts();
	useEffect(() => {
		function pressed(event: KeyboardEvent): void {
			const isHeld = info.platform === 'darwin' ? event.metaKey : event.ctrlKey;
			if (event.key.toLowerCase() !== 'f' || !isHeld || event.altKey || event.shiftKey) return;
			if (event.defaultPrevented || isDialogOpen() || isRecordingKeys(event.target)) return;
			const box = document.querySelector<HTMLInputElement>('main input[type="search"]');
			if (!box) return;
			event.preventDefault();
			box.focus();
			box.select();
		}
		window.addEventListener('keydown', pressed);
		return () => window.removeEventListener('keydown', pressed);
	}, [info]);
}

function useTitle(page: Page | 'welcome'): void {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const source = useSetting('mode') === 'listen' ? 'computer' : 'microphone';
	const name = {
		live: null,
		welcome: null,
		settings: t('settings.title'),
		sessions: t('sessions.title'),
		history: t('history.title'),
		voices: t('voices.title'),
		glossaries: t('glossary.title'),
		diagnostics: t('diagnosis.title'),
		setup: t('setup.title'),
	}[page];
	// Selects the words only, so that the app does not re-render for changes that they do not show.
	const state = useStore(conversation.store, (view) =>
		isUnderWay(view.phase)
			? `● ${stateWords(view, t, source)}`
			: view.phase === 'failed'
				? stateWords(view, t, source)
				: null,
	);
	const title = [name, state, t('app.name')].filter((one) => one !== null).join(' · ');
	useEffect(() => {
		document.title = title;
	}, [title]);
}

/** Focuses `target` whenever navigation leads to this place; without a place, never. */
export function useFocusPlace(place: Place | undefined, target: RefObject<HTMLElement | null>): void {
	useArrival(place, () => target.current?.focus());
}

/** Calls `arrive` once each time navigation leads to this place, even if the component mounts again. */
export function useArrival(place: Place | undefined, arrive: () => void): void {
	const { navigation } = useParts();
	const asked = useStore(navigation.store, (view) => (view.place === place ? view.ask : 0));
	const serve = useEffectEvent(() => {
		if (asked <= navigation.store.getState().served) return;
		navigation.serve();
		arrive();
	});
	useEffect(() => {
		if (asked > 0) serve();
	}, [asked]);
}
