import { type ReactNode, useMemo, useRef, useState } from 'react';
import {
	Button as AriaButton,
	ToggleButton as AriaToggleButton,
	Checkbox,
	CheckboxGroup,
	Dialog,
	DialogTrigger,
	Heading,
	Popover,
} from 'react-aria-components';
import { useStore } from 'zustand';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { list } from '#renderer/i18n/format.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useTip } from '#renderer/keys/key-caps.tsx';
import { useIsLocal, useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFocusPlace } from '#renderer/shell/use-page-travel.ts';
import { Button } from '#renderer/ui/button.tsx';
import tickListStyles from '#renderer/ui/field.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { type ComboItem, type ComboSection, SearchCombo } from '#renderer/ui/search-combo.tsx';
import { SearchField } from '#renderer/ui/search-field.tsx';
import ticks from '#renderer/ui/tick-list.module.css';
import {
	languageLabel,
	languageName,
	languageNames,
	matchesLanguage,
	searchLanguages,
} from '#shared/i18n/language-names.ts';
import {
	AUTO,
	OFFERED_SOURCES,
	OFFERED_TARGETS,
	sameLanguage,
	swap,
	TRANSCRIBED_SOURCES,
	TRANSCRIBED_TARGETS,
} from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { NO_TRANSLATION, shownPair, voiceTarget } from '#shared/settings/shown-pair.ts';
import styles from './language-bar.module.css';
import { LanguageLabel } from './language-label.tsx';
import {
	captionTargets,
	chooseHear,
	chooseSpeak,
	giveVoice,
	setCaptionTargets,
	swapped,
} from './language-pair.ts';
import { languageItem, shownLanguage, shownValue, spokenLabel, theirLabel } from './shown-language.ts';
import { TheirLanguage } from './their-language.tsx';
import { detectTheirs } from './use-their-language.ts';

/** Languages that are available both as source and as target (protocol 6.3). */
const bothWays = {
	sources: OFFERED_SOURCES.filter((code) => swap(code, 'en-us') !== null),
	targets: OFFERED_TARGETS.filter((code) => swap('en', code) !== null),
	detects: false,
};

/** "I speak" ⇄ "They hear": the spoken language comes first, as in the captions below. */
export function LanguageBar() {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const tip = useTip();
	const pair = useStore(settings.store, (view) => view.values);
	const hearBox = useRef<HTMLInputElement>(null);
	useFocusPlace('languages', hearBox);
	const speakBox = useRef<HTMLInputElement>(null);
	useFocusPlace('spoken-language', speakBox);

	const locale = i18n.language;
	const isCaptions = pair.mode === 'captions';
	// In face-to-face mode there are exactly two people, and each language is both spoken and read.
	const isFace = pair.mode === 'face';
	const isListening = pair.mode === 'listen';
	const offered = useOffered(pair.mode);
	const { spoken, target } = shownPair(pair);
	const turned = swapped(pair);
	const item = (code: string): ComboItem => shownLanguage(code, t, locale);

	/** `first`: the entry before the languages, for detection or for no language. */
	function sections(
		chosen: string,
		first: string | null,
		codes: readonly string[],
		recent: readonly string[],
		typed: string,
	): readonly ComboSection[] {
		// The current choice, even a default, counts as used last, so that it is in view when the list opens.
		const known = codes
			.filter((code) => code === chosen)
			.concat(recent.filter((code) => code !== chosen && codes.includes(code)));
		const others = codes.filter((code) => !known.includes(code));
		const lead = first !== null && matchesTyped(item(first).text, typed) ? [item(first)] : [];
		const recents = known.filter((code) => matchesLanguage(languageName(code, locale), typed)).map(item);
		const found = searchLanguages(languageNames(others, locale), typed).map((name) => item(name.code));
		return [
			{ id: 'recent', title: t('languages.recent'), items: [...lead, ...recents] },
			{ id: 'all', title: t('languages.all'), items: found },
		];
	}

	function chooseTarget(code: string): void {
		if (code === NO_TRANSLATION) return void settings.write({ translateCaptions: false });
		if (isListening && code === AUTO) return void settings.write(detectTheirs(pair));
		if (isListening) return void settings.write({ ...chooseHear(pair, code), listenDetect: false });
		void settings.write({ ...chooseHear(pair, code), translateCaptions: true });
	}

	const mine = (
		<div className={styles.side}>
			<SearchCombo
				ref={speakBox}
				label={t(spokenLabel(pair.mode))}
				showLabel={t('languages.show')}
				emptyText={t('languages.none')}
				value={spoken}
				{...shownValue(spoken, t, locale)}
				sectionsFor={(typed) =>
					sections(spoken, offered.detects ? AUTO : null, offered.sources, pair.recentSpeak, typed)
				}
				onChoose={(code) => void settings.write(chooseSpeak(pair, code))}
			/>
			{pair.speak === AUTO && !isCaptions && offered.detects && <DetectLanguages />}
		</div>
	);
	const theirs = (
		<div className={styles.side}>
			<SearchCombo
				ref={hearBox}
				label={t(theirLabel[pair.mode])}
				showLabel={t('languages.show')}
				emptyText={t('languages.none')}
				value={target}
				{...shownValue(target, t, locale)}
				sectionsFor={(typed) =>
					sections(
						target,
						isCaptions ? NO_TRANSLATION : isListening ? AUTO : null,
						offered.targets,
						pair.recentHear,
						typed,
					)
				}
				onChoose={chooseTarget}
			/>
			{target === AUTO && <DetectLanguages also={<TheirLanguageNow />} />}
			{target !== NO_TRANSLATION && !isFace && !isListening && (
				<MoreTargets also={pair.mode === 'meeting' && <DetectTheirs />} />
			)}
		</div>
	);

	return (
		<section className={styles.bar} aria-label={t('languages.title')}>
			{isListening ? theirs : mine}
			<Button
				look="quiet"
				square
				aria-label={t('languages.swap')}
				tip={tip(t('languages.swap'), 'swap')}
				isDisabled={turned === null}
				onPress={() => turned && void settings.write(turned)}
			>
				<Icon name="swap" size={24} />
			</Button>
			{isListening ? mine : theirs}
		</section>
	);
}

/** A separate component, so that Start re-renders only this and not the two lists above (8 ms). */
function TheirLanguageNow() {
	const { conversation } = useParts();
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	return running && <TheirLanguage />;
}

function matchesTyped(text: string, typed: string): boolean {
	return text.toLowerCase().includes(typed.trim().toLowerCase());
}

/** The choice of languages that detection listens for. `also` is shown beside it. */
function DetectLanguages({ also }: { readonly also?: ReactNode }) {
	return (
		<div className={styles.extras}>
			<Candidates />
			{also}
		</div>
	);
}

/** In a meeting: detects the language that the others speak; the language they hear remains as chosen. */
function DetectTheirs() {
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
				<Icon name={detects ? 'check' : 'voice'} size={16} />
				<span data-tooltip={t('languages.detectTheirs')}>{t('languages.detectTheirs')}</span>
			</AriaToggleButton>
			{detects && <Candidates />}
		</div>
	);
}

function Candidates() {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const detectable = useSetting('detectable');
	const offered = useOffered('solo');
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
			codes={offered.sources}
			ticked={detectable}
			// At least one must remain, because detection needs a candidate.
			onChange={(codes) => codes.length > 0 && void settings.write({ detectable: [...codes] })}
		/>
	);
}

/** Languages with captions besides the spoken one; each can take the voice or be removed. `also` comes last. */
function MoreTargets({ also }: { readonly also?: ReactNode }) {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const pair = useStore(settings.store, (view) => view.values);
	const voice = voiceTarget(pair);
	const others = captionTargets(pair);
	const offered = useOffered(pair.mode);
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
				codes={offered.targets.filter((code) => code !== voice && !sameLanguage(code, pair.speak))}
				ticked={others}
				onChange={set}
			/>
			{also}
		</div>
	);
}

interface LanguageTicksProps {
	readonly button: string;
	/** Text of the button; empty: the button shows only a plus sign. */
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
				{text !== '' && <span data-tooltip={text}>{text}</span>}
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

interface TickItem {
	readonly id: string;
	readonly text: string;
	readonly lang: string;
	readonly side: string;
}

interface TickListProps {
	readonly label: string;
	readonly searchLabel: string;
	readonly emptyText: string;
	readonly typed: string;
	readonly onTyped: (typed: string) => void;
	/** The search results, in order. */
	readonly items: readonly TickItem[];
	/** All ticked items, shown or not. */
	readonly ticked: readonly string[];
	readonly onChange: (ticked: readonly string[]) => void;
}

/** Any number of choices from a searchable list. */
function TickList(props: TickListProps) {
	return (
		<>
			<SearchField label={props.searchLabel} typed={props.typed} onTyped={props.onTyped} autoFocus />
			<CheckboxGroup
				aria-label={props.label}
				className={ticks.group ?? ''}
				value={[...props.ticked]}
				onChange={props.onChange}
			>
				{props.items.map((item) => (
					<Checkbox key={item.id} value={item.id} className={tickListStyles.item ?? ''}>
						{({ isSelected }) => (
							<>
								<span className={`${ticks.box} ${isSelected ? ticks.on : ''}`}>
									{isSelected && <Icon name="check" size={16} />}
								</span>
								<span className={tickListStyles.itemText} lang={item.lang} dir="auto">
									{item.text}
								</span>
								{item.side !== item.text && <span className={tickListStyles.itemSide}>{item.side}</span>}
							</>
						)}
					</Checkbox>
				))}
				{props.items.length === 0 && <p className={tickListStyles.empty}>{props.emptyText}</p>}
			</CheckboxGroup>
		</>
	);
}

interface Offered {
	readonly sources: readonly string[];
	readonly targets: readonly string[];
	/** True if the spoken language can be detected. */
	readonly detects: boolean;
}

/** The languages that can be chosen in a mode; while this computer interprets, only the languages it supports. */
function useOffered(mode: Settings['mode']): Offered {
	const { models } = useParts();
	const isLocal = useIsLocal();
	const choice = useStore(models.store, (view) => view.choice);
	return useMemo(() => {
		if (!isLocal || !choice) return offeredIn(mode);
		// The local interpreter supports the same languages with and without a voice.
		const { sources, targets, detects } = offeredIn(mode === 'captions' ? 'solo' : mode);
		return {
			sources: sources.filter((code) => choice.neededFor(code, 'en') !== null),
			targets: targets.filter((code) => choice.neededFor('en', code) !== null),
			detects,
		};
	}, [isLocal, choice, mode]);
}

/** The languages that a mode offers: captions without a voice have fewer (protocol 6.4). */
function offeredIn(mode: Settings['mode']): Offered {
	if (mode === 'captions')
		return {
			sources: TRANSCRIBED_SOURCES.filter((code) => code !== AUTO),
			targets: TRANSCRIBED_TARGETS,
			detects: true,
		};
	if (mode === 'meeting' || mode === 'listen' || mode === 'face') return bothWays;
	return { sources: OFFERED_SOURCES, targets: OFFERED_TARGETS, detects: true };
}
