import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { Popup } from '#renderer/ui/popup.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import type { CaptionLayout } from '#shared/overlay/style.ts';
import { CAPTION_SIZE_PX, defaultSettings } from '#shared/settings/schema.ts';
import styles from './captions-region.module.css';

const STEP_PX = 4;
const { smallest, largest } = CAPTION_SIZE_PX;

/** Size and layout of the captions, under one button. */
export function CaptionLook() {
	const { t, i18n } = useTranslation();
	const { settings } = useParts();
	const size = useSetting('captionSize');
	const layout = useSetting('captionLayout');
	const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' });
	const smaller = useRef<HTMLButtonElement>(null);
	const larger = useRef<HTMLButtonElement>(null);

	function resize(by: number): void {
		const next = Math.min(largest, Math.max(smallest, size + by));
		// At the limit its button is off, which would lose the keyboard.
		if (next === smallest) larger.current?.focus();
		if (next === largest) smaller.current?.focus();
		void settings.write({ captionSize: next });
	}

	return (
		<Popup
			label={t('captions.look')}
			trigger={
				<Button look="quiet" square aria-label={t('captions.look')}>
					<Icon name="letters" />
				</Button>
			}
		>
			<fieldset className={styles.size}>
				<legend>{t('settings.captionSize')}</legend>
				<Button
					ref={smaller}
					square
					aria-label={t('captions.smaller')}
					isDisabled={size <= smallest}
					onPress={() => resize(-STEP_PX)}
				>
					<Icon name="text-smaller" />
				</Button>
				<output aria-live="polite">{percent.format(size / defaultSettings.captionSize)}</output>
				<Button
					ref={larger}
					square
					aria-label={t('captions.larger')}
					isDisabled={size >= largest}
					onPress={() => resize(STEP_PX)}
				>
					<Icon name="text-larger" />
				</Button>
			</fieldset>
			<Segmented<CaptionLayout>
				label={t('captions.arrange')}
				options={[
					{ value: 'beside', label: t('captions.beside'), icon: 'beside' },
					{ value: 'under', label: t('captions.under'), icon: 'under' },
					{ value: 'target', label: t('captions.targetOnly'), icon: 'captions' },
				]}
				value={layout}
				onChange={(captionLayout) => void settings.write({ captionLayout })}
			/>
		</Popup>
	);
}
