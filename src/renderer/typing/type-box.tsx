import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { useTwoLegs } from '#renderer/conversation/use-legs.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { land } from '#renderer/ui/restore-focus.ts';
import { Select } from '#renderer/ui/select.tsx';
import { TextAreaField } from '#renderer/ui/text-area.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { TASK_RANGE } from '#shared/protocol/limits.ts';
import { PhrasesMenu } from './phrases-menu.tsx';
import styles from './type-box.module.css';
import { languagesToType, writtenIn } from './typed-languages.ts';

/** The number of remaining characters is shown once it is below this. */
const SAY_FROM = 200;

/** A box to type in instead of speaking; the sentence is translated and spoken, or spoken as typed. */
export function TypeBox() {
	const { t, i18n } = useTranslation();
	const field = useRef<HTMLTextAreaElement>(null);
	const { conversation, legs, settings, drafts } = useParts();
	const phase = useStore(conversation.store, (view) => view.phase);
	// With two directions, the outgoing one speaks the text.
	const own = useTwoLegs() ? legs.outgoing.conversation : conversation;
	const ownPhase = useStore(own.store, (view) => view.phase);
	const paused = useStore(own.store, (view) => view.paused);
	const choices = useStore(settings.store, (view) => view.values);
	const text = useStore(drafts, (draft) => draft.sentence);
	const setText = (typed: string) => drafts.setState({ sentence: typed });
	const isAsked = useStore(drafts, (draft) => draft.isAsked);
	useEffect(() => {
		if (!isAsked || !field.current) return;
		field.current.focus();
		drafts.setState({ isAsked: false });
	}, [isAsked, drafts]);
	const chosen = useStore(drafts, (draft) => draft.writtenIn);
	if (!isRunning(phase)) return null;

	const languages = languagesToType(choices);
	const writing = writtenIn(languages, chosen);
	if (!writing) return null;
	const left = TASK_RANGE.ttsText - text.trim().length;
	const canSay = ownPhase === 'live' && !paused;

	function send(): void {
		if (!writing || text.trim() === '' || left < 0) return;
		const { language, translate } = writing;
		if (conversation.say({ text, language, translate })) setText('');
	}

	function nameOf(code: string): string {
		return languageLabel(code, i18n.language);
	}

	function hint(): string | undefined {
		// Show this only once something is typed: otherwise each lost connection would move the page.
		if (!canSay) return text.trim() === '' ? undefined : t('typing.notLive');
		return left < SAY_FROM && left >= 0 ? t('typing.left', { count: left }) : undefined;
	}

	return (
		<section
			className={styles.box}
			aria-label={t('typing.box')}
			onKeyDown={(event) => {
				if (event.key !== 'Escape' || event.defaultPrevented || text !== '') return;
				drafts.setState({ isOpen: false });
				requestAnimationFrame(() => land({ tag: 'button', name: t('typing.box'), nth: 0, top: 0 }));
			}}
		>
			<div className={styles.language} data-languages>
				<Select
					label={t('typing.writtenIn')}
					labelHidden
					value={writing.key}
					onChange={(key) => drafts.setState({ writtenIn: key })}
					options={languages.map(({ key, language, translate }) => ({
						value: key,
						label: t(translate ? 'typing.translated' : 'typing.asWritten', { language: nameOf(language) }),
					}))}
				/>
			</div>
			<div className={styles.text}>
				<TextAreaField
					ref={field}
					label={t('typing.instead')}
					labelHidden
					placeholder={t('typing.instead')}
					value={text}
					onChange={setText}
					onEnter={send}
					lang={localeTag(writing.language)}
					dir={isRightToLeft(writing.language) ? 'rtl' : 'ltr'}
					hint={hint()}
					error={left < 0 ? t('typing.tooLong', { count: TASK_RANGE.ttsText }) : undefined}
				/>
			</div>
			<Button
				square
				aria-label={t('typing.send')}
				isDisabled={!canSay || text.trim() === '' || left < 0}
				onPress={() => {
					send();
					// An empty box disables the button, which would then lose the focus.
					field.current?.focus();
				}}
			>
				<Icon name="send" />
			</Button>
			<PhrasesMenu />
			{/* A phrase that cannot be spoken now is put into the box without focusing it. */}
			<p role="status" className={hidden.hidden}>
				{!canSay && text.trim() !== '' && t('typing.notLive')}
			</p>
		</section>
	);
}
