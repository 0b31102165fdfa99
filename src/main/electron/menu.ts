import { Menu, type MenuItemConstructorOptions, shell } from 'electron';
import type { Words } from '#main/app/words.ts';
import { type Assigned, assignedBy } from '#shared/keys/assigned.ts';
import { acceleratorOf, isBare } from '#shared/keys/combination.ts';
import { type AnnouncedCommand, phraseCommands } from '#shared/keys/commands.ts';

/**
 * The key shown beside a command, which also works in our other windows. A key without a modifier is left to the
 * window, which can distinguish typing.
 */
function acceleratorFor(assigned: Assigned, command: AnnouncedCommand): string | undefined {
	const keys = assigned.get(command)?.filter((text) => !isBare(text)) ?? [];
	return keys.map(acceleratorOf).find((one) => one !== null) ?? undefined;
}

export function menuTemplate(
	words: Words,
	actions: { run(command: AnnouncedCommand): void; openLogs(): void },
	assigned: Assigned = assignedBy({}),
	platform: NodeJS.Platform = process.platform,
): MenuItemConstructorOptions[] {
	const { menu } = words;
	const item = (label: string, command: AnnouncedCommand): MenuItemConstructorOptions => {
		const accelerator = acceleratorFor(assigned, command);
		return { label, click: () => actions.run(command), ...(accelerator ? { accelerator } : {}) };
	};
	const isMac = platform === 'darwin';
	// macOS takes these keys from the menu only; they do the same as the window's own buttons.
	const hiding: MenuItemConstructorOptions[] = [
		{ role: 'hide', label: menu.hide },
		{ role: 'hideOthers', label: menu.hideOthers },
		{ role: 'unhide', label: menu.showAll },
		{ type: 'separator' },
	];
	const window: MenuItemConstructorOptions = {
		label: menu.window,
		submenu: [
			{ role: 'minimize', label: menu.minimize },
			{ role: 'close', label: menu.close },
		],
	};
	return [
		{
			label: menu.app,
			submenu: [
				item(menu.settings, 'settings'),
				{ type: 'separator' },
				...(isMac ? hiding : []),
				{ role: 'quit', label: menu.quit },
			],
		},
		{ role: 'editMenu', label: menu.edit },
		{
			label: menu.conversation,
			submenu: [
				item(menu.startStop, 'start-stop'),
				item(menu.mute, 'mute'),
				item(menu.pause, 'pause'),
				item(menu.talk, 'talk-toggle'),
				item(menu.swap, 'swap'),
				item(menu.theirLanguage, 'their-language'),
				item(menu.replay, 'replay'),
				{
					label: menu.phrases,
					submenu: phraseCommands.map((command, index) => item(String(index + 1), command)),
				},
				{ type: 'separator' },
				item(menu.save, 'save'),
			],
		},
		{
			label: menu.view,
			submenu: [
				item(menu.overlay, 'overlay'),
				item(menu.audienceOverlay, 'audience-overlay'),
				item(menu.clickThrough, 'overlay-click-through'),
				{ type: 'separator' },
				{ role: 'resetZoom', label: menu.resetZoom },
				{ role: 'zoomIn', label: menu.zoomIn },
				{ role: 'zoomOut', label: menu.zoomOut },
				{ role: 'togglefullscreen', label: menu.fullScreen },
			],
		},
		...(isMac ? [window] : []),
		{
			label: menu.help,
			submenu: [
				item(menu.setup, 'setup'),
				item(menu.diagnostics, 'diagnostics'),
				item(menu.shortcuts, 'shortcuts'),
				{ label: menu.logs, click: () => actions.openLogs() },
			],
		},
	];
}

export interface MenuWanted {
	readonly words: Words;
	readonly logs: string;
	readonly assigned: Assigned;
	readonly run: (command: AnnouncedCommand) => void;
}

export function setMenu({ words, logs, assigned, run }: MenuWanted): void {
	const openLogs = () => void shell.openPath(logs);
	Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(words, { run, openLogs }, assigned)));
}
