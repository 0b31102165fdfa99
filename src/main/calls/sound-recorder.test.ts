import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applicationsOf, parseNames, parseSinkInputs } from './sound-recorder.ts';

test('a list as pactl 16 gives it', () => {
	const entry = {
		index: 12,
		corked: false,
		mute: true,
		sink: 0,
		properties: {
			'application.name': 'Firefox',
			'application.process.id': '4711',
			'application.process.binary': 'firefox',
		},
	};
	expect(parseSinkInputs(JSON.stringify([entry]))).toEqual([
		{ index: 12, pid: 4711, application: 'Firefox', corked: false, muted: true, volume: [] },
	]);
});

test('a stream without a name has that of its program, and without a process none', () => {
	const list = [
		{ index: 1, corked: true, properties: { 'application.process.binary': 'mpv' } },
		{ index: 2, properties: {} },
		{ properties: { 'application.name': 'no index' } },
		null,
	];
	expect(parseSinkInputs(JSON.stringify(list))).toEqual([
		{ index: 1, pid: 0, application: 'mpv', corked: true, muted: false, volume: [] },
		{ index: 2, pid: 0, application: '(#2)', corked: false, muted: false, volume: [] },
	]);
});

test('streams whose name the tool could not write are told apart by their process, and never made one', () => {
	const stream = (index: number, name: string, pid: number, binary = 'paplay') => ({
		index,
		properties: {
			'application.name': name,
			'application.process.id': String(pid),
			'application.process.binary': binary,
		},
	});
	const list = [
		stream(1, '(null)', 11),
		stream(2, '(null)', 22),
		stream(3, 'Música', 33),
		stream(4, '(null)', 44, '(null)'),
		stream(5, ' ', 55),
	];
	const inputs = parseSinkInputs(JSON.stringify(list)) ?? [];
	const names = ['paplay (11)', 'paplay (22)', 'Música', '(44)', 'paplay'];
	expect(inputs.map(({ application }) => application)).toEqual(names);
	expect(applicationsOf(inputs).map(({ name }) => name)).toEqual([...names].sort());
});

test('names that pactl 16 cannot write as JSON are taken from its text', () => {
	const text = [
		'Sink Input #11',
		'\tDriver: protocol-native.c',
		'\tProperties:',
		'\t\tmedia.name = "t.wav"',
		'\t\tapplication.name = "Видео \\"один\\""',
		'',
		'Sink Input #12',
		'\tProperties:',
		'\t\tapplication.name = "Música"',
		'Sink Input #13',
		'\tProperties:',
	].join('\n');
	const list = [11, 12, 13].map((index) => ({ index, properties: { 'application.name': '(null)' } }));
	const names = (parseSinkInputs(JSON.stringify(list), parseNames(text)) ?? []).map((one) => one.application);
	expect(names).toEqual(['Видео "один"', 'Música', '(#13)']);
	expect(parseNames('')).toEqual(new Map());
});

test('nothing at all is no stream; what is no list is none', () => {
	expect(parseSinkInputs('')).toEqual([]);
	for (const text of ['{', '{}', '"x"', 'Connection failure']) expect(parseSinkInputs(text)).toBeNull();
});

test('whatever comes is read or refused', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			for (const { index, pid } of parseSinkInputs(JSON.stringify([value])) ?? []) {
				expect(index).toBeGreaterThanOrEqual(0);
				expect(pid).toBeGreaterThanOrEqual(0);
			}
		}),
	);
});
