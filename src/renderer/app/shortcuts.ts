/** What a key of the window does. */
export type WindowCommand = 'startStop' | 'mute' | 'settings' | 'save' | 'help';

export interface Combination {
	/** As `KeyboardEvent.key` has it, lower case letters. */
	readonly key: string;
	/** Ctrl, or Cmd on a Mac. */
	readonly mod: boolean;
}

export const shortcuts: readonly {
	readonly command: WindowCommand;
	readonly combinations: readonly Combination[];
}[] = [
	{ command: 'startStop', combinations: [{ key: 'Enter', mod: true }] },
	{
		command: 'mute',
		combinations: [
			{ key: 'm', mod: false },
			{ key: 'd', mod: true },
		],
	},
	{ command: 'save', combinations: [{ key: 'e', mod: true }] },
	{ command: 'settings', combinations: [{ key: ',', mod: true }] },
	{ command: 'help', combinations: [{ key: '?', mod: false }] },
];

export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/**
 * What a key press means. A bare letter is text when `typing`, so only combinations count then.
 * `mac`: Cmd instead of Ctrl.
 */
export function commandOf(press: KeyPress, where: { mac: boolean; typing: boolean }): WindowCommand | null {
	if (press.altKey) return null;
	const mod = where.mac ? press.metaKey : press.ctrlKey;
	const otherMod = where.mac ? press.ctrlKey : press.metaKey;
	if (otherMod || (!mod && where.typing)) return null;
	const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
	for (const { command, combinations } of shortcuts) {
		if (combinations.some((one) => one.key === key && one.mod === mod)) return command;
	}
	return null;
}
