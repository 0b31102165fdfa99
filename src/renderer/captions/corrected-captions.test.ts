import { expect, test } from 'vitest';
import type { Correction } from '#shared/captions/correction.ts';
import { createCorrect } from '#shared/captions/corrections.ts';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { createCaptions } from './captions.ts';
import { correctCaptions } from './corrected-captions.ts';

const anna: Correction = { language: 'en', wrong: 'Anna', right: 'Ana' };

function rig(load = async () => createCorrect) {
	const captions = createCaptions();
	let list: readonly Correction[] = [];
	let changed = () => {};
	const view = correctCaptions(
		captions,
		{
			now: () => list,
			listen(heard) {
				changed = heard;
			},
		},
		load,
	);
	captions.begin('solo');
	return {
		captions,
		view,
		say(id: string, text: string, final = true, kind: 'source' | 'translation' = 'source') {
			const language = kind === 'source' ? 'en' : 'es';
			const place = { transcriptionId: id, partId: '0', startS: null, endS: null };
			const message: TranscriptMessage = { type: 'transcript', kind, final, language, text, ...place };
			captions.receive(message, 1000);
		},
		async correct(next: readonly Correction[]) {
			list = next;
			changed();
			await new Promise((done) => setImmediate(done));
		},
		texts: () =>
			Array.from({ length: view.store.getState().rows }, (_, at) => view.row(at)?.source?.text ?? null),
	};
}

test('what was said before and what comes is put right, in its language alone; taken back, all is as it was', async () => {
	const { view, say, correct, texts } = rig();
	say('a', 'Anna is here.');
	say('a', 'Anna está aquí.', true, 'translation');
	await correct([anna]);
	say('b', 'Is Anna');
	expect(texts()).toEqual(['Ana is here.', 'Is Ana']);
	expect(view.row(0)?.translations[0]?.text).toBe('Anna está aquí.');
	expect(view.finals().map(({ text }) => text)).toEqual(['Ana is here.', 'Is Ana', 'Anna está aquí.']);
	await correct([]);
	expect(texts()).toEqual(['Anna is here.', 'Is Anna']);
	expect(view.finals().map(({ text }) => text)).toContain('Anna is here.');
});

test('a change of the corrections is news, and so is each caption; a row stays the same object until it changes', async () => {
	const { view, say, correct } = rig();
	say('a', 'Anna is', false);
	say('b', 'Nobody.');
	const versions: number[] = [];
	view.store.subscribe(({ version }) => versions.push(version));
	await correct([anna]);
	expect(versions).toHaveLength(1);
	const [first, second] = [view.row(0), view.row(1)];
	expect(first?.source?.text).toBe('Ana is');
	say('c', 'Anna.');
	expect(view.row(0)).toBe(first);
	expect(view.row(1)).toBe(second);
	expect(versions).toHaveLength(2);
	expect(versions[1]).toBeGreaterThan(versions[0] ?? 0);
	say('a', 'Anna is here', false);
	say('a', 'Anna is not here.');
	expect(view.row(0)?.source?.text).toBe('Ana is not here.');
	// Main sends the settings again, as another object.
	await correct([{ ...anna }]);
	expect(view.row(1)).toBe(second);
});

test('another correction holds for what was put right before, too', async () => {
	const { say, correct, texts } = rig();
	say('a', 'Anna is here.');
	await correct([anna]);
	expect(texts()).toEqual(['Ana is here.']);
	await correct([{ ...anna, right: 'Hannah' }]);
	expect(texts()).toEqual(['Hannah is here.']);
});

test('without a correction nothing is loaded, and the rows are those of the captions', async () => {
	let loads = 0;
	const { captions, view, say, correct } = rig(async () => {
		loads++;
		return createCorrect;
	});
	say('a', 'Anna');
	expect(view.row(0)).toBe(captions.row(0));
	expect(loads).toBe(0);
	await correct([anna]);
	expect(loads).toBe(1);
});

test('of corrections that follow each other while the code is fetched the last one holds', async () => {
	const waiting: (() => void)[] = [];
	const { say, correct, texts } = rig(() => new Promise((done) => waiting.push(() => done(createCorrect))));
	say('a', 'Anna');
	await correct([anna]);
	await correct([{ ...anna, right: 'Hannah' }]);
	for (const done of waiting.reverse()) done();
	await new Promise((done) => setImmediate(done));
	expect(texts()).toEqual(['Hannah']);
});
