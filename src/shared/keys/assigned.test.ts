import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
	assignedBy,
	commandOf,
	conflictsIn,
	isEdited,
	refusalOf,
	reservedFor,
	resetSlot,
	withKey,
	withoutKey,
} from './assigned.ts';
import { type KeyPress, parseCombination } from './combination.ts';
import { type Slot, type SlotName, slots } from './commands.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false };
const elsewhere = { mac: false, typing: false, assigned: assignedBy({}) };

function slot(name: SlotName): Slot {
	const found = slots.find((one) => one.name === name);
	if (!found) throw new Error(name);
	return found;
}

test('Ctrl+Enter starts and stops, Cmd+Enter on a Mac', () => {
	expect(commandOf({ ...none, key: 'Enter', ctrlKey: true }, elsewhere)).toBe('start-stop');
	expect(commandOf({ ...none, key: 'Enter', metaKey: true }, elsewhere)).toBeNull();
	expect(commandOf({ ...none, key: 'Enter', metaKey: true }, { ...elsewhere, mac: true })).toBe('start-stop');
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

test('on a keyboard of other letters a key is known by its place', () => {
	expect(commandOf({ ...none, key: 'ь', code: 'KeyM' }, elsewhere)).toBe('mute');
	expect(commandOf({ ...none, key: 'و', code: 'Comma', ctrlKey: true }, elsewhere)).toBeNull();
});

test.each([
	['1', 'Digit1', 'phrase-1'],
	['&', 'Digit1', 'phrase-1'],
	['é', 'Digit2', 'phrase-2'],
	['ě', 'Digit2', 'phrase-2'],
	["'", 'Digit4', 'phrase-4'],
] as const)('where digits are typed with Shift, %s at %s says its phrase as well', (key, code, command) => {
	expect(commandOf({ ...none, key, code }, elsewhere)).toBe(command);
	expect(commandOf({ ...none, key, code }, { ...elsewhere, typing: true })).toBeNull();
});

test.each(['ctrlKey', 'metaKey', 'altKey'] as const)('a digit with %s is another combination', (held) => {
	// As a browser's event has them: on its prototype.
	const press: KeyPress = Object.create({ ...none, key: '1', code: 'Digit1', [held]: true });
	for (const typing of [false, true])
		for (const mac of [false, true]) expect(commandOf(press, { ...elsewhere, typing, mac })).toBeNull();
});

test('with Shift that key is what it types', () => {
	expect(commandOf({ ...none, key: '!', code: 'Digit1', shiftKey: true }, elsewhere)).toBeNull();
	expect(commandOf({ ...none, key: '1', code: 'Digit1', shiftKey: true }, elsewhere)).toBe('phrase-1');
});

/** `getModifierState` while AltGr is down. */
const withAltGr = (name: string) => name === 'AltGraph';

test.each([
	['m', 'µ', 'KeyM'],
	['2 of a Spanish keyboard', '@', 'Digit2'],
	['2 of a German keyboard', '²', 'Digit2'],
])('what is typed with AltGr means nothing: %s', (_, key, code) => {
	// As Chromium has it on Linux and Windows: neither Ctrl nor Alt.
	expect(commandOf({ ...none, key, code, getModifierState: withAltGr }, elsewhere)).toBeNull();
});

test('Ctrl+Alt is a combination, and AltGr none, also where it counts as Ctrl+Alt', () => {
	const where = { ...elsewhere, assigned: assignedBy({ save: ['Mod+Alt+J'] }) };
	const both = { ...none, code: 'KeyJ', ctrlKey: true, altKey: true };
	expect(commandOf({ ...both, key: 'j', getModifierState: () => false }, where)).toBe('save');
	expect(commandOf({ ...both, key: 'ĵ', getModifierState: withAltGr }, where)).toBeNull();
});

test('a key that somebody chose goes before a default that was added later', () => {
	const assigned = assignedBy({ save: ['1'], diagnostics: ['2'] });
	expect(commandOf({ ...none, key: '1' }, { ...elsewhere, assigned })).toBe('save');
	expect(commandOf({ ...none, key: '2' }, { ...elsewhere, assigned })).toBe('diagnostics');
	expect(commandOf({ ...none, key: '3' }, { ...elsewhere, assigned })).toBe('phrase-3');
});

test('the defaults are combinations, none of them reserved, no two the same', () => {
	for (const one of slots) {
		for (const text of one.defaults) {
			expect([text, parseCombination(text) === null, reservedFor(text, one)]).toEqual([text, false, null]);
		}
	}
	expect([...conflictsIn(assignedBy({}))]).toEqual([]);
});

test('an edited key works, the one before it does not', () => {
	const assigned = assignedBy({ mute: ['Mod+Shift+X'] });
	expect(commandOf({ ...none, key: 'm' }, { ...elsewhere, assigned })).toBeNull();
	const press = { ...none, key: 'X', ctrlKey: true, shiftKey: true };
	expect(commandOf(press, { ...elsewhere, assigned })).toBe('mute');
});

test('a key of another command is refused with whose it is, and goes over when it is taken', () => {
	expect(refusalOf('M', slot('pause'), assignedBy({}))).toEqual({ why: 'taken', by: 'mute' });
	const edited = withKey({}, slot('pause'), 'M');
	expect(assignedBy(edited).get('mute')).toEqual(['Mod+D']);
	expect(assignedBy(edited).get('pause')).toEqual(['P', 'M']);
	expect(refusalOf('M', slot('pause'), assignedBy(edited))).toBeNull();
});

test('a reset gives the defaults back, but what another command has meanwhile', () => {
	const edited = withKey({}, slot('pause'), 'M');
	expect(assignedBy(resetSlot(edited, slot('mute'))).get('mute')).toEqual(['Mod+D']);
	const back = resetSlot(resetSlot(edited, slot('pause')), slot('mute'));
	expect([back, isEdited(back, slot('mute'))]).toEqual([{}, false]);
});

test('a command may be left without keys', () => {
	const edited = withoutKey({}, slot('shortcuts'), '?');
	expect(assignedBy(edited).get('shortcuts')).toEqual([]);
	expect(isEdited(edited, slot('shortcuts'))).toBe(true);
});

test.each([
	['Mod+C', 'mute', 'editing'],
	['Mod+Q', 'mute', 'system'],
	['Tab', 'mute', 'moving'],
	['Shift+Enter', 'mute', 'moving'],
	['Mod+R', 'mute', 'window'],
	['F', 'mute', 'sides'],
	['M', 'global.mute', 'bare'],
] as const)('%s cannot be had for %s: %s', (text, name, reserved) => {
	expect(refusalOf(text, slot(name), assignedBy({}))).toEqual({ why: 'reserved', reserved });
	expect(assignedBy({ [name]: [text] }).get(name)).toEqual([]);
});

test('whatever the settings file says, the keys in force are combinations that may be had', () => {
	const names = slots.map(({ name }) => name);
	const text = fc.oneof(
		fc.string(),
		fc.constantFrom('M', 'Mod+C', 'Shift+Mod+X', 'Mod+Shift+F9', 'Tab', '+'),
	);
	const file = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), fc.array(text));
	fc.assert(
		fc.property(file, (edited) => {
			for (const [name, keys] of assignedBy(edited)) {
				for (const key of keys) {
					expect(parseCombination(key)).not.toBeNull();
					expect(reservedFor(key, slot(name))).toBeNull();
				}
			}
		}),
	);
});

test('taking a key over never leaves a conflict where there was none', () => {
	const moves = fc.array(
		fc.tuple(fc.constantFrom(...slots), fc.constantFrom('M', 'P', 'T', 'Mod+E', 'Mod+Shift+F9', 'X')),
	);
	fc.assert(
		fc.property(moves, (list) => {
			let edited = {};
			for (const [one, key] of list) if (!reservedFor(key, one)) edited = withKey(edited, one, key);
			expect([...conflictsIn(assignedBy(edited))]).toEqual([]);
		}),
	);
});
