import { expect, test } from 'vitest';
import { createAssembler } from '#shared/captions/assembler.ts';
import { plainFile } from '#shared/captions/formats.ts';
import { cutOff, tracksOf, withLost } from './caption-files.ts';

function heard(assembler: ReturnType<typeof createAssembler>, id: string, text: string, atS: number): void {
	const part = { type: 'transcript', final: true, transcriptionId: id, partId: '0' } as const;
	const time = { startS: atS, endS: atS + 1 };
	assembler.receive({ ...part, ...time, kind: 'source', language: 'en', text }, atS * 1000);
	assembler.receive(
		{ ...part, ...time, kind: 'translation', language: 'es', text: `${text} es` },
		atS * 1000,
	);
}

test('what could not be sent is marked in every file, where it is missing', () => {
	const assembler = createAssembler();
	assembler.newEpoch(0, 0);
	heard(assembler, 'a', 'before', 1);
	assembler.lose(4200, 8000);
	heard(assembler, 'b', 'after', 9);
	const segments = withLost(assembler);
	const tracks = tracksOf(segments, 'en');
	expect([...tracks.keys()]).toEqual(['en', 'es']);
	for (const [language, track] of tracks) {
		const mark = language === 'en' ? '' : ' es';
		expect(plainFile('text', track)).toBe(`before${mark}\n[4.2 s of sound were not sent]\nafter${mark}\n`);
		expect(plainFile('srt', track)).toContain(
			'00:00:03,800 --> 00:00:08,000\n[4.2 s of sound were not sent]',
		);
	}
	const kinds = segments.map(({ kind }) => kind);
	expect(kinds.indexOf('lost')).toBe(2);
	expect(kinds).toHaveLength(5);
});

test('where nothing was lost, nothing is marked', () => {
	const assembler = createAssembler();
	heard(assembler, 'a', 'all of it', 1);
	expect(withLost(assembler)).toEqual(assembler.segments());
});

test('of a run that was cut off what was finished is kept, and marked behind it in every file', () => {
	const assembler = createAssembler();
	assembler.newEpoch(0, 0);
	heard(assembler, 'a', 'whole', 1);
	const begun = { type: 'transcript', final: false, transcriptionId: 'b', partId: '0' } as const;
	assembler.receive({ ...begun, startS: 3, endS: 4, kind: 'source', language: 'en', text: 'hal' }, 4000);
	const kept = cutOff(assembler, 5000);
	for (const [language, track] of tracksOf(kept, 'en')) {
		expect(plainFile('text', track)).toBe(`whole${language === 'en' ? '' : ' es'}\n[cut off here]\n`);
		expect(plainFile('srt', track)).toContain('00:00:02,000 --> 00:00:05,000\n[cut off here]');
	}
	expect(tracksOf(kept, 'en').size).toBe(2);
});

test('where no text was finished nothing is kept', () => {
	const assembler = createAssembler();
	assembler.lose(4200, 8000);
	expect(cutOff(assembler, 9000)).toEqual([]);
});
