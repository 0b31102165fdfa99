import { expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { RoutingState } from '#shared/host/calls.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { watchDevices } from './device-list.ts';

function rig(platform: string) {
	const clock = createManualClock();
	const store = createStore<RoutingState>()(() => ({ revision: 1, virtualMicrophone: { state: 'none' } }));
	let looks = 0;
	const devices = {
		refresh: async () => {
			looks += 1;
			return { inputs: [], outputs: [], defaultInput: null, defaultOutput: null, labelled: false };
		},
	};
	const close = watchDevices({ devices, routing: { store }, clock, platform });
	return { clock, store, close, looks: () => looks };
}

test('on Linux devices are looked for again and again, since no event tells of all of them', () => {
	const { clock, looks, close } = rig('linux');
	clock.advance(9000);
	expect(looks()).toBe(3);
	close();
	clock.advance(9000);
	expect([looks(), clock.pending]).toEqual([3, 0]);
});

test('elsewhere only when the virtual microphone comes or goes', () => {
	const { clock, store, looks } = rig('darwin');
	clock.advance(9000);
	expect(looks()).toBe(0);
	store.setState({ revision: 2, virtualMicrophone: { state: 'making' } });
	clock.advance(0);
	expect(looks()).toBe(1);
});
