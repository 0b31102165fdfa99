import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { phraseLanguage, readyPhrases } from '#renderer/typing/ready-phrases.ts';
import { type Command, phraseCommands, type Scope, type Slot, slots } from '#shared/keys/commands.ts';
import { cut } from '#shared/protocol/json.ts';

/** Maximum length of a phrase in lists of keys, UTF-16 units; longer ones are cut. */
const SHOWN = 60;

/** Commands in the order in which they are listed with their keys. */
const groups = {
	conversation: ['start-stop', 'mute', 'pause', 'talk', 'talk-toggle', 'swap', 'their-language', 'replay'],
	phrases: phraseCommands,
	captions: ['save', 'overlay', 'audience-overlay', 'overlay-click-through'],
	app: ['settings', 'shortcuts', 'setup', 'diagnostics'],
} as const satisfies Record<string, readonly Command[]>;

export interface SlotGroup {
	readonly title: string;
	readonly slots: readonly Slot[];
}

/** The shortcuts of this scope in their groups, without empty ones; `isListed` leaves some out. */
export function useSlotGroups(
	scope: Scope,
	isListed: (slot: Slot) => boolean = () => true,
): readonly SlotGroup[] {
	const { t } = useTranslation();
	const all: readonly (readonly [title: string, commands: readonly Command[]])[] = [
		[t('shortcuts.conversation'), groups.conversation],
		[t('phrases.title'), groups.phrases],
		[t('captions.title'), groups.captions],
		[t('app.name'), groups.app],
	];
	return all
		.map(([title, commands]) => ({
			title,
			slots: slots.filter(
				(slot) => slot.scope === scope && commands.includes(slot.command) && isListed(slot),
			),
		}))
		.filter((group) => group.slots.length > 0);
}

/** The name of a command; for a phrase's shortcut, the phrase in the language the user types in now. */
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
		return t('shortcuts.say', { text: isolate(text.length > SHOWN ? `${cut(text, SHOWN)}…` : text) });
	};
}
