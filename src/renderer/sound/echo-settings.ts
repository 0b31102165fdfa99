import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { EchoGuard, EchoGuardParts } from './echo-guard.ts';

/** What the settings say of the echo guard. Face to face has its own rule for switching the microphone off. */
export function echoSettings({
	store,
}: Pick<SettingsMirror, 'store'>): Pick<EchoGuardParts, 'gate' | 'wanted'> {
	return {
		gate: () => store.getState().values.gate,
		wanted: () => store.getState().values.mode !== 'face',
	};
}

/** Is our own voice heard in the room? In a meeting it is played into the call. */
export function inRoom({ store }: Pick<SettingsMirror, 'store'>): () => boolean {
	return () => store.getState().values.mode !== 'meeting';
}

/** Returns a function that ends it. */
export function followGate(guard: Pick<EchoGuard, 'apply'>, settings: Pick<SettingsMirror, 'store'>): Cancel {
	return settings.store.subscribe(({ values }, before) => {
		if (values.gate !== before.values.gate) guard.apply();
	});
}
