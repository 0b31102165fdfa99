import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ErrorDetails } from '#renderer/window/components/error-details.tsx';
import { problemSentence } from '#renderer/window/components/problem-notice.tsx';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { useCallWords } from '#renderer/window/use-call-words.ts';
import { useOwnProblem } from '#renderer/window/use-own-problem.ts';
import { useRecover, useStartAgain } from '#renderer/window/use-recover.ts';
import { recoveryOf } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './dock.module.css';
import { useStartBlock } from './use-start-block.ts';

/** What still comes after Stop, in modes without a voice or an open microphone. */
const tailWords: { readonly [Mode in Settings['mode']]?: 'live.tailWritten' | 'live.tailListen' } = {
	captions: 'live.tailWritten',
	listen: 'live.tailListen',
};

/** Start works, but the call would hear nothing: shown before it is pressed. */
function CallTrouble() {
	const { t } = useTranslation();
	const { navigation } = useParts();
	const words = useCallWords();
	if (!words?.isTrouble) return null;
	return (
		<div className={styles.reason} data-call="nowhere">
			<p id="start-reason" role="status">
				{words.text}
			</p>
			<Button onPress={() => navigation.go('settings', 'call-route')}>{t('legs.callSetUp')}</Button>
		</div>
	);
}

/** One sentence why Start cannot work, and a button that takes you there; nothing when it can. */
export function StartReason() {
	const { t, i18n } = useTranslation();
	const { conversation } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const mode = useSetting('mode');
	const block = useStartBlock();
	const own = useOwnProblem();
	const recover = useRecover();
	const startAgain = useStartAgain();
	const [said, setSaid] = useState<string | null>(null);

	if (phase === 'ending') {
		return (
			<p id="start-reason" className={styles.reason} role="status">
				{t(tailWords[mode] ?? 'live.tail')}
			</p>
		);
	}
	if (isRunning(phase)) return null;
	if (!block) return <CallTrouble />;
	if (block.kind === 'wait') {
		return (
			<p id="start-reason" className={styles.reason} role="status">
				{t(`block.${block.what}`)}
			</p>
		);
	}
	const { problem } = block;
	// Already shown below the captions.
	if (own?.kind === problem.kind) return null;
	const recovery = recoveryOf[problem.kind];
	const words = problemSentence(problem, t, i18n.language);
	return (
		<div className={styles.reason}>
			<p id="start-reason" role="status">
				{said ? `${words} ${said}` : words}
			</p>
			{recovery !== 'none' && (
				<Button onPress={() => void recover(problem, recovery, startAgain).then(setSaid)}>
					{t(`recovery.${recovery}`)}
				</Button>
			)}
			<ErrorDetails problem={problem} />
		</div>
	);
}
