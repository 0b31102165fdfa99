import { useEffect, useId, useState } from 'react';
import { useStore } from 'zustand';
import { CaptionBox } from '#renderer/captions/caption-box.tsx';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import colorFieldStyles from '#renderer/ui/color-field.module.css';
import field from '#renderer/ui/field.module.css';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { Select, type SelectOption } from '#renderer/ui/select.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import { languageLabel } from '#shared/i18n/language-names.ts';
import type { FramePiece, FrameRow } from '#shared/overlay/frames.ts';
import type { OverlayAbilities } from '#shared/overlay/placement.ts';
import {
	ENOUGH_CONTRAST,
	EVERY_LANGUAGE,
	ORIGINAL,
	OVERLAY_SIZE_PX,
	type OverlayName,
	type OverlaySettings,
	overlayPatch,
	overlayStyle,
	worstContrast,
} from '#shared/overlay/style.ts';
import { AUTO, isRightToLeft } from '#shared/protocol/languages.ts';
import styles from './overlay-section.module.css';
import { Section } from './setting-fields.tsx';
import page from './settings-page.module.css';

/** Samples of speech for the preview, which are not translated with the interface. */
const samples = {
	es: [
		row(1, 'Shall we begin with the second point?', ['es', '¿Empezamos por el segundo punto?']),
		row(2, 'I have the figures', ['es', 'Tengo las cifras']),
	],
	ar: [
		row(1, 'Shall we begin with the second point?', ['ar', 'هل نبدأ بالنقطة الثانية؟']),
		row(2, 'I have the figures', ['ar', 'لديّ الأرقام']),
	],
} as const;

/** Captions over other windows, for the user and the audience: whether shown, style, and the system's limits. */
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

/** The languages an overlay may show: the languages of the conversation, and the chosen one. */
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

/** Previews the overlay's caption box on a light and a dark screen, with its contrast. */
function OverlayPreview({ style }: { readonly style: OverlaySettings }) {
	const { t, i18n } = useTranslation();
	const sample = isRightToLeft(i18n.language) ? samples.ar : samples.es;
	const contrast = worstContrast(style);
	// The sample is in no language of the conversation.
	const language = style.language === ORIGINAL ? ORIGINAL : EVERY_LANGUAGE;
	// Round down: otherwise 4.46 would be shown as 4.5.
	const ratio = new Intl.NumberFormat(i18n.language, {
		maximumFractionDigits: 1,
		roundingMode: 'floor',
	}).format(contrast);
	const isLow = contrast < ENOUGH_CONTRAST;
	return (
		<figure className={styles.figure} aria-label={t('overlay.preview')}>
			<div className={styles.stage} data-testid="overlay-preview">
				<CaptionBox style={{ ...style, language }} rows={sample} empty="" />
			</div>
			<figcaption>
				<p role="status" className={`${styles.contrast} ${isLow ? styles.low : ''}`}>
					{t(isLow ? 'overlay.contrastLow' : 'overlay.contrast', { ratio })}
				</p>
			</figcaption>
		</figure>
	);
}

function row(id: number, said: string, [language, text]: readonly [string, string]): FrameRow {
	const isFirst = id === 1;
	const piece = (kind: FramePiece['kind'], of: string, words: string): FramePiece => ({
		key: `${kind}${id}`,
		kind,
		language: of,
		text: words,
		steady: isFirst ? words.length : words.lastIndexOf(' '),
		final: isFirst,
	});
	return {
		key: String(id),
		lit: isFirst,
		pieces: [piece('source', 'en', said), piece('translation', language, text)],
	};
}

/** The overlay's abilities on this system; null until main has answered. */
function useOverlayAbilities(): OverlayAbilities | null {
	const { host } = useParts();
	const [abilities, setAbilities] = useState<OverlayAbilities | null>(null);
	useEffect(() => {
		let isHere = true;
		void host.ask('overlay.abilities', undefined).then((answer) => {
			if (isHere && answer.ok) setAbilities(answer.value);
		});
		return () => {
			isHere = false;
		};
	}, [host]);
	return abilities;
}

interface ColorFieldProps {
	readonly label: string;
	/** The colour as `#rrggbb`. */
	readonly value: string;
	readonly onChange: (value: string) => void;
	readonly isDisabled?: boolean;
}

/** A field that opens the system's colour chooser. */
function ColorField({ label, value, onChange, isDisabled = false }: ColorFieldProps) {
	const id = useId();
	return (
		<div className={colorFieldStyles.field}>
			<label className={field.label} htmlFor={id}>
				{label}
			</label>
			<input
				id={id}
				type="color"
				value={value}
				disabled={isDisabled}
				onChange={({ target }) => onChange(target.value)}
			/>
		</div>
	);
}
