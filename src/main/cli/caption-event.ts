import type { Segment } from '#shared/captions/segment.ts';

/** A caption as an object of a line, times in whole ms; `final` is only said of a text that was cut off. */
export function captionEvent({
	kind,
	transcriptionId,
	partId,
	language,
	text,
	startMs,
	endMs,
	final,
}: Segment): object {
	const about = { type: kind, id: transcriptionId, part: partId, language, text };
	return { ...about, start_ms: startMs, end_ms: endMs, ...(!final && { final }) };
}
