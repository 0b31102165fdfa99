import { isolate } from '#renderer/i18n/i18n.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { assignedBy } from '#shared/keys/assigned.ts';
import { keyCaps } from '#shared/keys/combination.ts';
import type { SlotName } from '#shared/keys/commands.ts';

/** The tooltip of a button: its name, and the first of its assigned shortcuts. */
export function useTip(): (name: string, slot: SlotName) => string {
	const { info } = useParts();
	const assigned = assignedBy(useSetting('shortcuts'));
	return (name, slot) => {
		const [first] = assigned.get(slot) ?? [];
		const caps = first === undefined ? [] : keyCaps(first, { mac: info.platform === 'darwin' });
		return caps.length === 0 ? name : `${name} (${isolate(caps.join(' + '))})`;
	};
}
