import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import hidden from '#renderer/ui/hidden.module.css';
import { useParts } from '#renderer/window/parts.ts';
import { localeTag } from '#shared/protocol/languages.ts';
import type { QueuedText } from '#shared/speaking/queue.ts';
import { stateWords } from './state-words.ts';

/** States worth announcing. */
const TOLD: ReadonlySet<string> = new Set(['speaking', 'spoken', 'failed', 'cancelled']);
/** Enough of a text to recognise it by. */
const BEGINNING = 60;

interface Line {
	readonly id: string;
	/** What became of it, in words. */
	readonly state: string;
	readonly text: string;
	/** Of the text. */
	readonly language: string;
}

/** What became of texts, for screen readers, politely. */
export function TypedLog() {
	const { t, i18n } = useTranslation();
	const texts = useStore(useParts().typing.store, (queue) => queue.texts);
	const known = useRef<ReadonlyMap<string, string>>(new Map(texts.map(({ id, state }) => [id, state.is])));
	const [lines, setLines] = useState<readonly Line[]>([]);

	useEffect(() => {
		const changed = texts.filter(({ id, state }) => TOLD.has(state.is) && known.current.get(id) !== state.is);
		known.current = new Map(texts.map(({ id, state }) => [id, state.is]));
		const said = ({ id, text, language, state }: QueuedText): Line => ({
			...{ id, language, state: stateWords(state, t, i18n.language) },
			text: text.length > BEGINNING ? `${text.slice(0, BEGINNING)}…` : text,
		});
		if (changed.length > 0) setLines(changed.map(said));
	}, [texts, t, i18n.language]);

	return (
		<p role="status" aria-label={t('typed.log')} className={hidden.hidden}>
			{lines.map(({ id, state, text, language }) => (
				<span key={id}>
					{`${state}: `}
					<span lang={localeTag(language)} dir="auto">
						{text}
					</span>{' '}
				</span>
			))}
		</p>
	);
}
