import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { stateWords } from '#renderer/features/live/dock/status-line.tsx';
import { keepPlace, land, type Opener, openerNow } from '#renderer/ui/landing.ts';
import { isUnderWay } from '#renderer/window/live-changes.ts';
import type { Page } from '#renderer/window/navigation.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isDialogOpen, isRecordingKeys, isTyping } from './key-place.ts';

/**
 * From page to page: the keyboard goes to the heading of the page that comes, and to what opened the other on the
 * way back; Escape goes back; the title of the document names the page and what the conversation does.
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
	/** What opened each page after the first. */
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
			// Still the page before: the next one is drawn after this.
			if (depth > before.trail.length) openers.current[before.trail.length] = openerNow();
			else opener = openers.current[depth] ?? null;
			openers.current.length = depth;
			if (view.place !== null) return;
			// What had the keyboard goes with its page, which is a moment later.
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

/** The first page goes by itself once an account is chosen, and what was pressed there with it. */
function useWelcomed(page: Page | 'welcome'): void {
	const before = useRef(page);
	useEffect(() => {
		const wasWelcome = before.current === 'welcome';
		before.current = page;
		if (wasWelcome && page !== 'welcome') return land(null);
	}, [page]);
}

/** Not where it means something else, and not where something would be lost that nobody has saved. */
function useEscape(): void {
	const { navigation } = useParts();
	useEffect(() => {
		function pressed(event: KeyboardEvent): void {
			if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return;
			if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
			if (navigation.store.getState().page === 'live' || isDialogOpen()) return;
			if (isTyping(event.target) || isRecordingKeys(event.target)) return;
			if (document.querySelector('main [data-unsaved]')) return;
			event.preventDefault();
			navigation.back();
		}
		window.addEventListener('keydown', pressed);
		return () => window.removeEventListener('keydown', pressed);
	}, [navigation]);
}

/** Ctrl+F, or Cmd+F, goes to the search box of a page that has one: what is not in view is not in the document for the browser's own. */
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
	// Words, so that the app is not drawn anew for what they do not say.
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
