import { createContext, type ReactNode, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { type CallMicrophone, useCallMicrophone } from '#renderer/calls/call-notices.tsx';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFramed } from '#renderer/shell/use-framed.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import type { Segment } from '#shared/captions/segment.ts';
import { localeTag, sameLanguage } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import type { CaptionsView } from './caption-view.ts';
import styles from './captions-region.module.css';

/** The element that holds the caption tools: in one row with the languages. */
export const CaptionsHead = createContext<HTMLElement | null>(null);

/** Final texts arrive for the newest rows; watching only those makes each change cost the same. */
const ROWS_WATCHED = 8;

/** Lines in the live region: with more, screen reader users who browse it would hear many lines twice. */
const LINES_KEPT = 3;

/** All captions so far, source beside translation. `said` renders the captions once there are any. */
export function CaptionsRegion({ said }: { readonly said: ReactNode }) {
	const { t } = useTranslation();
	const { conversation } = useParts();
	const { store } = conversation.captions;
	const nothingSaid = useStore(store, ({ rows }) => rows === 0);
	const isAway = useStore(store, ({ away }) => away);
	const announce = useSetting('announceCaptions');

	return (
		<section id="captions" className={styles.region} aria-label={t('captions.title')}>
			{nothingSaid ? (
				<div className={styles.stage}>
					<Empty />
					{isAway && said}
				</div>
			) : (
				said
			)}
			{announce && <CaptionLog />}
		</section>
	);
}

function Empty() {
	const { t } = useTranslation();
	const { conversation, navigation } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const running = isRunning(phase);
	const mode = useSetting('mode');
	const words = emptyWords[mode];
	const call = useCallMicrophone();
	const microphone = mode === 'meeting' && (running || call?.use === 'none') ? call : null;
	// Speech is lost until the interpreter listens.
	if (phase === 'preparing' || phase === 'connecting' || phase === 'starting')
		return (
			<EmptyState icon="captions" title={t('phase.preparing')}>
				{t('captions.notYetHint')}
			</EmptyState>
		);
	return (
		<EmptyState
			icon="captions"
			title={t(running ? 'captions.listening' : words.title)}
			action={
				running && (
					<Button look="quiet" onPress={() => navigation.showGuests(true)}>
						{t('guests.open')}
					</Button>
				)
			}
		>
			{microphone ? <CallMicrophoneWords {...microphone} /> : t(running ? words.listening : words.hint)}
		</EmptyState>
	);
}

/** Names the microphone to choose in the calling program, until a program uses it. */
function CallMicrophoneWords({ name, use }: CallMicrophone) {
	const { t } = useTranslation();
	if (use !== 'some') return t('legs.callChoose', { name: isolate(name) });
	return (
		<>
			<Icon name="check" size={16} /> {t('legs.callUsed', { name: isolate(name) })}{' '}
			{t('captions.listeningMeetingHint')}
		</>
	);
}

const spoken = {
	title: 'captions.empty',
	hint: 'captions.emptyHint',
	listening: 'captions.listeningHint',
} as const;

/** Explains what happens next, in each mode. Typing and face-to-face mode have their own pages while they run. */
const emptyWords = {
	solo: spoken,
	type: spoken,
	meeting: {
		title: 'captions.emptyMeeting',
		hint: 'captions.emptyMeetingHint',
		listening: 'captions.listeningMeetingHint',
	},
	listen: {
		title: 'captions.emptyListen',
		hint: 'captions.emptyListenHint',
		listening: 'captions.listeningOthersHint',
	},
	face: spoken,
	captions: {
		title: 'captions.emptyWritten',
		hint: 'captions.emptyHintWritten',
		listening: 'captions.listeningWrittenHint',
	},
} as const satisfies Record<Settings['mode'], Record<keyof typeof spoken, string>>;

/** Finished translations for screen readers, politely; the source only if there is no translation. */
function CaptionLog() {
	const { t } = useTranslation();
	const { conversation, settings } = useParts();
	const { captions } = conversation;
	const { version, rows, sided, away } = useFramed(captions.store);
	const [lines, setLines] = useState<readonly Announced[]>([]);
	const announced = useRef<Set<string> | null>(null);
	const count = useRef(0);

	// biome-ignore lint/correctness/useExhaustiveDependencies: `version` changes with the rows behind the same functions
	useEffect(() => {
		// Do not read restored captions again.
		if (away) return;
		const { values } = settings.store.getState();
		const isUntranslated = values.mode === 'captions' && !values.translateCaptions;
		const recent = recentFinals(captions, rows);
		// Rows older than the region are not announced.
		const known = announced.current ?? new Set(recent.map(({ key }) => key));
		const heard = heardOf(values);
		const isRead = ({ kind, side, language }: Line) => {
			if (kind === 'source') return isUntranslated;
			return heard === null || side === 'theirs' || sameLanguage(language, heard);
		};
		const fresh = recent.filter((line) => !known.has(line.key) && isRead(line));
		announced.current = new Set(recent.map(({ key }) => key));
		if (fresh.length === 0) return;
		const numbered = fresh.map((line) => {
			count.current += 1;
			return { ...line, number: count.current };
		});
		setLines((before) => [...before, ...numbered].slice(-LINES_KEPT));
	}, [captions, version, rows, away, settings]);

	return (
		<div role="log" aria-live="polite" aria-label={t('captions.announcements')} className={hidden.hidden}>
			{lines.map(({ number, language, text, side }) => (
				<p key={number}>
					{sided && `${t(`legs.${side}`)}: `}
					<span lang={localeTag(language)} dir="auto">
						{text}
					</span>
				</p>
			))}
		</div>
	);
}

interface Line extends Segment {
	readonly side: 'mine' | 'theirs';
}

interface Announced extends Line {
	/** Number of the conversation, because the next one reuses its keys. */
	readonly number: number;
}

/** Which of several languages to read aloud: the spoken one, otherwise the first. Null: all. */
function heardOf({ hear, voiceOf }: Pick<Settings, 'hear' | 'voiceOf'>): string | null {
	if (hear.length < 2) return null;
	return hear.find((code) => sameLanguage(code, voiceOf)) ?? hear[0] ?? null;
}

function recentFinals(captions: CaptionsView, rows: number): readonly Line[] {
	const finals: Line[] = [];
	for (let index = Math.max(0, rows - ROWS_WATCHED); index < rows; index++) {
		const row = captions.row(index);
		const side = row?.leg === 'incoming' ? 'theirs' : 'mine';
		const texts = row ? [row.source, ...row.translations] : [];
		for (const segment of texts) if (segment?.final) finals.push({ ...segment, side });
	}
	return finals;
}
