import { Component, type ErrorInfo, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isUnderWay } from '#renderer/conversation/live-changes.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { createWindowLog } from '#renderer/window-log.ts';
import styles from './app.module.css';
import { Landing } from './lazy-page.tsx';
import { PartsContext, useParts } from './parts.ts';

interface State {
	readonly hasFailed: boolean;
	/** How many times the window was rendered again. */
	readonly tries: number;
}

/**
 * Shown in place of a window that threw while rendering. React then unmounts the whole window; without this, not
 * even Stop would remain, while the conversation and its cost continue.
 */
export class WindowFailure extends Component<{ readonly children: ReactNode }, State> {
	static override readonly contextType = PartsContext;
	declare context: React.ContextType<typeof PartsContext>;
	override readonly state: State = { hasFailed: false, tries: 0 };

	static getDerivedStateFromError(): Partial<State> {
		return { hasFailed: true };
	}

	override componentDidCatch(failure: unknown, { componentStack }: ErrorInfo): void {
		if (!this.context) return;
		createWindowLog(this.context.host).error('the window failed', {
			failure: failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure),
			in: componentStack ?? '',
		});
	}

	override render(): ReactNode {
		const { hasFailed, tries } = this.state;
		if (hasFailed) return <Failed again={() => this.setState({ hasFailed: false, tries: tries + 1 })} />;
		return (
			<>
				{this.props.children}
				{tries > 0 && <Landing key={tries} />}
			</>
		);
	}
}

function Failed({ again }: { readonly again: () => void }) {
	const { t } = useTranslation();
	const { conversation, navigation } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	const main = useRef<HTMLElement>(null);
	// Move the focus, because the element that had it is gone.
	useEffect(() => main.current?.focus(), []);
	const isEnding = phase === 'ending';
	return (
		<main className={styles.loading} ref={main} tabIndex={-1}>
			<div className={styles.unread}>
				<h1 className={styles.name}>{t('app.name')}</h1>
				<ProblemNotice problem={{ kind: 'bug', where: 'window' }} about={t('app.windowFailed')} />
				{isUnderWay(phase) && (
					<Button onPress={() => void (isEnding ? conversation.stopNow() : conversation.stop())}>
						{t(isEnding ? 'live.stopNow' : 'live.stop')}
					</Button>
				)}
				<Button
					look="primary"
					onPress={() => {
						// Go to the live page, because the page that failed would fail again.
						navigation.go('live');
						again();
					}}
				>
					{t('app.showAgain')}
				</Button>
			</div>
		</main>
	);
}
