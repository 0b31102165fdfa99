import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { isOver } from '#renderer/conversation/conversation-store.ts';
import { Button } from '#renderer/ui/button.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import { problemWords } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { isRightToLeft, localeTag, matchLanguage, SPOKEN_LANGUAGES } from '#shared/protocol/languages.ts';
import { firstSentence } from './texts-to-read.ts';
import styles from './voices-page.module.css';

export interface TryVoiceProps {
	readonly name: string;
	/** Language of the sample, used for the test sentence if it can be spoken. */
	readonly language: string;
	readonly voiceId: string;
}

/** Says a sentence in a voice, over the text-to-speech socket. */
export function TryVoice({ name, language, voiceId }: TryVoiceProps) {
	const { t, i18n } = useTranslation();
	const { typing, conversation } = useParts();
	const spoken = matchLanguage(language, SPOKEN_LANGUAGES) ?? 'en';
	const [text, setText] = useState(() => firstSentence(spoken));
	const isLive = useStore(conversation.store, (view) => !isOver(view));
	const last = useStore(typing.store, (queue) => queue.texts.findLast((one) => one.voiceId === voiceId));
	const halted = useStore(typing.store, (queue) => queue.halted);
	const isBusy = last !== undefined && ['waiting', 'making', 'speaking'].includes(last.state.is) && !halted;
	const problem = last?.state.is === 'failed' ? last.state.problem : halted;

	function say(): void {
		if (halted) typing.goOn();
		typing.say(text, { language: spoken, voiceId });
	}

	return (
		<form
			className={styles.try}
			onSubmit={(event) => {
				event.preventDefault();
				if (!isBusy && !isLive && text.trim() !== '') say();
			}}
		>
			<TextField
				label={t('voices.tryLabel', { name })}
				lang={localeTag(spoken)}
				dir={isRightToLeft(spoken) ? 'rtl' : 'ltr'}
				value={text}
				onChange={setText}
			/>
			{isBusy ? (
				<Button onPress={() => typing.cancel(last.id)}>{t('voices.tryStop')}</Button>
			) : (
				<Button type="submit" isDisabled={isLive || text.trim() === ''}>
					<span>{t('voices.trySay')}</span>
				</Button>
			)}
			<p role="status" className={styles.quiet}>
				{isLive ? t('voices.tryLive') : problem ? problemWords(problem, t, i18n.language) : ''}
			</p>
		</form>
	);
}
