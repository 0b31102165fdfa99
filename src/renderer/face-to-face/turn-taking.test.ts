import { expect, test } from 'vitest';
import { type FaceSide, SETTLE_MS, type TurnRules } from '#shared/face-to-face/turn-rules.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createTurnTaking, type TurnParts } from './turn-taking.ts';

function createRig(first: TurnRules = { talk: 'hold', halfDuplex: true }) {
	const clock = createManualClock();
	/** The calls to microphone and voice, in order. */
	const did: string[] = [];
	let now: { rules: TurnRules; live: boolean; speaker: FaceSide | null } = {
		rules: first,
		live: false,
		speaker: null,
	};
	let changed = () => {};
	let hearVoice: Parameters<TurnParts['listenVoice']>[0] = () => {};
	let hearSpeech: (speaking: boolean) => void = () => {};
	let listeners = 3;
	const end = () => void listeners--;
	const turns = createTurnTaking({
		clock,
		rules: () => now.rules,
		isLive: () => now.live,
		speaker: () => now.speaker,
		listen(tell) {
			changed = tell;
			return end;
		},
		listenVoice(tell) {
			hearVoice = tell;
			return end;
		},
		listenSpeech(tell) {
			hearSpeech = tell;
			return end;
		},
		setGates: ({ me, partner }) => void did.push(`gates ${me ? 'me' : ''}${partner ? 'partner' : ''}`.trim()),
		holdVoice: (on) => void did.push(on ? 'hold' : 'release'),
	});
	return {
		clock,
		did,
		turns,
		listeners: () => listeners,
		voice: (audible: boolean, waiting = false) => hearVoice({ audible, waiting }),
		speech: (speaking: boolean) => hearSpeech(speaking),
		become(next: Partial<typeof now>) {
			now = { ...now, ...next };
			changed();
		},
		cues: () => turns.store.getState().cues,
	};
}

test('the voice is held before a microphone opens, and the microphone closed before the voice is let go', () => {
	const rig = createRig();
	rig.become({ live: true });
	rig.did.length = 0;
	rig.turns.down('me');
	expect(rig.did).toEqual(['hold', 'gates me']);
	rig.did.length = 0;
	rig.clock.advance(1000);
	rig.turns.up('me');
	expect(rig.did).toEqual(['gates', 'release']);
});

test('time alone makes it somebody’s turn after the voice, and no timer is left when nothing is due', () => {
	const rig = createRig();
	rig.become({ live: true });
	rig.turns.down('me');
	rig.clock.advance(1000);
	rig.turns.up('me');
	rig.voice(true);
	rig.voice(false);
	expect(rig.cues()).toEqual({ me: 'wait-voice', partner: 'wait-voice' });
	rig.clock.advance(SETTLE_MS);
	expect(rig.cues()).toEqual({ me: 'ready', partner: 'your-turn' });
	expect(rig.clock.pending).toBe(0);
});

test('a tap is told from a hold', () => {
	const rig = createRig();
	rig.become({ live: true });
	rig.turns.down('partner');
	expect(rig.turns.store.getState().pressed).toEqual({ me: 'no', partner: 'held' });
	rig.turns.up('partner');
	expect(rig.turns.store.getState().pressed).toEqual({ me: 'no', partner: 'tapped' });
});

test('other rules count at once, and the end of the conversation closes everything', () => {
	const rig = createRig();
	rig.become({ live: true });
	rig.become({ rules: { talk: 'automatic', halfDuplex: true } });
	expect(rig.did.slice(-2)).toEqual(['hold', 'gates mepartner']);
	rig.become({ speaker: 'partner' });
	rig.voice(true);
	rig.voice(false);
	rig.clock.advance(SETTLE_MS);
	expect(rig.cues().me).toBe('your-turn');
	rig.speech(true);
	expect(rig.cues()).toEqual({ me: 'speak', partner: 'speak' });
	rig.become({ live: false });
	expect(rig.did.slice(-2)).toEqual(['gates', 'release']);
	expect(rig.cues()).toEqual({ me: 'off', partner: 'off' });
	rig.turns.close();
	expect([rig.listeners(), rig.clock.pending]).toEqual([0, 0]);
});
