import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { NoticeLine } from '#renderer/window/components/problem-notice.tsx';
import { VoicePicker } from '#renderer/window/components/voice-picker.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { SAMPLE_LANGUAGES } from '#shared/protocol/clone-request.ts';
import { ForgetDialog } from './forget-dialog.tsx';
import { MakeVoice } from './make-voice.tsx';
import { RenameVoice } from './rename-voice.tsx';
import { useVoices } from './use-voices.ts';
import { VoiceCard } from './voice-card.tsx';
import { VoiceProblem } from './voice-problem.tsx';
import styles from './voices-page.module.css';

/** The voices made here, which language uses which, and the form for a new one. */
export function VoicesPage() {
	const { t, i18n } = useTranslation();
	const { account, voices: mirror, voiceForm, settings, navigation } = useParts();
	const service = useStore(account.store, ({ status }) => status.service);
	const view = useStore(mirror.store);
	const making = useStore(voiceForm.store, ({ shown }) => shown);
	const refusal = useStore(voiceForm.store, (form) => form.refusal);
	const speak = useSetting('speak');
	const uses = useSetting('voices');
	const voiceOf = useSetting('voiceOf');
	const acts = useVoices();
	const [renaming, setRenaming] = useState<VoiceEntry | null>(null);
	const [forgetting, setForgetting] = useState<VoiceEntry | null>(null);
	const title = useRef<HTMLHeadingElement>(null);
	useEffect(() => void mirror.load(), [mirror]);
	const entries = view.voices.filter((entry) => !acts.isHidden(entry));
	// "On its way" beside "Ready" would be one of them too many.
	const begun = view.voices.find(({ handle }) => handle === acts.said?.begun);
	const isBegunOver = begun?.status === 'ready' || begun?.status === 'failed';
	const begin = () => voiceForm.open(SAMPLE_LANGUAGES.includes(speak) && speak !== 'auto' ? speak : '');

	function use({ name, voiceId }: VoiceEntry & { readonly voiceId: string }): void {
		void settings.write({ voices: { ...uses, [voiceOf]: voiceId } });
		const language = isolate(languageLabel(voiceOf, i18n.language));
		acts.say(t('voices.nowUsed', { name: isolate(name), language }));
		title.current?.focus();
	}

	return (
		<main className={page.page}>
			<div className={page.column}>
				<PageHead title={t('voices.title')} lead={t('voices.lead')} titleRef={title} />
				{view.credential === 'none' && (
					<NoticeLine
						tone="warning"
						text={t('voices.noCredential')}
						action={{ label: t('recovery.open-key'), take: () => navigation.go('settings', 'key') }}
					/>
				)}
				{view.failure && <VoiceProblem problem={view.failure} onRetry={() => void mirror.load()} />}
				{view.problem && <VoiceProblem problem={view.problem} />}
				{acts.problem && <VoiceProblem problem={acts.problem} onDismiss={acts.dismiss} />}
				{!making && refusal && <VoiceProblem problem={refusal} onDismiss={voiceForm.dismiss} />}
				{[isBegunOver ? null : acts.said, acts.held].map(
					(line) =>
						line && (
							<NoticeLine
								tone="info"
								key={line.text}
								text={line.text}
								action={line.undo && { label: t('voices.undo'), take: line.undo, undo: true }}
							/>
						),
				)}
				{making ? (
					<MakeVoice
						onMade={(entry, shown) => {
							acts.say(t('voices.begun', { name: isolate(entry.name) }), entry.handle);
							if (shown) title.current?.focus();
						}}
					/>
				) : (
					<>
						<section className={styles.stack} aria-labelledby="own-voices">
							<div className={styles.row}>
								<h2 id="own-voices" className={page.cardTitle}>
									{t('voices.own')}
								</h2>
								<Button look="primary" onPress={begin}>
									<Icon name="plus" />
									{t('voices.make')}
								</Button>
							</div>
							{!view.loaded && <p role="status">{t('voices.loading')}</p>}
							{view.loaded && entries.length === 0 && !view.failure && (
								<EmptyState icon="voice" title={t('voices.none')}>
									{t('voices.empty')}
								</EmptyState>
							)}
							<ul className={styles.list}>
								{entries.map((entry) => (
									<VoiceCard
										key={entry.handle}
										entry={entry}
										busy={acts.busy === entry.handle}
										onUse={use}
										onCancel={() => acts.cancel(entry)}
										onRetry={() => acts.retry(entry)}
										onRefresh={() => acts.refresh(entry)}
										onRename={() => setRenaming(entry)}
										onForget={() => setForgetting(entry)}
									/>
								))}
							</ul>
						</section>
						<UsePerLanguage />
						{view.credential !== 'none' && service === 'service' && (
							<p className={styles.quiet}>{t(`voices.credential.${view.credential}`)}</p>
						)}
					</>
				)}
			</div>
			<RenameVoice
				entry={renaming}
				onClose={() => setRenaming(null)}
				onRename={(entry, name) => {
					setRenaming(null);
					void acts.rename(entry, name);
				}}
			/>
			<ForgetDialog
				entry={forgetting}
				onClose={() => setForgetting(null)}
				onForget={(entry, atService) => {
					setForgetting(null);
					void acts.forget(entry, atService).then(() => {
						// The focused button is gone with its card.
						if (document.activeElement === document.body) title.current?.focus();
					});
				}}
			/>
		</main>
	);
}

/** The languages of the conversation, and those with a chosen voice. */
function UsePerLanguage() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const hear = useSetting('hear');
	const uses = useSetting('voices');
	const origin = useStore(settings.store, (view) => view.origins['voices']);
	const codes = [...new Set([...hear, ...Object.keys(uses)])];
	return (
		<section className={page.card} aria-labelledby="voice-uses">
			<h2 id="voice-uses" className={page.cardTitle}>
				{t('voices.perLanguage')}
			</h2>
			<p className={styles.quiet}>{t('voices.perLanguageHint')}</p>
			<div className={styles.three}>
				{codes.map((code) => (
					<VoicePicker key={code} code={code} isDisabled={origin === 'option' || origin === 'variable'} />
				))}
			</div>
		</section>
	);
}
