import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import hidden from '#renderer/ui/hidden.module.css';
import { Menu } from '#renderer/ui/menu.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { otherCandidates, useTheirLanguage } from './use-their-language.ts';

const AGAIN = 'again';

/** The language the others are assumed to speak, and a menu to correct it. */
export function TheirLanguage() {
	const { t, i18n } = useTranslation();
	const { legs } = useParts();
	const { corrected, heard } = useTheirLanguage();
	const detectable = useSetting('detectable');
	const speak = useSetting('speak');
	const named = (code: string) => languageLabel(code, i18n.language);
	const text =
		corrected !== null
			? t('languages.corrected', { language: isolate(named(corrected)) })
			: heard !== null
				? t('languages.detected', { language: isolate(named(heard)) })
				: t('languages.detecting');
	const others = otherCandidates({ detectable, speak }, corrected ?? heard);
	const entries = [
		...others.map((code) => ({ id: code, label: named(code) })),
		...(corrected === null ? [] : [{ id: AGAIN, label: t('languages.detectAgain') }]),
	];
	return (
		<>
			{entries.length === 0 ? (
				<span>{text}</span>
			) : (
				<Menu
					label={t('languages.notThis')}
					icon="down"
					text={text}
					entries={() => entries}
					onChoose={(id) => legs.theirs.correct(id === AGAIN ? null : id)}
				/>
			)}
			<span role="status" className={hidden.hidden}>
				{text}
			</span>
		</>
	);
}
