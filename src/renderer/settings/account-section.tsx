import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { creditWords } from '#renderer/account/credit.tsx';
import { KeyForm } from '#renderer/account/key-form.tsx';
import { SecretField } from '#renderer/account/secret-field.tsx';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ErrorDetails } from '#renderer/problems/error-details.tsx';
import { ProblemNotice, problemWords } from '#renderer/problems/problem-notice.tsx';
import { AskDialog } from '#renderer/shell/ask-dialog.tsx';
import type { Place } from '#renderer/shell/navigation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { useArrival } from '#renderer/shell/use-page-travel.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import type { Balance, Input } from '#shared/host/contract.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { isFree } from '#shared/settings/schema.ts';
import {
	ButtonsRow,
	KEY_VARIABLE,
	Section,
	SettingRow,
	useAccountLock,
	VOICE_TOKEN_VARIABLE,
} from './setting-fields.tsx';
import styles from './settings-page.module.css';

/** The choice of service, and its key. */
export function AccountSection() {
	const { t } = useTranslation();
	const { account, navigation } = useParts();
	const status = useStore(account.store, (view) => view.status);
	const locked = useAccountLock();
	const [problem, setProblem] = useState<Problem | null>(null);

	async function choose(service: Input<'account.choose'>['service']): Promise<void> {
		const chosen = await account.choose(service);
		// "Cancelled" means that a conversation has started, which the section explains itself.
		setProblem(chosen.ok || chosen.error.kind === 'cancelled' ? null : chosen.error);
	}

	return (
		<Section title={t('settings.account')} place="account">
			{locked && <p className={styles.reason}>{t('settings.locked')}</p>}
			<SettingRow name="service">
				{(fixed) => (
					<Segmented<typeof status.service>
						label={t('settings.service')}
						options={[
							{ value: 'service', label: t('settings.serviceReal'), icon: 'key' },
							{ value: 'local', label: t('settings.serviceLocal'), icon: 'computer' },
							{ value: 'sandbox', label: t('settings.serviceSandbox'), icon: 'flask' },
						]}
						value={status.service}
						isDisabled={fixed}
						onChange={(service) => service !== 'unset' && void choose(service)}
						{...(status.service === 'sandbox' && { hint: t(`settings.sandboxState.${status.sandbox}`) })}
						{...(status.service === 'local' && { hint: t(`settings.localState.${status.sandbox}`) })}
					/>
				)}
			</SettingRow>
			{problem && <ProblemNotice problem={problem} onDismiss={() => setProblem(null)} />}
			<KeySetting onProblem={setProblem} locked={locked} />
			{/* Remount for another account, which has another credit. */}
			<CreditSetting key={`${status.service} ${status.apiUrl} ${status.key.lastFour}`} />
			<ButtonsRow
				name="sessions"
				label={t('settings.sessions')}
				words={<p className={styles.reason}>{t('settings.sessionsHint')}</p>}
			>
				<Button onPress={() => navigation.go('sessions')}>{t('settings.sessionsOpen')}</Button>
			</ButtonsRow>
			<VoiceTokenSetting onProblem={setProblem} locked={locked} />
		</Section>
	);
}

interface KeySettingProps {
	readonly onProblem: (problem: Problem | null) => void;
	/** True while a conversation runs. */
	readonly locked: boolean;
}

function KeySetting({ onProblem, locked }: KeySettingProps) {
	const { t } = useTranslation();
	const { account } = useParts();
	const key = useStore(account.store, (view) => view.status.key);
	const fixed = key.source === 'variable';
	const [entering, setEntering] = useEntering('key', fixed || locked);
	const [forgetting, setForgetting] = useEntering(undefined, locked);

	async function forget(): Promise<void> {
		setForgetting(false);
		const forgotten = await account.forgetKey();
		onProblem(forgotten.ok ? null : forgotten.error);
	}

	const state = !key.present
		? t('settings.keyNone')
		: key.lastFour === ''
			? t('settings.keySet')
			: t('settings.keyEnds', { lastFour: key.lastFour });
	const words = (
		<>
			<p>{state}</p>
			{key.elsewhere && <p className={styles.reason}>{t('settings.keyElsewhere')}</p>}
			{key.source !== 'none' && (
				<p className={styles.reason}>{t(`settings.keySource.${key.source}`, { name: KEY_VARIABLE })}</p>
			)}
		</>
	);
	return (
		<ButtonsRow name="key" label={t('settings.key')} words={words}>
			{!fixed && (
				<ButtonRow>
					<Button onPress={() => setEntering(true)} isDisabled={locked}>
						{t(key.present ? 'settings.keyReplace' : 'settings.keyEnter')}
					</Button>
					{(key.present || key.elsewhere) && (
						<Button look="quiet" onPress={() => setForgetting(true)} isDisabled={locked}>
							{t('settings.keyForget')}
						</Button>
					)}
				</ButtonRow>
			)}
			<Dialog
				title={t('settings.keyEnter')}
				closeLabel={t('app.close')}
				isOpen={entering}
				onClose={() => setEntering(false)}
			>
				<KeyForm submitLabel={t('welcome.submit')} takesCursor onDone={() => setEntering(false)} />
			</Dialog>
			<AskDialog
				role="alertdialog"
				title={t('settings.keyForget')}
				isOpen={forgetting}
				onClose={() => setForgetting(false)}
				verb={t('settings.keyForget')}
				look="danger"
				onDo={() => void forget()}
			>
				<p>{t('settings.keyForgetConfirm')}</p>
			</AskDialog>
		</ButtonsRow>
	);
}

/** The remaining credit of the account, read from the service when the row appears and on request. */
function CreditSetting() {
	const { t, i18n } = useTranslation();
	const { account } = useParts();
	const status = useStore(account.store, (view) => view.status);
	const isAsked = !isFree(status.service) && status.key.present;
	const { credit, read } = useCredit(isAsked);

	function words(): string {
		if (isFree(status.service))
			return t(status.service === 'local' ? 'settings.creditLocal' : 'settings.creditSandbox');
		if (!isAsked) return t('settings.creditNoKey');
		if (!credit) return t('settings.creditReading');
		if (!credit.ok) return problemWords(credit.error, t, i18n.language);
		return creditWords(credit.value, t, i18n.language);
	}

	return (
		<ButtonsRow name="credit" label={t('settings.credit')} words={<p role="status">{words()}</p>}>
			{isAsked && (
				<Button aria-label={`${t('sessions.refresh')}: ${t('settings.credit')}`} onPress={() => void read()}>
					{t('sessions.refresh')}
				</Button>
			)}
		</ButtonsRow>
	);
}

/** The last credit read from the service; null until it arrives. */
function useCredit(isAsked: boolean): {
	readonly credit: Result<Balance, Problem> | null;
	read(): Promise<void>;
} {
	const { host } = useParts();
	const [credit, setCredit] = useState<Result<Balance, Problem> | null>(null);
	const asked = useRef(0);
	const read = useCallback(async () => {
		asked.current += 1;
		const own = asked.current;
		setCredit(null);
		const answer = await host.ask('account.balance', undefined);
		if (own === asked.current) setCredit(answer);
	}, [host]);
	useEffect(() => {
		if (isAsked) void read();
	}, [isAsked, read]);
	return { credit, read };
}

interface VoiceTokenSettingProps {
	readonly onProblem: (problem: Problem | null) => void;
	/** True while a conversation runs. */
	readonly locked: boolean;
}

/** The bearer token of the voice endpoints, if it differs from the key. Stored with the key. */
function VoiceTokenSetting({ onProblem, locked }: VoiceTokenSettingProps) {
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

/** Accepts the token. The input remains until the token is stored; errors appear at the field. */
function TokenForm({ onDone }: { readonly onDone: () => void }) {
	const { t, i18n } = useTranslation();
	const { account } = useParts();
	const keychain = useStore(account.store, (view) => view.status.key.keychain);
	const [text, setText] = useState('');
	const [problem, setProblem] = useState<Problem | null>(null);
	const [busy, setBusy] = useState(false);
	const field = useRef<HTMLInputElement>(null);
	// Focus the field, because the dialog is opened to type.
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
			<SecretField
				ref={field}
				label={t('settings.voiceToken')}
				value={text}
				onChange={setText}
				error={problem && problemWords(problem, t, i18n.language)}
				hint={t('settings.voiceTokenHint')}
				isSent={busy}
			/>
			{problem && <ErrorDetails problem={problem} />}
			<Button type="submit" look="primary" isDisabled={busy}>
				{t('settings.voiceTokenSave')}
			</Button>
		</form>
	);
}

/** Whether the dialog of a secret is open. Navigating to `place` opens it at once. */
function useEntering(
	place: Place | undefined,
	isBarred: boolean,
): readonly [entering: boolean, setEntering: (entering: boolean) => void] {
	const [entering, setEntering] = useState(false);
	// A dialog that is blocked now must not open by itself later.
	useArrival(place, () => setEntering(!isBarred));
	useEffect(() => {
		if (isBarred) setEntering(false);
	}, [isBarred]);
	return [entering && !isBarred, setEntering];
}
