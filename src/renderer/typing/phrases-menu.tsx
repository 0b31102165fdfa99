import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { KeyCaps } from '#renderer/keys/key-caps.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Menu, type MenuEntry } from '#renderer/ui/menu.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { assignedBy, commandOf } from '#shared/keys/assigned.ts';
import { phraseCommands } from '#shared/keys/commands.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import { phraseLanguage, readyPhrases, sayPhrase } from './ready-phrases.ts';

const CHANGE = 'change';

/** The ready phrases in the language the user types in. Choosing a phrase speaks it; all can be edited. */
export function PhrasesMenu() {
	const { t, i18n } = useTranslation();
	const parts = useParts();
	const languageNow = () =>
		phraseLanguage(parts.settings.store.getState().values, parts.drafts.getState().writtenIn);

	/** Called only when the menu opens. */
	function entries(): readonly MenuEntry[] {
		const { phrases, shortcuts } = parts.settings.store.getState().values;
		const assigned = assignedBy(shortcuts);
		const language = languageNow();
		const said = readyPhrases(language, phrases).flatMap((label, index): MenuEntry[] => {
			const command = phraseCommands[index];
			const keys = command && assigned.get(command)?.[0];
			if (label === '') return [];
			return [
				{
					id: String(index),
					label,
					lang: localeTag(language),
					...(keys && { end: <KeyCaps keys={keys} /> }),
				},
			];
		});
		const none = t('phrases.none', { language: languageLabel(language, i18n.language) });
		return [
			...(said.length > 0 ? said : [{ id: 'none', label: none, isDisabled: true }]),
			{ id: CHANGE, label: t('phrases.change') },
		];
	}

	return (
		<Menu
			label={t('phrases.title')}
			icon="phrases"
			entries={entries}
			entryOf={(event) => {
				const assigned = assignedBy(parts.settings.store.getState().values.shortcuts);
				const mac = parts.info.platform === 'darwin';
				const command = commandOf(event, { mac, typing: false, assigned });
				const index = (phraseCommands as readonly (string | null)[]).indexOf(command);
				return index === -1 ? null : String(index);
			}}
			onChoose={(id) => {
				if (id === CHANGE) parts.navigation.changePhrases(languageNow());
				else sayPhrase(parts, Number(id));
			}}
		/>
	);
}
