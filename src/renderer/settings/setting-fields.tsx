import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Select, type SelectOption } from '#renderer/ui/select.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { Switch } from '#renderer/ui/switch.tsx';
import { TextField } from '#renderer/ui/text-field.tsx';
import type { Problem } from '#shared/problem.ts';
import { checkRestBase } from '#shared/service-address.ts';
import type { SettingName, Settings } from '#shared/settings/schema.ts';
import { SettingRow } from './setting-row.tsx';

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

export interface SelectSettingProps<Name extends SettingName> extends FieldProps<Name> {
	readonly options: readonly SelectOption<Settings[Name] & string>[];
	/** True: somebody is asked first, and whoever asks writes it. */
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

/** Written when the user leaves the field, not with every letter. */
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
		// As the command line: nothing could be asked there.
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

export interface NumberSettingProps extends FieldProps<'captionSize' | 'historyDays'> {
	readonly min: number;
	readonly max: number;
	readonly step: number;
	readonly format?: Intl.NumberFormatOptions;
	/** Written only when it is let go: what it passes on the way has effects that cannot be undone. */
	readonly whenDone?: boolean;
}

export function NumberSetting({ name, label, min, max, step, format, whenDone = false }: NumberSettingProps) {
	const { settings } = useParts();
	const value = useSetting(name);
	/** Where it is while it is moved. */
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

export interface DurationSettingProps extends FieldProps<'warmIdleS' | 'pauseWhenQuietS'> {
	/** What 0 stands for. */
	readonly zero: string;
	/** Seconds; a different value from the file is offered as well. */
	readonly choicesS: readonly number[];
}

/** A choice from a few durations, in minutes where they are whole. */
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
