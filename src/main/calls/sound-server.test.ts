import { expect, test } from 'vitest';
import { isWithin, parseInfo, parseModules, parseSourceOutputs, sourceIndex } from './sound-server.ts';

test('modules are read from lines with tabs, whatever else the answer holds', () => {
	const text = [
		'0\tmodule-native-protocol-unix\tsocket=/tmp/a b auth-anonymous=1\t',
		'536870913\tmodule-null-sink\tsink_name=x sink_properties=device.description="A\\ b"',
		'7\tmodule-always-sink\t',
		'8\tmodule-bare',
		'warning: something',
		'',
	].join('\n');
	expect(parseModules(text)).toEqual([
		{ id: 0, name: 'module-native-protocol-unix', args: 'socket=/tmp/a b auth-anonymous=1' },
		{
			id: 536_870_913,
			name: 'module-null-sink',
			args: 'sink_name=x sink_properties=device.description="A\\ b"',
		},
		{ id: 7, name: 'module-always-sink', args: '' },
		{ id: 8, name: 'module-bare', args: '' },
	]);
});

test('the server is known by its name, its version and its defaults', () => {
	const text =
		'Server Name: PulseAudio (on PipeWire 1.0.5)\nServer Version: 15.0.0\nDefault Sink: hdmi\nDefault Source: mic\n';
	expect(parseInfo(text)).toEqual({
		name: 'PulseAudio (on PipeWire 1.0.5) 15.0.0',
		defaultSink: 'hdmi',
		defaultSource: 'mic',
	});
	expect(parseInfo('')).toEqual({ name: '', defaultSink: '', defaultSource: '' });
});

test('streams that are recorded, without the level meters of a mixer; a source is found by its name', () => {
	const list = [
		{ index: 4, source: 7, properties: { 'application.process.id': '4711' } },
		{ index: 5, source: 7, resample_method: 'peaks', properties: {} },
		{ index: 6, source: 9 },
		{ index: 8 },
		null,
	];
	expect(parseSourceOutputs(JSON.stringify(list))).toEqual([
		{ source: 7, pid: 4711 },
		{ source: 9, pid: 0 },
	]);
	expect([parseSourceOutputs(''), parseSourceOutputs('no'), parseSourceOutputs('{}')]).toEqual([
		[],
		null,
		null,
	]);
	const sources = '3\tbuilt-in\tx\n7\tdragoman.1.microphone\tx\n';
	expect(sourceIndex(sources, 'dragoman.1.microphone')).toBe(7);
	expect(sourceIndex(sources, 'dragoman.1')).toBeNull();
});

test('a process and what it started belong together; a ring in the table of processes ends', () => {
	const parents: Record<number, number> = { 10: 1, 20: 10, 30: 20, 40: 1, 50: 60, 60: 50 };
	const parentOf = (pid: number) => parents[pid] ?? 0;
	expect([10, 20, 30, 40, 50, 99].map((pid) => isWithin(pid, 10, parentOf))).toEqual([
		...[true, true, true, false, false, false],
	]);
	expect(isWithin(0, 0, parentOf)).toBe(false);
});
