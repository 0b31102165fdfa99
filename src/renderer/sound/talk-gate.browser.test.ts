import { afterEach, expect, test } from 'vitest';
import { createTalkGate } from '#renderer/conversation/push-to-talk.ts';
import { ok } from '#shared/lib/result.ts';
import { createTone, endMixers } from '#test/support/mixer-rig.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';
import type { Mixer } from './mixer.ts';

afterEach(endMixers);

function rig() {
	const { track } = createTone();
	const heard = new Set<(event: MicrophoneEvent) => void>();
	const told: string[] = [];
	let original: MediaStreamTrack | null = null;
	const microphone: Microphone = {
		open: async () => ok(track),
		setMuted(muted) {
			track.enabled = !muted;
		},
		close: () => track.stop(),
		listen(tell) {
			heard.add(tell);
			return () => void heard.delete(tell);
		},
		device: 'a microphone',
		apply: async () => {},
	};
	const mixer = {
		setOriginal(next: MediaStreamTrack | null) {
			original = next;
		},
		clear() {
			original = null;
		},
	} as Mixer;
	const gate = createTalkGate({ microphone, mixer, unheard: () => void told.push('unheard') });
	gate.microphone.listen(({ type }) => void told.push(type));
	const speak = () => {
		for (const tell of heard) tell({ type: 'speaking-while-muted' });
	};
	return { gate, track, told, speak, original: () => original };
}

test('a closed gate and the user’s own mute each silence the microphone', () => {
	const { gate, track } = rig();
	gate.setOpen(false);
	expect(track.enabled).toBe(false);
	gate.microphone.setMuted(true);
	gate.setOpen(true);
	expect(track.enabled).toBe(false);
	gate.microphone.setMuted(false);
	expect(track.enabled).toBe(true);
});

test('an earlier mute of its own does not silence a microphone that another has opened', () => {
	const { gate, track } = rig();
	gate.microphone.setMuted(true);
	// Face to face has one for both people, muted in a way of its own.
	track.enabled = true;
	gate.mixer.setOriginal(track);
	expect(track.enabled).toBe(true);
});

test('who speaks before a closed gate is told that, who muted themselves is told they are muted', () => {
	const { gate, speak, told } = rig();
	gate.setOpen(false);
	speak();
	gate.microphone.setMuted(true);
	speak();
	expect(told).toEqual(['muted', 'unheard', 'speaking-while-muted']);
});

test('tells each time that nothing more is said for now, whichever of the two silences it', () => {
	const { gate, told } = rig();
	gate.microphone.setMuted(false);
	gate.setOpen(true);
	expect(told).toEqual([]);
	gate.microphone.setMuted(true);
	gate.setOpen(false);
	expect(told).toEqual(['muted']);
	gate.microphone.setMuted(false);
	expect(told).toEqual(['muted']);
	gate.setOpen(true);
	gate.setOpen(false);
	expect(told).toEqual(['muted', 'muted']);
});

test('past the gate the own voice is heard while the gate is closed, but never while muted', () => {
	const { gate, track, original } = rig();
	gate.mixer.setOriginal(track);
	expect(original()).toBe(track);
	gate.setPast(true);
	gate.setOpen(false);
	const copy = original();
	expect([copy === track, copy?.enabled, track.enabled]).toEqual([false, true, false]);
	gate.microphone.setMuted(true);
	expect(copy?.enabled).toBe(false);
	gate.setPast(false);
	expect([original() === track, copy?.readyState]).toEqual([true, 'ended']);
});

test('nothing of it stays open when the mixer is cleared', () => {
	const { gate, track, original } = rig();
	gate.setPast(true);
	gate.mixer.setOriginal(track);
	const copy = original();
	gate.mixer.clear();
	expect([original(), copy?.readyState]).toEqual([null, 'ended']);
});
