import { Fragment } from 'react';
import { useParts } from '#renderer/shell/parts.ts';
import { keyCaps } from '#shared/keys/combination.ts';
import styles from './key-caps.module.css';

/** Keys pressed together, as printed on them; left to right in every language, as on the keyboard. */
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
