import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { phraseLanguage } from '#renderer/window/ready-phrases.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import { assignedBy, conflictsIn } from '#shared/commands/assigned.ts';
import { slots } from '#shared/commands/commands.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { Section } from './section.tsx';
import { SwitchSetting } from './setting-fields.tsx';
import { ButtonsRow } from './setting-row.tsx';
import styles from './settings-page.module.css';
import { ShortcutRow } from './shortcut-row.tsx';
import rows from './shortcuts-section.module.css';

/** Every key, to view and change. */
export function ShortcutsSection() {
	const { t } = useTranslation();
	const { settings, shell, navigation } = useParts();
	const edited = useSetting('shortcuts');
	const globalKeys = useSetting('globalKeys');
	const system = useStore(shell.store, (view) => view.globalKeys);
	const holds = useStore(shell.store, (view) => view.holds);
	const assigned = assignedBy(edited);
	const talk = isolate(t('shortcuts.names.talk'));
	const conflicts = conflictsIn(assigned);
	const rowsOf = (scope: 'window' | 'global') =>
		slots
			.filter((slot) => slot.scope === scope)
			.map((slot) => (
				<ShortcutRow
					key={slot.name}
					slot={slot}
					keys={assigned.get(slot.name) ?? []}
					conflict={conflicts.get(slot.name) ?? null}
				/>
			));
	return (
		<Section title={t('shortcuts.title')} place="shortcuts">
			<p className={styles.reason}>{t('shortcuts.lead')}</p>
			<ul className={rows.list} data-setting="shortcuts">
				{rowsOf('window')}
			</ul>
			<Phrases />
			<SwitchSetting name="globalKeys" label={t('shortcuts.globalKeys')} hint={t('shortcuts.globalHint')} />
			{system !== 'works' && (
				<p className={styles.reason} role="note">
					{t(
						system === 'portal'
							? 'shortcuts.globalPortal'
							: holds
								? 'shortcuts.globalTalkOnly'
								: 'shortcuts.globalNone',
						{ name: talk },
					)}
				</p>
			)}
			{globalKeys && (system !== 'none' || holds) && (
				<p className={styles.reason} role="note">
					{t(holds ? 'shortcuts.globalHeld' : 'shortcuts.globalNotHeld', {
						name: talk,
					})}
				</p>
			)}
			{globalKeys && (
				<ul className={rows.list} aria-label={t('shortcuts.global')}>
					{rowsOf('global')}
				</ul>
			)}
			<ButtonRow>
				<Button
					isDisabled={Object.keys(edited).length === 0}
					onPress={() => void settings.write({ shortcuts: {} })}
				>
					{t('shortcuts.resetAll')}
				</Button>
				<Button look="quiet" onPress={() => navigation.showShortcuts(true)}>
					{t('shortcuts.sheet')}
				</Button>
			</ButtonRow>
		</Section>
	);
}

/** The sentences that the phrase keys say, in the language one types in now. */
function Phrases() {
	const { t, i18n } = useTranslation();
	const { settings, drafts, navigation } = useParts();
	const chosen = useStore(drafts, (draft) => draft.writtenIn);
	const language = useStore(settings.store, ({ values }) => phraseLanguage(values, chosen));
	const lead = t('phrases.lead', { language: languageLabel(language, i18n.language) });
	return (
		<ButtonsRow name="phrases" label={t('phrases.title')} words={<p className={styles.reason}>{lead}</p>}>
			<Button onPress={() => navigation.changePhrases(language)}>{t('phrases.change')}</Button>
		</ButtonsRow>
	);
}
