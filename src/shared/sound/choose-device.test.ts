import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseDevice, type Device } from './choose-device.ts';

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
