import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import formStyles from '#renderer/ui/form.module.css';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import {
	type Correction,
	LONGEST_CORRECTION,
	withCorrection,
	wordsIn,
} from '#shared/captions/corrections.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import styles from './correct-dialog.module.css';

/** The text in one language: what was said, or a translation of it. */
export interface CorrectableText {
	readonly language: string;
	readonly text: string;
}

export interface CorrectDialogProps {
	/** At least one; those of one row. */
	readonly texts: readonly CorrectableText[];
	/** The selected words, and the language of their text. */
	readonly marked: { readonly language: string; readonly words: string } | null;
	/** The correction to change, instead of adding a new one. */
	readonly given?: Correction;
	readonly onClose: () => void;
}

/** "Not this word, that one": in this language, in past and future captions. */
export function CorrectDialog({ texts, marked, given, onClose }: CorrectDialogProps) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const corrections = useSetting('corrections');
	const [language, setLanguage] = useState(marked?.language ?? texts[0]?.language ?? '');
	const [wrong, setWrong] = useState(marked?.words ?? '');
	const [right, setRight] = useState(given?.right ?? '');
	const [full, setFull] = useState(false);
	const replacement = useRef<HTMLInputElement>(null);
	const text = texts.find((one) => one.language === language)?.text ?? '';
	const written = { lang: localeTag(language), dir: isRightToLeft(language) ? 'rtl' : 'ltr' } as const;
	const isReady = wrong.trim() !== '' && right.trim() !== '';

	function choose(word: string): void {
		setWrong(word);
		replacement.current?.focus();
	}

	function save(): void {
		if (!isReady) return;
		// By value: the list is another one after any change of a setting.
		const others = corrections.filter((one) => one.language !== given?.language || one.wrong !== given.wrong);
		const next = withCorrection(others, { language, wrong, right });
		if (next === null) {
			setFull(true);
			return;
		}
		void settings.write({ corrections: [...next] });
		onClose();
	}

	return (
		<AskDialog
			title={t(given ? 'correct.editTitle' : 'correct.title')}
			isOpen
			onClose={onClose}
			verb={t('correct.save')}
			isDisabled={!isReady}
			onDo={save}
		>
			<form
				className={formStyles.form}
				onSubmit={(event) => {
					event.preventDefault();
					save();
				}}
			>
				{texts.length > 1 && (
					<Segmented
						label={t('voices.language')}
						options={texts.map((one) => ({
							value: one.language,
							label: languageLabel(one.language, i18n.language),
						}))}
						value={language}
						onChange={(next) => {
							setLanguage(next);
							setWrong('');
						}}
					/>
				)}
				<fieldset className={styles.words}>
					<legend className={field.label}>{t('correct.press')}</legend>
					<div {...written}>
						<ButtonRow>
							{wordsIn(text, language).map((word) => (
								<Button key={word} aria-pressed={word === wrong} onPress={() => choose(word)}>
									<bdi>{word}</bdi>
								</Button>
							))}
						</ButtonRow>
					</div>
				</fieldset>
				<TextField
					label={t('correct.wrong')}
					{...written}
					value={wrong}
					onChange={(next) => setWrong(next.slice(0, LONGEST_CORRECTION))}
				/>
				<TextField
					label={t('correct.right')}
					ref={replacement}
					{...written}
					value={right}
					onChange={(next) => setRight(next.slice(0, LONGEST_CORRECTION))}
					hint={t('correct.hint', { language: languageLabel(language, i18n.language) })}
					error={full ? t('correct.full') : undefined}
				/>
				<button type="submit" hidden />
			</form>
		</AskDialog>
	);
}
