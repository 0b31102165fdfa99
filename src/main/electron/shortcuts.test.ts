import { expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';

// Electron's package would download its program when imported; what is tested needs none of it.
vi.mock('electron', () => ({ globalShortcut: {} }));
const { createGlobalKeys, keysKind } = await import('./shortcuts.ts');

/** A system where other programs have some keys. */
function system(taken: readonly string[] = []) {
	const held = new Map<string, () => void>();
	const others = new Set(taken);
	return {
		others,
		held,
		register(accelerator: string, pressed: () => void) {
			if (accelerator.includes('Bogus')) throw new TypeError('no such key');
			if (others.has(accelerator) || held.has(accelerator)) return false;
			held.set(accelerator, pressed);
			return true;
		},
		unregister: (accelerator: string) => void held.delete(accelerator),
	};
}

function rig(taken: readonly string[] = []) {
	const keys = system(taken);
	const ran: string[] = [];
	return { keys, ran, global: createGlobalKeys({ keys, run: (one) => ran.push(one), log: silentLogger }) };
}

const on = { globalKeys: true, shortcuts: {} };

test('takes the keys when switched on, and gives every one back when switched off', () => {
	const { keys, ran, global } = rig();
	global.follow({ ...on, globalKeys: false });
	expect([...keys.held.keys()]).toEqual([]);
	global.follow(on);
	keys.held.get('CmdOrCtrl+Shift+F10')?.();
	expect(ran).toEqual(['mute']);
	global.follow({ ...on, globalKeys: false });
	expect([...keys.held.keys()]).toEqual([]);
});

test('a key of another program is told, and taken once that has ended', () => {
	const { keys, global } = rig(['CmdOrCtrl+Shift+F9']);
	global.follow(on);
	expect(global.refused()).toEqual(['global.start-stop']);
	keys.others.clear();
	global.follow(on);
	expect(global.refused()).toEqual([]);
	expect(keys.held.has('CmdOrCtrl+Shift+F9')).toBe(true);
});

test('a combination that goes over to another command runs that one', () => {
	const { keys, ran, global } = rig();
	global.follow(on);
	global.follow({
		...on,
		shortcuts: { 'global.mute': ['Mod+Shift+F9'], 'global.start-stop': ['Mod+Shift+F10'] },
	});
	keys.held.get('CmdOrCtrl+Shift+F9')?.();
	expect(ran).toEqual(['mute']);
	keys.held.get('CmdOrCtrl+Shift+F6')?.();
	expect(ran).toEqual(['mute', 'swap']);
	expect([...keys.held.keys()].sort()).toEqual([
		'CmdOrCtrl+Shift+F10',
		'CmdOrCtrl+Shift+F11',
		'CmdOrCtrl+Shift+F12',
		'CmdOrCtrl+Shift+F5',
		'CmdOrCtrl+Shift+F6',
		'CmdOrCtrl+Shift+F7',
		'CmdOrCtrl+Shift+F8',
		'CmdOrCtrl+Shift+F9',
	]);
});

test('closing gives every key back', () => {
	const { keys, global } = rig();
	global.follow(on);
	global.close();
	expect([...keys.held.keys()]).toEqual([]);
});

test('it is known beforehand where the desktop asks first, and where there are no such keys', () => {
	expect(keysKind(true, { XDG_SESSION_TYPE: 'wayland' })).toBe('portal');
	expect(keysKind(true, {})).toBe('works');
	expect(keysKind(false, { XDG_SESSION_TYPE: 'wayland' })).toBe('none');
});
