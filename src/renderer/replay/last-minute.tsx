import { useEffect, useLayoutEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { faceLanguages, lineFor } from '#renderer/face-to-face/face-sides.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { isDialogOpen, keepsLetters, listenForHeldKeys } from '#renderer/keys/key-place.ts';
import styles from '#renderer/shell/app.module.css';
import { useParts } from '#renderer/shell/parts.ts';
import { useFramed } from '#renderer/shell/use-framed.ts';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { byLanguage } from '#shared/captions/copied-text.ts';
import type { CaptionRow } from '#shared/captions/segment.ts';
import { assignedBy, commandOf } from '#shared/keys/assigned.ts';
import { isRightToLeft, localeTag, sameLanguage } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { voiceTarget } from '#shared/settings/shown-pair.ts';

/** A key pressed for longer than this counts as held, ms. */
const HOLD_MS = 400;

const MINUTE_MS = 60_000;

/** More rows than anyone speaks in a minute. */
const MOST_ROWS = 100;

/**
 * "What did they say?" as text: the last minute in large letters, scrolled to the newest; and the key that shows it.
 */
export function LastMinute() {
	useReplayKey();
	const { navigation } = useParts();
	const isOpen = useStore(navigation.store, (view) => view.lastMinute);
	const { t } = useTranslation();
	return (
		<Dialog
			title={t('replay.minute')}
			closeLabel={t('app.close')}
			isOpen={isOpen}
			onClose={() => navigation.showLastMinute(false)}
			wide
		>
			<Minute />
		</Dialog>
	);
}

function Minute() {
	const { t } = useTranslation();
	const { conversation, settings } = useParts();
	const { captions } = conversation;
	const { rows } = useFramed(captions.store);
	const values = useStore(settings.store, (view) => view.values);
	const texts = lastMinuteOf(captions.row, rows).flatMap((row) => textFor(row, values) ?? []);
	const end = useRef<HTMLParagraphElement>(null);
	const newest = texts.at(-1);

	// biome-ignore lint/correctness/useExhaustiveDependencies: the text may have grown
	useLayoutEffect(() => {
		void end.current?.scrollIntoView({ block: 'end' });
	}, [newest?.key, newest?.text]);

	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard (WCAG 2.1.1)
		<section className={styles.minute} tabIndex={0} aria-label={t('replay.minute')}>
			{texts.length === 0 && <p>{t('replay.minuteNothing')}</p>}
			{texts.map(({ key, text, language }) => (
				<p
					key={key}
					ref={key === newest?.key ? end : null}
					lang={localeTag(language)}
					dir={isRightToLeft(language) ? 'rtl' : 'ltr'}
				>
					{text}
				</p>
			))}
		</section>
	);
}

interface Large {
	readonly key: string;
	readonly text: string;
	readonly language: string;
}

/** A row's text for the user: the translation, or the source until it arrives; null for the user's own rows. */
function textFor(row: CaptionRow, values: Settings): Large | null {
	const { transcriptionId: key, source, leg } = row;
	if (values.mode === 'face') {
		const line = lineFor(row, 'me', faceLanguages(values));
		return line && !line.own ? line : null;
	}
	if (values.mode === 'meeting' && leg !== 'incoming') return null;
	const wanted = voiceTarget(values);
	const all = byLanguage(row.translations);
	const told = all.find(([first]) => first && sameLanguage(first.language, wanted)) ?? all[0];
	const language = told?.[0]?.language ?? source?.language ?? '';
	const text = told?.map((segment) => segment.text).join(' ') ?? source?.text ?? '';
	return text === '' ? null : { key, text, language };
}

/** The rows of the minute before the newest word, oldest first, without marks of lost speech. */
function lastMinuteOf(row: (index: number) => CaptionRow | undefined, rows: number): readonly CaptionRow[] {
	const found: CaptionRow[] = [];
	let newestMs: number | null = null;
	for (let index = rows - 1; index >= Math.max(0, rows - MOST_ROWS); index--) {
		const one = row(index);
		if (!one || one.lost) continue;
		const endMs = endOf(one);
		newestMs ??= endMs;
		// With two directions the rows are not strictly in order of time.
		if (endMs >= newestMs - MINUTE_MS) found.unshift(one);
	}
	return found;
}

function endOf({ source, translations }: CaptionRow): number {
	return Math.max(0, ...[source, ...translations].map((segment) => segment?.endMs ?? 0));
}

/** The key of "What did they say?": a press replays the last sentence, holding it shows the last minute. */
function useReplayKey(): void {
	const { replay, settings, info, navigation, conversation, clock } = useParts();
	useEffect(() => {
		const mac = info.platform === 'darwin';
		/** The replay key that is held down, as `KeyboardEvent.code`; null = none. */
		let down: string | null = null;
		let cancel = () => {};

		function isMeant(event: KeyboardEvent): boolean {
			if (event.defaultPrevented || isDialogOpen()) return false;
			const isThere =
				isRunning(conversation.store.getState().phase) || navigation.store.getState().page === 'live';
			const typing = keepsLetters(event, navigation.store.getState().page);
			const assigned = assignedBy(settings.store.getState().values.shortcuts);
			return isThere && commandOf(event, { mac, typing, assigned }) === 'replay';
		}
		function pressed(event: KeyboardEvent): void {
			// The dialog opened by this key may already have the focus.
			if (event.code === down) event.preventDefault();
			if (event.repeat || !isMeant(event)) return;
			event.preventDefault();
			letGo();
			down = event.code;
			cancel = clock.after(HOLD_MS, () => {
				cancel = () => {};
				navigation.showLastMinute(true);
			});
		}
		function released(event: KeyboardEvent): void {
			// macOS sends no keyup for a letter released while Cmd is down, only for Cmd.
			if (down === null || (event.code !== down && event.key !== 'Meta')) return;
			const wasHeld = navigation.store.getState().lastMinute;
			letGo();
			if (!wasHeld) replay.last();
		}
		function letGo(): void {
			cancel();
			cancel = () => {};
			if (down !== null) navigation.showLastMinute(false);
			down = null;
		}

		return listenForHeldKeys({ down: pressed, up: released, letGo });
	}, [replay, settings, info, navigation, conversation, clock]);
}
