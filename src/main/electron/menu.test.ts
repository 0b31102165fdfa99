import { expect, test, vi } from 'vitest';
import { assignedBy } from '#shared/keys/assigned.ts';
import { announcedCommands } from '#shared/keys/commands.ts';

// Electron's package would download its program when imported; the template needs none of it.
vi.mock('electron', () => ({ Menu: {}, shell: {} }));
const { menuTemplate } = await import('./menu.ts');
const { wordsFor } = await import('#main/app/words.ts');

interface Item {
	readonly label?: string;
	readonly type?: string;
	readonly role?: string;
	readonly submenu?: readonly Item[];
	readonly click?: () => void;
	readonly accelerator?: string;
}

const asItems = (template: unknown) => template as readonly Item[];
const leaves = (items: readonly Item[]): Item[] =>
	items.flatMap((item) => (item.submenu ? leaves(item.submenu) : [item]));

const itemsOn = (platform: NodeJS.Platform, language: 'en' | 'es' | 'ar' = 'en') => {
	const actions = { run() {}, openLogs() {} };
	return asItems(menuTemplate(wordsFor(language, []), actions, assignedBy({}), platform));
};

test('every entry has words of its own, in every language', () => {
	for (const language of ['en', 'es', 'ar'] as const)
		for (const platform of ['darwin', 'linux'] as const) {
			const items = itemsOn(platform, language);
			const unnamed = leaves(items).filter((item) => item.type !== 'separator' && !item.label);
			expect(unnamed).toEqual([]);
			expect(items.every((item) => item.label)).toBe(true);
		}
});

test('on macOS the menu brings the keys that close, minimise and hide; elsewhere the system has its own', () => {
	const roles = (platform: NodeJS.Platform) =>
		leaves(itemsOn(platform)).flatMap(({ role }) =>
			['close', 'minimize', 'hide', 'hideOthers', 'unhide'].includes(role ?? '') ? [role] : [],
		);
	expect(roles('darwin').sort()).toEqual(['close', 'hide', 'hideOthers', 'minimize', 'unhide']);
	expect([roles('win32'), roles('linux')]).toEqual([[], []]);
	// Keys that somebody gave a command come first.
	const labels = itemsOn('darwin').map(({ label }) => label);
	expect(labels.indexOf('Window')).toBeGreaterThan(labels.indexOf('Conversation'));
});

test('each command of the contract can be reached', () => {
	const ran: string[] = [];
	const items = menuTemplate(wordsFor('en', []), { run: (command) => ran.push(command), openLogs() {} });
	for (const item of leaves(asItems(items))) item.click?.();
	expect(ran.sort()).toEqual([...announcedCommands].sort());
});

test('the keys beside the entries are those in force, bare ones left to the window', () => {
	const keys = (edited: Record<string, string[]>) => {
		const actions = { run() {}, openLogs() {} };
		const items = leaves(asItems(menuTemplate(wordsFor('en', []), actions, assignedBy(edited))));
		return items.flatMap(({ accelerator }) => accelerator ?? []);
	};
	expect(keys({})).toEqual(['CmdOrCtrl+,', 'CmdOrCtrl+Enter', 'CmdOrCtrl+D', 'CmdOrCtrl+E']);
	expect(keys({ mute: ['X'], pause: ['Mod+Shift+P'], settings: [], save: [] })).toEqual([
		'CmdOrCtrl+Enter',
		'CmdOrCtrl+Shift+P',
	]);
});
