import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import formStyles from '#renderer/ui/form.module.css';
import { TextField } from '#renderer/ui/text-field.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { readyPhrases, withPhrases } from '#renderer/window/ready-phrases.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { cut } from '#shared/protocol/json.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { LONGEST_PHRASE } from '#shared/settings/schema.ts';
import { AskDialog } from './ask-dialog.tsx';

/** Changes the ready phrases of a language. It outlives the page it was asked for on: a conversation may end meanwhile. */
export function PhrasesDialog() {
	const { navigation } = useParts();
	const language = useStore(navigation.store, (view) => view.phrases);
	return language === null ? null : <Change key={language} language={language} />;
}

function Change({ language }: { readonly language: string }) {
	const { t, i18n } = useTranslation();
	const { settings, navigation } = useParts();
	const onClose = () => navigation.changePhrases(null);
	const changed = useSetting('phrases');
	const [texts, setTexts] = useState(() => readyPhrases(language, changed));
	const suggested = readyPhrases(language, {});

	function save(): void {
		void settings.write({ phrases: withPhrases(changed, language, texts) });
		onClose();
	}

	return (
		<AskDialog title={t('phrases.title')} isOpen onClose={onClose} verb={t('phrases.save')} onDo={save}>
			<form
				className={formStyles.form}
				onSubmit={(event) => {
					event.preventDefault();
					save();
				}}
			>
				<p>{t('phrases.lead', { language: languageLabel(language, i18n.language) })}</p>
				{texts.map((text, index) => (
					<TextField
						// biome-ignore lint/suspicious/noArrayIndexKey: a phrase is its number
						key={index}
						label={t('phrases.number', { number: index + 1 })}
						value={text}
						lang={localeTag(language)}
						dir={isRightToLeft(language) ? 'rtl' : 'ltr'}
						onChange={(next) => setTexts(texts.with(index, cut(next, LONGEST_PHRASE)))}
					/>
				))}
				{suggested.some((text) => text !== '') && (
					<ButtonRow>
						<Button look="quiet" onPress={() => setTexts(suggested)}>
							{t('phrases.suggested')}
						</Button>
					</ButtonRow>
				)}
				<button type="submit" hidden />
			</form>
		</AskDialog>
	);
}
