import { expect, test } from 'vitest';
import { cableName, cableOf } from './cables.ts';

const device = (label: string) => ({ id: `id of ${label}`, label });
const heardFrom = (output: string, ...inputs: readonly string[]) =>
	cableOf(device(output), inputs.map(device))?.input?.label ?? null;

test.each([
	['  cable input (VB-Audio Virtual Cable) ', ' CABLE OUTPUT (VB-Audio Virtual Cable)'],
	['CABLE In  16 ch (VB-Audio)', 'cable output'],
	['vb-cable', 'VB-CABLE (Virtual)'],
	['Voicemeeter  VAIO3  Input', 'VoiceMeeter VAIO3 Output'],
	['Voicemeeter Input', 'Voicemeeter B1'],
	['blackhole  64 ch', 'BlackHole  64 ch (Virtual)'],
	['Loopback Audio  12', 'loopback audio  12 (Virtual)'],
	['Soundflower (64ch)', 'soundflower (64ch)'],
	['Line 12 (Virtual Audio Cable)', 'LINE 12 (Virtual Audio Cable)'],
])('%s, however it is written, is heard from %s', (output, input) => {
	expect(heardFrom(output, 'Headset', input)).toBe(input);
});

test.each([
	['CABLE-A Input', ['CABLE Output', 'CABLE-B Output']],
	['CABLE Input', ['CABLE-A Output', 'My CABLE Output']],
	['Voicemeeter Input', ['Voicemeeter Aux Output', 'Voicemeeter VAIO3 Output']],
	['Voicemeeter Aux Input', ['Voicemeeter Output', 'Voicemeeter VAIO3 Output']],
	['BlackHole 2ch', ['BlackHole 16ch', 'A BlackHole 2ch']],
	['Loopback Audio 2', ['Loopback Audio', 'Loopback Audio 1']],
	['Soundflower (2ch)', ['Soundflower (64ch)', 'My Soundflower (2ch)']],
	['Line 1 (Virtual Audio Cable)', ['Line 12 (Virtual Audio Cable)', 'My Line 1 (Virtual Audio Cable)']],
])('%s is not heard from the end of another', (output, inputs) => {
	expect(heardFrom(output, ...inputs)).toBeNull();
});

test.each([
	'My CABLE Input',
	'My VB-Cable',
	'A Voicemeeter Input',
	'My BlackHole 2ch',
	'My Loopback Audio',
	'My Soundflower (2ch)',
	'My Line 1 (Virtual Audio Cable)',
	'CABLE In 8ch',
	'BlackHole',
])('%s is no cable that is known', (label) => {
	expect([cableName(label), cableOf(device(label), [])]).toEqual([null, null]);
});

test('a cable is known by the name of its output, with spaces around it', () => {
	expect([cableName(' BlackHole 16ch '), cableName('Line 7 (Virtual Audio Cable)')]).toEqual([
		'BlackHole',
		'Virtual Audio Cable',
	]);
});
