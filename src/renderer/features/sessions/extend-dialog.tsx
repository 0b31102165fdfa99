import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NumberField } from '#renderer/ui/number-field.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { AskDialog } from '#renderer/window/components/ask-dialog.tsx';
import { duration } from '#renderer/window/words/format.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { SessionRow } from '#shared/host/contract.ts';
import { type ExtensionChoice, extensions, MOST_MINUTES } from './extension.ts';

const choices: readonly ExtensionChoice[] = ['10min', '30min', '1h', 'other'];
const FIRST_MINUTES = 120;

export interface ExtendDialogProps {
	/** Null = closed. */
	readonly row: SessionRow | null;
	readonly onClose: () => void;
	/** Extends by this many seconds. */
	readonly onExtend: (row: SessionRow, extensionS: number) => void;
}

export function ExtendDialog({ row, onClose, onExtend }: ExtendDialogProps) {
	const { t, i18n } = useTranslation();
	const [choice, setChoice] = useState<ExtensionChoice>('10min');
	const [minutes, setMinutes] = useState<number | null>(FIRST_MINUTES);
	const extensionS = choice === 'other' ? (minutes ?? 0) * 60 : extensions[choice];
	return (
		<AskDialog
			title={t('sessions.extendNamed', { label: isolate(row?.label ?? '') })}
			isOpen={row !== null}
			onClose={onClose}
			verb={t('sessions.extend')}
			isDisabled={extensionS < 60}
			onDo={() => row && onExtend(row, extensionS)}
		>
			<Segmented
				label={t('sessions.extendBy')}
				options={choices.map((value) => ({
					value,
					label:
						value === 'other' ? t('sessions.extendOther') : duration(extensions[value] * 1000, i18n.language),
				}))}
				value={choice}
				onChange={setChoice}
			/>
			{choice === 'other' && (
				<NumberField
					label={t('sessions.extendMinutes')}
					hint={t('settings.range', {
						min: new Intl.NumberFormat(i18n.language).format(1),
						max: new Intl.NumberFormat(i18n.language).format(MOST_MINUTES),
					})}
					placeholder=""
					value={minutes}
					min={1}
					max={MOST_MINUTES}
					step={1}
					isDisabled={false}
					onChange={setMinutes}
				/>
			)}
		</AskDialog>
	);
}
