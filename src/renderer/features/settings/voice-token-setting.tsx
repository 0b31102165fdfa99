import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import { ErrorDetails } from '#renderer/window/components/error-details.tsx';
import { problemWords } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import type { Problem } from '#shared/problem.ts';
import { ButtonsRow } from './setting-row.tsx';
import styles from './settings-page.module.css';
import { VOICE_TOKEN_VARIABLE } from './sources.ts';
import { useEntering } from './use-entering.ts';

export interface VoiceTokenSettingProps {
	readonly onProblem: (problem: Problem | null) => void;
	/** While a conversation runs. */
	readonly locked: boolean;
}

/** The bearer token of the voice endpoints, if it is not the key. Stored where the key is. */
export function VoiceTokenSetting({ onProblem, locked }: VoiceTokenSettingProps) {
	const { t } = useTranslation();
	const { account } = useParts();
	const token = useStore(account.store, (view) => view.status.voiceToken);
	const source = token?.source ?? 'none';
	const [entering, setEntering] = useEntering('voice-token', source === 'variable' || locked);

	async function forget(): Promise<void> {
		const forgotten = await account.forgetVoiceToken();
		onProblem(forgotten.ok ? null : forgotten.error);
	}

	const state = !token?.present
		? t('settings.voiceTokenNone')
		: token.lastFour === ''
			? t('settings.voiceTokenSet')
			: t('settings.voiceTokenEnds', { lastFour: token.lastFour });
	const words = (
		<>
			<p>{state}</p>
			<p className={styles.reason}>
				{source === 'none'
					? t('settings.voiceTokenHint')
					: t(`settings.keySource.${source}`, { name: VOICE_TOKEN_VARIABLE })}
			</p>
		</>
	);
	return (
		<ButtonsRow name="voiceToken" label={t('settings.voiceToken')} words={words}>
			{source !== 'variable' && (
				<ButtonRow>
					<Button onPress={() => setEntering(true)} isDisabled={locked}>
						{t(token?.present ? 'settings.voiceTokenReplace' : 'settings.voiceTokenEnter')}
					</Button>
					{token?.present && (
						<Button onPress={() => void forget()} isDisabled={locked}>
							{t('settings.voiceTokenForget')}
						</Button>
					)}
				</ButtonRow>
			)}
			<Dialog
				title={t('settings.voiceTokenEnter')}
				closeLabel={t('app.close')}
				isOpen={entering}
				onClose={() => setEntering(false)}
			>
				<TokenForm
					onDone={() => {
						onProblem(null);
						setEntering(false);
					}}
				/>
			</Dialog>
		</ButtonsRow>
	);
}

/** Takes the token. What was typed stays until it is stored; what is wrong is said at the field. */
function TokenForm({ onDone }: { readonly onDone: () => void }) {
	const { t, i18n } = useTranslation();
	const { account } = useParts();
	const keychain = useStore(account.store, (view) => view.status.key.keychain);
	const [text, setText] = useState('');
	const [problem, setProblem] = useState<Problem | null>(null);
	const [busy, setBusy] = useState(false);
	const field = useRef<HTMLInputElement>(null);
	// Somebody who opened the dialog wants to type.
	useEffect(() => field.current?.focus(), []);

	async function submit(event: FormEvent): Promise<void> {
		event.preventDefault();
		const trimmed = text.trim();
		if (busy || trimmed === '') return;
		setBusy(true);
		setProblem(null);
		const keep = keychain === 'available' ? 'keychain' : 'session';
		const kept = await account.setVoiceToken({ token: trimmed, keep });
		setBusy(false);
		if (kept.ok) return onDone();
		setProblem(kept.error);
		field.current?.focus();
	}

	return (
		<form className={styles.stack} onSubmit={(event) => void submit(event)}>
			<TextField
				ref={field}
				label={t('settings.voiceToken')}
				type="password"
				code
				value={text}
				onChange={setText}
				error={problem && problemWords(problem, t, i18n.language)}
				hint={t('settings.voiceTokenHint')}
			/>
			{problem && <ErrorDetails problem={problem} />}
			<Button type="submit" look="primary" isDisabled={busy}>
				{t('settings.voiceTokenSave')}
			</Button>
		</form>
	);
}
