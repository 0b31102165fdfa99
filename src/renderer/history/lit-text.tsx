import { pieces } from '#shared/history/fold.ts';
import { directionOf, localeTag } from '#shared/protocol/languages.ts';
import styles from './history-page.module.css';

export interface LitTextProps {
	readonly text: string;
	/** Service code. */
	readonly language: string;
	/** Folded search words. */
	readonly words: readonly string[];
}

/**
 * A text in its own language and direction, with the hits highlighted; the marks break no joined letters and change no
 * direction.
 */
export function LitText({ text, language, words }: LitTextProps) {
	let at = 0;
	return (
		<bdi lang={localeTag(language)} dir={directionOf(language)}>
			{pieces(text, words).map((piece) => {
				const key = at;
				at += piece.text.length;
				return piece.hit ? (
					<mark key={key} className={styles.hit}>
						{piece.text}
					</mark>
				) : (
					piece.text
				);
			})}
		</bdi>
	);
}
