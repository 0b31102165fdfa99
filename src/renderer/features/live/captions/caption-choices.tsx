import { useTranslation } from 'react-i18next';
import { Menu } from '#renderer/ui/menu.tsx';
import { ToggleButton } from '#renderer/ui/toggle-button.tsx';
import { toggleOverlay } from '#renderer/window/overlay-commands.ts';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { type CaptionLayout, captionLayouts } from '#shared/overlay/style.ts';
import { CopyMenu } from './copying.tsx';

const icons = { beside: 'beside', under: 'under', target: 'captions' } as const;

/** How captions stand, whether they stand over other windows too, and taking them along. */
export function CaptionChoices() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const layout = useSetting('captionLayout');
	const { shown } = useSetting('overlay');
	const names: { readonly [Layout in CaptionLayout]: string } = {
		beside: t('captions.beside'),
		under: t('captions.under'),
		target: t('captions.targetOnly'),
	};
	return (
		<>
			<Menu
				label={`${t('captions.arrange')}: ${names[layout]}`}
				icon={icons[layout]}
				entries={() => captionLayouts.map((id) => ({ id, label: names[id] }))}
				chosen={layout}
				onChoose={(id) => {
					const chosen = captionLayouts.find((one) => one === id);
					if (chosen) void settings.write({ captionLayout: chosen });
				}}
			/>
			<ToggleButton
				label={t('overlay.title')}
				icon="overlay"
				isOn={shown}
				onChange={() => toggleOverlay(settings)}
			/>
			<CopyMenu />
		</>
	);
}
