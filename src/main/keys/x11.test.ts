import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCombination } from '#shared/keys/combination.ts';
import {
	displayNumber,
	findCookie,
	hasX11Keyboard,
	isCombinationDown,
	packetLength,
	readMapping,
	readSetup,
} from './x11.ts';

/** A German keyboard in part: what is written on its keys, by keycode. */
const places = new Map([
	[0xffe3, [37]],
	[0xffe4, [105]],
	[0xffe1, [50]],
	[0xffe2, [62]],
	[0xffe9, [64]],
	[0xffea, [108]],
	[0xffe7, [204]],
	[0x10010d0, [38]],
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
	expect(isDown('Mod+Shift+F1', 37, 62, 67)).toBe(true);
	expect(isDown('Mod+F1', 37, 64, 67)).toBe(false);
	// Where Alt is the key called Meta, and where it is the right one.
	for (const alt of [64, 108, 204]) expect(isDown('Alt+F1', alt, 67)).toBe(true);
	// Of the desktop.
	expect(isDown('Mod+F1', 37, 133, 67)).toBe(false);
	expect(isDown('F2', 67)).toBe(false);
});

test('the Ctrl of a Mac is Ctrl here as well', () => {
	expect(isDown('Ctrl+F1', 37, 67)).toBe(true);
	expect(isDown('Ctrl+F1', 67)).toBe(false);
	expect(isDown('Ctrl+Mod+F1', 37, 67)).toBe(true);
});

test('a letter is the key it is written on, a sign is it with Shift or without', () => {
	expect(isDown('Mod+Z', 37, 29)).toBe(true);
	expect(isDown('Mod+Y', 37, 52)).toBe(true);
	expect(isDown('Mod+Z', 37, 52)).toBe(false);
	expect(isDown('Mod+?', 37, 50, 20)).toBe(true);
	expect(isDown('Mod+?', 37, 20)).toBe(true);
	// Outside Latin-1 by its code point.
	expect(isDown('Mod+\u1c90', 37, 38)).toBe(true);
});

/** As a server answers, with two signs a key. */
function mapping(...keys: readonly (readonly [number, number])[]): Buffer {
	const reply = Buffer.alloc(32 + keys.length * 8);
	reply.set([1, 2]);
	for (const [index, signs] of keys.flat().entries()) reply.writeUInt32LE(signs, 32 + index * 4);
	return reply;
}

test('what is written on two keys is either of them, what is written twice on one is one', () => {
	const map = readMapping(mapping([0xff0d, 0], [0x61, 0x61], [0xff0d, 0x41]), 30);
	expect([...map]).toEqual([
		[0xff0d, [30, 32]],
		[0x61, [31]],
		[0x41, [32]],
	]);
});

test('replies and events of extensions are as long as they say, all else has 32 bytes', () => {
	const head = (kind: number) => Buffer.from([kind, 0, 0, 0, 3, 0, 0, 0]);
	expect([0, 1, 2, 34, 35].map((kind) => packetLength(head(kind)))).toEqual([32, 44, 32, 32, 44]);
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
