import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { createPhraseSource, createSetupRehearsal } from '#renderer/setup/create-rehearsal.ts';
import { createAudioEngine } from '#renderer/sound/context.ts';
import { createDevices } from '#renderer/sound/devices.ts';
import { createMixer } from '#renderer/sound/mixer.ts';
import { withMute } from '#renderer/sound/mutable-mixer.ts';
import { createStreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { silentLogger as log } from '#shared/lib/log.ts';
import { err } from '#shared/lib/result.ts';
import { createFakeWindow } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { type ConversationView, idleView } from './conversation-store.ts';
import { createLeg } from './create-leg.ts';
import { isUnderWay } from './live-changes.ts';

test('joined before Start is one room, by the leg it is for and not by the rehearsal, and none while a conversation runs', async () => {
	const { parts, asked, ready } = createFakeWindow({
		settings: { roomAhead: true, transport: 'auto' },
		answers: { 'session.open': () => err({ kind: 'session-limit', detail: '' }) },
	});
	await ready;
	const { host, settings, account } = parts;
	const clock = createManualClock();
	const engine = createAudioEngine({ clock, log });
	const devices = createDevices({ media: navigator.mediaDevices, clock });
	const store = createStore<ConversationView>()(() => ({ ...idleView, phase: 'live' }));
	const making = { host, clock, log, settings, account, receiver: createStreamPortsReceiver(window) };
	const { conversation } = createLeg(making, {
		name: 'outgoing',
		microphone: createPhraseSource({ engine, clock }).microphone,
		engine,
		voice: withMute(createMixer({ engine, devices, clock, log })),
		journal: null,
		isUnderWay: () => isUnderWay(store.getState().phase),
	});
	createSetupRehearsal({ ...making, devices, legs: { store }, leaveRoom: async () => {} });
	const told = () => asked.filter(([name]) => name === 'session.open' || name === 'conversation.phase');
	async function comeBack() {
		window.dispatchEvent(new Event('focus'));
		await clock.run(100);
	}

	// The leg itself is idle, as in a meeting in which it alone has failed.
	await comeBack();
	conversation.warm();
	await clock.run(100);
	expect(told()).toEqual([]);

	store.setState(idleView);
	// Typed texts have no Start.
	await settings.write({ mode: 'type' });
	await comeBack();
	expect(told()).toEqual([]);
	await settings.write({ mode: 'solo' });
	await comeBack();
	expect(told()).toEqual([
		['session.open', { prepared: true }],
		['conversation.phase', { phase: 'idle', muted: false }],
	]);
	await engine.close();
});

test('the rehearsal asks for a session only when the room joined before Start has been left', async () => {
	const { parts, asked, ready } = createFakeWindow({
		answers: { 'session.open': () => err({ kind: 'session-limit', detail: '' }) },
	});
	await ready;
	const { host, settings, account } = parts;
	const clock = createManualClock();
	const left = Promise.withResolvers<void>();
	const rehearsal = createSetupRehearsal({
		host,
		clock,
		log,
		settings,
		account,
		receiver: createStreamPortsReceiver(window),
		devices: createDevices({ media: navigator.mediaDevices, clock }),
		legs: { store: createStore<ConversationView>()(() => idleView) },
		leaveRoom: () => left.promise,
	});
	const sessions = () => asked.filter(([name]) => name === 'session.open').length;
	const running = rehearsal.run();
	await clock.run(1000);
	expect(sessions()).toBe(0);
	left.resolve();
	await expect
		.poll(async () => {
			await clock.run(100);
			return sessions();
		})
		.toBe(1);
	const stopping = rehearsal.stop();
	await clock.run(1000);
	await Promise.all([running, stopping]);
});
