import type { Segment } from '#shared/captions/segment.ts';

/** A caption as an object of a line, times in whole ms. */
export function captionEvent({
	kind,
	transcriptionId,
	partId,
	language,
	text,
	startMs,
	endMs,
}: Segment): object {
	return { type: kind, id: transcriptionId, part: partId, language, text, start_ms: startMs, end_ms: endMs };
}
