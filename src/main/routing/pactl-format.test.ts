import { expect, test } from 'vitest';
import { parseInfo, parseModules } from './pactl-format.ts';

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
