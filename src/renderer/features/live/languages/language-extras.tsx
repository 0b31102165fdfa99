import { type ReactNode, useState } from 'react';
import {
	Button as AriaButton,
	ToggleButton as AriaToggleButton,
	Dialog,
	DialogTrigger,
	Heading,
	Popover,
} from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Icon } from '#renderer/ui/icon.tsx';
import { TickList } from '#renderer/ui/tick-list.tsx';
import { LanguageLabel } from '#renderer/window/components/language-label.tsx';
import { captionTargets, giveVoice, setCaptionTargets } from '#renderer/window/language-pair.ts';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { detectTheirs } from '#renderer/window/their-language.ts';
import { list } from '#renderer/window/words/format.ts';
import { languageItem } from '#renderer/window/words/language-item.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { languageNames, searchLanguages } from '#shared/i18n/language-search.ts';
import { OFFERED_SOURCES, sameLanguage } from '#shared/protocol/languages.ts';
import { voiceTarget } from '#shared/settings/shown-pair.ts';
import styles from './language-bar.module.css';
import { offeredIn } from './offered.ts';

/** Which languages detection listens for. `also` stands beside it. */
export function DetectLanguages({ also }: { readonly also?: ReactNode }) {
	return (
		<div className={styles.extras}>
			<Candidates />
			{also}
		</div>
	);
}

/** In a meeting: the language they speak is detected, while the one they hear stays as chosen. */
export function DetectTheirs() {
	const { t } = useTranslation();
	const { settings, conversation } = useParts();
	const detects = useSetting('listenDetect');
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	function detect(isOn: boolean): void {
		const { values } = settings.store.getState();
		void settings.write(isOn ? detectTheirs(values) : { listenDetect: false });
	}
	return (
		<div className={styles.theirs} data-running={running}>
			<AriaToggleButton className={styles.extraButton ?? ''} isSelected={detects} onChange={detect}>
				<Icon name={detects ? 'check' : 'plus'} size={16} />
				<span title={t('languages.detectTheirs')}>{t('languages.detectTheirs')}</span>
			</AriaToggleButton>
			{detects && <Candidates />}
		</div>
	);
}

function Candidates() {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const detectable = useSetting('detectable');
	const names = list(
		detectable.map((code) => languageLabel(code, i18n.language)),
		i18n.language,
	);
	return (
		<LanguageTicks
			button={t('languages.detectChange')}
			text={
				detectable.length > 0
					? t('languages.detectSummary', { languages: names })
					: t('languages.detectChange')
			}
			title={t('languages.detectTitle')}
			hint={t('languages.detectHint')}
			codes={OFFERED_SOURCES}
			ticked={detectable}
			// One must stay: among none nothing can be detected.
			onChange={(codes) => codes.length > 0 && void settings.write({ detectable: [...codes] })}
		/>
	);
}

/** Languages with captions besides the spoken one: each can take the voice or be removed. `also` stands after them. */
export function MoreTargets({ also }: { readonly also?: ReactNode }) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const pair = useStore(settings.store, (view) => view.values);
	const voice = voiceTarget(pair);
	const others = captionTargets(pair);
	const set = (codes: readonly string[]) => void settings.write(setCaptionTargets(pair, codes));

	return (
		<div className={styles.extras}>
			{others.length > 0 && (
				<>
					<span className={styles.tagsLabel} id="more-targets">
						{t('languages.also')}
					</span>
					<ul className={styles.tagList} aria-labelledby="more-targets">
						{others.map((code) => {
							const name = languageLabel(code, i18n.language);
							return (
								<li key={code} className={styles.tag}>
									<AriaButton
										className={styles.tagVoice ?? ''}
										aria-label={`${name}: ${t('languages.giveVoice', { language: name })}`}
										isDisabled={pair.mode === 'captions'}
										onPress={() => void settings.write(giveVoice(pair, code))}
									>
										<LanguageLabel code={code} />
									</AriaButton>
									<AriaButton
										className={styles.tagRemove ?? ''}
										aria-label={t('languages.remove', { language: name })}
										onPress={() => set(others.filter((other) => other !== code))}
									>
										<Icon name="close" size={16} />
									</AriaButton>
								</li>
							);
						})}
					</ul>
				</>
			)}
			<LanguageTicks
				button={t('languages.add')}
				text={others.length > 0 ? '' : t('languages.add')}
				title={t('languages.addTitle')}
				hint={t('languages.addHint')}
				codes={offeredIn(pair.mode).targets.filter(
					(code) => code !== voice && !sameLanguage(code, pair.speak),
				)}
				ticked={others}
				onChange={set}
			/>
			{also}
		</div>
	);
}

interface LanguageTicksProps {
	readonly button: string;
	/** Empty: the button shows its plus sign only. */
	readonly text: string;
	readonly title: string;
	readonly hint: string;
	readonly codes: readonly string[];
	readonly ticked: readonly string[];
	readonly onChange: (codes: readonly string[]) => void;
}

function LanguageTicks({ button, text, title, hint, codes, ticked, onChange }: LanguageTicksProps) {
	const { t, i18n } = useTranslation();
	const [typed, setTyped] = useState('');
	const items = searchLanguages(languageNames(codes, i18n.language), typed).map(languageItem);
	return (
		<DialogTrigger onOpenChange={() => setTyped('')}>
			<AriaButton
				className={styles.extraButton ?? ''}
				aria-label={text === '' || text === button ? button : `${button}: ${text}`}
			>
				<Icon name="plus" size={16} />
				{text !== '' && <span title={text}>{text}</span>}
			</AriaButton>
			<Popover className={styles.popover ?? ''} placement="bottom start" offset={6}>
				<Dialog className={styles.dialog ?? ''}>
					<Heading slot="title" level={2}>
						{title}
					</Heading>
					<p className={styles.dialogHint}>{hint}</p>
					<TickList
						label={title}
						searchLabel={t('languages.search')}
						emptyText={t('languages.none')}
						typed={typed}
						onTyped={setTyped}
						items={items}
						ticked={ticked}
						onChange={onChange}
					/>
				</Dialog>
			</Popover>
		</DialogTrigger>
	);
}
