import { pieces } from '#shared/history/fold.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import styles from './history-page.module.css';

export interface LitTextProps {
	readonly text: string;
	/** Service code. */
	readonly language: string;
	/** Folded words that are looked for. */
	readonly words: readonly string[];
}

/** A text in its own language and direction, with what was found lit; the marks part no letters and turn no text. */
export function LitText({ text, language, words }: LitTextProps) {
	let at = 0;
	return (
		<bdi lang={localeTag(language)} dir="auto">
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
