import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import type { Host } from '#renderer/host.ts';
import { days } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import bar from '#renderer/ui/notices.module.css';
import type { Output } from '#shared/host/contract.ts';
import { PAGE_AT_MOST } from '#shared/host/history.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './keep-question.module.css';

const DAY_MS = 86_400_000;

type Choice = Settings['history'];

/** Asks once, after a conversation, whether to keep later ones; reports what was done and where it is. */
export function KeepQuestion() {
	const { t, i18n } = useTranslation();
	const { history, settings, navigation, conversation } = useParts();
	const undecided = useStore(history.store, (state) => state.undecided);
	const isPutAway = useStore(history.putAway, (names) => names.includes('ask'));
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	const choice = useSetting('history');
	const time = isolate(days(useSetting('historyDays'), i18n.language));
	const [chosen, setChosen] = useState<Choice | null>(null);
	const answer = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (running) setChosen(null);
	}, [running]);
	// Move focus to the answer, because the pressed button has disappeared.
	useEffect(() => {
		if (chosen) answer.current?.focus();
	}, [chosen]);

	async function choose(next: Choice): Promise<void> {
		await settings.write({ history: next });
		// A failed write is shown as a problem of the settings.
		if (settings.store.getState().values.history === next) setChosen(next);
	}

	function putAway(): void {
		history.putAway.setState((names) => [...names, 'ask'], true);
		setChosen('ask');
	}

	if (running) return null;
	if (chosen) {
		const show = { label: t('history.show'), take: () => navigation.read(null) };
		return (
			<div className={bar.notices} ref={answer} tabIndex={-1}>
				<NoticeLine
					tone="info"
					text={t(`history.chosen.${chosen}`, { time })}
					action={chosen === 'erase' ? undefined : show}
					dismiss={{ label: t('notice.dismiss'), take: () => setChosen(null) }}
				/>
			</div>
		);
	}
	if (choice !== 'ask' || undecided === 0 || isPutAway) return null;
	return <Question time={time} onChoose={(next) => void choose(next)} onPutAway={putAway} />;
}

interface QuestionProps {
	/** How long a conversation is kept if the user chooses a number of days, in words. */
	readonly time: string;
	readonly onChoose: (next: Choice) => void;
	readonly onPutAway: () => void;
}

function Question({ time, onChoose, onPutAway }: QuestionProps) {
	const { t } = useTranslation();
	const { host, clock, settings } = useParts();
	/** True while the question is open whether older conversations may be deleted. */
	const [limiting, setLimiting] = useState(false);
	const strip = useRef<HTMLElement>(null);

	async function limit(): Promise<void> {
		const { historyDays } = settings.store.getState().values;
		const isAsked = await holdsOlder(host, clock.wall() - historyDays * DAY_MS);
		// Meanwhile the question was answered otherwise or dismissed, or a conversation has begun.
		if (!strip.current) return;
		if (isAsked) setLimiting(true);
		else onChoose('days');
	}

	return (
		<section className={styles.strip} data-keep-question aria-labelledby="keep-question" ref={strip}>
			<p id="keep-question" role="status">
				{t('history.ask')}
			</p>
			<div className={styles.choices}>
				<Button onPress={() => onChoose('erase')}>{t('history.askErase')}</Button>
				<Button onPress={() => void limit()}>{t('history.askFor', { time })}</Button>
				<Button onPress={() => onChoose('keep')}>{t('history.keep')}</Button>
			</div>
			<Button look="quiet" square aria-label={t('notice.dismiss')} onPress={onPutAway}>
				<Icon name="close" />
			</Button>
			<AskDialog
				title={t('history.keepDays')}
				isOpen={limiting}
				onClose={() => setLimiting(false)}
				verb={t('history.askFor', { time })}
				onDo={() => {
					setLimiting(false);
					onChoose('days');
				}}
			>
				<p>{t('history.choiceHint')}</p>
			</AskDialog>
		</section>
	);
}

/** Whether a kept conversation ended by `endedMs`, Unix ms, or the history is unreadable. Reads all pages. */
async function holdsOlder(host: Host, endedMs: number): Promise<boolean> {
	let after: string | null = null;
	do {
		const page: Result<Output<'history.list'>, Problem> = await host.ask('history.list', {
			after,
			limit: PAGE_AT_MOST,
		});
		if (!page.ok) return true;
		const isOlder = page.value.rows.some(
			({ state, endedAt, startedAt }) =>
				// Undecided conversations do not count: their days begin with the choice.
				(state === 'kept' || state === 'cut-off') && (endedAt ?? startedAt) <= endedMs,
		);
		if (isOlder) return true;
		after = page.value.next;
	} while (after !== null);
	return false;
}
