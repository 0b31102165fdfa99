import { Menu, type MenuItemConstructorOptions, shell } from 'electron';
import type { Announcement } from '#shared/host/contract.ts';
import type { Words } from './words.ts';

type Command = Announcement<'command.run'>['command'];

export function menuTemplate(
	words: Words,
	actions: { run(command: Command): void; openLogs(): void },
): MenuItemConstructorOptions[] {
	const { menu } = words;
	const item = (label: string, command: Command, accelerator?: string): MenuItemConstructorOptions => ({
		label,
		click: () => actions.run(command),
		...(accelerator ? { accelerator } : {}),
	});
	return [
		{
			label: menu.app,
			submenu: [
				item(menu.settings, 'settings', 'CmdOrCtrl+,'),
				{ type: 'separator' },
				{ role: 'quit', label: menu.quit },
			],
		},
		{ role: 'editMenu', label: menu.edit },
		{
			label: menu.conversation,
			submenu: [
				item(menu.startStop, 'start-stop', 'CmdOrCtrl+Enter'),
				item(menu.mute, 'mute', 'CmdOrCtrl+D'),
				item(menu.pause, 'pause'),
				item(menu.swap, 'swap'),
			],
		},
		{
			label: menu.view,
			submenu: [
				{ role: 'resetZoom', label: menu.resetZoom },
				{ role: 'zoomIn', label: menu.zoomIn },
				{ role: 'zoomOut', label: menu.zoomOut },
				{ role: 'togglefullscreen', label: menu.fullScreen },
			],
		},
		{
			label: menu.help,
			submenu: [item(menu.shortcuts, 'shortcuts'), { label: menu.logs, click: () => actions.openLogs() }],
		},
	];
}

export function setMenu(words: Words, logs: string, run: (command: Command) => void): void {
	const openLogs = () => void shell.openPath(logs);
	Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(words, { run, openLogs })));
}
