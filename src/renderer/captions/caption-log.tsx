import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaptionsView } from '#renderer/conversation/conversation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { useFramed } from '#renderer/shell/use-framed.ts';
import hidden from '#renderer/ui/hidden.module.css';
import type { Segment } from '#shared/captions/segment.ts';
import { localeTag, sameLanguage } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Finals come for the newest rows; older ones are not watched, so that the cost of a change stays constant. */
const ROWS_WATCHED = 8;
/** What the live region holds; more would be read twice by people who walk through it. */
const LINES_KEPT = 3;

/**
 * Finished translations for screen readers, politely. Interim text is never in here: it would be read
 * again and again as it changes. The source is what the user has just said and is left out, but for captions without a
 * translation, of which it is all.
 */
export function CaptionLog() {
	const { t } = useTranslation();
	const { conversation, settings } = useParts();
	const { captions } = conversation;
	const { version, rows, sided, away } = useFramed(captions.store);
	const [lines, setLines] = useState<readonly Announced[]>([]);
	const announced = useRef<Set<string> | null>(null);
	const count = useRef(0);

	// biome-ignore lint/correctness/useExhaustiveDependencies: `version` says that rows changed behind the same functions
	useEffect(() => {
		// Captions brought back are not read again.
		if (away) return;
		const { values } = settings.store.getState();
		const isUntranslated = values.mode === 'captions' && !values.translateCaptions;
		const recent = recentFinals(captions, rows);
		// Rows older than the region are not announced.
		const known = announced.current ?? new Set(recent.map(({ key }) => key));
		const heard = heardOf(values);
		const isRead = ({ kind, side, language }: Line) => {
			if (kind === 'source') return isUntranslated;
			return heard === null || side === 'theirs' || sameLanguage(language, heard);
		};
		const fresh = recent.filter((line) => !known.has(line.key) && isRead(line));
		announced.current = new Set(recent.map(({ key }) => key));
		if (fresh.length === 0) return;
		const numbered = fresh.map((line) => {
			count.current += 1;
			return { ...line, number: count.current };
		});
		setLines((before) => [...before, ...numbered].slice(-LINES_KEPT));
	}, [captions, version, rows, away, settings]);

	return (
		<div role="log" aria-live="polite" aria-label={t('captions.announcements')} className={hidden.hidden}>
			{lines.map(({ number, language, text, side }) => (
				<p key={number}>
					{sided && `${t(`legs.${side}`)}: `}
					<span lang={localeTag(language)} dir="auto">
						{text}
					</span>
				</p>
			))}
		</div>
	);
}

interface Line extends Segment {
	readonly side: 'mine' | 'theirs';
}

interface Announced extends Line {
	/** The keys of one conversation come again in the next. */
	readonly number: number;
}

/** Of several languages the spoken one, otherwise the first: nobody can follow all of them read aloud. Null: all. */
function heardOf({ hear, voiceOf }: Pick<Settings, 'hear' | 'voiceOf'>): string | null {
	if (hear.length < 2) return null;
	return hear.find((code) => sameLanguage(code, voiceOf)) ?? hear[0] ?? null;
}

function recentFinals(captions: CaptionsView, rows: number): readonly Line[] {
	const finals: Line[] = [];
	for (let index = Math.max(0, rows - ROWS_WATCHED); index < rows; index++) {
		const row = captions.row(index);
		const side = row?.leg === 'incoming' ? 'theirs' : 'mine';
		const texts = row ? [row.source, ...row.translations] : [];
		for (const segment of texts) if (segment?.final) finals.push({ ...segment, side });
	}
	return finals;
}
