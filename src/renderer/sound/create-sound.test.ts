import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { ok } from '#shared/lib/result.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { followSettings } from './create-sound.ts';

function createRig(more: Partial<Parameters<typeof followSettings>[0]> = {}) {
	const calls: (readonly [string, ...unknown[]])[] = [];
	const call =
		(name: string) =>
		(...given: readonly unknown[]) =>
			void calls.push([name, ...given]);
	const store = createStore(() => ({ values: defaultSettings }));
	followSettings({
		settings: { store } as unknown as SettingsMirror,
		microphone: { apply: async () => call('apply')() },
		mixer: {
			setVoiceVolume: call('setVoiceVolume'),
			setOriginalVolume: call('setOriginalVolume'),
			setDucking: call('setDucking'),
			setOutput: async (device) => {
				call('setOutput')(device);
				return ok();
			},
		},
		...more,
	});
	const atFirst = calls.splice(0);
	return {
		calls,
		atFirst,
		change: (patch: Partial<Settings>) =>
			store.setState(({ values }) => ({ values: { ...values, ...patch } })),
	};
}

test('what changes is carried to the sound, and nothing else', () => {
	const { calls, atFirst, change } = createRig();
	expect(atFirst).toHaveLength(5);
	change({ originalVolume: 0.3 });
	change({ systemSound: 'Zoom' });
	change({ echoCancellation: !defaultSettings.echoCancellation });
	expect(calls).toEqual([['setOriginalVolume', 0.3], ['apply']]);
});

test('what another program plays is not played a second time, and its choice is applied', () => {
	const { calls, atFirst, change } = createRig({ source: ['systemSound'], original: false });
	change({ originalVolume: 0.3, echoCancellation: !defaultSettings.echoCancellation });
	change({ systemSound: 'Zoom' });
	expect(calls).toEqual([['apply']]);
	expect(atFirst.map(([name]) => name)).not.toContain('setOriginalVolume');
});

test('another output, loudness or ducking is carried over', () => {
	const { calls, change } = createRig();
	const output = { id: 'h', label: 'Headset' };
	change({ output });
	change({ voiceVolume: 0.4 });
	change({ duck: !defaultSettings.duck });
	expect(calls).toEqual([
		['setOutput', output],
		['setVoiceVolume', 0.4],
		['setDucking', !defaultSettings.duck],
	]);
});
