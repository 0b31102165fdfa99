import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeLegs } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	AWAIT_MS,
	COMING_MS,
	followTurns,
	SETTLE_MS,
	SPEECH_MS,
	TURN_MS,
	type TurnSigns,
} from './turn-sign.ts';

/** Both directions are live. */
function start() {
	const clock = createManualClock();
	const legs = createFakeLegs();
	let isMeeting = true;
	const turnSigns: TurnSigns = createStore(() => ({ outgoing: 'none', incoming: 'none' }));
	followTurns({ legs, turnSigns, clock, applies: () => isMeeting });
	const { conversation } = legs.outgoing;
	const open = (id: number, text: string) => conversation.putRow(captionRow(id, ['en', text], [], false), id);
	const done = (id: number, translated: boolean) =>
		conversation.putRow(captionRow(id, ['en', 'Done'], translated ? [['es', 'Hecho']] : []), id);
	const voice = (voiceActive: boolean) => conversation.show({ phase: 'live', voiceActive });
	voice(false);
	legs.incoming.conversation.show({ phase: 'live' });
	return {
		clock,
		legs,
		conversation,
		open,
		done,
		voice,
		sign: () => turnSigns.getState().outgoing,
		signs: () => turnSigns.getState(),
		leaveMeeting() {
			isMeeting = false;
			voice(true);
		},
	};
}

test('my voice speaks on when I have stopped, and then the turn is theirs; the other direction is not concerned', async () => {
	const { clock, open, done, voice, sign, signs } = start();
	open(0, 'Good');
	voice(true);
	expect(sign()).toBe('none');
	done(0, true);
	expect(signs()).toEqual({ outgoing: 'still', incoming: 'none' });
	voice(false);
	// The voice may say its translation next.
	await clock.run(COMING_MS - 1);
	expect(sign()).toBe('still');
	await clock.run(1);
	expect(sign()).toBe('turn');
	await clock.run(TURN_MS);
	expect(sign()).toBe('none');
	expect(clock.pending).toBe(0);
});

test('a sentence that is being translated is still to come, and one that stands still is nobody speaking', async () => {
	const { clock, open, done, voice, sign } = start();
	voice(true);
	done(0, false);
	voice(false);
	await clock.run(AWAIT_MS - 1);
	expect(sign()).toBe('still');
	await clock.run(1);
	expect(sign()).toBe('turn');
	open(1, 'And');
	voice(true);
	expect(sign()).toBe('none');
	await clock.run(SPEECH_MS - 1);
	open(1, 'And then');
	await clock.run(SPEECH_MS - 1);
	expect(sign()).toBe('none');
	await clock.run(1);
	expect(sign()).toBe('still');
});

test('what was typed or cut off is not speech, and what nobody hears is not waited for', () => {
	const { conversation, legs, voice, sign } = start();
	voice(true);
	const typed = captionRow(0, ['en', 'Typed'], [], false);
	conversation.putRow({ ...typed, typed: { is: 'sending' } });
	const { source, ...row } = captionRow(1, ['en', 'Cut'], [], false);
	conversation.putRow({ ...row, source: source && { ...source, cutOff: true } });
	expect(sign()).toBe('still');
	legs.outgoing.muteVoice(true);
	expect(sign()).toBe('none');
	legs.outgoing.muteVoice(false);
	expect(sign()).toBe('still');
	legs.outgoing.muteVoice(true);
	// Another row comes meanwhile.
	conversation.putRow(captionRow(2, ['en', 'More'], [], false));
	legs.outgoing.muteVoice(false);
	expect(sign()).toBe('none');
});

test('a pause, the end and another mode show nothing', async () => {
	const { clock, conversation, voice, sign, leaveMeeting } = start();
	voice(true);
	conversation.show({ phase: 'live', paused: true, voiceActive: true });
	expect(sign()).toBe('none');
	voice(true);
	expect(sign()).toBe('still');
	conversation.show({ phase: 'idle', voiceActive: false });
	await clock.run(SETTLE_MS);
	expect(sign()).toBe('none');
	voice(true);
	leaveMeeting();
	voice(false);
	voice(true);
	expect(sign()).toBe('none');
	expect(clock.pending).toBe(0);
});
