import { Fragment, useState } from 'react';
import { useStore } from 'zustand';
import { holdKeys } from '#renderer/face-to-face/use-side-keys.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import styles from '#renderer/shell/app.module.css';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { readyPhrases, withPhrases } from '#renderer/typing/ready-phrases.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import formStyles from '#renderer/ui/form.module.css';
import { TextField } from '#renderer/ui/text-field.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { assignedBy } from '#shared/keys/assigned.ts';
import type { Scope, Slot } from '#shared/keys/commands.ts';
import { cut } from '#shared/protocol/json.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { LONGEST_PHRASE } from '#shared/settings/schema.ts';
import { KeyCaps } from './key-caps.tsx';
import { useCommandName, useSlotGroups } from './use-command-groups.ts';

/** A sheet with every shortcut in force, and the dialog that changes the phrases of the phrase keys, on any page. */
export function ShortcutSheet() {
	return (
		<>
			<Sheet />
			<PhrasesDialog />
		</>
	);
}

function Sheet() {
	const { t } = useTranslation();
	const { navigation } = useParts();
	const isOpen = useStore(navigation.store, (view) => view.shortcuts);
	const globalKeys = useSetting('globalKeys');
	const close = () => navigation.showShortcuts(false);
	return (
		<Dialog
			title={t('shortcuts.title')}
			closeLabel={t('app.close')}
			isOpen={isOpen}
			onClose={close}
			actions={
				<Button
					onPress={() => {
						close();
						navigation.go('settings', 'shortcuts');
					}}
				>
					{t('shortcuts.change')}
				</Button>
			}
		>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard (WCAG 2.1.1) */}
			<section className={styles.sheet} tabIndex={0} aria-label={t('shortcuts.title')}>
				<Keys scope="window" />
				<FaceKeys />
				{globalKeys && (
					<>
						<h3>{t('shortcuts.global')}</h3>
						<Keys scope="global" />
					</>
				)}
			</section>
		</Dialog>
	);
}

/** The keys of face-to-face mode, fixed by position, because two people share the keyboard. */
function FaceKeys() {
	const { t } = useTranslation();
	return (
		<section aria-label={t('mode.face')}>
			<h3>{t('mode.face')}</h3>
			<dl className={styles.keys}>
				<dt>{t('shortcuts.faceMine')}</dt>
				<dd>
					<KeyCaps keys={holdKeys.me.name} />
				</dd>
				<dt>{t('shortcuts.facePartners')}</dt>
				<dd>
					<KeyCaps keys={holdKeys.partner.name} />
				</dd>
			</dl>
			<p className={styles.keysHint}>{t('shortcuts.faceHint')}</p>
		</section>
	);
}

function Keys({ scope }: { readonly scope: Scope }) {
	const Title = scope === 'window' ? 'h3' : 'h4';
	const { t } = useTranslation();
	const assigned = assignedBy(useSetting('shortcuts'));
	const keysOf = ({ name }: Slot) => assigned.get(name) ?? [];
	const groups = useSlotGroups(scope, (slot) => keysOf(slot).length > 0);
	const nameOf = useCommandName();
	return groups.map((group) => (
		<section key={group.title} aria-label={group.title}>
			<Title>{group.title}</Title>
			<dl className={styles.keys}>
				{group.slots.map((slot) => (
					<Fragment key={slot.name}>
						<dt>{nameOf(slot.command)}</dt>
						<dd>
							{keysOf(slot).map((text, index) => (
								<Fragment key={text}>
									{index > 0 && <span>{t('shortcuts.or')}</span>}
									<KeyCaps keys={text} />
								</Fragment>
							))}
						</dd>
					</Fragment>
				))}
			</dl>
		</section>
	));
}

/** Changes a language's ready phrases. The dialog outlives its page: a conversation may end meanwhile. */
function PhrasesDialog() {
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
						// biome-ignore lint/suspicious/noArrayIndexKey: a phrase is identified by its number
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
