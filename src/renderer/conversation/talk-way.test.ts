import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SettingsView } from '#renderer/settings/settings-mirror.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createTalkWay } from './push-to-talk.ts';

/** A microphone that is opened by a press, in a conversation that is live. */
function setUp(values: Partial<Settings>) {
	const mutes: boolean[] = [];
	const conversation = createFakeConversation();
	conversation.show({ phase: 'live' });
	const way = createTalkWay({
		settings: {
			store: createStore<SettingsView>()(() => ({
				loaded: true,
				origins: {},
				sources: {},
				problem: null,
				values: { ...defaultSettings, ...values },
			})),
		},
		clock: createManualClock(),
		host: { listen: () => () => {} },
		microphone: { setMuted: (muted) => void mutes.push(muted) } as Partial<Microphone> as Microphone,
		mixer: { setOriginal() {} } as Partial<Mixer> as Mixer,
	});
	const raw: boolean[] = [];
	way.listenRaw(() => void raw.push(way.raw()));
	return { mutes, raw, talk: way.follow(conversation) };
}

test.each(['solo', 'meeting', 'captions'] as const)(
	'with push to talk the microphone is shut in %s until it is asked for',
	(mode) => {
		const { mutes, talk } = setUp({ mode, talk: 'push-to-talk' });
		expect(mutes.at(-1)).toBe(true);
		talk.toggle();
		expect(mutes.at(-1)).toBe(false);
	},
);

test('in push to translate it is told when the call is to hear my own voice, and when no more', () => {
	const { raw, talk } = setUp({ mode: 'meeting', talk: 'push-to-translate' });
	expect(raw.at(-1)).toBe(true);
	talk.toggle();
	expect(raw.at(-1)).toBe(false);
});

test.each([
	['goes to sleep', 'suspend'],
	['is locked', 'lock'],
] as const)('a microphone that a press has opened is shut when the machine %s', (_how, event) => {
	const mutes: boolean[] = [];
	let announce = (_payload: never) => {};
	const settings = createStore<SettingsView>()(() => ({
		loaded: true,
		origins: {},
		sources: {},
		problem: null,
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
