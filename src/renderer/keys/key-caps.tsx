import { Fragment } from 'react';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { assignedBy } from '#shared/keys/assigned.ts';
import { keyCaps } from '#shared/keys/combination.ts';
import type { SlotName } from '#shared/keys/commands.ts';
import styles from './key-caps.module.css';

/** Keys of a combination, as printed on the keyboard; left to right in every language. */
export function KeyCaps({ keys }: { readonly keys: string }) {
	const mac = useParts().info.platform === 'darwin';
	return (
		<span className={styles.caps} dir="ltr">
			{keyCaps(keys, { mac }).map((cap) => (
				<Fragment key={cap}>
					<kbd>{cap}</kbd>{' '}
				</Fragment>
			))}
		</span>
	);
}

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
