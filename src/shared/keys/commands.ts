/** Commands of the ready phrases in order, as many as each language has. */
export const phraseCommands = ['phrase-1', 'phrase-2', 'phrase-3', 'phrase-4', 'phrase-5'] as const;

/** All commands that a key, the menu, the tray or a global key can trigger. This is the only list. */
export const commandNames = [
	'start-stop',
	'mute',
	'pause',
	'talk',
	'talk-toggle',
	'swap',
	'their-language',
	'replay',
	...phraseCommands,
	'save',
	'overlay',
	'audience-overlay',
	'overlay-click-through',
	'settings',
	'shortcuts',
	'setup',
	'diagnostics',
] as const;
export type Command = (typeof commandNames)[number];

/** Commands that menu, tray and global keys announce to the window: all except held ones. */
export const announcedCommands = commandNames.filter((name) => name !== 'talk') as Exclude<Command, 'talk'>[];
export type AnnouncedCommand = Exclude<Command, 'talk'>;

/** `window`: while the window has focus. `global`: whichever program has focus. */
export type Scope = 'window' | 'global';

/** A command and a scope in which keys can be assigned to it. */
export interface Slot {
	/** Its name in the setting `shortcuts`. */
	readonly name: SlotName;
	readonly command: Command;
	readonly scope: Scope;
	/** Combinations (combination.ts) that apply until the user edits them. */
	readonly defaults: readonly string[];
}

/** In display order. Global ones use function keys: Ctrl+Alt with a letter may type a character. */
export const slots = [
	{ name: 'start-stop', command: 'start-stop', scope: 'window', defaults: ['Mod+Enter'] },
	{ name: 'mute', command: 'mute', scope: 'window', defaults: ['M', 'Mod+D'] },
	{ name: 'pause', command: 'pause', scope: 'window', defaults: ['P'] },
	{ name: 'talk', command: 'talk', scope: 'window', defaults: ['T'] },
	{ name: 'talk-toggle', command: 'talk-toggle', scope: 'window', defaults: ['Shift+T'] },
	{ name: 'swap', command: 'swap', scope: 'window', defaults: ['Shift+S'] },
	{ name: 'their-language', command: 'their-language', scope: 'window', defaults: ['L'] },
	{ name: 'replay', command: 'replay', scope: 'window', defaults: ['R'] },
	...phraseCommands.map((command, index) => ({
		name: command,
		command,
		scope: 'window' as const,
		defaults: [String(index + 1)],
	})),
	{ name: 'save', command: 'save', scope: 'window', defaults: ['Mod+E'] },
	{ name: 'overlay', command: 'overlay', scope: 'window', defaults: ['O'] },
	{ name: 'audience-overlay', command: 'audience-overlay', scope: 'window', defaults: ['A'] },
	{ name: 'overlay-click-through', command: 'overlay-click-through', scope: 'window', defaults: ['Shift+O'] },
	{ name: 'settings', command: 'settings', scope: 'window', defaults: ['Mod+,'] },
	{ name: 'shortcuts', command: 'shortcuts', scope: 'window', defaults: ['?'] },
	{ name: 'setup', command: 'setup', scope: 'window', defaults: [] },
	{ name: 'diagnostics', command: 'diagnostics', scope: 'window', defaults: [] },
	{ name: 'global.start-stop', command: 'start-stop', scope: 'global', defaults: ['Mod+Shift+F9'] },
	{ name: 'global.mute', command: 'mute', scope: 'global', defaults: ['Mod+Shift+F10'] },
	// No default: only people who want this key assign one.
	{ name: 'global.talk', command: 'talk', scope: 'global', defaults: [] },
	{ name: 'global.talk-toggle', command: 'talk-toggle', scope: 'global', defaults: ['Mod+Shift+F11'] },
	{ name: 'global.swap', command: 'swap', scope: 'global', defaults: ['Mod+Shift+F6'] },
	{ name: 'global.their-language', command: 'their-language', scope: 'global', defaults: [] },
	{ name: 'global.replay', command: 'replay', scope: 'global', defaults: ['Mod+Shift+F12'] },
	...phraseCommands.map((command) => ({
		name: `global.${command}` as const,
		command,
		scope: 'global' as const,
		defaults: [],
	})),
	{ name: 'global.overlay', command: 'overlay', scope: 'global', defaults: ['Mod+Shift+F7'] },
	{
		name: 'global.audience-overlay',
		command: 'audience-overlay',
		scope: 'global',
		defaults: ['Mod+Shift+F5'],
	},
	{
		name: 'global.overlay-click-through',
		command: 'overlay-click-through',
		scope: 'global',
		defaults: ['Mod+Shift+F8'],
	},
] as const satisfies readonly {
	readonly name: string;
	readonly command: Command;
	readonly scope: Scope;
	readonly defaults: readonly string[];
}[];
export type SlotName = (typeof slots)[number]['name'];
