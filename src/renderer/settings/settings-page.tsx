import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { type SettingsSection, settingsSections } from '#renderer/shell/navigation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import page from '#renderer/ui/page.module.css';
import { SearchField } from '#renderer/ui/search-field.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { AccountSection } from './account-section.tsx';
import { AdvancedSection } from './advanced-section.tsx';
import { CallRouteSection } from './calls-section.tsx';
import { CaptionsSection } from './captions-section.tsx';
import { GeneralSection } from './general-section.tsx';
import { HistorySection } from './history-section.tsx';
import { ModelsSection } from './models-section.tsx';
import { OverlaySection } from './overlay-section.tsx';
import {
	type FoundSetting,
	governedBy,
	type IndexedSetting,
	indexedSettings,
	loadSynonyms,
	type Synonyms,
	searchSettings,
} from './settings-index.ts';
import styles from './settings-page.module.css';
import { ShortcutsSection } from './shortcuts-section.tsx';
import { SoundSection } from './sound-section.tsx';

const contents = {
	general: GeneralSection,
	sound: () => (
		<>
			<SoundSection />
			<CallRouteSection />
		</>
	),
	captions: () => (
		<>
			<CaptionsSection />
			<OverlaySection />
		</>
	),
	privacy: HistorySection,
	shortcuts: ShortcutsSection,
	account: AccountSection,
	models: ModelsSection,
	advanced: AdvancedSection,
} as const satisfies Record<SettingsSection, () => React.ReactNode>;

/** Every setting, a section at a time, with a search over all settings. */
export function SettingsPage() {
	const { t, i18n } = useTranslation();
	const { settings, navigation } = useParts();
	const problem = useStore(settings.store, (view) => view.problem);
	const section = useStore(navigation.store, (view) => view.section);
	const [typed, setTyped] = useState('');
	const [sought, setSought] = useState<{ readonly name: IndexedSetting } | null>(null);
	const shown = useRef<HTMLDivElement>(null);
	const found = searchSettings(indexedSettings(t), typed, useSynonyms(i18n.language));
	const isSearching = typed.trim() !== '';
	const Contents = contents[section];

	useEffect(() => {
		if (!sought) return;
		const rowOf = (name: IndexedSetting) => shown.current?.querySelector(`[data-setting="${name}"]`);
		const row = rowOf(sought.name) ?? rowOf(governedBy[sought.name] ?? sought.name);
		if (!row) return;
		row.scrollIntoView({ block: 'center' });
		row.querySelector<HTMLElement>('button:not(:disabled), input:not(:disabled)')?.focus();
	}, [sought]);

	function choose(name: SettingsSection): void {
		setTyped('');
		navigation.showSection(name);
		// Another section starts at its top, however far the previous one was scrolled.
		shown.current?.closest('main')?.scrollTo({ top: 0, behavior: 'instant' });
	}

	function open({ name, section: of }: FoundSetting): void {
		setTyped('');
		navigation.showSection(of);
		setSought({ name });
	}

	return (
		<main className={page.page}>
			<div className={styles.columns}>
				<h1 className={`${page.title} ${styles.title}`}>{t('settings.title')}</h1>
				<div className={styles.side}>
					<SearchField
						label={t('settings.search')}
						typed={typed}
						onTyped={setTyped}
						onSubmit={() => found[0] && open(found[0])}
					/>
					<Sections shown={isSearching ? null : section} onChoose={choose} />
				</div>
				<div ref={shown} className={styles.contents}>
					{problem && <ProblemNotice problem={problem} tone="warning" />}
					{isSearching ? <Found found={found} onOpen={open} /> : <Contents />}
				</div>
			</div>
		</main>
	);
}

/** The synonyms for the search; empty until loaded, so that only labels are searched. */
function useSynonyms(language: string): Synonyms {
	const [synonyms, setSynonyms] = useState<Synonyms>({});
	useEffect(() => {
		let isOver = false;
		void loadSynonyms(language).then((loaded) => {
			if (!isOver) setSynonyms(loaded);
		});
		return () => {
			isOver = true;
		};
	}, [language]);
	return synonyms;
}

interface SectionsProps {
	/** The section that is shown; null while search results are shown instead. */
	readonly shown: SettingsSection | null;
	readonly onChoose: (section: SettingsSection) => void;
}

/** The choice of section: a list at the side, or a menu in a narrow window. */
function Sections({ shown, onChoose }: SectionsProps) {
	const { t } = useTranslation();
	const options = settingsSections.map((value) => ({ value, label: t(`settings.section.${value}`) }));
	return (
		<>
			<nav className={styles.list} aria-label={t('settings.sections')}>
				{options.map(({ value, label }) => (
					<button
						key={value}
						type="button"
						className={styles.entry}
						aria-current={value === shown ? 'page' : undefined}
						onClick={() => onChoose(value)}
					>
						{label}
					</button>
				))}
			</nav>
			{shown !== null && (
				<div className={styles.menu}>
					<Select
						label={t('settings.sections')}
						labelHidden
						options={options}
						value={shown}
						onChange={onChoose}
					/>
				</div>
			)}
		</>
	);
}

interface FoundProps {
	readonly found: readonly FoundSetting[];
	readonly onOpen: (setting: FoundSetting) => void;
}

function Found({ found, onOpen }: FoundProps) {
	const { t } = useTranslation();
	return (
		<section className={page.card} aria-label={t('settings.results')}>
			<p role="status" className={styles.reason}>
				{found.length === 0 ? t('settings.foundNone') : t('settings.found', { count: found.length })}
			</p>
			{found.length > 0 && (
				<ul className={styles.found}>
					{found.map((setting) => (
						<li key={setting.name}>
							<button type="button" className={styles.entry} onClick={() => onOpen(setting)}>
								{setting.label}
								<span className={styles.where}>{t(`settings.section.${setting.section}`)}</span>
							</button>
						</li>
					))}
				</ul>
			)}
		</section>
	);
}
