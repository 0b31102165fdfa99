import type { TranscriptMessage } from '#shared/protocol/server-message.ts';

/** What a service says it heard: a final text in English, by default the same as its id. */
export const heardText = (id: string, over: Partial<TranscriptMessage> = {}): TranscriptMessage => ({
	type: 'transcript',
	kind: 'source',
	final: true,
	transcriptionId: id,
	partId: '0',
	language: 'en',
	text: id,
	startS: null,
	endS: null,
	...over,
});
