import { afterEach, describe, expect, test } from 'vitest';
import { createFakeMedia, type FakeDevice } from '#test/support/fake-media.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createDevices, describeDevices } from './device-list.ts';

const laptop: FakeDevice = { kind: 'audioinput', id: 'l1', label: 'Laptop' };
const headset: FakeDevice = { kind: 'audioinput', id: 'h1', label: 'Headset' };
const speakers: FakeDevice = { kind: 'audiooutput', id: 's1', label: 'Speakers' };

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
});

async function setUp(first: readonly FakeDevice[]) {
	const clock = createManualClock();
	const media = createFakeMedia(first);
	const devices = createDevices({ media, clock });
	ends.push(async () => {
		devices.close();
		await media.close();
	});
	await devices.refresh();
	return { clock, media, devices };
}

describe('the list of devices', () => {
	test('has each device once, and knows which is the default', async () => {
		const { devices } = await setUp([laptop, headset, speakers]);
		expect(devices.getState()).toEqual({
			inputs: [
				{ id: 'l1', label: 'Laptop', group: 'group-l1' },
				{ id: 'h1', label: 'Headset', group: 'group-h1' },
			],
			outputs: [{ id: 's1', label: 'Speakers', group: 'group-s1' }],
			defaultInput: { id: 'l1', label: 'Laptop', group: 'group-l1' },
			defaultOutput: { id: 's1', label: 'Speakers', group: 'group-s1' },
			labelled: true,
		});
	});

	test('without a microphone the names of the speakers show that devices may be named', async () => {
		const { devices, media, clock } = await setUp([laptop, speakers]);
		media.plug([speakers]);
		await clock.run(200);
		await expect.poll(() => devices.getState()).toMatchObject({ inputs: [], labelled: true });
	});

	test('tells once of many changes, and not of none', async () => {
		const { devices, media, clock } = await setUp([laptop]);
		const heard: number[] = [];
		devices.subscribe((list, before) => heard.push(list.inputs.length - before.inputs.length));
		for (let change = 0; change < 30; change += 1) {
			media.plug(change % 2 === 0 ? [laptop] : [laptop, headset]);
			await clock.run(30);
		}
		await clock.run(200);
		expect(heard).toEqual([1]);
		media.plug([laptop, headset]);
		await clock.run(1000);
		expect(heard).toEqual([1]);
	});

	test('says nothing once it is closed', async () => {
		const { devices, media, clock } = await setUp([laptop]);
		const heard: unknown[] = [];
		devices.subscribe((list) => heard.push(list));
		media.plug([]);
		devices.close();
		await clock.run(1000);
		expect([heard, clock.pending]).toEqual([[], 0]);
	});
});

describe('what the browser lists', () => {
	const info = (kind: string, deviceId: string, label: string, groupId = '') =>
		({ kind, deviceId, label, groupId }) as MediaDeviceInfo;

	test('before permission: nothing to choose from, and it says so', () => {
		expect(describeDevices([info('audioinput', '', ''), info('audiooutput', '', '')])).toMatchObject({
			inputs: [],
			outputs: [],
			labelled: false,
		});
	});

	test('a default without a device of its own keeps its name, without the word before it', () => {
		const list = describeDevices([
			info('audioinput', 'default', 'Default - USB - Stick'),
			info('audioinput', 'x', 'X'),
		]);
		expect(list.defaultInput?.label).toBe('USB - Stick');
	});

	test('Windows’ "communications" entry is a double, too', () => {
		const list = describeDevices([
			info('audioinput', 'communications', 'Communications - X'),
			info('audioinput', 'x', 'X'),
		]);
		expect(list.inputs.map((device) => device.id)).toEqual(['x']);
	});
});
