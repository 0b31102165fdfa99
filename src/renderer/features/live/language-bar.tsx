import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { type ComboItem, type ComboSection, SearchCombo } from '#renderer/ui/search-combo.tsx';
import { languageName, languageNames, matchesLanguage, searchLanguages } from '#renderer/window/languages.ts';
import { useParts } from '#renderer/window/parts.ts';
import { AUTO, OFFERED_SOURCES, OFFERED_TARGETS } from '#shared/protocol/languages.ts';
import styles from './language-bar.module.css';
import { DetectLanguages, MoreTargets } from './language-extras.tsx';
import { chooseHear, chooseSpeak, swapped, voiceTarget } from './pair.ts';
import { useFocusPlace } from './use-focus-place.ts';

/** "I speak" ⇄ "They hear". */
export function LanguageBar() {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const pair = useStore(settings.store, (view) => view.values);
	const hearBox = useRef<HTMLInputElement>(null);
	useFocusPlace('languages', hearBox);

	const locale = i18n.language;
	const voice = voiceTarget(pair);
	const turned = swapped(pair);

	function item(code: string): ComboItem {
		if (code === AUTO) return { id: AUTO, text: t('languages.detect') };
		const name = languageName(code, locale);
		return { id: code, text: name.native, lang: name.tag, side: name.local };
	}

	function sections(
		offered: readonly string[],
		recent: readonly string[],
		typed: string,
	): readonly ComboSection[] {
		const found = (codes: readonly string[]) =>
			searchLanguages(languageNames(codes, locale), typed).map((name) => item(name.code));
		const known = recent.filter((code) => offered.includes(code));
		const detect =
			offered === OFFERED_SOURCES && matchesTyped(t('languages.detect'), typed) ? [item(AUTO)] : [];
		const recents = known.filter((code) => matchesLanguage(languageName(code, locale), typed)).map(item);
		return [
			{ id: 'recent', title: t('languages.recent'), items: [...detect, ...recents] },
			{ id: 'all', title: t('languages.all'), items: found(offered.filter((code) => !known.includes(code))) },
		];
	}

	return (
		<section className={styles.bar} aria-label={t('languages.title')}>
			<div className={styles.side}>
				<SearchCombo
					label={t('languages.speak')}
					showLabel={t('languages.show')}
					emptyText={t('languages.none')}
					value={pair.speak}
					valueText={item(pair.speak).text}
					{...langOf(item(pair.speak))}
					sectionsFor={(typed) => sections(OFFERED_SOURCES, pair.recentSpeak, typed)}
					onChoose={(code) => void settings.write(chooseSpeak(pair, code))}
				/>
				{pair.speak === AUTO && <DetectLanguages />}
			</div>
			<Button
				look="quiet"
				square
				aria-label={t('languages.swap')}
				isDisabled={turned === null}
				onPress={() => turned && void settings.write(turned)}
			>
				<Icon name="swap" size={24} />
			</Button>
			<div className={styles.side}>
				<SearchCombo
					ref={hearBox}
					label={t('languages.hear')}
					showLabel={t('languages.show')}
					emptyText={t('languages.none')}
					value={voice}
					valueText={voice === '' ? '' : item(voice).text}
					{...langOf(item(voice))}
					sectionsFor={(typed) => sections(OFFERED_TARGETS, pair.recentHear, typed)}
					onChoose={(code) => void settings.write(chooseHear(pair, code))}
				/>
				<MoreTargets />
			</div>
		</section>
	);
}

function langOf(item: ComboItem): { valueLang?: string } {
	return item.lang ? { valueLang: item.lang } : {};
}

function matchesTyped(text: string, typed: string): boolean {
	return text.toLowerCase().includes(typed.trim().toLowerCase());
}
