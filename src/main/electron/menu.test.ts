import { expect, test, vi } from 'vitest';
import { assignedBy } from '#shared/commands/assigned.ts';
import { announcedCommands } from '#shared/commands/commands.ts';

// Electron's package would download its program when imported; the template needs none of it.
vi.mock('electron', () => ({ Menu: {}, shell: {} }));
const { menuTemplate } = await import('./menu.ts');
const { wordsFor } = await import('#main/app/words.ts');

interface Item {
	readonly label?: string;
	readonly type?: string;
	readonly submenu?: readonly Item[];
	readonly click?: () => void;
	readonly accelerator?: string;
}

const asItems = (template: unknown) => template as readonly Item[];
const leaves = (items: readonly Item[]): Item[] =>
	items.flatMap((item) => (item.submenu ? leaves(item.submenu) : [item]));

test('every entry has words of its own, in every language', () => {
	for (const language of ['en', 'es', 'ar'] as const) {
		const items = asItems(menuTemplate(wordsFor(language, []), { run() {}, openLogs() {} }));
		const unnamed = leaves(items).filter((item) => item.type !== 'separator' && !item.label);
		expect(unnamed).toEqual([]);
		expect(items.every((item) => item.label)).toBe(true);
	}
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
