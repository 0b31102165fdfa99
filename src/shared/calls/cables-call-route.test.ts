import { describe, expect, test } from 'vitest';
import { cableName, callRoute, findCables, guidesFor } from './cables.ts';

const device = (label: string) => ({ id: `id of ${label}`, label });

describe('a cable', () => {
	test.each([
		['CABLE Input (VB-Audio Virtual Cable)', 'CABLE Output (VB-Audio Virtual Cable)', 'VB-CABLE'],
		['CABLE In 16ch (VB-Audio Virtual Cable)', 'CABLE Output (VB-Audio Virtual Cable)', 'VB-CABLE'],
		['CABLE-A Input (VB-Audio Cable A)', 'CABLE-A Output (VB-Audio Cable A)', 'VB-CABLE'],
		['VB-Cable (Virtual)', 'VB-Cable (Virtual)', 'VB-CABLE'],
		[
			'VoiceMeeter Input (VB-Audio VoiceMeeter VAIO)',
			'VoiceMeeter Output (VB-Audio VoiceMeeter VAIO)',
			'VoiceMeeter',
		],
		[
			'VoiceMeeter Aux Input (VB-Audio VoiceMeeter AUX VAIO)',
			'VoiceMeeter Aux Output (VB-Audio VoiceMeeter AUX VAIO)',
			'VoiceMeeter',
		],
		[
			'Voicemeeter In 1 (VB-Audio Voicemeeter VAIO)',
			'Voicemeeter Out B1 (VB-Audio Voicemeeter VAIO)',
			'VoiceMeeter',
		],
		['BlackHole 2ch (Virtual)', 'BlackHole 2ch (Virtual)', 'BlackHole'],
		['BlackHole 16ch (Virtual)', 'BlackHole 16ch (Virtual)', 'BlackHole'],
		['Loopback Audio (Virtual)', 'Loopback Audio (Virtual)', 'Loopback'],
		['Soundflower (2ch)', 'Soundflower (2ch)', 'Soundflower'],
		['Line 1 (Virtual Audio Cable)', 'Line 1 (Virtual Audio Cable)', 'Virtual Audio Cable'],
	])('%s is heard from %s', (output, input, name) => {
		const inputs = [
			'MacBook Pro Microphone',
			'CABLE-B Output (VB-Audio Cable B)',
			'BlackHole 64ch (Virtual)',
			'Line 2 (Virtual Audio Cable)',
			'VoiceMeeter VAIO3 Output (VB-Audio VoiceMeeter VAIO3)',
			input,
		].map(device);
		expect(findCables([device(output)], inputs)).toEqual([
			{ name, output: device(output), input: device(input) },
		]);
	});

	test.each([
		'Speakers (Realtek(R) Audio)',
		'Cable headphones',
		'Digital Output (S/PDIF)',
		'CABLE Output (VB-Audio Virtual Cable)',
		'My BlackHole',
		'',
	])('"%s" is none', (label) => {
		expect(cableName(label)).toBeNull();
	});

	test('whose other end is not in the list says so', () => {
		const output = device('BlackHole 2ch (Virtual)');
		expect(findCables([output], [device('BlackHole 16ch')])).toEqual([
			{ name: 'BlackHole', output, input: null },
		]);
	});

	test('is recommended where programs cannot make a microphone', () => {
		expect([guidesFor('darwin'), guidesFor('win32'), guidesFor('linux')]).toEqual([
			['blackhole', 'loopback'],
			['vb-cable'],
			[],
		]);
	});
});

describe('the way into the call', () => {
	const virtualMicrophone = {
		state: 'ready',
		speakerLabel: 'Dragoman voice',
		microphoneLabel: 'Dragoman microphone',
	} as const;
	const none = { state: 'none' } as const;
	const speakers = device('Speakers');
	const voice = device('Dragoman voice');
	const microphone = device('Dragoman microphone');
	const cable = device('BlackHole 2ch');

	test('is the virtual microphone when it stands', () => {
		expect(
			callRoute({
				callOutput: null,
				virtualMicrophone,
				outputs: [speakers, cable, voice],
				inputs: [cable, microphone],
			}),
		).toEqual({ how: 'virtual', output: voice, microphone, microphoneLabel: 'Dragoman microphone' });
	});

	test('is missing, not the loudspeakers, while the virtual microphone is not in the list', () => {
		expect(callRoute({ callOutput: null, virtualMicrophone, outputs: [speakers], inputs: [] })).toEqual({
			how: 'missing',
			speakerLabel: 'Dragoman voice',
			microphoneLabel: 'Dragoman microphone',
		});
	});

	test('is a cable that is found where nothing was made', () => {
		expect(
			callRoute({ callOutput: null, virtualMicrophone: none, outputs: [speakers, cable], inputs: [cable] }),
		).toEqual({ how: 'cable', output: cable, microphone: cable, microphoneLabel: 'BlackHole 2ch' });
	});

	test('is none where there is neither', () => {
		expect(callRoute({ callOutput: null, virtualMicrophone: none, outputs: [speakers], inputs: [] })).toEqual(
			{ how: 'none' },
		);
	});

	test('is what the user chose before all else, under a new id too, and no other in its place', () => {
		const parts = { virtualMicrophone, outputs: [speakers, voice, cable], inputs: [cable, microphone] };
		expect(callRoute({ ...parts, callOutput: { id: 'old id', label: 'BlackHole 2ch' } })).toMatchObject({
			how: 'cable',
			output: cable,
		});
		expect(callRoute({ ...parts, callOutput: speakers })).toEqual({
			how: 'other',
			output: speakers,
			microphone: null,
			microphoneLabel: null,
		});
		expect(callRoute({ ...parts, callOutput: { id: 'x', label: 'Gone' } })).toEqual({
			how: 'missing',
			speakerLabel: 'Gone',
			microphoneLabel: null,
		});
	});

	test('chosen by name, the virtual microphone is the same as chosen by itself', () => {
		const parts = { virtualMicrophone, outputs: [voice], inputs: [microphone] };
		expect(callRoute({ ...parts, callOutput: voice })).toEqual(callRoute({ ...parts, callOutput: null }));
	});

	test.each(['Dragoman voice', 'Dragoman voice 2'])(
		'chosen by name and not made yet, %s is as good as no choice',
		(label) => {
			const parts = { callOutput: device(label), virtualMicrophone: none, inputs: [cable] };
			expect(callRoute({ ...parts, outputs: [speakers] })).toEqual({ how: 'none' });
			expect(callRoute({ ...parts, outputs: [speakers, cable] })).toMatchObject({ how: 'cable' });
		},
	);
});
