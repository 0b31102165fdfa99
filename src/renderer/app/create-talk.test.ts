import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { Microphone } from '#renderer/audio/microphone.ts';
import type { Mixer } from '#renderer/audio/mixer.ts';
import type { SettingsView } from '#renderer/window/mirrors/settings-mirror.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createTalkWay } from './create-talk.ts';

test.each([
	['goes to sleep', 'suspend'],
	['is locked', 'lock'],
] as const)('a microphone that a press has opened is shut when the machine %s', (_how, event) => {
	const mutes: boolean[] = [];
	let announce = (_payload: never) => {};
	const settings = createStore<SettingsView>()(() => ({
		...{ loaded: true, origins: {}, sources: {}, problem: null },
		values: { ...defaultSettings, mode: 'solo', talk: 'push-to-talk' },
	}));
	const conversation = createFakeConversation();
	conversation.show({ phase: 'live' });
	const way = createTalkWay({
		settings: { store: settings },
		clock: createManualClock(),
		host: {
			listen(_name, heard) {
				announce = heard as (payload: never) => void;
				return () => {};
			},
		},
		microphone: { setMuted: (muted) => void mutes.push(muted) } as Partial<Microphone> as Microphone,
		mixer: {} as Mixer,
	});
	way.follow(conversation).toggle();
	expect(mutes.at(-1)).toBe(false);
	announce({ event } as never);
	expect(mutes.at(-1)).toBe(true);
});
