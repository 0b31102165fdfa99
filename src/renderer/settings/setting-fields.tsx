import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { isOver } from '#renderer/conversation/conversation.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { problemWords } from '#renderer/problems/problem-notice.tsx';
import type { Place } from '#renderer/shell/navigation.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { useFocusPlace } from '#renderer/shell/use-page-travel.ts';
import { Button } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import page from '#renderer/ui/page.module.css';
import { Select, type SelectOption } from '#renderer/ui/select.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import tag from '#renderer/ui/tag.module.css';
import { TextField } from '#renderer/ui/text-field.tsx';
import type { Problem } from '#shared/problem.ts';
import { checkRestBase } from '#shared/service-address.ts';
import {
	defaultSettings,
	type SettingName,
	type SettingOrigin,
	type Settings,
} from '#shared/settings/schema.ts';
import { type IndexedSetting, indexedSettings } from './settings-index.ts';
import styles from './settings-page.module.css';

/** Names of the settings whose value is of this type. */
type NamesOf<Value> = { [Name in SettingName]: Settings[Name] extends Value ? Name : never }[SettingName];

interface FieldProps<Name extends SettingName> {
	readonly name: Name;
	readonly label: string;
	readonly hint?: string;
}

export function SwitchSetting({ name, label, hint }: FieldProps<NamesOf<boolean>>) {
	const { settings } = useParts();
	const value = useSetting(name);
	return (
		<SettingRow name={name}>
			{(fixed) => (
				<Switch
					label={label}
					isOn={value}
					isDisabled={fixed}
					onChange={(on) => void settings.write({ [name]: on })}
					{...(hint ? { hint } : {})}
				/>
			)}
		</SettingRow>
	);
}

interface SelectSettingProps<Name extends SettingName> extends FieldProps<Name> {
	readonly options: readonly SelectOption<Settings[Name] & string>[];
	/** Returns true if the caller asks the user first, and then writes the setting itself. */
	readonly asksFirst?: (next: Settings[Name]) => boolean;
}

export function SelectSetting<Name extends NamesOf<string>>({
	name,
	label,
	hint,
	options,
	asksFirst,
}: SelectSettingProps<Name>) {
	const { settings } = useParts();
	const value = useSetting(name);
	return (
		<SettingRow name={name}>
			{(fixed) => (
				<Select<Settings[Name] & string>
					label={label}
					options={options}
					value={value}
					isDisabled={fixed}
					onChange={(next) => asksFirst?.(next) || void settings.write({ [name]: next })}
					{...(hint ? { hint } : {})}
				/>
			)}
		</SettingRow>
	);
}

/** A text setting, written when the user leaves the field, not with every letter. */
export function TextSetting({
	name,
	label,
	hint,
}: FieldProps<'apiUrl' | 's2sUrl' | 'sttUrl' | 'ttsUrl' | 'allowedHosts'>) {
	const { settings } = useParts();
	const { t, i18n } = useTranslation();
	const value = useSetting(name);
	const [text, setText] = useState(value);
	const [problem, setProblem] = useState<Problem | null>(null);
	useEffect(() => {
		setText(value);
		setProblem(null);
	}, [value]);

	function done(): void {
		const next = text.trim();
		// As on the command line, refuse an address that cannot be used.
		const refusal = name === 'apiUrl' && next !== '' ? checkRestBase(next) : null;
		setProblem(refusal);
		if (!refusal && next !== value) void settings.write({ [name]: next });
	}

	return (
		<SettingRow name={name}>
			{(fixed) => (
				<TextField
					label={label}
					code
					value={text}
					onChange={setText}
					onDone={done}
					isDisabled={fixed}
					error={problem && problemWords(problem, t, i18n.language)}
					{...(hint ? { hint } : {})}
				/>
			)}
		</SettingRow>
	);
}

interface NumberSettingProps extends FieldProps<'captionSize' | 'historyDays'> {
	readonly min: number;
	readonly max: number;
	readonly step: number;
	readonly format?: Intl.NumberFormatOptions;
	/** Writes the value only on release: intermediate values would have effects that cannot be undone. */
	readonly whenDone?: boolean;
}

export function NumberSetting({ name, label, min, max, step, format, whenDone = false }: NumberSettingProps) {
	const { settings } = useParts();
	const value = useSetting(name);
	/** The value while the thumb is being moved. */
	const [moved, setMoved] = useState<number | null>(null);
	const write = (next: number) => void settings.write({ [name]: next });
	return (
		<SettingRow name={name}>
			{(fixed) => (
				<Slider
					label={label}
					value={moved ?? value}
					min={min}
					max={max}
					step={step}
					isDisabled={fixed}
					onChange={whenDone ? setMoved : write}
					onDone={(next) => {
						if (whenDone) write(next);
						setMoved(null);
					}}
					{...(format ? { format } : {})}
				/>
			)}
		</SettingRow>
	);
}

interface DurationSettingProps extends FieldProps<'warmIdleS' | 'pauseWhenQuietS'> {
	/** Label of the choice 0. */
	readonly zero: string;
	/** The durations to choose from, seconds; a different value from the settings file is offered as well. */
	readonly choicesS: readonly number[];
}

/** A choice from a few durations, in whole minutes where possible. */
export function DurationSetting({ name, label, hint, zero, choicesS }: DurationSettingProps) {
	const { settings } = useParts();
	const { i18n } = useTranslation();
	const value = useSetting(name);
	const all = choicesS.includes(value) ? choicesS : [...choicesS, value].sort((a, b) => a - b);
	return (
		<SettingRow name={name}>
			{(fixed) => (
				<Select
					label={label}
					options={all.map((s) => ({
						value: String(s),
						label: s === 0 ? zero : durationWords(s, i18n.language),
					}))}
					value={String(value)}
					isDisabled={fixed}
					onChange={(next) => void settings.write({ [name]: Number(next) })}
					{...(hint ? { hint } : {})}
				/>
			)}
		</SettingRow>
	);
}

function durationWords(s: number, language: string): string {
	const [amount, unit] = s % 60 === 0 ? [s / 60, 'minute'] : [s, 'second'];
	return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
}

interface SectionProps {
	readonly title: string;
	/** When navigated to, the section scrolls into view and takes focus. */
	readonly place?: Place;
	readonly children: ReactNode;
}

export function Section({ title, place, children }: SectionProps) {
	const id = useId();
	const section = useRef<HTMLElement>(null);
	useFocusPlace(place, section);
	return (
		<section ref={section} tabIndex={-1} className={page.card} aria-labelledby={id}>
			<h2 id={id} className={page.cardTitle}>
				{title}
			</h2>
			{children}
		</section>
	);
}

/** Where the value of a setting comes from, and whether it can be changed here. */
function useOrigin(name: SettingName): { readonly origin: SettingOrigin; readonly fixed: boolean } {
	const { settings } = useParts();
	const origin = useStore(settings.store, (view): SettingOrigin => {
		const given = view.origins[name] ?? 'default';
		// A chosen value equal to the default needs no reset button.
		const same = JSON.stringify(view.values[name]) === JSON.stringify(defaultSettings[name]);
		return given === 'setting' && same ? 'default' : given;
	});
	return { origin, fixed: origin === 'option' || origin === 'variable' };
}

interface SettingRowProps {
	readonly name: SettingName;
	/** Renders the field; `fixed`: true if an override or a running conversation prevents changes. */
	readonly children: (fixed: boolean) => ReactNode;
}

/** A setting with the origin of its value and a button that resets it to the default. */
export function SettingRow({ name, children }: SettingRowProps) {
	const { t } = useTranslation();
	const { settings } = useParts();
	const { origin, fixed } = useOrigin(name);
	const locked = useAccountLock(name);
	const source = sources[name];
	// Main resolves the source, since one setting can depend on the variable of another.
	const told = useStore(settings.store, (view) => view.sources[name]);
	const label = indexedSettings(t).find((one) => one.name === name)?.label;
	const outside = told ?? (origin === 'option' ? source?.option : source?.variable);
	return (
		<Row name={name} control={children(fixed || locked)}>
			{origin !== 'default' && (
				<div className={styles.origin}>
					<span className={`${styles.originTag} ${fixed ? `${tag.pill} ${styles.fixed}` : ''}`}>
						{t(`settings.origin.${origin}`, { name: outside ?? name })}
					</span>
					{origin === 'setting' && !locked && (
						<Button
							look="quiet"
							{...(label !== undefined && { 'aria-label': `${t('settings.reset')}: ${label}` })}
							onPress={() => void settings.write({ [name]: defaultSettings[name] })}
						>
							{t('settings.reset')}
						</Button>
					)}
				</div>
			)}
			{(origin === 'option' || origin === 'variable') && (
				<p className={styles.reason}>{t(`settings.originHint.${origin}`)}</p>
			)}
		</Row>
	);
}

interface ButtonsRowProps {
	/** The name by which the search finds the row. */
	readonly name: IndexedSetting;
	readonly label?: string;
	/** The current state, in words. */
	readonly words: ReactNode;
	/** The buttons of the row, and the dialogs that they open. */
	readonly children: ReactNode;
}

/** A row for something other than a value: its state, and buttons beside it. */
export function ButtonsRow({ name, label, words, children }: ButtonsRowProps) {
	const control = (
		<>
			{label && <p className={field.label}>{label}</p>}
			{words}
		</>
	);
	return (
		<Row name={name} control={control}>
			{children}
		</Row>
	);
}

interface RowProps {
	readonly name: SettingName | IndexedSetting;
	readonly control: ReactNode;
	readonly children: ReactNode;
}

function Row({ name, control, children }: RowProps) {
	return (
		<div className={styles.setting} data-setting={name}>
			<div className={styles.control}>{control}</div>
			{children}
		</div>
	);
}

/** The variable and the option that fix a setting from outside. */
const sources: {
	readonly [Name in SettingName]?: { readonly variable: string; readonly option?: string };
} = {
	apiUrl: { variable: 'DRAGOMAN_API_URL', option: '--api-url' },
	s2sUrl: { variable: 'DRAGOMAN_S2S_URL', option: '--s2s-url' },
	sttUrl: { variable: 'DRAGOMAN_STT_URL', option: '--stt-url' },
	ttsUrl: { variable: 'DRAGOMAN_TTS_URL', option: '--tts-url' },
	logLevel: { variable: 'DRAGOMAN_LOG_LEVEL', option: '--log-level' },
	allowedHosts: { variable: 'DRAGOMAN_ALLOWED_HOSTS' },
	service: { variable: 'DRAGOMAN_SERVICE', option: '--service' },
};

export const KEY_VARIABLE = 'DRAGOMAN_API_KEY';
export const VOICE_TOKEN_VARIABLE = 'DRAGOMAN_VOICE_TOKEN';

/** Settings that decide which account a conversation uses. */
const ACCOUNT: ReadonlySet<SettingName> = new Set(['service', 'apiUrl', 's2sUrl', 'sttUrl', 'ttsUrl']);

/** True while a conversation runs: changing the account would end it, so the user must stop it first. */
export function useAccountLock(name?: SettingName): boolean {
	const { conversation } = useParts();
	const runs = useStore(conversation.store, (view) => !isOver(view));
	return runs && (name === undefined || ACCOUNT.has(name));
}
