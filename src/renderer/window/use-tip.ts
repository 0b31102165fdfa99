import { assignedBy } from '#shared/commands/assigned.ts';
import { keyCaps } from '#shared/commands/combination.ts';
import type { SlotName } from '#shared/commands/commands.ts';
import { useParts, useSetting } from './parts.ts';
import { isolate } from './words/i18n.ts';

/** What a button shows on hover: its name, and the first of its keys as they are assigned now. */
export function useTip(): (name: string, slot: SlotName) => string {
	const { info } = useParts();
	const assigned = assignedBy(useSetting('shortcuts'));
	return (name, slot) => {
		const [first] = assigned.get(slot) ?? [];
		const caps = first === undefined ? [] : keyCaps(first, { mac: info.platform === 'darwin' });
		return caps.length === 0 ? name : `${name} (${isolate(caps.join(' + '))})`;
	};
}
