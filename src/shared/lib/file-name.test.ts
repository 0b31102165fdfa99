import { expect, test } from 'vitest';
import { fileStem } from './file-name.ts';

test.each([
	['CON', '_CON'],
	['nul', '_nul'],
	['Aux', '_Aux'],
	['COM1', '_COM1'],
	['lpt³', '_lpt³'],
	['con.backup', '_con.backup'],
	['LPT9 .notes', '_LPT9 .notes'],
	['CONIN$', '_CONIN_'],
	['Console', 'Console'],
	['COM10', 'COM10'],
	['Contract 1.2', 'Contract 1.2'],
	['a/b\\c:d*e?"<>|', 'a_b_c_d_e_____'],
	['...', ''],
	[' .hidden. . ', 'hidden'],
	['line\nbreak\u0000', 'line_break_'],
	['e\u0301te\u0301', 'été'],
	['half \ud83d', 'half _'],
])('%j is %j', (text, stem) => {
	expect(fileStem(text)).toBe(stem);
});

test.each(['a', 'é', '会', '𠮷'])(
	'a long name of %s has 80 characters and 200 bytes at most, none of them cut',
	(one) => {
		const stem = fileStem(one.repeat(300));
		expect(Buffer.byteLength(stem)).toBeLessThanOrEqual(200);
		expect([...stem].length).toBe(Math.min(80, Math.floor(200 / Buffer.byteLength(one))));
		expect(stem).toBe(one.repeat([...stem].length));
	},
);
