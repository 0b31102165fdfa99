import { useCallback, useEffect, useRef, useState } from 'react';
import { encode } from 'uqr';
import { useStore } from 'zustand';
import { copyText } from '#renderer/captions/copy-text.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import form from '#renderer/ui/form.module.css';
import { Icon } from '#renderer/ui/icon.tsx';
import { Select } from '#renderer/ui/select.tsx';
import styles from './guests-dialog.module.css';

/** Width of the white border, in modules, that scanners need to find the code (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** Explains sharing and, once sharing has begun, shows the code to scan. Closing the dialog does not stop sharing. */
export function GuestsDialog() {
	const { t } = useTranslation();
	const { guests, navigation } = useParts();
	const { sharing, addresses, guests: number, problem } = useStore(guests.store);
	const [isAnswered, setAnswered] = useState(false);
	const [chosen, setChosen] = useState('');
	const again = t('recovery.retry');
	const [wasShared] = useState(sharing);
	const address = addresses.find((one) => one === chosen) ?? addresses[0];

	const share = useCallback(() => void guests.open().then(() => setAnswered(true)), [guests]);

	// Share again, because the computer may be on another network now.
	useEffect(() => {
		if (wasShared) share();
	}, [wasShared, share]);
	// Sharing may end by itself, for example some time after the conversation.
	useEffect(
		() =>
			guests.store.subscribe((view, before) => {
				if (before.sharing && !view.sharing) navigation.showGuests(false);
			}),
		[guests, navigation],
	);

	return (
		<Dialog
			title={t('guests.title')}
			isOpen
			wide
			closeLabel={t('app.close')}
			onClose={() => navigation.showGuests(false)}
			actions={
				sharing ? (
					<Button look="danger" onPress={() => void guests.close()}>
						{t('guests.stop')}
					</Button>
				) : (
					!address && (
						<Button look="primary" onPress={share}>
							{isAnswered ? again : t('guests.start')}
						</Button>
					)
				)
			}
		>
			<div className={form.form}>
				{problem && (
					<ProblemNotice problem={problem} others={address ? [{ label: again, take: share }] : []} />
				)}
				{isAnswered && !problem && !address && <p role="status">{t('guests.noNetwork')}</p>}
				{!address && (
					<>
						<p>{t('guests.lead')}</p>
						<p>{t('guests.caution')}</p>
					</>
				)}
				{address && (
					<div className={styles.sides}>
						<QrCode text={address} label={t('guests.code')} />
						<div className={form.form}>
							<p>{t('guests.lead')}</p>
							<Address key={address} address={address} takesCursor={!wasShared && chosen === ''} />
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
						</div>
					</div>
				)}
			</div>
		</Dialog>
	);
}

interface AddressProps {
	readonly address: string;
	/** True if the pressed button is gone, so that this one takes focus. */
	readonly takesCursor: boolean;
}

/** The address as text, and a button that copies it. Use a different `key` for each address. */
function Address({ address, takesCursor }: AddressProps) {
	const { t } = useTranslation();
	const button = useRef<HTMLButtonElement>(null);
	useEffect(() => {
		if (takesCursor) button.current?.focus();
	}, [takesCursor]);
	const [said, setSaid] = useState('');

	async function copy(): Promise<void> {
		// Clear the text first, so that the same words are announced again.
		setSaid('');
		const worked = await copyText(address);
		setSaid(t(worked ? 'captions.copied' : 'guests.copyFailed'));
	}

	return (
		<ButtonRow apart>
			<code className={styles.address} dir="ltr">
				{address}
			</code>
			<Button ref={button} onPress={() => void copy()}>
				<Icon name="copy" />
				{t('guests.copy')}
			</Button>
			{/* Inside the dialog, because an open dialog silences announcements outside it. */}
			<p role="status">{said}</p>
		</ButtonRow>
	);
}

function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
	const { size, data } = encode(text, { ecc: 'M', border: QUIET_ZONE });
	const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
	return (
		<svg
			role="img"
			aria-label={label}
			className={styles.code}
			viewBox={`0 0 ${size} ${size}`}
			shapeRendering="crispEdges"
		>
			<path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
			<path fill="#000" d={dark.join('')} />
		</svg>
	);
}

/** While the captions are shared: shows how many guests read along, shows the code again, and stops sharing. */
export function GuestsNotice() {
	const { t } = useTranslation();
	const { guests, navigation } = useParts();
	const number = useStore(guests.store, (view) => view.guests);
	return (
		<NoticeLine
			tone="info"
			text={t('guests.shared')}
			aside={t('guests.reading', { number })}
			action={{ label: t('guests.stop'), take: () => void guests.close() }}
			others={[{ label: t('guests.showCode'), take: () => navigation.showGuests(true) }]}
		/>
	);
}
