import { expect, test } from 'vitest';
import { afterFailedWrite } from './line.ts';

const translate = 'translate x.wav --from en --to es';

test.each([
	[translate, 'go-on'],
	[`${translate} --out out`, 'go-on'],
	[`${translate} --out -`, 'done'],
	[`${translate} -o -`, 'done'],
	[`${translate} --nonsense`, 'done'],
	['transcribe x.wav', 'done'],
	['transcribe x.wav --out -', 'done'],
	['transcribe x.wav --out=x.srt', 'go-on'],
	['speak Hi --lang en', 'go-on'],
	['speak Hi --lang en --out -', 'done'],
	['history export 3f9c -o x.md', 'go-on'],
	['history export 3f9c', 'done'],
	['sessions list', 'done'],
	['sessions create', 'failed'],
	['sessions create --help', 'done'],
	['--help', 'done'],
] as const)('"%s", whose reader has seen enough: %s', (line, then) => {
	for (const code of ['EPIPE', 'EOF']) expect(afterFailedWrite(code, line.split(' '), false)).toBe(then);
});

test.each([translate, 'transcribe x.wav'])('"%s" fails otherwise, and goes on when interrupted', (line) => {
	const words = line.split(' ');
	for (const code of ['ENOSPC', 'EIO', '']) expect(afterFailedWrite(code, words, false)).toBe('failed');
	for (const code of ['EPIPE', 'ENOSPC']) expect(afterFailedWrite(code, words, true)).toBe('go-on');
});
