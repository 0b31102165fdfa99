import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ErrorDetails } from '#renderer/problems/error-details.tsx';
import { problemSentence } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Select } from '#renderer/ui/select.tsx';
import type { Input } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';
import styles from './key-form.module.css';
import { SecretField } from './secret-field.tsx';

type Keep = Input<'account.set-key'>['keep'];

export interface KeyFormProps {
	readonly submitLabel: string;
	/** Focuses the field at once, because the user asked for it. */
	readonly takesCursor?: boolean;
	readonly onDone?: () => void;
}

/** Accepts a key, has it checked, and shows where it is stored. Errors appear at the field. */
export function KeyForm({ submitLabel, takesCursor = false, onDone }: KeyFormProps) {
	const { t, i18n } = useTranslation();
	const { account } = useParts();
	const keychain = useStore(account.store, (view) => view.status.key.keychain);
	const [key, setKey] = useState('');
	const [wanted, setWanted] = useState<Keep>(keychain === 'available' ? 'keychain' : 'session');
	const [error, setError] = useState('');
	const [problem, setProblem] = useState<Problem | null>(null);
	const [busy, setBusy] = useState(false);
	const field = useRef<HTMLInputElement>(null);
	useEffect(() => {
		if (takesCursor) field.current?.focus();
	}, [takesCursor]);
	const keep: Keep = keychain === 'missing' ? 'session' : wanted;
	/** True if the key is forgotten at quitting by the user's choice; a reason of the system has its own text. */
	const isForgotten = keychain === 'available' && keep === 'session';

	async function submit(event: FormEvent): Promise<void> {
		event.preventDefault();
		if (busy) return;
		const trimmed = key.trim();
		if (trimmed === '') return refuse(t('welcome.keyRequired'));
		setBusy(true);
		setError('');
		setProblem(null);
		const taken = await account.setKey({ key: trimmed, keep });
		setBusy(false);
		if (!taken.ok) {
			// The user has since made another choice or started a conversation: report nothing.
			if (taken.error.kind === 'cancelled') return;
			setProblem(taken.error);
			return refuse(problemSentence(taken.error, t, i18n.language));
		}
		setKey('');
		onDone?.();
	}

	function refuse(words: string): void {
		setError(words);
		field.current?.focus();
	}

	return (
		<form className={styles.form} onSubmit={(event) => void submit(event)}>
			<div>
				<SecretField
					ref={field}
					label={t('welcome.keyLabel')}
					value={key}
					onChange={setKey}
					error={error}
					keepsLines
					hint={t('welcome.keyHint')}
					isSent={busy}
				/>
				{problem && <ErrorDetails problem={problem} />}
			</div>
			<div className={styles.keeping}>
				{keychain !== 'missing' && (
					<Select<Keep>
						label={t('welcome.keepLabel')}
						options={[
							{
								value: 'keychain',
								label: t(keychain === 'plain' ? 'welcome.keepPlain' : 'welcome.keepKeychain'),
							},
							{ value: 'session', label: t('welcome.keepSession') },
						]}
						value={keep}
						onChange={setWanted}
					/>
				)}
				<p className={styles.kept}>{t(isForgotten ? 'welcome.keyUntilQuit' : keptWords[keychain])}</p>
			</div>
			<Button type="submit" look={key === '' ? 'plain' : 'primary'} large isDisabled={busy}>
				{busy ? t('welcome.checking') : submitLabel}
			</Button>
		</form>
	);
}

const keptWords = {
	available: 'welcome.keyKept',
	plain: 'welcome.keyPlain',
	missing: 'welcome.keyMissing',
} as const;
