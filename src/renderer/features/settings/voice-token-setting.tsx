import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import { useParts } from '#renderer/window/parts.ts';
import type { Problem } from '#shared/problem.ts';
import { ButtonsRow } from './setting-row.tsx';
import styles from './settings-page.module.css';
import { VOICE_TOKEN_VARIABLE } from './sources.ts';

export interface VoiceTokenSettingProps {
	readonly onProblem: (problem: Problem | null) => void;
	/** While a conversation runs. */
	readonly locked: boolean;
}

/** Focuses the field as it appears: somebody who opened the dialog wants to type. */
const takeCursor = (input: HTMLInputElement | null) => input?.focus();

/** The bearer token of the voice endpoints, if it is not the key. Stored where the key is. */
export function VoiceTokenSetting({ onProblem, locked }: VoiceTokenSettingProps) {
	const { t } = useTranslation();
	const { account, navigation } = useParts();
	const asked = useStore(navigation.store, (view) => (view.place === 'voice-token' ? view.ask : 0));
	const token = useStore(account.store, (view) => view.status.voiceToken);
	const keychain = useStore(account.store, (view) => view.status.key.keychain);
	const [entering, setEntering] = useState(false);
	const [text, setText] = useState('');
	const source = token?.source ?? 'none';
	// Somebody sent here for the token gets its field at once.
	useEffect(() => {
		if (asked > 0 && source !== 'variable') setEntering(true);
	}, [asked, source]);

	async function submit(event: FormEvent): Promise<void> {
		event.preventDefault();
		const trimmed = text.trim();
		if (trimmed === '') return;
		const keep = keychain === 'available' ? 'keychain' : 'session';
		const kept = await account.setVoiceToken({ token: trimmed, keep });
		onProblem(kept.ok ? null : kept.error);
		setText('');
		setEntering(false);
	}

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
				isOpen={entering && !locked}
				onClose={() => setEntering(false)}
			>
				<form className={styles.stack} onSubmit={(event) => void submit(event)}>
					<TextField
						ref={takeCursor}
						label={t('settings.voiceToken')}
						type="password"
						code
						value={text}
						onChange={setText}
						hint={t('settings.voiceTokenHint')}
					/>
					<Button type="submit" look="primary">
						{t('settings.voiceTokenSave')}
					</Button>
				</form>
			</Dialog>
		</ButtonsRow>
	);
}
