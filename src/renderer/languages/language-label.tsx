import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { languageName } from '#shared/i18n/language-names.ts';

/** Shows `Deutsch · German`, each name with the `lang` attribute of its own language. */
export function LanguageLabel({ code }: { readonly code: string }) {
	const { i18n } = useTranslation();
	const { native, local, label, tag } = languageName(code, i18n.language);
	if (label === local) return <bdi>{local}</bdi>;
	return (
		<>
			<bdi lang={tag}>{native}</bdi> · <bdi>{local}</bdi>
		</>
	);
}
