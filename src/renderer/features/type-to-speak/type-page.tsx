import { type ReactNode, useRef } from 'react';
import { ToggleButton } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import hidden from '#renderer/ui/hidden.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { TextAreaField } from '#renderer/ui/text-area.tsx';
import { tooltip } from '#renderer/ui/tooltip.tsx';
import { PhrasesMenu } from '#renderer/window/components/phrases-menu.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { useTypedVoice } from '#renderer/window/use-typed-voice.ts';
import { TYPED_LENGTH } from '#shared/host/speaking.ts';
import { isRightToLeft, localeTag } from '#shared/protocol/languages.ts';
import { isOver } from '#shared/speaking/queue.ts';
import { HaltedNotice } from './halted-notice.tsx';
import { TextList } from './text-list.tsx';
import styles from './type-page.module.css';
import { TypedLog } from './typed-log.tsx';
import { VoiceBar } from './voice-bar.tsx';

/** The remaining characters are shown from this many before the limit. */
const SAY_FROM = 500;

export interface TypePageProps {
	/** The panel with speakers and volume, beside the page. */
	readonly panelOpen: boolean;
	readonly onPanel: (open: boolean) => void;
	/** Below the texts, which give way: the controls stay where they are. */
	readonly notices: ReactNode;
}

/** A person types, and a voice says it. */
export function TypePage({ panelOpen, onPanel, notices }: TypePageProps) {
	const { t } = useTranslation();
	const { typing, drafts } = useParts();
	const texts = useStore(typing.store, (queue) => queue.texts);
	const cleared = useStore(typing.store, (queue) => queue.cleared.length);
	const voice = useTypedVoice();
	const text = useStore(drafts, (draft) => draft.text);
	const setText = (typed: string) => drafts.setState({ text: typed });
	const box = useRef<HTMLTextAreaElement>(null);
	const left = TYPED_LENGTH - text.trim().length;
	const canSay = text.trim() !== '' && left >= 0;
	const isBusy = texts.some((one) => !isOver(one));

	function say(): void {
		if (!canSay) return;
		typing.say(text, voice);
		setText('');
	}

	/** Returns focus to the text box, because a button that goes away would lose it. */
	function andBack(run: () => void): () => void {
		return () => {
			run();
			box.current?.focus();
		};
	}

	return (
		<section className={styles.page} aria-label={t('typed.title')}>
			<VoiceBar voice={voice} />
			<HaltedNotice />
			<TextList />
			<TypedLog />
			{notices}
			<div className={styles.foot}>
				<div className={styles.write}>
					<TextAreaField
						ref={box}
						label={t('typed.label')}
						value={text}
						onChange={setText}
						onEnter={say}
						lang={localeTag(voice.language)}
						dir={isRightToLeft(voice.language) ? 'rtl' : 'ltr'}
						hint={
							left < SAY_FROM && left >= 0 ? (
								t('typing.left', { count: left })
							) : (
								// Still describes the field when hidden; the space is needed for the texts.
								<span className={hidden.whenTight}>{t('typed.hint')}</span>
							)
						}
						error={left < 0 ? t('typing.tooLong', { count: TYPED_LENGTH }) : undefined}
					/>
					<Button large look="primary" aria-label={t('typed.speak')} isDisabled={!canSay} onPress={say}>
						<Icon name="speaker" />
						<span className={styles.wide}>{t('typed.speak')}</span>
					</Button>
				</div>
				<div className={styles.tools}>
					<PhrasesMenu />
					{isBusy && (
						<Button onPress={andBack(typing.cancelAll)}>
							<Icon name="close" size={16} />
							{t('typed.cancelAll')}
						</Button>
					)}
					{texts.some(isOver) && (
						<Button
							look="quiet"
							aria-label={t('typed.clear')}
							tip={t('typed.clear')}
							onPress={andBack(typing.clear)}
						>
							<Icon name="trash" size={16} />
							<span className={styles.wide}>{t('typed.clear')}</span>
						</Button>
					)}
					{cleared > 0 && (
						<Button look="quiet" onPress={andBack(typing.undoClear)}>
							<Icon name="back" size={16} />
							{t('typed.undoClear', { count: cleared })}
						</Button>
					)}
					<ToggleButton
						{...tooltip(t('sound.open'))}
						className={styles.sound ?? ''}
						aria-label={t('sound.open')}
						isSelected={panelOpen}
						onChange={onPanel}
					>
						<Icon name="speaker" size={16} />
						<span className={styles.wide}>{t('sound.title')}</span>
					</ToggleButton>
				</div>
			</div>
		</section>
	);
}
