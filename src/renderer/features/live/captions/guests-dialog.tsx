import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { ButtonRow } from '#renderer/ui/button-row.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import form from '#renderer/ui/form.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { ProblemNotice } from '#renderer/window/components/problem-notice.tsx';
import { useParts } from '#renderer/window/parts.ts';
import { useCopy } from './copying.tsx';
import styles from './guests-dialog.module.css';
import { QrCode } from './qr-code.tsx';

/** Shares the captions with whoever scans the code, until somebody stops it: closing the dialog does not. */
export function GuestsDialog({ onClose }: { readonly onClose: () => void }) {
	const { t } = useTranslation();
	const { guests } = useParts();
	const { sharing, addresses, guests: number, problem } = useStore(guests.store);
	const [isAnswered, setAnswered] = useState(false);
	const [chosen, setChosen] = useState('');
	const [copied, setCopied] = useState('');
	const copy = useCopy();
	const address = addresses.find((one) => one === chosen) ?? addresses[0];

	useEffect(() => void guests.open().then(() => setAnswered(true)), [guests]);
	// It may end without a press here, such as some time after the conversation.
	useEffect(
		() =>
			guests.store.subscribe((view, before) => {
				if (before.sharing && !view.sharing) onClose();
			}),
		[guests, onClose],
	);

	return (
		<Dialog
			title={t('guests.title')}
			isOpen
			closeLabel={t('app.close')}
			onClose={onClose}
			actions={
				sharing && (
					<Button look="danger" onPress={() => void guests.close()}>
						{t('guests.stop')}
					</Button>
				)
			}
		>
			<div className={form.form}>
				{problem && <ProblemNotice problem={problem} onRetry={() => void guests.open()} />}
				{isAnswered && !problem && !address && (
					<ButtonRow apart>
						<p role="status">{t('guests.noNetwork')}</p>
						<Button onPress={() => void guests.open()}>{t('recovery.retry')}</Button>
					</ButtonRow>
				)}
				{address && (
					<>
						<p>{t('guests.lead')}</p>
						<QrCode text={address} label={t('guests.code')} />
						<ButtonRow apart>
							<code className={styles.address} dir="ltr">
								{address}
							</code>
							<Button
								onPress={() =>
									void copy(address, t('captions.copied')).then((worked) => setCopied(worked ? address : ''))
								}
							>
								<Icon name="copy" />
								{t(copied === address ? 'captions.copied' : 'guests.copy')}
							</Button>
						</ButtonRow>
						{addresses.length > 1 && (
							<Select
								label={t('guests.network')}
								hint={t('guests.networkHint')}
								options={addresses.map((value) => ({ value, label: new URL(value).hostname }))}
								value={address}
								onChange={setChosen}
							/>
						)}
						<p>{t('guests.reading', { number })}</p>
						<p>{t('guests.caution')}</p>
					</>
				)}
			</div>
		</Dialog>
	);
}
