import { useTranslation } from 'react-i18next';
import type { SelectOption } from '#renderer/ui/select.tsx';
import { isOwnDevice } from '#shared/sound/devices.ts';
import type { SoundDevice } from './sound.ts';

/** The value that stands for the system's choice; real ids are never empty. */
const SYSTEM = '';

/**
 * What a picker offers, and which of it is chosen: the system's choice, the devices, and a chosen one that is not
 * connected now. A device may come back under another id: it is known by its label, too.
 * @param systemName of the system's choice; empty = not known
 */
export function useDeviceOptions(
	devices: readonly SoundDevice[],
	chosen: SoundDevice | null,
	systemName: string,
): { readonly options: readonly SelectOption<string>[]; readonly value: string } {
	const { t } = useTranslation();
	const options: SelectOption<string>[] = [
		{
			value: SYSTEM,
			label:
				systemName === '' ? t('sound.systemDefaultUnknown') : t('sound.systemDefault', { name: systemName }),
		},
		// Our own device is for the call: used here it would feed back.
		...devices.filter((device) => !isOwnDevice(device)).map(({ id, label }) => ({ value: id, label })),
	];
	const known = chosen && devices.find((device) => device.id === chosen.id || device.label === chosen.label);
	if (chosen && known && isOwnDevice(known)) options.push({ value: known.id, label: known.label });
	if (chosen && !known) options.push({ value: chosen.id, label: t('sound.missing', { name: chosen.label }) });
	return { options, value: known?.id ?? chosen?.id ?? SYSTEM };
}
