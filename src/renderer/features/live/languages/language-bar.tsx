import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { type ComboItem, type ComboSection, SearchCombo } from '#renderer/ui/search-combo.tsx';
import { TheirLanguage } from '#renderer/window/components/their-language.tsx';
import { chooseHear, chooseSpeak, swapped } from '#renderer/window/language-pair.ts';
import { isRunning } from '#renderer/window/live-changes.ts';
import { useParts } from '#renderer/window/parts.ts';
import { detectTheirs } from '#renderer/window/their-language.ts';
import { useFocusPlace } from '#renderer/window/use-focus-place.ts';
import { useTip } from '#renderer/window/use-tip.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import { languageNames, matchesLanguage, searchLanguages } from '#shared/i18n/language-search.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import { NO_TRANSLATION, shownPair } from '#shared/settings/shown-pair.ts';
import styles from './language-bar.module.css';
import { DetectLanguages, DetectTheirs, MoreTargets } from './language-extras.tsx';
import { offeredIn } from './offered.ts';
import { shownLanguage, shownValue, spokenLabel, theirLabel } from './shown-words.ts';

/** "I speak" ⇄ "They hear": what is spoken first, as in the captions below. */
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
	// Exactly two people, and each of the two languages is both spoken and read.
	const isFace = pair.mode === 'face';
	const isListening = pair.mode === 'listen';
	const offered = offeredIn(pair.mode);
	const { spoken, target } = shownPair(pair);
	const turned = swapped(pair);
	const item = (code: string): ComboItem => shownLanguage(code, t, locale);

	/** `first` is no language: to detect it, or to have none. */
	function sections(
		chosen: string,
		first: string | null,
		codes: readonly string[],
		recent: readonly string[],
		typed: string,
	): readonly ComboSection[] {
		// The current choice counts as used last, even a default: it is in view when the list opens.
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

/** By itself, so that a press of Start renders this and not the two lists above (8 ms). */
function TheirLanguageNow() {
	const { conversation } = useParts();
	const running = useStore(conversation.store, (view) => isRunning(view.phase));
	return running && <TheirLanguage />;
}

function matchesTyped(text: string, typed: string): boolean {
	return text.toLowerCase().includes(typed.trim().toLowerCase());
}
