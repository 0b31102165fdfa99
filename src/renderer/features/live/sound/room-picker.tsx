import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Select } from '#renderer/ui/select.tsx';
import { Slider } from '#renderer/ui/slider.tsx';
import { useParts, useSetting } from '#renderer/window/parts.ts';
import { isOwnDevice } from '#shared/audio/own-device.ts';

/** Means no second loudspeaker; real ids are never empty. */
const NONE = '';

/** A second loudspeaker for the translation, with a volume of its own. */
export function RoomPicker() {
	const { t } = useTranslation();
	const { sound, settings } = useParts();
	const { outputs } = useStore(sound.store);
	const chosen = useSetting('roomOutput');
	const volume = useSetting('roomVolume');
	const known = chosen && outputs.find(({ id, label }) => id === chosen.id || label === chosen.label);
	const options = [
		{ value: NONE, label: t('sound.roomNone') },
		...outputs.filter((device) => !isOwnDevice(device)).map(({ id, label }) => ({ value: id, label })),
		...(chosen && !known ? [{ value: chosen.id, label: t('sound.missing', { name: chosen.label }) }] : []),
	];

	function choose(id: string): void {
		const device = outputs.find((one) => one.id === id);
		void settings.write({ roomOutput: device ? { id: device.id, label: device.label } : null });
	}

	return (
		<>
			<Select
				label={t('sound.room')}
				options={options}
				value={known?.id ?? chosen?.id ?? NONE}
				onChange={choose}
			/>
			{chosen && (
				<Slider
					label={t('sound.roomVolume')}
					value={volume}
					{...{ min: 0, max: 1, step: 0.05, format: { style: 'percent' } }}
					onChange={(roomVolume) => void settings.write({ roomVolume })}
				/>
			)}
		</>
	);
}
