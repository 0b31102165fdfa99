import { expect, test } from 'vitest';
import { withFrameLength } from './room-fit.ts';

const sdp = (...lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('');

test('the length of frames stands once, at the end of each section of sound, and nothing else changes', () => {
	const before = sdp(
		'v=0',
		'a=ice-lite',
		'm=audio 9 X 111',
		'a=ptime:20',
		'a=mid:0',
		'm=application 9 Y',
		'a=mid:1',
		'm=audio 9 X 111',
		'a=mid:2',
	);
	expect(withFrameLength(before, 60)).toBe(
		sdp(
			'v=0',
			'a=ice-lite',
			'm=audio 9 X 111',
			'a=mid:0',
			'a=ptime:60',
			'm=application 9 Y',
			'a=mid:1',
			'm=audio 9 X 111',
			'a=mid:2',
			'a=ptime:60',
		),
	);
	expect(withFrameLength(withFrameLength(before, 60), 20)).toBe(withFrameLength(before, 20));
});
