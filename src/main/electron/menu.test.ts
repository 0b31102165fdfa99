import { expect, test, vi } from 'vitest';

// Electron's package would download its program when imported; the template needs none of it.
vi.mock('electron', () => ({ Menu: {}, shell: {} }));
const { menuTemplate } = await import('./menu.ts');
const { wordsFor } = await import('./words.ts');

interface Item {
	readonly label?: string;
	readonly type?: string;
	readonly submenu?: readonly Item[];
	readonly click?: () => void;
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
	expect(ran.sort()).toEqual(['mute', 'pause', 'settings', 'shortcuts', 'start-stop', 'swap']);
});
