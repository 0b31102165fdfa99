import { useCallback, useEffect } from 'react';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './setup-page.module.css';

export type SetupStep = Settings['setup']['done'][number];
export const setupSteps: readonly SetupStep[] = ['account', 'microphone', 'output', 'languages', 'rehearsal'];

export function useSetup() {
	const { settings } = useParts();
	const setup = useSetting('setup');
	const write = useCallback(
		(change: Partial<Settings['setup']>) => {
			const before = settings.store.getState().values.setup;
			void settings.write({ setup: { ...before, ...change } });
		},
		[settings],
	);
	const finish = useCallback(
		(step: SetupStep) => {
			const { done } = settings.store.getState().values.setup;
			if (!done.includes(step)) write({ done: [...done, step] });
		},
		[settings, write],
	);
	return { setup, finish, putAway: () => write({ offered: false }), reopen: () => write({ done: [] }) };
}

/** Offers the rest of the setup once a service is chosen, on any page. */
export function useOfferSetup(): void {
	const { account, settings } = useParts();
	useEffect(
		() =>
			account.store.subscribe(({ status }, before) => {
				const isKnown = before.loaded && before.problem === null;
				const wasUnset = isKnown && before.status.service === 'unset';
				if (!wasUnset || status.service === 'unset') return;
				const { done } = settings.store.getState().values.setup;
				const all = done.includes('account') ? done : [...done, 'account' as const];
				void settings.write({ setup: { offered: true, done: all } });
			}),
		[account, settings],
	);
}

/** After the first run: one line that leads to the rest of the setup, until it is done or dismissed. */
export function SetupBanner() {
	const { t } = useTranslation();
	const { navigation, conversation } = useParts();
	const { setup, putAway } = useSetup();
	const running = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const isDone = setupSteps.every((step) => setup.done.includes(step));
	if (!setup.offered || isDone || running) return null;
	return (
		<section className={styles.banner} aria-label={t('setup.title')}>
			<p>{t('setup.banner')}</p>
			<Button onPress={() => navigation.go('setup')}>{t('setup.continue')}</Button>
			<Button look="quiet" square aria-label={t('setup.notNow')} onPress={putAway}>
				<Icon name="close" />
			</Button>
		</section>
	);
}
