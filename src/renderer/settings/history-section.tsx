import { useState } from 'react';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import type { Problem } from '#shared/problem.ts';
import { HISTORY_MOST_DAYS } from '#shared/settings/schema.ts';
import { NumberSetting, Section, SelectSetting } from './setting-fields.tsx';
import styles from './settings-page.module.css';

/** Whether and how long conversations are kept, and a button to delete all kept conversations. */
export function HistorySection() {
	const { t } = useTranslation();
	const { host, navigation, settings } = useParts();
	const choice = useSetting('history');
	const [asking, setAsking] = useState(false);
	const [limiting, setLimiting] = useState(false);
	const [said, setSaid] = useState('');
	const [problem, setProblem] = useState<Problem | null>(null);

	async function eraseAll(): Promise<void> {
		setAsking(false);
		const erased = await host.ask('history.erase', { id: null });
		setProblem(erased.ok ? null : erased.error);
		setSaid(erased.ok ? t('history.erased') : '');
	}

	return (
		<Section title={t('history.title')} place="history">
			<SelectSetting
				name="history"
				label={t('history.whenOver')}
				hint={t('history.choiceHint')}
				asksFirst={(next) => {
					// Ask for the days before applying this: it deletes older conversations at once.
					const isAsked = next === 'days' && choice !== 'days';
					if (isAsked) setLimiting(true);
					return isAsked;
				}}
				options={[
					{ value: 'ask', label: t('history.notChosen') },
					{ value: 'erase', label: t('history.erase') },
					{ value: 'days', label: t('history.keepDays') },
					{ value: 'keep', label: t('history.keep') },
				]}
			/>
			{choice === 'days' && <Days />}
			<ButtonRow>
				<Button onPress={() => navigation.read(null)}>{t('history.show')}</Button>
				<span data-setting="eraseAll">
					<Button look="quiet" onPress={() => setAsking(true)}>
						{t('history.eraseAll')}
					</Button>
				</span>
			</ButtonRow>
			<p className={styles.reason} role="status">
				{said}
			</p>
			{problem && <ProblemNotice problem={problem} onDismiss={() => setProblem(null)} />}
			<AskDialog
				title={t('history.keepDays')}
				isOpen={limiting}
				onClose={() => setLimiting(false)}
				verb={t('history.keepDays')}
				onDo={() => {
					setLimiting(false);
					void settings.write({ history: 'days' });
				}}
			>
				<Days />
				<p>{t('history.choiceHint')}</p>
			</AskDialog>
			<AskDialog
				role="alertdialog"
				title={t('history.eraseAll')}
				isOpen={asking}
				onClose={() => setAsking(false)}
				verb={t('history.eraseAll')}
				look="danger"
				onDo={() => void eraseAll()}
			>
				<p>{t('history.eraseConfirm')}</p>
			</AskDialog>
		</Section>
	);
}

/** The setting for the number of days that a conversation is kept. */
function Days() {
	const { t } = useTranslation();
	return (
		<NumberSetting
			name="historyDays"
			label={t('history.days')}
			min={1}
			max={HISTORY_MOST_DAYS}
			step={1}
			format={{ style: 'unit', unit: 'day', unitDisplay: 'long' }}
			whenDone
		/>
	);
}
