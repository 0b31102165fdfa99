import { isRunning } from '#renderer/conversation/live-changes.ts';
import type { Parts } from '#renderer/shell/parts.ts';
import type { TypedText } from '#shared/captions/typed-texts.ts';
import ours from '#shared/i18n/ready-phrases.json' with { type: 'json' };
import { phraseCommands } from '#shared/keys/commands.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { languagesToType, type TypedLanguage, typedVoice, writtenIn } from './typed-languages.ts';
import { canTypeAlong } from './typed-speech.ts';

type Changed = Settings['phrases'];

/** The phrase of each key in a language, in order; '' = no phrase. The app's own unless changed. */
export function readyPhrases(language: string, changed: Changed): readonly string[] {
	const name = nameOf(language);
	const known: Changed = [changed, ours].find((all) => Object.hasOwn(all, name)) ?? {};
	return phraseCommands.map((_, index) => known[name]?.[index]?.trim() ?? '');
}

/** Regional variants of a language share their phrases; the two scripts of Chinese do not. */
function nameOf(language: string): string {
	return language.toLowerCase() === 'zh-hant' ? 'zh-hant' : baseOf(language);
}

/** The setting with these phrases for a language; phrases equal to the app's own are not stored. */
export function withPhrases(changed: Changed, language: string, phrases: readonly string[]): Changed {
	const { [nameOf(language)]: _, ...rest } = changed;
	const next = phrases.map((text) => text.trim());
	const isOurs = JSON.stringify(next) === JSON.stringify(readyPhrases(language, rest));
	return isOurs ? rest : { ...rest, [nameOf(language)]: next };
}

/** The language of the ready phrases: the one the user types in, in a conversation or in Type to speak; else English. */
export function phraseLanguage(values: Settings, chosen: string): string {
	if (values.mode === 'type') return typedVoice(values).language;
	return writtenIn(languagesToType(values), chosen)?.language ?? 'en';
}

/** The app's phrase in the only listener's language; null if the user changed it in either language. */
function inTheirs(values: Settings, { language, translate }: TypedLanguage, index: number): TypedText | null {
	const [their, another] = languagesToType(values).filter((one) => !one.translate);
	if (!translate || !their || another) return null;
	const [text, same] = [their.language, language].map((code) => {
		const own = readyPhrases(code, {})[index];
		return own === readyPhrases(code, values.phrases)[index] ? own : '';
	});
	return text && same ? { text, language: their.language, translate: false } : null;
}

/**
 * Says the phrase of this index as if it had been typed: in a conversation, or in Type to speak. While the
 * conversation cannot accept it (paused, reconnecting), it waits in the text box, unless that contains another
 * text.
 */
export function sayPhrase(
	{ conversation, settings, drafts, typing }: Pick<Parts, 'conversation' | 'settings' | 'drafts' | 'typing'>,
	index: number,
): void {
	const { values } = settings.store.getState();
	const running = isRunning(conversation.store.getState().phase);
	const phraseIn = (language: string) => readyPhrases(language, values.phrases)[index];
	if (values.mode === 'type') {
		const voice = typedVoice(values);
		const text = phraseIn(voice.language);
		if (text && !running) typing.say(text, voice);
		return;
	}
	const { sentence, writtenIn: chosen } = drafts.getState();
	const writing = writtenIn(languagesToType(values), chosen);
	if (!running || !writing || !canTypeAlong(values.mode)) return;
	const { language, translate } = writing;
	const text = phraseIn(language);
	if (!text || conversation.say(inTheirs(values, writing, index) ?? { text, language, translate })) return;
	if (sentence.trim() === '') drafts.setState({ sentence: text, isOpen: true });
}
