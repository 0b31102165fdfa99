import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Settings } from '#shared/settings/schema.ts';
import type { Microphone } from './microphone.ts';
import type { Mixer } from './mixer.ts';

const MICROPHONE = ['microphone', 'echoCancellation', 'noiseSuppression', 'autoGainControl'] as const;

/**
 * Applies volumes, devices and processing from the settings to the sound, now and at each change. Returns a function
 * that ends it.
 */
export function followSettings(parts: {
	readonly settings: SettingsMirror;
	readonly microphone: Pick<Microphone, 'apply'>;
	/** The settings that decide what is listened to; default: those of a microphone. */
	readonly source?: readonly (keyof Settings)[];
	/** False: the original is audible anyway, because another program plays it. */
	readonly original?: boolean;
	readonly mixer: Pick<Mixer, 'setVoiceVolume' | 'setOriginalVolume' | 'setDucking' | 'setOutput'>;
}): Cancel {
	const { settings, microphone, mixer, source, original = true } = parts;
	function apply(next: Settings, before: Settings | null): void {
		const changed = (...names: readonly (keyof Settings)[]) =>
			!before || names.some((name) => JSON.stringify(next[name]) !== JSON.stringify(before[name]));
		if (changed('voiceVolume')) mixer.setVoiceVolume(next.voiceVolume);
		if (changed('originalVolume') && original) mixer.setOriginalVolume(next.originalVolume);
		if (changed('duck')) mixer.setDucking(next.duck);
		if (changed('output')) void mixer.setOutput(next.output);
		if (changed(...(source ?? MICROPHONE))) void microphone.apply();
	}
	apply(settings.store.getState().values, null);
	return settings.store.subscribe((view, before) => apply(view.values, before.values));
}
