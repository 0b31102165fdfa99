import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine } from '#renderer/problems/problem-notice.tsx';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { RenameDialog } from '#renderer/shell/rename-dialog.tsx';
import { useUndo } from '#renderer/shell/use-undo.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import page from '#renderer/ui/page.module.css';
import { PageHead } from '#renderer/ui/page-head.tsx';
import { Tick } from '#renderer/ui/tick.tsx';
import type { VoiceEntry } from '#shared/host/voices.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { SAMPLE_LANGUAGES } from '#shared/protocol/cloned-voice.ts';
import { checkVoiceDraft, emptyDraft } from '#shared/voices/draft.ts';
import { MakeVoice } from './make-voice.tsx';
import { VoiceCard } from './voice-card.tsx';
import { VoicePicker } from './voice-picker.tsx';
import { VoiceProblem } from './voice-problem.tsx';
import styles from './voices-page.module.css';

/** The voices created here, the voice of each language, and the form for a new voice. */
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
	/** The error in a new name, if any. */
	const wrongName = (name: string) => {
		const found = checkVoiceDraft({ ...emptyDraft, name }, null).find(({ field }) => field === 'name');
		return found && t(`voices.invalid.name.${found.reason}` as 'voices.invalid.name.missing');
	};
	const entries = view.voices.filter((entry) => !acts.isHidden(entry));
	// Hide "On its way" once the voice is ready or has failed.
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
				{/* In order of time, for Ctrl+Z: deleting a voice clears the previous message. */}
				{[acts.held, isBegunOver ? null : acts.said].map(
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
			<RenameDialog
				title={t('voices.renameNamed', { name: isolate(renaming?.name ?? '') })}
				verb={t('voices.rename')}
				label={t('voices.name')}
				hint={t('voices.renameHint')}
				name={renaming?.name ?? null}
				wrong={wrongName}
				onClose={() => setRenaming(null)}
				onRename={(name) => {
					setRenaming(null);
					if (renaming) void acts.rename(renaming, name);
				}}
			/>
			<ForgetDialog
				entry={forgetting}
				onClose={() => setForgetting(null)}
				onForget={(entry, atService) => {
					setForgetting(null);
					void acts.forget(entry, atService).then(() => {
						// Move focus to the title, because the focused button disappeared with its card.
						if (document.activeElement === document.body) title.current?.focus();
					});
				}}
			/>
		</main>
	);
}

/** The languages of the conversation, and all languages with a chosen voice. */
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

interface ForgetDialogProps {
	/** The voice to remove; null: the dialog is closed. */
	readonly entry: VoiceEntry | null;
	readonly onClose: () => void;
	readonly onForget: (entry: VoiceEntry, atService: boolean) => void;
}

/** Removes a voice from the list only, which can be undone, or also at the service, which cannot. */
function ForgetDialog({ entry, onClose, onForget }: ForgetDialogProps) {
	const { t } = useTranslation();
	const [atService, setAtService] = useState(false);

	/** Resets the choice for the next voice. */
	function close(): void {
		setAtService(false);
		onClose();
	}

	function forget(): void {
		setAtService(false);
		if (entry) onForget(entry, atService);
	}

	return (
		<AskDialog
			role="alertdialog"
			title={t('voices.forgetNamed', { name: isolate(entry?.name ?? '') })}
			isOpen={entry !== null}
			onClose={close}
			verb={t(atService ? 'voices.delete' : 'voices.forget')}
			look="danger"
			onDo={forget}
		>
			<p>{t(atService ? 'voices.deleteLead' : 'voices.forgetLead')}</p>
			{entry?.voiceId !== null && (
				<Tick isTicked={atService} onChange={setAtService}>
					{t('voices.atService')}
				</Tick>
			)}
		</AskDialog>
	);
}

/** The last action, and how to undo it while that is possible. */
interface Said {
	readonly text: string;
	readonly undo?: () => void;
	/** The voice that the notice reports as being created. */
	readonly begun?: string;
}

/** Actions on the listed voices, and the outcome of each action. */
function useVoices() {
	const { t } = useTranslation();
	const { host, settings } = useParts();
	const [busy, setBusy] = useState<string | null>(null);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [said, setSaid] = useState<Said | null>(null);
	const forgetting = useUndo(
		({ handle }: VoiceEntry) => handle,
		(entry) => forgetNow(entry, false),
	);

	async function run(handle: string, asked: Promise<Result<unknown, Problem>>): Promise<boolean> {
		setBusy(handle);
		setProblem(null);
		const answer = await asked;
		setBusy(null);
		if (!answer.ok) setProblem(answer.error);
		return answer.ok;
	}

	/** Deletes a voice; languages that used it return to the built-in voice. */
	async function forgetNow(entry: VoiceEntry, atService: boolean): Promise<boolean> {
		const gone = await run(entry.handle, host.ask('voice.forget', { handle: entry.handle, atService }));
		const { voices } = settings.store.getState().values;
		const kept = Object.entries(voices).filter(([, id]) => id !== entry.voiceId);
		if (gone && kept.length < Object.keys(voices).length)
			void settings.write({ voices: Object.fromEntries(kept) });
		return gone;
	}

	async function forget(entry: VoiceEntry, atService: boolean): Promise<void> {
		setSaid(null);
		if (!atService) forgetting.hold(entry);
		else if (await forgetNow(entry, true))
			setSaid({ text: t('voices.deleted', { name: isolate(entry.name) }) });
	}

	async function rename(entry: VoiceEntry, name: string): Promise<void> {
		const { handle } = entry;
		if (!(await run(handle, host.ask('voice.rename', { handle, name })))) return;
		const undo = () => {
			setSaid(null);
			void run(handle, host.ask('voice.rename', { handle, name: entry.name }));
		};
		setSaid({ text: t('voices.renamed', { name: isolate(name.trim()) }), undo });
	}

	const held: Said | null = forgetting.held && {
		text: t('voices.forgotten', { name: isolate(forgetting.held.name) }),
		undo: forgetting.takeBack,
	};
	return {
		busy,
		problem,
		said,
		/** The voice that will be deleted unless this is undone. */
		held,
		isHidden: forgetting.isHidden,
		forget,
		rename,
		say: (text: string, begun?: string) => setSaid({ text, ...(begun && { begun }) }),
		dismiss: () => setProblem(null),
		cancel: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.cancel', { handle })),
		retry: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.retry', { handle })),
		refresh: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.refresh', { handle })),
	};
}
