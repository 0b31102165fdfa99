import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceleratorOf, ariaKeys, combinationOf, isBare, keyCaps, parseCombination } from './combination.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const here = { mac: false };
const onMac = { mac: true };

test.each([
	[{ key: 'F9', ctrlKey: true, shiftKey: true }, here, 'Mod+Shift+F9'],
	[{ key: '?', shiftKey: true }, here, '?'],
	[{ key: 'T', shiftKey: true }, here, 'Shift+T'],
	[{ key: 't' }, here, 'T'],
	[{ key: ' ', altKey: true }, here, 'Alt+Space'],
	[{ key: '+', ctrlKey: true }, here, 'Mod+Plus'],
	[{ key: 'k', metaKey: true, ctrlKey: true }, onMac, 'Ctrl+Mod+K'],
	[{ key: 'µ', code: 'KeyM', altKey: true }, onMac, 'Alt+M'],
	[{ key: 'ñ', code: 'Semicolon' }, here, 'Ñ'],
	[{ key: 'Shift', shiftKey: true }, here, null],
	[{ key: 'Dead', code: 'BracketLeft' }, here, null],
	[{ key: 'k', metaKey: true }, here, null],
	[{ key: 'MediaPlayPause' }, here, null],
] as const)('%j is %s', (press, where, text) => {
	expect(combinationOf({ ...none, ...press }, where)).toBe(text);
});

test('whatever is pressed, a combination can be read again', () => {
	const press = fc.record({
		key: fc.oneof(fc.string({ minLength: 1, maxLength: 2 }), fc.string({ unit: 'grapheme', maxLength: 1 })),
		code: fc.constantFrom('KeyM', 'Digit1', 'Comma', ''),
		ctrlKey: fc.boolean(),
		metaKey: fc.boolean(),
		altKey: fc.boolean(),
		shiftKey: fc.boolean(),
	});
	fc.assert(
		fc.property(press, fc.boolean(), (one, mac) => {
			const text = combinationOf(one, { mac });
			expect(text === null || parseCombination(text) !== null).toBe(true);
		}),
	);
});

test('only modifiers in their order and one key are a combination', () => {
	for (const text of ['', '+', 'Mod', 'Mod+', 'Shift+Mod+X', 'x', 'Mod+Mod+X', 'Cmd+X', 'F25']) {
		expect([text, parseCombination(text)]).toEqual([text, null]);
	}
});

test('what would be text or movement is bare', () => {
	expect(['M', 'Shift+T', '?', 'Space'].map(isBare)).toEqual([true, true, true, true]);
	expect(['Mod+M', 'Alt+T', 'F9', 'Shift+F9'].map(isBare)).toEqual([false, false, false, false]);
});

test('Electron, people and screen readers each have their names for the same keys', () => {
	expect(acceleratorOf('Mod+Shift+ArrowUp')).toBe('CmdOrCtrl+Shift+Up');
	expect(acceleratorOf('Mod+Ñ')).toBeNull();
	expect(keyCaps('Mod+Shift+Enter', here)).toEqual(['Ctrl', 'Shift', '↵']);
	expect(keyCaps('Mod+Shift+Enter', onMac)).toEqual(['⌘', '⇧', '↵']);
	expect(ariaKeys(['Mod+D', 'M'], here)).toBe('Control+D M');
	expect(ariaKeys(['Mod+D'], onMac)).toBe('Meta+D');
});
