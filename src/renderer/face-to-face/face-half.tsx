import type { TFunction } from 'i18next';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationView } from '#renderer/conversation/conversation-store.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Icon, type IconName } from '#renderer/ui/icon.tsx';
import type { Cue, FaceSide } from '#shared/conversation/turns.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import { AgainButton } from './again-button.tsx';
import { Consent } from './consent.tsx';
import { FaceLines } from './face-lines.tsx';
import styles from './face-page.module.css';
import type { FaceLanguages } from './face-sides.ts';
import { TalkButton } from './talk-button.tsx';
import { type HalfWords, useHalfWords } from './use-half-words.ts';
import { useNarrow } from './use-narrow.ts';
import { useSideDown } from './use-side-down.ts';

export interface FaceHalfProps {
	readonly side: FaceSide;
	readonly languages: FaceLanguages;
	/** Upside down, for somebody opposite. */
	readonly turned: boolean;
	/** Below the lines, which give way: nothing that can be pressed moves. */
	readonly notices?: ReactNode;
}

/** One person's half: what the other said, whose turn it is, and the button, all in their language. */
export function FaceHalf({ side, languages, turned, notices }: FaceHalfProps) {
	const { t, i18n } = useTranslation();
	const { account, conversation, turns } = useParts();
	const isDown = useSideDown(side);
	const cue = useStore(turns.store, ({ cues }): Cue => (isDown ? 'off' : cues[side]));
	const pressed = useStore(turns.store, (view) => view.pressed[side]);
	const phase = useStore(conversation.store, (view) => view.phase);
	const paused = useStore(conversation.store, (view) => view.paused || view.muted);
	const talk = useSetting('faceTalk');
	const language = languages[side];
	const words = useHalfWords(language);
	const name = languageName(language, i18n.language);
	const narrow = useNarrow();
	const service = useStore(account.store, (view) => view.status.service);
	const [agreed, setAgreed] = useState(false);
	const consent = side === 'partner' && !agreed && <Consent words={words} onAgree={() => setAgreed(true)} />;

	return (
		<section
			className={styles.half}
			data-side={side}
			data-cue={cue}
			data-turned={turned}
			aria-label={t(side === 'me' ? 'face.mine' : 'face.partners')}
		>
			<div className={styles.content} lang={words.tag} dir={words.direction}>
				<div className={styles.head}>
					<span className={styles.language} lang={name.tag} dir="auto">
						{name.native}
					</span>
					{service === 'sandbox' && (
						<p className={styles.sandbox} role="note">
							<Icon name="flask" size={16} />
							{words.t('face.half.sandbox')}
						</p>
					)}
					{!narrow && consent}
				</div>
				<FaceLines side={side} languages={languages} words={words}>
					{narrow && consent}
				</FaceLines>
				{notices}
				<CueLine
					cue={cue}
					talk={talk}
					off={isDown ? words.t('face.half.reconnecting') : offWords(phase, paused, words.t)}
					words={words}
				/>
				<div className={styles.acts}>
					{talk === 'hold' && (
						<TalkButton side={side} words={words} pressed={pressed} isDisabled={cue === 'off'} />
					)}
					<AgainButton side={side} languages={languages} words={words} iconOnly={narrow && talk === 'hold'} />
				</div>
			</div>
		</section>
	);
}

const icons: { readonly [One in Cue]: IconName } = {
	off: 'clock',
	ready: 'microphone',
	speak: 'microphone',
	'wait-voice': 'voice',
	'wait-other': 'clock',
	translating: 'clock',
	'your-turn': 'check',
};

const cueWords = {
	ready: 'face.half.hold',
	speak: 'face.half.speak',
	'wait-voice': 'face.half.waitVoice',
	'wait-other': 'face.half.waitOther',
	translating: 'face.half.translating',
	'your-turn': 'face.half.yourTurn',
} as const;

interface CueLineProps {
	readonly cue: Cue;
	readonly talk: 'hold' | 'automatic';
	/** Shown while nobody can speak. */
	readonly off: string;
	readonly words: HalfWords;
}

function CueLine({ cue, talk, off, words: { t } }: CueLineProps) {
	// The button says it.
	if (cue === 'ready' && talk === 'hold') return <p className={styles.cue} role="status" data-cue={cue} />;
	return (
		<p className={styles.cue} role="status" data-cue={cue}>
			<Icon name={icons[cue]} size={24} />
			<span>{cue === 'off' ? off : t(cueWords[cue])}</span>
		</p>
	);
}

function offWords(phase: ConversationView['phase'], paused: boolean, t: TFunction): string {
	if (phase === 'ending') return t('face.half.ending');
	if (phase === 'reconnecting' || phase === 'switching') return t('face.half.reconnecting');
	return t(paused ? 'face.half.paused' : 'face.half.starting');
}
