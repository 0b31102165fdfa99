import { useTranslation } from 'react-i18next';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import { useSetting } from '#renderer/window/parts.ts';
import { useLegLanguages } from '#renderer/window/use-legs.ts';
import { useTypedVoice } from '#renderer/window/use-typed-voice.ts';
import { languageName } from '#renderer/window/words/languages.ts';
import type { LegName } from '#shared/conversation/leg-name.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import styles from './mode-picture.module.css';

interface Way {
	readonly leg: LegName;
	readonly from: IconName;
	/** Between the two, where it does not go straight. */
	readonly by?: IconName;
	readonly to: IconName;
}

const ways: Record<Exclude<Settings['mode'], 'type'>, readonly Way[]> = {
	solo: [{ leg: 'outgoing', from: 'microphone', to: 'people' }],
	meeting: [
		{ leg: 'outgoing', from: 'microphone', by: 'voice', to: 'people' },
		{ leg: 'incoming', from: 'people', by: 'voice', to: 'headphones' },
	],
	listen: [{ leg: 'incoming', from: 'speaker', to: 'headphones' }],
	face: [
		{ leg: 'outgoing', from: 'person', to: 'people' },
		{ leg: 'incoming', from: 'people', to: 'person' },
	],
	captions: [{ leg: 'outgoing', from: 'microphone', to: 'captions' }],
};

/** Who hears what, drawn: beside the sentence that says it, which is why it has no words of its own to read. */
export function ModePicture() {
	const mode = useSetting('mode');
	const lines = mode === 'type' ? [] : ways[mode];
	return (
		<div className={styles.picture}>
			{mode === 'type' ? <TypedLine /> : lines.map((way) => <WayLine key={way.leg} way={way} />)}
		</div>
	);
}

function WayLine({ way }: { readonly way: Way }) {
	const { t, i18n } = useTranslation();
	const languages = useLegLanguages(way.leg);
	const name = (code: string) => languageName(baseOf(code), i18n.language).local;
	const words = languages && t('legs.pair', { from: name(languages.from), to: name(languages.to) });
	return (
		<p
			className={styles.way}
			role="img"
			aria-label={words ? `${t(`legs.${way.leg}`)}: ${words}` : t(`legs.${way.leg}`)}
		>
			<Icon name={way.from} />
			{languages && <span className={styles.language}>{name(languages.from)}</span>}
			<Icon name="send" size={16} />
			{languages && <span className={styles.language}>{name(languages.to)}</span>}
			{way.by && <Icon name={way.by} size={16} />}
			<Icon name={way.to} />
		</p>
	);
}

/** What is typed is said as it stands, in one language: nothing is translated. */
function TypedLine() {
	const { t, i18n } = useTranslation();
	const { language } = useTypedVoice();
	const name = languageName(baseOf(language), i18n.language).local;
	return (
		<p className={styles.way} role="img" aria-label={`${t('legs.outgoing')}: ${name}`}>
			<Icon name="keyboard" />
			<Icon name="send" size={16} />
			<span className={styles.language}>{name}</span>
			<Icon name="people" />
		</p>
	);
}
