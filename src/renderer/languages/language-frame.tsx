import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import combo from '#renderer/ui/search-combo.module.css';
import { shownPair } from '#shared/settings/shown-pair.ts';
import styles from './language-bar.module.css';
import { shownValue, spokenLabel, theirLabel } from './shown-language.ts';

/** Shows the two languages, read-only, where the pickers appear once their code is loaded. */
export function LanguageFrame() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const pair = useStore(settings.store, (view) => view.values);
	const { spoken, target } = shownPair(pair);
	const mine = <Box label={t(spokenLabel(pair.mode))} code={spoken} />;
	const theirs = <Box label={t(theirLabel[pair.mode])} code={target} />;
	const isListening = pair.mode === 'listen';
	return (
		<section className={styles.bar} aria-label={t('languages.title')}>
			{isListening ? theirs : mine}
			<Button look="quiet" square isDisabled aria-label={t('languages.swap')}>
				<Icon name="swap" size={24} />
			</Button>
			{isListening ? mine : theirs}
		</section>
	);
}

function Box({ label, code }: { readonly label: string; readonly code: string }) {
	const { t, i18n } = useTranslation();
	const { valueText, valueLang } = shownValue(code, t, i18n.language);
	return (
		<div className={styles.side}>
			<div className={combo.combo}>
				<span className={combo.label}>{label}</span>
				<div className={combo.box}>
					<span className={`${combo.input} ${combo.still}`} lang={valueLang} dir="auto">
						{valueText}
					</span>
					<span className={combo.arrow}>
						<Icon name="down" />
					</span>
				</div>
			</div>
			<div className={styles.extras} />
		</div>
	);
}
