import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCombination } from '#shared/commands/combination.ts';
import { hasX11Keyboard } from './x11.ts';
import { displayNumber, findCookie, isCombinationDown, readMapping, readSetup } from './x11-wire.ts';

/** A German keyboard in part: what is written on its keys, by keycode. */
const places = new Map([
	[0xffe3, [37]],
	[0xffe4, [105]],
	[0xffe1, [50]],
	[0xffe9, [64]],
	[0xffeb, [133]],
	[0xffbe, [67]],
	[0x7a, [29]],
	[0x5a, [29]],
	[0x79, [52]],
	[0x3f, [20]],
]);
function isDown(text: string, ...keycodes: readonly number[]): boolean {
	const combination = parseCombination(text);
	if (!combination) throw new Error(text);
	return isCombinationDown(combination, places, (keycode) => keycodes.includes(keycode));
}

test('a combination is its key and exactly its modifiers, either of a pair', () => {
	expect(isDown('F1', 67)).toBe(true);
	expect(isDown('F1', 37, 67)).toBe(false);
	expect(isDown('Mod+F1', 37, 67)).toBe(true);
	expect(isDown('Mod+F1', 105, 67)).toBe(true);
	expect(isDown('Mod+F1', 67)).toBe(false);
	expect(isDown('Mod+Shift+F1', 37, 67)).toBe(false);
	expect(isDown('Mod+Shift+F1', 37, 50, 67)).toBe(true);
	expect(isDown('Mod+F1', 37, 64, 67)).toBe(false);
	// Of the desktop.
	expect(isDown('Mod+F1', 37, 133, 67)).toBe(false);
	expect(isDown('F2', 67)).toBe(false);
});

test('a letter is the key it is written on, a sign is it with Shift or without', () => {
	expect(isDown('Mod+Z', 37, 29)).toBe(true);
	expect(isDown('Mod+Y', 37, 52)).toBe(true);
	expect(isDown('Mod+Z', 37, 52)).toBe(false);
	expect(isDown('Mod+?', 37, 50, 20)).toBe(true);
	expect(isDown('Mod+?', 37, 20)).toBe(true);
});

test('whatever is on the keyboard and down, nothing is thrown, and no key alone is a combination with others', () => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(255), (bytes, first) => {
			const reply = Buffer.concat([Buffer.from([1, bytes[0] ?? 0]), Buffer.alloc(30), Buffer.from(bytes)]);
			const map = readMapping(reply, first);
			const combination = parseCombination('Mod+Alt+F1');
			expect(combination && isCombinationDown(combination, map, () => false)).toBe(false);
			readSetup(Buffer.from(bytes));
			findCookie(Buffer.from(bytes), '0', 'here');
		}),
	);
});

function entry(address: string, number: string, name: string, data: string): Buffer {
	const field = (text: string) => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)]);
	return Buffer.concat([Buffer.from([1, 0]), ...[address, number, name, data].map(field)]);
}

test('the cookie is that of the display, of this computer before others', () => {
	const magic = 'MIT-MAGIC-COOKIE-1';
	const file = Buffer.concat([
		entry('other', '0', magic, 'a'),
		entry('here', '1', magic, 'b'),
		entry('here', '0', 'XDM-AUTHORIZATION-1', 'c'),
		entry('here', '0', magic, 'd'),
	]);
	const data = (display: string, host: string) => String(findCookie(file, display, host).data);
	expect([data('0', 'here'), data('1', 'here'), data('0', 'x'), data('7', 'here')]).toEqual([
		'd',
		'b',
		'a',
		'',
	]);
	expect(data('0', 'other')).toBe('a');
});

test('a display of this computer, and none elsewhere; none on Wayland or another system', () => {
	expect([':0', ':12.0', 'unix:3', 'host:0', '', ':x', undefined].map(displayNumber)).toEqual([
		...['0', '12', '3'],
		...[null, null, null, null],
	]);
	expect(hasX11Keyboard('linux', { DISPLAY: ':0' })).toBe(true);
	expect(hasX11Keyboard('linux', { DISPLAY: ':0', XDG_SESSION_TYPE: 'wayland' })).toBe(false);
	expect(hasX11Keyboard('linux', { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' })).toBe(false);
	expect(hasX11Keyboard('linux', {})).toBe(false);
	expect(hasX11Keyboard('darwin', { DISPLAY: ':0' })).toBe(false);
});
