import { expect, test } from 'vitest';
import { telephoneHeadset } from './telephone-headset.ts';

const device = (label: string) => ({ id: label, label });
const inside = device('MacBook Pro Microphone');

test.each([
	['Headset (WH-1000XM4 Hands-Free AG Audio)', 'Headphones (WH-1000XM4 Stereo)'],
	['Headset (Jabra Elite 7 Hands-Free)', 'Headphones (Jabra Elite 7 Stereo)'],
	['AirPods Pro', 'AirPods Pro'],
	['Galaxy Buds2 Pro', 'Galaxy Buds2 Pro'],
	['Bose QC35 II', 'Bose QC35 II'],
	['WF-1000XM5 Headset Head Unit (HSP/HFP)', 'WF-1000XM5'],
	['Jabra Evolve2 65', 'Jabra Evolve2 65'],
	['Jabra Evolve 75', 'Jabra Evolve 75'],
	['WH-1000XM4', 'WH-1000XM4'],
	['Acme Handsfree', 'Acme'],
	['Acme HeadUnit', 'Acme'],
	// The same headset, whatever each system puts around its name.
	['AirPods', 'Speaker (AirPods)'],
	['Head Microphone (AirPods)', 'Headphones(AirPods)'],
	['Headset  (AirPods Stereo)', 'AirPods'],
	['AirPods Bluetooth', 'AIRPODS'],
	['AirPods', 'AirPods Handsfree'],
	['AirPods', 'AirPods Hands-Free AG Audio'],
	['AirPods', 'AirPods Hands-Free'],
])('%s with %s sounds like a telephone; the microphone of the computer is better', (microphone, output) => {
	expect(telephoneHeadset(device(microphone), device(output), [device(microphone), inside])).toEqual({
		headset: microphone,
		better: inside,
	});
});

test.each([
	['MacBook Pro Microphone', 'AirPods Pro'],
	['Blue Yeti', 'WH-1000XM4'],
	['Headset Microphone (Realtek Audio)', 'Speakers (Realtek Audio)'],
	['USB Headset', 'USB Headset'],
	['AirPods Pro', 'MacBook Pro Speakers'],
	['', ''],
	// Not one headset: nothing is left of one name, or there is more around it.
	['Bluetooth', 'Stereo'],
	['AirPods headset (Foo)', 'Foo'],
	['Headset (Foo) AirPods', 'Foo'],
	['WH-5 speaker', 'WH-5 speaker'],
])('%s with %s is as good as it can be', (microphone, output) => {
	expect(telephoneHeadset(device(microphone), device(output), [device(microphone), inside])).toBeNull();
});

test('without another microphone there is nothing to propose', () => {
	const only = device('AirPods Pro');
	expect(telephoneHeadset(only, only, [only])).toEqual({ headset: 'AirPods Pro', better: null });
});

test('the computer’s own goes before any other', () => {
	const headset = device('Headset (Hands-Free AG Audio)');
	const other = device('Line in');
	expect(telephoneHeadset(headset, headset, [headset, other, inside])?.better).toEqual(inside);
	expect(telephoneHeadset(headset, headset, [headset, other])?.better).toEqual(other);
	const builtin = device('Builtin Audio');
	expect(telephoneHeadset(headset, headset, [headset, other, builtin])?.better).toEqual(builtin);
});
