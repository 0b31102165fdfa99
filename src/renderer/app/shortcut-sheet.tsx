import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { useParts } from '#renderer/window/parts.ts';
import styles from './app.module.css';
import { shortcuts } from './shortcuts.ts';

/** Every key of the window, on one sheet. */
export function ShortcutSheet() {
	const { t } = useTranslation();
	const { navigation, info } = useParts();
	const isOpen = useStore(navigation.store, (view) => view.shortcuts);
	const mac = info.platform === 'darwin';
	return (
		<Dialog
			title={t('shortcuts.title')}
			closeLabel={t('app.close')}
			isOpen={isOpen}
			onClose={() => navigation.showShortcuts(false)}
		>
			<dl className={styles.keys}>
				{shortcuts.map(({ command, combinations }) => (
					<Fragment key={command}>
						<dt>{t(`shortcuts.${command}`)}</dt>
						<dd>
							{combinations.map((combination, index) => (
								<Fragment key={combination.key}>
									{index > 0 && <span>{t('shortcuts.or')}</span>}
									{combination.mod && <kbd>{mac ? '⌘' : 'Ctrl'}</kbd>}
									<kbd>{combination.key === 'Enter' ? '↵' : combination.key.toUpperCase()}</kbd>
								</Fragment>
							))}
						</dd>
					</Fragment>
				))}
			</dl>
		</Dialog>
	);
}
