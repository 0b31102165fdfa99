import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { ColorField } from '#renderer/ui/color-field.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { Select, type SelectOption } from '#renderer/ui/select.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import { type OverlayName, overlayPatch, overlayStyle } from '#shared/overlay/overlays.ts';
import { EVERY_LANGUAGE, ORIGINAL, OVERLAY_SIZE_PX, type OverlaySettings } from '#shared/overlay/style.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import { OverlayPreview } from './overlay-preview.tsx';
import styles from './overlay-section.module.css';
import { Section } from './section.tsx';
import page from './settings-page.module.css';
import { useOverlayAbilities } from './use-overlay-abilities.ts';

/**
 * Captions over other windows, one's own and those for the audience: whether they are shown, how they look, and what
 * this system cannot do for them.
 */
export function OverlaySection() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const [which, setWhich] = useState<OverlayName>('mine');
	const overlay = useStore(settings.store, (view) => overlayStyle(view.values, which));
	const languages = useLanguages(overlay.language);
	const abilities = useOverlayAbilities();
	const change = (patch: Partial<OverlaySettings>) =>
		void settings.write(overlayPatch(settings.store.getState().values, which, patch));

	return (
		<Section title={t('overlay.title')}>
			<div data-setting="audienceOverlay">
				<Segmented<OverlayName>
					label={t('overlay.which')}
					options={[
						{ value: 'mine', label: t('overlay.forMe'), icon: 'overlay' },
						{ value: 'audience', label: t('overlay.forAudience'), icon: 'audience' },
					]}
					value={which}
					onChange={setWhich}
					hint={t(which === 'mine' ? 'overlay.forMeHint' : 'overlay.forAudienceHint')}
				/>
			</div>
			<div data-setting="overlay">
				<Switch
					label={t('overlay.show')}
					hint={t('overlay.showHint')}
					isOn={overlay.shown}
					onChange={(shown) => change({ shown })}
				/>
			</div>
			{abilities?.because === 'wayland' && <p className={page.reason}>{t('overlay.ordinaryWayland')}</p>}
			{abilities?.because === 'browser' && <p className={page.reason}>{t('overlay.ordinaryBrowser')}</p>}
			<OverlayPreview style={overlay} />
			<div className={styles.fields} data-setting="overlayLook">
				<Select
					label={t('overlay.language')}
					hint={t('overlay.languageHint')}
					value={overlay.language}
					options={languages}
					onChange={(language) => change({ language })}
				/>
				<Select
					label={t('overlay.layout')}
					isDisabled={overlay.language === ORIGINAL}
					value={overlay.layout}
					options={[
						{ value: 'beside', label: t('captions.beside') },
						{ value: 'under', label: t('captions.under') },
						{ value: 'target', label: t('captions.targetOnly') },
					]}
					onChange={(layout) => change({ layout })}
				/>
				<Select
					label={t('overlay.font')}
					value={overlay.font}
					options={[
						{ value: 'sans', label: t('overlay.fontSans') },
						{ value: 'serif', label: t('overlay.fontSerif') },
						{ value: 'mono', label: t('overlay.fontMono') },
					]}
					onChange={(font) => change({ font })}
				/>
				<Slider
					label={t('overlay.size')}
					value={overlay.size}
					min={OVERLAY_SIZE_PX.smallest}
					max={OVERLAY_SIZE_PX.largest}
					step={2}
					onChange={(size) => change({ size })}
				/>
				<Slider
					label={t('overlay.lines')}
					value={overlay.lines}
					min={1}
					max={8}
					step={1}
					onChange={(lines) => change({ lines })}
				/>
				<Slider
					label={t('overlay.width')}
					value={overlay.width / 100}
					min={0.2}
					max={1}
					step={0.05}
					format={{ style: 'percent' }}
					onChange={(share) => change({ width: Math.round(share * 100) })}
				/>
				<Slider
					label={t('overlay.opacity')}
					value={overlay.opacity}
					min={0}
					max={1}
					step={0.05}
					format={{ style: 'percent' }}
					onChange={(opacity) => change({ opacity })}
				/>
				<ColorField
					label={t('overlay.color')}
					value={overlay.color}
					onChange={(color) => change({ color })}
				/>
				<ColorField
					label={t('overlay.background')}
					value={overlay.background}
					onChange={(background) => change({ background })}
				/>
			</div>
			{abilities?.floats !== false && (
				<Switch
					label={t('overlay.locked')}
					hint={t('overlay.lockedHint')}
					isOn={overlay.locked}
					onChange={(locked) => change({ locked })}
				/>
			)}
			{abilities?.clickThrough !== false && (
				<Switch
					label={t('overlay.clickThrough')}
					hint={t(which === 'mine' ? 'overlay.clickThroughHint' : 'overlay.clickThroughAudience')}
					isOn={overlay.clickThrough}
					onChange={(clickThrough) => change({ clickThrough })}
				/>
			)}
			{abilities && which === 'mine' && (
				<Switch
					label={t('overlay.hidden')}
					hint={t(hidesWords[abilities.hides])}
					isOn={overlay.hidden === true && abilities.hides !== 'no'}
					isDisabled={abilities.hides === 'no'}
					onChange={(hidden) => change({ hidden })}
				/>
			)}
		</Section>
	);
}

/** The languages an overlay may show: those of the conversation's settings, and the one chosen. */
function useLanguages(chosen: string): readonly SelectOption<string>[] {
	const { t, i18n } = useTranslation();
	const speak = useSetting('speak');
	const detectable = useSetting('detectable');
	const hear = useSetting('hear');
	const spoken = speak === AUTO ? detectable : [speak];
	const fixed = [EVERY_LANGUAGE, ORIGINAL];
	const codes = new Set([...spoken, ...hear, ...(fixed.includes(chosen) ? [] : [chosen])]);
	return [
		{ value: EVERY_LANGUAGE, label: t('overlay.everyLanguage') },
		{ value: ORIGINAL, label: t('overlay.original') },
		...[...codes].map((value) => ({ value, label: languageLabel(value, i18n.language) })),
	];
}

const hidesWords = { yes: 'overlay.hidesYes', partly: 'overlay.hidesPartly', no: 'overlay.hidesNo' } as const;
