import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseDevice, type Device, isOwnDevice, otherMicrophone, telephoneHeadset } from './devices.ts';

const usb: Device = { id: 'u1', label: 'USB headset', group: 'g1' };
const laptop: Device = { id: 'l1', label: 'Laptop', group: 'g2' };

describe('the choice of a device', () => {
	test.each([
		['nothing wished is the default', null, { how: 'default' }],
		['the entry called default is the default', { id: 'default', label: 'Default' }, { how: 'default' }],
		['so is one without a name', { id: '', label: 'USB headset' }, { how: 'default' }],
		['by id', { id: 'u1', label: 'old name' }, { how: 'wanted', device: usb }],
		['by label when ids have changed', { id: 'u0', label: 'USB headset' }, { how: 'wanted', device: usb }],
		['the default stands in for what is not there', { id: 'x', label: 'Other' }, { how: 'stand-in' }],
		['no label matches none', { id: 'x', label: '' }, { how: 'stand-in' }],
	])('%s', (_what, wanted, choice) => {
		expect(chooseDevice(wanted, [laptop, usb, { id: 'z', label: '', group: '' }])).toEqual(choice);
	});

	test('a matching id always wins over a matching label', () => {
		const device = fc.record({
			id: fc.constantFrom('a', 'b', 'c'),
			label: fc.constantFrom('A', 'B', ''),
			group: fc.constant(''),
		});
		fc.assert(
			fc.property(fc.array(device), device, (present, wanted) => {
				const choice = chooseDevice(wanted, present);
				const byId = present.some((one) => one.id === wanted.id);
				if (choice.how === 'wanted') expect(choice.device.id === wanted.id || !byId).toBe(true);
				else expect(byId).toBe(false);
			}),
		);
	});
});

test('both halves of every virtual microphone of ours are known by their names, and nothing else is', () => {
	const labels = [
		'Dragoman voice',
		'Dragoman microphone',
		'Dragoman microphone 12',
		'Monitor of Dragoman voice',
		'Dragoman voice recorder',
		'Dragoman microphone 2b',
		'Dragoman microphone x',
		'Dragoman',
		'Laptop',
		'',
	];
	expect(labels.map((label) => isOwnDevice({ label }))).toEqual([
		true,
		true,
		true,
		false,
		false,
		false,
		false,
		false,
		false,
		false,
	]);
});

const devices = (...labels: readonly string[]) => labels.map((label) => ({ id: label, label }));

test.each([
	['one near a mouth', ['HD Webcam', 'USB microphone', 'Jabra Evolve2 65'], 'Jabra Evolve2 65'],
	['one that stands before one of a room', ['HD Webcam', 'USB microphone'], 'USB microphone'],
	['one of a room where there is no other', ['HD Webcam'], 'HD Webcam'],
	[
		'none of ours, none without a name, not the same again',
		['Dragoman microphone', '', 'Built-in'],
		undefined,
	],
])('where the microphone hears the loudspeakers, another is proposed: %s', (_, labels, wanted) => {
	expect(otherMicrophone({ label: 'Built-in' }, devices(...labels))?.label).toBe(wanted);
});

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
