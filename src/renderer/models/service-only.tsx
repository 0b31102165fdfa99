import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import type { IconName } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';

/** Pages about features that only a service has. */
export const servicePages = {
	sessions: 'clock',
	voices: 'voice',
	glossaries: 'letters',
} as const satisfies Record<string, IconName>;

export interface ServiceOnlyProps {
	readonly of: keyof typeof servicePages;
}

/** Replaces these pages while this computer interprets. */
export function ServiceOnly({ of }: ServiceOnlyProps) {
	const { t } = useTranslation();
	const { navigation } = useParts();
	return (
		<main className={page.page}>
			<div className={page.column}>
				<h1 className={page.title} tabIndex={-1}>
					{t(of === 'glossaries' ? 'glossary.title' : `${of}.title`)}
				</h1>
				<EmptyState
					icon={servicePages[of]}
					title={t('models.others')}
					action={<Button onPress={() => navigation.go('settings', 'account')}>{t('models.change')}</Button>}
				>
					{t(`models.other.${of}`)}
				</EmptyState>
			</div>
		</main>
	);
}
