import { expect, test } from 'vitest';
import { commandOf } from './shortcuts.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false };
const elsewhere = { mac: false, typing: false };

test('Ctrl+Enter starts and stops, Cmd+Enter on a Mac', () => {
	expect(commandOf({ ...none, key: 'Enter', ctrlKey: true }, elsewhere)).toBe('startStop');
	expect(commandOf({ ...none, key: 'Enter', metaKey: true }, elsewhere)).toBeNull();
	expect(commandOf({ ...none, key: 'Enter', metaKey: true }, { ...elsewhere, mac: true })).toBe('startStop');
});

test('M mutes, whatever its case, but not while typing', () => {
	expect(commandOf({ ...none, key: 'M' }, elsewhere)).toBe('mute');
	expect(commandOf({ ...none, key: 'm' }, { ...elsewhere, typing: true })).toBeNull();
	expect(commandOf({ ...none, key: 'd', ctrlKey: true }, { ...elsewhere, typing: true })).toBe('mute');
});

test('a bare Enter, or one with Alt, means nothing', () => {
	expect(commandOf({ ...none, key: 'Enter' }, elsewhere)).toBeNull();
	expect(commandOf({ ...none, key: 'Enter', ctrlKey: true, altKey: true }, elsewhere)).toBeNull();
});
