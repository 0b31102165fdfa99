import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import field from '#renderer/ui/field.module.css';
import tag from '#renderer/ui/tag.module.css';
import { defaultSettings, type SettingName, type SettingOrigin } from '#shared/settings/schema.ts';
import { type IndexedSetting, indexedSettings } from './settings-index.ts';
import styles from './settings-page.module.css';
import { sources } from './sources.ts';
import { useAccountLock } from './use-account-lock.ts';

/** Why the value of a setting is in force, and whether it can be changed here. */
export function useOrigin(name: SettingName): { readonly origin: SettingOrigin; readonly fixed: boolean } {
	const { settings } = useParts();
	const origin = useStore(settings.store, (view): SettingOrigin => {
		const given = view.origins[name] ?? 'default';
		// Chosen, and the same as the default: there is nothing to go back to.
		const same = JSON.stringify(view.values[name]) === JSON.stringify(defaultSettings[name]);
		return given === 'setting' && same ? 'default' : given;
	});
	return { origin, fixed: origin === 'option' || origin === 'variable' };
}

export interface SettingRowProps {
	readonly name: SettingName;
	/** Gets whether the value is fixed: from outside, or while a conversation runs. */
	readonly children: (fixed: boolean) => ReactNode;
}

/** A setting with the reason for its value beside it, and the way back to the default. */
export function SettingRow({ name, children }: SettingRowProps) {
	const { t } = useTranslation();
	const { settings } = useParts();
	const { origin, fixed } = useOrigin(name);
	const locked = useAccountLock(name);
	const source = sources[name];
	// Main knows the source; one setting can be decided by the variable of another.
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

export interface ButtonsRowProps {
	/** What search finds it by. */
	readonly name: IndexedSetting;
	readonly label?: string;
	/** Its present state. */
	readonly words: ReactNode;
	/** What can be done to it, and the dialogs that this opens. */
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
