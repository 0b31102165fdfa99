import { expect, test } from 'vitest';
import { createAssembler } from '#shared/captions/assembler.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { captionFile, captionTracks, formats } from './caption-files.ts';

function said(kind: 'source' | 'translation', id: string, language: string, text: string): TranscriptMessage {
	const place = { transcriptionId: id, partId: '0', startS: null, endS: null };
	return { type: 'transcript', kind, final: true, language, text, ...place };
}

test('speech that was lost is marked in every format and every language, and is no track of its own', () => {
	const captions = createAssembler();
	captions.receive(said('source', 'a', 'en', 'before'), 1000);
	captions.receive(said('translation', 'a', 'es', 'antes'), 1000);
	captions.lose(4000, 9000);
	captions.receive(said('source', 'b', 'en', 'after'), 12_000);
	captions.receive(said('translation', 'b', 'es', 'después'), 12_000);
	const finals = captions.finals();
	const tracks = captionTracks(finals);
	expect(tracks.map(({ language }) => language)).toEqual(['en', 'es']);
	const words = (ms: number) => `[${ms} ms lost]`;
	for (const track of tracks) {
		const [first, last] = track.language === 'en' ? ['before', 'after'] : ['antes', 'después'];
		for (const format of formats) {
			const { text } = captionFile(finals, format, track, 'name', words);
			const places = [first, '[4000 ms lost]', last].map((part) => text.indexOf(part ?? ''));
			expect(places).not.toContain(-1);
			expect(places).toEqual([...places].sort((a, b) => a - b));
		}
	}
	expect(captionFile(finals, 'srt', { id: '', kind: 'source', language: 'en' }, 'n', words).text).toContain(
		'00:00:05,000 --> 00:00:09,000\n[4000 ms lost]',
	);
});
