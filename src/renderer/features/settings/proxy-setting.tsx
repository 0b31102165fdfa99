import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextField } from '#renderer/ui/text-field.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { readProxyAddress } from '#shared/settings/proxy.ts';
import { SelectSetting } from './setting-fields.tsx';
import { SettingRow } from './setting-row.tsx';
import styles from './settings-page.module.css';

/** The proxy for API calls, sockets and the window. */
export function ProxySetting() {
	const { t } = useTranslation();
	const { variables = [] } = useParts().info;
	const proxy = useSetting('proxy');
	return (
		<>
			<SelectSetting
				name="proxy"
				label={t('proxy.label')}
				hint={t('proxy.hint')}
				options={[
					{ value: 'system', label: t('proxy.system') },
					{ value: 'none', label: t('proxy.none') },
					{ value: 'address', label: t('proxy.address') },
				]}
			/>
			{variables.includes('HTTPS_PROXY') && (
				<p className={styles.reason} role="note">
					{t('proxy.variable')}
				</p>
			)}
			{proxy === 'address' && <AddressField />}
		</>
	);
}

/** Saved only if it is usable, so that no password is ever saved. */
function AddressField() {
	const { t } = useTranslation();
	const { settings } = useParts();
	const value = useSetting('proxyAddress');
	const [text, setText] = useState(value);
	useEffect(() => setText(value), [value]);
	const read = readProxyAddress(text);
	const problem = text.trim() !== '' && 'refused' in read ? t(`proxy.refused.${read.refused}`) : null;

	function done(): void {
		if (text.trim() === '') void settings.write({ proxyAddress: '' });
		else if ('address' in read && read.address !== value) {
			setText(read.address);
			void settings.write({ proxyAddress: read.address });
		}
	}
	return (
		<SettingRow name="proxyAddress">
			{(fixed) => (
				<TextField
					label={t('proxy.addressLabel')}
					code
					value={text}
					onChange={setText}
					onDone={done}
					isDisabled={fixed}
					hint={t('proxy.addressHint')}
					error={problem}
					isUnsaved={problem !== null}
				/>
			)}
		</SettingRow>
	);
}
