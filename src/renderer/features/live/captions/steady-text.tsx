import { useState } from 'react';
import unsettled from '#renderer/ui/unsettled.module.css';
import type { Segment } from '#shared/captions/segment.ts';
import { firstVersion, nextVersion, splitSteady } from '#shared/captions/steady.ts';
import { directionOf, localeTag } from '#shared/protocol/languages.ts';
import styles from './captions-region.module.css';

/** A caption whose words move as little as possible while it is unfinished; its uncertain end is dimmed. */
export function SteadyText({ segment }: { readonly segment: Segment }) {
	const { text, kind, language } = segment;
	const isCutOff = segment.cutOff === true;
	// None of it is uncertain any more.
	const final = segment.final || isCutOff;
	const [version, setVersion] = useState(() => ({ ...firstVersion(text, final), final }));
	// Set while rendering, before the new text is painted, as React recommends for state derived from props.
	if (version.text !== text || version.final !== final) {
		setVersion({ ...nextVersion(version, text, final), final });
	}
	const { shown, steady } = version;
	const [stands, tail] = splitSteady(shown, steady);
	return (
		<span
			lang={localeTag(language)}
			dir={directionOf(language)}
			className={final ? styles.final : steady === 0 ? `${styles.open} ${unsettled.unsettled}` : styles.open}
			data-final={segment.final}
			data-cut-off={isCutOff || undefined}
			data-kind={kind}
		>
			{steady > 0 && tail !== '' ? (
				<>
					{stands}
					<span className={unsettled.unsettled}>{tail}</span>
				</>
			) : (
				shown
			)}
		</span>
	);
}
