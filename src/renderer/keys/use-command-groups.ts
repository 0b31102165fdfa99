import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { phraseLanguage, readyPhrases } from '#renderer/typing/ready-phrases.ts';
import { type Command, phraseCommands } from '#shared/keys/commands.ts';

/** Longer phrases are cut in lists of keys, UTF-16 units. */
const SHOWN = 60;

/** Commands as they are listed with their keys. */
const groups = {
	conversation: ['start-stop', 'mute', 'pause', 'talk', 'talk-toggle', 'swap', 'their-language', 'replay'],
	phrases: phraseCommands,
	captions: ['save', 'overlay', 'audience-overlay', 'overlay-click-through'],
	app: ['settings', 'shortcuts', 'setup', 'diagnostics'],
} as const satisfies Record<string, readonly Command[]>;

export interface CommandGroup {
	readonly title: string;
	readonly commands: readonly Command[];
}

export function useCommandGroups(): readonly CommandGroup[] {
	const { t } = useTranslation();
	return [
		{ title: t('shortcuts.conversation'), commands: groups.conversation },
		{ title: t('phrases.title'), commands: groups.phrases },
		{ title: t('captions.title'), commands: groups.captions },
		{ title: t('app.name'), commands: groups.app },
	];
}

/** The name of a command; for a phrase's shortcut, the phrase in the language typed in now. */
export function useCommandName(): (command: Command) => string {
	const { t } = useTranslation();
	const { settings, drafts } = useParts();
	const chosen = useStore(drafts, (draft) => draft.writtenIn);
	const language = useStore(settings.store, ({ values }) => phraseLanguage(values, chosen));
	const changed = useStore(settings.store, ({ values }) => values.phrases);
	const texts = readyPhrases(language, changed);
	return (command) => {
		const text = texts[(phraseCommands as readonly Command[]).indexOf(command)] ?? '';
		if (text === '') return t(`shortcuts.names.${command}`);
		return t('shortcuts.say', { text: isolate(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text) });
	};
}
