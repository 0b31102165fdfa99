import {
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Correction } from '#shared/captions/corrections.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { createManualClock, type ManualClock } from '#test/support/manual-clock.ts';
import { createHistory, type History } from './history.ts';
import { createHistoryDatabase, type HistoryDatabase } from './history-database.ts';

type Choice = { history: 'ask' | 'erase' | 'days' | 'keep'; historyDays: number; corrections?: Correction[] };

const DAY_MS = 86_400_000;
let folder: string;
let clock: ManualClock;
let choice: Choice;
let open: History[];

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-history-'));
	clock = createManualClock();
	choice = { history: 'keep', historyDays: 30 };
	open = [];
});
afterEach(() => {
	for (const one of open) one.close();
	rmSync(folder, { recursive: true, force: true });
});

type StartFields = Partial<Parameters<typeof createHistory>[0]>;
/** With a service that tells the same time as this computer, unless said otherwise. */
function start(fields: StartFields = {}): History {
	const serviceNow = () => clock.wall();
	const parts = { folder, clock, log: silentLogger, choice: () => choice, serviceNow, ...fields };
	const history = createHistory(parts);
	open.push(history);
	return history;
}

/** Names of the files that contain this text. */
const filesWith = (text: string) =>
	readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
const path = () => join(folder, 'history.sqlite');
const page = { after: null, limit: 100 };

function caption(n: number, text: string, fields: Partial<HistoryCaption> = {}): HistoryCaption {
	const place = { row: `t${n}`, part: '0', startMs: n * 1000, endMs: n * 1000 + 900 };
	return {
		key: `source|t${n}`,
		kind: 'source',
		language: 'en',
		text,
		final: true,
		mark: '',
		...place,
		...fields,
	};
}

async function unwrap<Value>(
	asked: Promise<{ ok: true; value: Value } | { ok: false; error: unknown }>,
): Promise<Value> {
	const answer = await asked;
	if (!answer.ok) throw new Error(JSON.stringify(answer.error));
	return answer.value;
}

async function begin({ answers }: History): Promise<string> {
	return (await unwrap(answers['history.begin']({ mode: 'solo', agoMs: 0 }))).id;
}

/** One that runs, with these texts so far. */
async function say(history: History, ...texts: string[]): Promise<string> {
	const id = await begin(history);
	await unwrap(history.answers['history.append']({ id, captions: texts.map((text, n) => caption(n, text)) }));
	return id;
}

/** A whole conversation of these texts, half a minute long. */
async function hold(history: History, ...texts: string[]): Promise<string> {
	const id = await say(history, ...texts);
	clock.advance(30_000);
	await unwrap(history.answers['history.end']({ id }));
	return id;
}

/** A history, and the conversation that was made in it. */
async function started(make: (history: History, ...texts: string[]) => Promise<string>, ...texts: string[]) {
	const history = start();
	return { history, id: await make(history, ...texts) };
}

const ids = async ({ answers }: History) =>
	(await unwrap(answers['history.list'](page))).rows.map(({ id }) => id);
const textsOf = async ({ answers }: History, id: string) =>
	(await unwrap(answers['history.read']({ id, ...page }))).captions.map(({ text }) => text);
const foundBy = async ({ answers }: History, query: string) =>
	(await unwrap(answers['history.search']({ query, ...page }))).hits.map(({ row }) => row.id);

describe('a conversation', () => {
	test('is listed with its beginning, times, length and languages, and read in order of time', async () => {
		const { history, id } = await started(begin);
		const spanish = caption(1, 'Buenos días', { key: 'x', kind: 'translation', language: 'es' });
		await history.answers['history.append']({
			id,
			captions: [caption(2, 'Later'), caption(1, 'Good morning'), spanish],
		});
		await history.answers['history.append']({
			id,
			captions: [caption(0, 'Hello', { mark: 'typed' }), caption(4, '', { kind: 'lost' })],
		});
		const { rows } = await unwrap(history.answers['history.list'](page));
		expect(rows).toEqual([
			{
				id,
				title: '',
				mode: 'solo',
				preview: 'Later',
				startedAt: clock.wall(),
				endedAt: null,
				lengthMs: 4900,
				lines: 3,
				sources: ['en'],
				targets: ['es'],
				state: 'running',
			},
		]);
		expect(await textsOf(history, id)).toEqual(['Hello', 'Good morning', 'Buenos días', 'Later', '']);
		const read = await unwrap(history.answers['history.read']({ id, after: '3', limit: 1 }));
		expect(read).toMatchObject({ captions: [{ text: 'Later' }], next: '4' });
	});

	test('that has ended says when, and each of its captions is read as it was told', async () => {
		const history = start();
		const id = await unwrap(history.answers['history.begin']({ mode: 'solo', agoMs: 7000 }));
		const told = [
			caption(1, 'one', { key: 'k1', row: 'r1', part: '2', mark: 'typed' }),
			caption(2, 'two', { kind: 'translation', language: 'es', final: false }),
		];
		const begunAt = clock.wall() - 7000;
		await unwrap(history.answers['history.append']({ ...id, captions: told }));
		clock.advance(30_000);
		await unwrap(history.answers['history.end'](id));
		const read = await unwrap(history.answers['history.read']({ ...id, ...page }));
		expect(read.captions).toEqual(told);
		expect(read.row).toMatchObject({ startedAt: begunAt, endedAt: clock.wall(), state: 'kept' });
		// A second end changes nothing of it.
		clock.advance(5000);
		await unwrap(history.answers['history.end'](id));
		expect((await unwrap(history.answers['history.list'](page))).rows[0]?.endedAt).toBe(clock.wall() - 5000);
	});

	test('is listed and read in pages, of which the last says that it is', async () => {
		const history = start();
		const [first, second] = [await hold(history, 'a', 'b'), await hold(history, 'c')];
		const list = async (after: string | null, limit: number) => {
			const { rows, next } = await unwrap(history.answers['history.list']({ after, limit }));
			return [rows.map(({ id }) => id), next];
		};
		expect(await list(null, 1)).toEqual([[second], '1']);
		expect(await list('1', 1)).toEqual([[first], null]);
		expect(await list(null, 2)).toEqual([[second, first], null]);
	});

	test.each([160, 161])(
		'begins with 160 letters of what was said first, however many bytes they take: %i',
		async (count) => {
			const history = start();
			await hold(history, '😀'.repeat(count), 'second');
			const { rows } = await unwrap(history.answers['history.list'](page));
			expect(rows[0]?.preview).toBe('😀'.repeat(160));
		},
	);

	test('of which nothing but a gap is known leaves nothing', async () => {
		const { history, id } = await started(begin);
		await unwrap(history.answers['history.append']({ id, captions: [caption(0, '', { kind: 'lost' })] }));
		await unwrap(history.answers['history.end']({ id }));
		expect(await ids(history)).toEqual([]);
		expect(await history.answers['history.read']({ id, ...page })).toMatchObject({ ok: false });
	});

	test.each(['keep', 'ask'] as const)(
		'that goes on after its end is running again, and ends again as the user has chosen: %s',
		async (history) => {
			choice = { history, historyDays: 30 };
			const kept = start();
			const id = await hold(kept, 'one');
			const row = async () => (await unwrap(kept.answers['history.list'](page))).rows[0];
			const { startedAt } = (await row()) ?? {};
			for (const text of ['two', 'three']) {
				clock.advance(60_000);
				const goesOn = kept.answers['history.begin']({ mode: 'solo', agoMs: 0, id });
				expect(await unwrap(goesOn)).toEqual({ id });
				expect(await row()).toMatchObject({ state: 'running', endedAt: null, startedAt });
				expect((await unwrap(kept.answers['history.state'](undefined))).undecided).toBe(0);
				await unwrap(kept.answers['history.begin']({ mode: 'solo', agoMs: 0, id }));
				const said = caption(text.length, text);
				await unwrap(kept.answers['history.append']({ id, captions: [said] }));
				await unwrap(kept.answers['history.end']({ id }));
				const state = history === 'ask' ? 'undecided' : 'kept';
				expect(await row()).toMatchObject({ state, endedAt: clock.wall(), startedAt });
			}
			expect(await textsOf(kept, id)).toEqual(['one', 'two', 'three']);
			expect(await ids(kept)).toEqual([id]);
		},
	);

	test('that the user has deleted does not go on; one that was erased at its end begins anew', async () => {
		const { history, id } = await started(hold, 'one');
		await unwrap(history.answers['history.delete']({ id }));
		const missing = { ok: false, error: { kind: 'not-found', what: 'conversation' } };
		const goOn = (name: string) => history.answers['history.begin']({ mode: 'solo', agoMs: 0, id: name });
		expect([await goOn(id), await goOn('unknown')]).toEqual([missing, missing]);
		expect(await history.answers['history.append']({ id, captions: [caption(1, 'two')] })).toEqual(missing);
		const silent = await begin(history);
		await unwrap(history.answers['history.end']({ id: silent }));
		expect(await unwrap(goOn(silent))).toEqual({ id: silent });
		await unwrap(history.answers['history.append']({ id: silent, captions: [caption(0, 'said')] }));
		expect(await textsOf(history, silent)).toEqual(['said']);
	});

	test('that continues a kept one is appended to it at its end, later in time, and found and cleared by itself', async () => {
		choice = { history: 'keep', historyDays: 30 };
		const history = start();
		const { answers } = history;
		const id = await hold(history, 'one', 'two');
		await unwrap(answers['history.rename']({ id, title: 'Plans' }));
		clock.advance(86_400_000);
		const later = clock.wall();
		const part = await unwrap(answers['history.begin']({ mode: 'solo', agoMs: 0, continues: id }));
		expect(part.id).not.toBe(id);
		const spanish = caption(1, 'cuatro', { key: 'x', kind: 'translation', language: 'es' });
		const said = [caption(0, 'three'), caption(1, 'four'), spanish];
		await unwrap(answers['history.append']({ id: part.id, captions: said }));
		expect(await textsOf(history, id)).toEqual(['one', 'two']);
		clock.advance(30_000);
		await unwrap(answers['history.end'](part));
		expect(await ids(history)).toEqual([id]);
		const read = await unwrap(answers['history.read']({ id, ...page }));
		expect(read.row).toMatchObject({ title: 'Plans', state: 'kept', lengthMs: 3800, endedAt: clock.wall() });
		expect(read.row.targets).toEqual(['es']);
		expect(read.captions.map(({ kind, text, startMs, mark }) => [kind, text, startMs, mark])).toEqual([
			['source', 'one', 0, ''],
			['source', 'two', 1000, ''],
			['continued', '', 1900, `${later}`],
			['source', 'three', 1900, ''],
			['source', 'four', 2900, ''],
			['translation', 'cuatro', 2900, ''],
		]);
		expect(await foundBy(history, 'four')).toEqual([id]);
		// It goes on after its end, and its texts come once more.
		await unwrap(answers['history.begin']({ mode: 'solo', agoMs: 30_000, id: part.id }));
		await unwrap(answers['history.append']({ id: part.id, captions: [...said, caption(2, 'five')] }));
		await unwrap(answers['history.end'](part));
		expect(await textsOf(history, id)).toEqual(['one', 'two', '', 'three', 'four', 'cuatro', 'five']);
		const whole = await unwrap(answers['history.read']({ id, ...page }));
		expect(whole.captions.map(({ startMs }) => startMs)).toEqual([0, 1000, 1900, 1900, 2900, 2900, 3900]);
		// The person clears the captions of the part only.
		await unwrap(answers['history.erase'](part));
		expect(await textsOf(history, id)).toEqual(['one', 'two']);
		expect(await foundBy(history, 'four')).toEqual([]);
		const [row] = (await unwrap(answers['history.list'](page))).rows;
		expect(row).toMatchObject({ lengthMs: 1900, lines: 2, targets: [] });
	});

	test.each(['deleted', 'erased'] as const)(
		'that continues one that is %s meanwhile is kept by itself',
		async (how) => {
			choice = { history: 'keep', historyDays: 30 };
			const { history, id } = await started(hold, 'one');
			const part = await unwrap(history.answers['history.begin']({ mode: 'solo', agoMs: 0, continues: id }));
			await unwrap(history.answers['history.append']({ id: part.id, captions: [caption(0, 'two')] }));
			await unwrap(history.answers[how === 'deleted' ? 'history.delete' : 'history.erase']({ id }));
			await unwrap(history.answers['history.end'](part));
			expect(await ids(history)).toEqual([part.id]);
			expect(await textsOf(history, part.id)).toEqual(['two']);
		},
	);

	test('that continues another is appended once it is decided or recovered, also by a later run, and not when it is erased', async () => {
		choice = { history: 'keep', historyDays: 30 };
		const { history, id } = await started(hold, 'one');
		choice = { history: 'ask', historyDays: 30 };
		const carryOn = async (on: History, text: string) => {
			const part = await unwrap(on.answers['history.begin']({ mode: 'solo', agoMs: 0, continues: id }));
			await unwrap(on.answers['history.append']({ id: part.id, captions: [caption(0, text)] }));
			return part;
		};
		const [two, three] = [await carryOn(history, 'two'), await carryOn(history, 'three')];
		await unwrap(history.answers['history.end'](two));
		await unwrap(history.answers['history.erase'](two));
		await unwrap(history.answers['history.end'](three));
		expect(await textsOf(history, id)).toEqual(['one']);
		expect((await unwrap(history.answers['history.recover'](three))).id).toBe(id);
		expect(await textsOf(history, id)).toEqual(['one', '', 'three']);
		const four = await carryOn(history, 'four');
		history.pageGone();
		// As after a crash: the file is opened by another run.
		const next = start();
		expect((await unwrap(next.answers['history.recover'](four))).id).toBe(id);
		expect(await textsOf(next, id)).toEqual(['one', '', 'three', '', 'four']);
	});

	test('that is erased while it runs takes no more', async () => {
		const { history, id } = await started(say, 'one');
		await unwrap(history.answers['history.erase']({ id }));
		expect(await history.answers['history.append']({ id, captions: [caption(1, 'two')] })).toEqual({
			ok: false,
			error: { kind: 'not-found', what: 'conversation' },
		});
		await unwrap(history.answers['history.end']({ id }));
		expect(await ids(history)).toEqual([]);
	});

	test('takes all of what is handed over at once, or nothing', async () => {
		const { history, id } = await started(begin);
		const bad = caption(1, 'two', { startMs: {} as never });
		const append = (...captions: HistoryCaption[]) => history.answers['history.append']({ id, captions });
		expect(await append(caption(0, 'one'), bad)).toMatchObject({
			ok: false,
			error: { kind: 'storage-failed' },
		});
		expect(await textsOf(history, id)).toEqual([]);
		expect(await append(caption(2, 'three'))).toMatchObject({ ok: true });
		expect(await textsOf(history, id)).toEqual(['three']);
	});

	test.each(['keep', 'erase'] as const)('that ends is news, with %s chosen too', async (made) => {
		choice.history = made;
		const { history, id } = await started(say, 'one');
		const revisions: number[] = [];
		history.listen(({ revision }) => revisions.push(revision));
		await unwrap(history.answers['history.end']({ id }));
		await unwrap(history.answers['history.end']({ id }));
		expect(revisions).toHaveLength(1);
	});

	test('that the person keeps while it still runs stays kept when it ends', async () => {
		choice.history = 'ask';
		const { history, id } = await started(say, 'one');
		await unwrap(history.answers['history.recover']({ id }));
		await unwrap(history.answers['history.end']({ id }));
		expect((await unwrap(history.answers['history.read']({ id, ...page }))).row.state).toBe('kept');
	});

	test('is on the disk a minute after it was said, again and again, and not with every word', async () => {
		const { history, id } = await started(begin);
		for (const [n, word] of ['xylophone', 'zeppelin'].entries()) {
			await unwrap(history.answers['history.append']({ id, captions: [caption(n, word)] }));
			clock.advance(59_999);
			expect(readFileSync(path()).includes(word)).toBe(false);
			clock.advance(1);
			expect(readFileSync(path()).includes(word)).toBe(true);
		}
	});

	test('a caption told again replaces, but what is final stays', async () => {
		const { history, id } = await started(begin);
		const append = (text: string, final: boolean) =>
			history.answers['history.append']({ id, captions: [caption(0, text, { final })] });
		await append('half', false);
		await append('more than half', false);
		expect(await textsOf(history, id)).toEqual(['more than half']);
		await append('whole', true);
		await append('half again', false);
		expect(await textsOf(history, id)).toEqual(['whole']);
		expect([await foundBy(history, 'half'), await foundBy(history, 'whole')]).toEqual([[], [id]]);
		expect((await unwrap(history.answers['history.list'](page))).rows[0]?.lines).toBe(1);
	});

	test('in which nothing was said leaves nothing', async () => {
		const history = start();
		await history.answers['history.end']({ id: await begin(history) });
		expect(await ids(history)).toEqual([]);
		choice.history = 'ask';
		await history.answers['history.end']({ id: await begin(history) });
		expect((await unwrap(history.answers['history.state'](undefined))).undecided).toBe(0);
	});

	test('that does not exist is not found', async () => {
		const { answers } = start();
		const answer = { ok: false, error: { kind: 'not-found', what: 'conversation' } };
		expect(await answers['history.append']({ id: 'x', captions: [] })).toEqual(answer);
		expect(await answers['history.read']({ id: 'x', ...page })).toEqual(answer);
		expect(await answers['history.rename']({ id: 'x', title: 'y' })).toEqual(answer);
		expect(await answers['history.end']({ id: 'x' })).toMatchObject({ ok: true });
	});

	test('its file and the log beside it are readable by the owner only', async () => {
		await hold(start(), 'secret');
		for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
	});
});

test('words and names are put right where they are read; what is kept is not changed', async () => {
	choice.corrections = [{ language: 'en', wrong: 'Anna', right: 'Ana' }];
	const { history, id } = await started(hold, 'Anna came.', 'Then Anna went.');
	const texts = async () =>
		(await unwrap(history.answers['history.read']({ id, ...page }))).captions.map(({ text }) => text);
	expect(await texts()).toEqual(['Ana came.', 'Then Ana went.']);
	const { rows } = await unwrap(history.answers['history.list'](page));
	expect(rows[0]?.preview).toBe('Ana came.');
	const { hits } = await unwrap(history.answers['history.search']({ query: 'went', ...page }));
	expect(hits[0]?.first?.text).toBe('Then Ana went.');
	choice.corrections = [];
	expect(await texts()).toEqual(['Anna came.', 'Then Anna went.']);
});

test('the beginning that a list shows is put right in the language it is in, whichever others are spoken', async () => {
	choice.corrections = ['de', 'en'].map((language) => ({
		language,
		wrong: 'Anna',
		right: `Anna-${language}`,
	}));
	const { history, id } = await started(begin);
	const captions = [
		caption(0, '', { kind: 'lost', language: '' }),
		caption(1, 'Anna came.', { language: 'en' }),
		caption(2, 'Anna kam.', { language: 'de' }),
	];
	await unwrap(history.answers['history.append']({ id, captions }));
	const { rows } = await unwrap(history.answers['history.list'](page));
	expect(rows[0]).toMatchObject({ preview: 'Anna-en came.', sources: ['de', 'en'] });
	expect(rows[0]).not.toHaveProperty('previewLanguage');
});

describe('the choice', () => {
	test('erase: nothing of it is left in the file, nor in the log or the index', async () => {
		choice.history = 'erase';
		const { history, id } = await started(say, 'xylophone quarrel');
		expect(filesWith('xylophone')).not.toEqual([]);
		await history.answers['history.end']({ id });
		expect(await ids(history)).toEqual([]);
		// At once, and not only when the program ends.
		expect([filesWith('xylophone'), filesWith('xyl')]).toEqual([[], []]);
		history.close();
		expect([filesWith('xylophone'), filesWith('xyl')]).toEqual([[], []]);
	});

	test.each([
		['is erased by hand', ({ answers }: History, id: string) => answers['history.erase']({ id })],
		[
			'was deleted and cannot be brought back',
			async ({ answers }: History, id: string) => {
				await answers['history.delete']({ id });
				clock.advance(30_000);
			},
		],
		['is too old', () => clock.advance(31 * DAY_MS)],
	])('what %s is in no file any more, while the program runs', async (_, goes) => {
		choice.history = 'days';
		const { history, id } = await started(hold, 'xylophone quarrel');
		expect(filesWith('xylophone')).not.toEqual([]);
		await goes(history, id);
		expect([await ids(history), filesWith('xylophone'), filesWith('xyl')]).toEqual([[], [], []]);
	});

	test('erased beside what is kept: nothing of it is left either, and the rest is still found', async () => {
		const { history, id } = await started(hold, 'a kept conversation');
		const path = join(folder, 'history.sqlite');
		choice.history = 'erase';
		await hold(history, 'xylophone quarrel');
		history.close();
		expect(readFileSync(path).includes('xyl')).toBe(false);
		expect(await foundBy(start(), 'conversation')).toEqual([id]);
	});

	test('not made: it is there, undecided, and is erased when the program ends', async () => {
		choice.history = 'ask';
		const history = start();
		const states: number[] = [];
		history.listen(({ undecided }) => states.push(undecided));
		await hold(history, 'xylophone quarrel');
		expect(states).toEqual([1]);
		expect((await unwrap(history.answers['history.list'](page))).rows[0]?.state).toBe('undecided');
		expect(filesWith('quarrel')).not.toEqual([]);
		history.close();
		expect(filesWith('quarrel')).toEqual([]);
		expect(await ids(start())).toEqual([]);
	});

	test('not made and the program killed: it is erased by the next start', async () => {
		choice.history = 'ask';
		await hold(start(), 'one');
		expect(await ids(start())).toEqual([]);
	});

	test('opened later: at the first question, before which what nobody chose is gone', async () => {
		choice.history = 'ask';
		await hold(start(), 'one');
		const asked = start({ opensWithinMs: 5000 });
		expect((await unwrap(asked.answers['history.state'](undefined))).undecided).toBe(0);
		expect(await ids(asked)).toEqual([]);
	});

	test('opened later: unasked in its time, and not before', () => {
		start({ opensWithinMs: 5000 });
		clock.advance(4999);
		expect(existsSync(path())).toBe(false);
		clock.advance(1);
		expect(existsSync(path())).toBe(true);
	});

	test.each(['keep', 'days', 'erase'] as const)(
		'made afterwards, %s: what waited for it is decided',
		async (made) => {
			choice.history = 'ask';
			const { history, id } = await started(hold, 'one');
			choice.history = made;
			history.choiceChanged();
			expect(await ids(history)).toEqual(made === 'erase' ? [] : [id]);
			expect((await unwrap(history.answers['history.state'](undefined))).undecided).toBe(0);
		},
	);

	test('days: what ended longer ago is erased, by the hour, whenever it was recorded', async () => {
		const history = start();
		await hold(history, 'old');
		choice = { history: 'days', historyDays: 2 };
		clock.advance(DAY_MS);
		const young = await hold(history, 'young');
		expect(await ids(history)).toHaveLength(2);
		clock.advance(DAY_MS + 3_600_000);
		expect(await ids(history)).toEqual([young]);
	});

	test('days: as the others is erased what was recovered, and what was decided afterwards', async () => {
		choice.history = 'ask';
		const history = start();
		await hold(history, 'decided');
		const id = await say(history, 'recovered');
		history.pageGone();
		await unwrap(history.answers['history.recover']({ id }));
		choice = { history: 'days', historyDays: 2 };
		history.choiceChanged();
		clock.advance(2 * DAY_MS - 1);
		expect(await ids(history)).toHaveLength(2);
		clock.advance(3_600_000);
		expect(await ids(history)).toEqual([]);
		expect(filesWith('recovered')).toEqual([]);
	});

	test('days: what a crash has cut off is kept as long, what runs for as long as it runs', async () => {
		choice = { history: 'days', historyDays: 10 };
		const history = start();
		const [cut, running] = [await begin(history), await begin(history)];
		await unwrap(history.answers['history.append']({ id: cut, captions: [caption(0, 'cut')] }));
		history.pageGone();
		const runs = await say(history, 'runs');
		clock.advance(10 * DAY_MS - 3_600_000);
		expect(new Set(await ids(history))).toEqual(new Set([cut, runs]));
		clock.advance(2 * 3_600_000);
		expect(await ids(history)).toEqual([runs]);
		expect(running).not.toBe(runs);
	});

	test('days: what was cut off is as old as its last words', async () => {
		choice = { history: 'days', historyDays: 1 };
		const { history, id } = await started(begin);
		clock.advance(20 * 3_600_000);
		await unwrap(history.answers['history.append']({ id, captions: [caption(0, 'late')] }));
		history.pageGone();
		clock.advance(10 * 3_600_000);
		expect(await ids(history)).toEqual([id]);
	});

	test('a shorter time is in force at once', async () => {
		const history = start();
		await hold(history, 'xylophone quarrel');
		clock.advance(3 * DAY_MS);
		choice = { history: 'days', historyDays: 2 };
		history.choiceChanged();
		expect(filesWith('xylophone')).toEqual([]);
	});

	test('a search with a NUL in it is a search, and finds the words around it', async () => {
		const { history, id } = await started(hold, 'xylophone quarrel');
		for (const query of ['xylo\0', '\0xylophone', 'quarrel\0xylo', 'xy\0'])
			expect([query, await foundBy(history, query)]).toEqual([query, [id]]);
		expect((await unwrap(history.answers['history.state'](undefined))).problem).toBeNull();
	});

	describe('with a clock that may be wrong', () => {
		const alone = () => start({ serviceNow: () => null });
		const found = async (history: History) => [await ids(history), await foundBy(history, 'xylophone')];

		beforeEach(() => {
			choice = { history: 'days', historyDays: 30 };
		});

		test('a start with the clock 40 days ahead hides old conversations, but erases nothing', async () => {
			const first = alone();
			const id = await hold(first, 'xylophone');
			first.close();
			const right = clock;
			clock = createManualClock(right.wall() + 40 * DAY_MS);
			const ahead = alone();
			expect(await found(ahead)).toEqual([[], []]);
			clock.advance(3 * DAY_MS);
			ahead.close();
			clock = right;
			expect(await found(alone())).toEqual([[id], [id]]);
		});

		test('a second wrong start, with another time, erases nothing either', async () => {
			const first = alone();
			const id = await hold(first, 'xylophone');
			first.close();
			const right = clock;
			for (const days of [40, 80, 81, 400]) {
				clock = createManualClock(right.wall() + days * DAY_MS);
				alone().close();
			}
			clock = right;
			expect(await ids(alone())).toEqual([id]);
		});

		test('a conversation held by a clock of years ago is not old once the clock is right', async () => {
			const right = clock;
			clock = createManualClock(right.wall() - 2000 * DAY_MS);
			const behind = start({ serviceNow: () => right.wall() });
			const id = await hold(behind, 'xylophone');
			behind.close();
			clock = right;
			expect(await ids(start())).toEqual([id]);
		});

		test('a service whose clock is ahead by part of a millisecond does no harm', async () => {
			const history = start({ serviceNow: () => clock.wall() + 0.4 });
			const id = await hold(history, 'xylophone');
			expect(await found(history)).toEqual([[id], [id]]);
		});

		test('a service whose time is another confirms nothing', async () => {
			const first = alone();
			await hold(first, 'xylophone');
			clock.advance(3 * DAY_MS);
			first.close();
			start({ serviceNow: () => clock.wall() + 40 * DAY_MS }).close();
			expect(filesWith('xylophone')).toHaveLength(1);
		});

		test('what is hidden is erased as soon as a service confirms the time', async () => {
			const first = alone();
			await hold(first, 'xylophone');
			first.close();
			clock.advance(40 * DAY_MS);
			let told: number | null = null;
			const later = start({ serviceNow: () => told });
			expect(await ids(later)).toEqual([]);
			expect(filesWith('xylophone')).toHaveLength(1);
			told = clock.wall() + 5000;
			later.close();
			expect(filesWith('xylophone')).toEqual([]);
		});

		test('without any service, once the clock has moved on plausibly for a week', async () => {
			const first = alone();
			await hold(first, 'xylophone');
			first.close();
			clock.advance(40 * DAY_MS);
			for (const days of [0, 3, 3]) {
				clock.advance(days * DAY_MS);
				alone().close();
				expect(filesWith('xylophone')).toHaveLength(1);
			}
			clock.advance(DAY_MS);
			alone().close();
			expect(filesWith('xylophone')).toEqual([]);
		});
	});

	test('keep: it is there after a year', async () => {
		const { history, id } = await started(hold, 'one');
		history.close();
		clock.advance(365 * DAY_MS);
		expect(await ids(start())).toEqual([id]);
	});
});

describe('after a crash', () => {
	test.each(['ask', 'erase', 'keep'] as const)(
		'with %s chosen the conversation is offered and can be recovered',
		async (made) => {
			choice.history = made;
			const dead = start();
			const id = await say(dead, 'one');

			const history = start();
			const offered = await unwrap(history.answers['history.state'](undefined));
			expect(offered.offer).toMatchObject({ id, state: 'cut-off', lines: 1 });
			const recovered = await unwrap(history.answers['history.recover']({ id }));
			expect(recovered.state).toBe('kept');
			expect((await unwrap(history.answers['history.state'](undefined))).offer).toBeNull();
			history.close();
			clock.advance(30 * DAY_MS);
			expect(await textsOf(start(), id)).toEqual(['one']);
		},
	);

	test('what is offered is one in which something was said, told with a number that grows', async () => {
		const history = start();
		const said = await say(history, 'one');
		await begin(history);
		const told: (readonly [number, string | undefined])[] = [];
		history.listen(({ revision, offer }) => told.push([revision, offer?.id]));
		history.pageGone();
		await unwrap(history.answers['history.recover']({ id: said }));
		expect(told.map(([, id]) => id)).toEqual([said, undefined]);
		expect(told[1]?.[0]).toBeGreaterThan(told[0]?.[0] ?? Number.POSITIVE_INFINITY);
		const silent = start();
		expect((await unwrap(silent.answers['history.state'](undefined))).offer).toBeNull();
	});

	test('a page that asks anew records nothing: what it was recording is offered', async () => {
		const { history, id } = await started(say, 'one');
		expect((await unwrap(history.answers['history.state'](undefined))).offer?.id).toBe(id);
		expect(await history.answers['history.append']({ id, captions: [] })).toMatchObject({ ok: false });
	});

	test.each([
		['ask', 0],
		['erase', 0],
		['keep', 1],
	] as const)('with %s chosen and never recovered, after eight days there are %i', async (made, left) => {
		choice.history = made;
		const dead = start();
		await say(dead, 'one');
		clock.advance(8 * DAY_MS);
		expect(await ids(start())).toHaveLength(left);
	});

	test('of the page alone: what it was recording is offered, and what the next one records is not', async () => {
		const history = start();
		const first = await say(history, 'one');
		const offers: (string | undefined)[] = [];
		history.listen(({ offer }) => offers.push(offer?.id));
		history.pageGone();
		await say(history, 'two');
		expect(offers).toEqual([first]);
		expect(await history.answers['history.append']({ id: first, captions: [] })).toMatchObject({ ok: false });
	});
});

describe('deleting', () => {
	test('can be undone for half a minute, then it is erased', async () => {
		const history = start();
		const [one, two] = [await hold(history, 'one'), await hold(history, 'two')];
		await history.answers['history.delete']({ id: one });
		await history.answers['history.delete']({ id: two });
		expect([await ids(history), await foundBy(history, 'one')]).toEqual([[], []]);
		clock.advance(29_000);
		await unwrap(history.answers['history.undelete']({ id: one }));
		clock.advance(2000);
		expect(await ids(history)).toEqual([one]);
		expect(await history.answers['history.undelete']({ id: two })).toMatchObject({ ok: false });
	});

	test('everything, now: all but the conversation that runs', async () => {
		const history = start();
		await hold(history, 'one');
		const running = await say(history, 'now');
		await history.answers['history.erase']({ id: null });
		expect(await ids(history)).toEqual([running]);
	});

	test('a title is kept, trimmed', async () => {
		const { history, id } = await started(hold, 'one');
		expect(await unwrap(history.answers['history.rename']({ id, title: '  Lisbon ' }))).toMatchObject({
			id,
			title: 'Lisbon',
		});
	});
});

describe.each([true, false])('searching (index: %s)', (fts) => {
	test('finds parts of words, short ones, without accents, in any script, and all words in one caption', async () => {
		const history = start({ fts });
		const spanish = await hold(history, 'Adiós, SEÑOR "García"', 'otra cosa');
		const chinese = await hold(history, '世界和平', '一 go');
		const arabic = await hold(history, 'مَرْحَبًا بكم');
		const cases: readonly (readonly [string, readonly string[]])[] = [
			['adios', [spanish]],
			['senor garc', [spanish]],
			['"garcia"', [spanish]],
			['adios otra', []],
			['世界', [chinese]],
			['世界和', [chinese]],
			['go', [chinese]],
			['مرحبا', [arabic]],
			["% _ ' OR 1", []],
			['* NEAR(', []],
			['', []],
		];
		for (const [query, found] of cases)
			expect([query, await foundBy(history, query)]).toEqual([query, found]);
		const { hits } = await unwrap(history.answers['history.search']({ query: 'o', ...page }));
		expect(hits.map(({ hits: count, first }) => [count, first?.text])).toEqual([
			[1, '一 go'],
			[2, 'Adiós, SEÑOR "García"'],
		]);
	});
});

test('what was written without an index is found when there is one again', async () => {
	const first = start();
	await hold(first, 'before');
	first.close();
	const without = start({ fts: false });
	const id = await hold(without, 'meanwhile');
	await unwrap(without.answers['history.erase']({ id: (await foundBy(without, 'before'))[0] ?? '' }));
	without.close();
	const again = start();
	expect(await foundBy(again, 'meanwhile')).toEqual([id]);
	expect(await foundBy(again, 'before')).toEqual([]);
});

test.each([true, false])(
	'a file of version 1 goes on: a sigma at the end of a word is found in capitals (index: %s)',
	async (fts) => {
		const first = start({ fts });
		const id = await hold(first, 'Η πόλη της Αθήνας');
		first.close();
		// As version 1 left it.
		const old = new DatabaseSync(path());
		old.exec("UPDATE caption SET folded = replace(folded, 'ασ', 'ας'); PRAGMA user_version = 1");
		if (fts) old.exec("INSERT INTO caption_text (caption_text) VALUES ('rebuild')");
		old.close();
		const again = start({ fts });
		expect(await foundBy(again, 'ΑΘΗΝΑΣ')).toEqual([id]);
		expect(await foundBy(again, 'αθήνας')).toEqual([id]);
	},
);

test.each([true, false])(
	'a file of version 2 goes on: a small i without a dot is found in capitals (index: %s)',
	async (fts) => {
		const first = start({ fts });
		const id = await hold(first, 'ışık');
		first.close();
		// As version 2 left it.
		const old = new DatabaseSync(path());
		old.exec("UPDATE caption SET folded = replace(folded, 'i', 'ı'); PRAGMA user_version = 2");
		if (fts) old.exec("INSERT INTO caption_text (caption_text) VALUES ('rebuild')");
		old.close();
		expect(await foundBy(start({ fts }), 'IŞIK')).toEqual([id]);
	},
);

test('with and without an index the same is found, for any texts and queries', async () => {
	const letters = fc.constantFrom('a', 'á', 'A', 'b', 'ß', ' ', '世', 'م', 'ً', '"', '*', '𐐀', '𐐨', 'İ', 'ı');
	const text = fc.string({ unit: letters, minLength: 1, maxLength: 12 });
	const all = folder;
	await fc.assert(
		fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), text, async (texts, query) => {
			const found: unknown[] = [];
			for (const fts of [true, false]) {
				folder = mkdtempSync(join(all, 'x'));
				const history = start({ fts });
				for (const one of texts) await hold(history, one);
				const { hits } = await unwrap(history.answers['history.search']({ query, ...page }));
				found.push(hits.map((hit) => hit.first?.text));
				history.close();
			}
			expect(found[0]).toEqual(found[1]);
		}),
		{ numRuns: 12 },
	);
	folder = all;
});

describe('a file', () => {
	test('that is none is set aside and said, and the history begins anew', async () => {
		writeFileSync(path(), 'not a database, but somebody wrote it');
		const history = start();
		const state = await unwrap(history.answers['history.state'](undefined));
		const keptAs = 'history.sqlite.broken-2026-01-01T000000';
		expect(state.problem).toEqual({ kind: 'history-unreadable', keptAs });
		expect(readFileSync(join(folder, keptAs), 'utf8')).toContain('somebody wrote it');
		expect(await ids(history)).toHaveLength(0);
		await hold(history, 'goes on');
		expect(await ids(history)).toHaveLength(1);
	});

	/** A conversation of 400 captions, in a file with rubbish in its middle. */
	async function leaveDamaged(): Promise<string> {
		const { history, id } = await started(begin);
		for (let n = 0; n < 400; n++)
			await history.answers['history.append']({
				id,
				captions: [caption(n, `caption number ${n} ${'x'.repeat(200)}`)],
			});
		history.close();
		const bytes = readFileSync(path());
		bytes.fill(0x5a, 4096 * 20, 4096 * 23);
		writeFileSync(path(), bytes);
		return id;
	}

	test('with rubbish in its middle: what can still be read goes on in a new one', async () => {
		await leaveDamaged();

		const again = start();
		const { problem } = await unwrap(again.answers['history.state'](undefined));
		expect(problem?.kind).toBe('history-unreadable');
		const [saved] = (await unwrap(again.answers['history.list'](page))).rows;
		expect(saved?.lines).toBeGreaterThan(200);
		expect(await foundBy(again, 'number 399')).toHaveLength(1);
	});

	test('with rubbish in its middle stays in its place until all that can be read of it is copied', async () => {
		await leaveDamaged();
		const exec = DatabaseSync.prototype.exec;
		let there: readonly string[] = [];
		vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql: string) {
			// The last step of the copying.
			if (sql.endsWith("VALUES ('rebuild')")) there = readdirSync(folder);
			return exec.call(this, sql);
		});
		start();
		vi.restoreAllMocks();
		expect(there).toEqual(expect.arrayContaining(['history.sqlite', 'history.sqlite.new']));
		expect(there.filter((name) => name.includes('.broken'))).toEqual([]);
	});

	test('whose copying was cut off is copied anew, and a copy that was whole is put in place', async () => {
		await leaveDamaged();
		writeFileSync(`${path()}.new`, 'half of it');
		const again = start();
		expect((await unwrap(again.answers['history.list'](page))).rows[0]?.lines).toBeGreaterThan(200);
		again.close();
		expect(readdirSync(folder)).not.toContain('history.sqlite.new');

		renameSync(path(), `${path()}.new`);
		const third = start();
		expect((await unwrap(third.answers['history.list'](page))).rows[0]?.lines).toBeGreaterThan(200);
		expect((await unwrap(third.answers['history.state'](undefined))).problem).toBeNull();
	});

	test('that cannot be copied is set aside, and that is said', async () => {
		await leaveDamaged();
		const exec = DatabaseSync.prototype.exec;
		vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql: string) {
			if (sql.endsWith("VALUES ('rebuild')")) throw new Error('database or disk is full');
			return exec.call(this, sql);
		});
		const history = start();
		const { problem } = await unwrap(history.answers['history.state'](undefined));
		vi.restoreAllMocks();
		expect(problem?.kind).toBe('history-unreadable');
		await hold(history, 'goes on');
		expect(await ids(history)).toHaveLength(1);
		expect(readdirSync(folder)).not.toContain('history.sqlite.new');
	});

	test('that an earlier version left damaged: what can still be read goes on as well', async () => {
		await leaveDamaged();
		const bytes = readFileSync(path());
		// The place of `user_version`.
		bytes.writeUInt32BE(1, 60);
		writeFileSync(path(), bytes);
		expect(await foundBy(start(), 'number 399')).toHaveLength(1);
	});

	test('too large to be checked when opened, with rubbish in its middle: what can still be read goes on', async () => {
		const id = await leaveDamaged();
		// SQLite ignores what is behind its last page.
		truncateSync(path(), 65 * 1024 * 1024);

		const again = start();
		// Meets the damage.
		const { captions } = await unwrap(again.answers['history.read']({ id, after: null, limit: 400 }));
		expect(captions.length).toBeGreaterThan(200);
		const { problem } = await unwrap(again.answers['history.state'](undefined));
		expect(problem?.kind).toBe('history-unreadable');
		expect(await foundBy(again, 'number 399')).toHaveLength(1);
	});

	test('that is damaged stays in its place for a program beside the app, and once another has replaced it', async () => {
		const id = await leaveDamaged();
		const parts = { folder, clock: createManualClock(), log: silentLogger };
		const brokenOnes = () => readdirSync(folder).filter((name) => name.includes('.broken'));
		const readAll = (database: HistoryDatabase) =>
			database.read((all) => all.read(id, { skip: 0, limit: 400 }));

		for (const bytes of [statSync(path()).size, 65 * 1024 * 1024]) {
			// Found when it is opened, and only when it is met.
			truncateSync(path(), bytes);
			const beside = createHistoryDatabase({ ...parts, setsAside: false });
			expect(readAll(beside).ok).toBe(false);
			beside.close();
			expect(brokenOnes()).toEqual([]);
		}

		const app = createHistoryDatabase(parts);
		expect(app.read((all) => all.find(id)).ok).toBe(true);
		renameSync(path(), join(folder, 'kept-elsewhere'));
		createHistoryDatabase(parts).close();
		expect(readAll(app)).toMatchObject({ ok: true, value: [] });
		app.close();
		expect(brokenOnes()).toEqual([]);
	});

	test('that could only be read is opened anew once a write has failed', () => {
		const database = createHistoryDatabase({ folder, clock: createManualClock(), log: silentLogger });
		const stores = [database.read((store) => store)];
		const failed = database.write(() => {
			throw Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 });
		});
		expect(failed).toMatchObject({ ok: false, error: { kind: 'storage-failed' } });
		stores.push(database.read((store) => store));
		expect(stores).toMatchObject([{ ok: true }, { ok: true }]);
		expect(stores[0]).not.toEqual(stores[1]);
		expect(database.write((store) => store.list({ skip: 0, limit: 1 }))).toEqual({ ok: true, value: [] });
		expect(database.problem()).toBeNull();
		database.close();
	});

	test('that breaks while a conversation runs: the window is told to hand over everything, and nothing is lost', async () => {
		const { history, id } = await started(begin);
		const all = [caption(0, 'one'), caption(1, 'two')];
		history.recorded('/home/ada/talk.wav', clock.now());
		await unwrap(history.answers['history.append']({ id, captions: [all[0] as HistoryCaption] }));
		const other = new DatabaseSync(path());
		other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
		other.close();
		const bytes = readFileSync(path());
		writeFileSync(path(), bytes.fill(0x5a, 100));
		const answers: unknown[] = [];
		for (let tries = 0; tries < 3; tries++)
			answers.push(await history.answers['history.append']({ id, captions: all }));
		expect(answers.at(-1)).toMatchObject({ ok: true });
		expect(answers).toContainEqual({
			ok: false,
			error: expect.objectContaining({ kind: 'history-unreadable' }),
		});
		expect(await textsOf(history, id)).toEqual(['one', 'two']);
		expect(await unwrap(history.answers['history.recordings']({ id }))).toMatchObject([{ name: 'talk.wav' }]);
	});

	test('that is set aside is told once, with where it is and what could be saved', async () => {
		await hold(start(), 'one', 'two');
		for (const one of open) one.close();
		const bytes = readFileSync(path());
		writeFileSync(path(), bytes.fill(0x5a, 100, 110));
		const lines: unknown[] = [];
		const told = (...line: unknown[]) => void lines.push(line);
		const log = { ...silentLogger, warn: told, error: told };
		const history = createHistory({ folder, clock, log, choice: () => choice });
		open.push(history);
		await history.answers['history.list'](page);
		const keptAs = 'history.sqlite.broken-2026-01-01T000030';
		expect(lines).toEqual([['history set aside', { keptAs, saved: expect.any(Number) }]]);
	});

	test('that cannot be used is told once for each kind of trouble, and again when it comes back', async () => {
		const lines: unknown[] = [];
		const log = { ...silentLogger, error: (...line: unknown[]) => void lines.push(line) };
		const history = createHistory({ folder, clock, log, choice: () => choice });
		open.push(history);
		const id = await begin(history);
		const append = () => history.answers['history.append']({ id, captions: [caption(0, 'one')] });
		for (let times = 1; times <= 2; times += 1) {
			const other = new DatabaseSync(path());
			other.exec('BEGIN EXCLUSIVE');
			await append();
			await append();
			other.close();
			expect(await append()).toMatchObject({ ok: true });
			expect(lines).toHaveLength(times);
		}
		expect(lines[0]).toEqual(['history failed', { why: expect.stringContaining('locked') }]);
	});

	test('is not opened again after the program has let go of it', async () => {
		const { history, id } = await started(hold, 'one');
		history.close();
		expect(await history.answers['history.read']({ id, ...page })).toEqual({
			ok: false,
			error: { kind: 'cancelled' },
		});
		expect(readdirSync(folder)).toEqual(['history.sqlite']);
		clock.advance(DAY_MS);
		expect(clock.pending).toBe(0);
	});

	test('of a later version is left alone', async () => {
		const later = new DatabaseSync(path());
		later.exec('CREATE TABLE what_comes (x); PRAGMA user_version = 99');
		later.close();
		const before = readFileSync(path());
		const { answers } = start();
		expect(await answers['history.begin']({ mode: 'solo', agoMs: 0 })).toEqual({
			ok: false,
			error: { kind: 'history-unreadable', keptAs: 'history.sqlite' },
		});
		expect(readFileSync(path())).toEqual(before);
	});

	test('that another program holds: a problem, and all is well when it lets go', async () => {
		const { history, id } = await started(begin);
		const problems: (string | undefined)[] = [];
		history.listen(({ problem }) => problems.push(problem?.kind));
		const other = new DatabaseSync(path());
		other.exec('BEGIN EXCLUSIVE');
		const busy = { ok: false, error: { kind: 'history-busy' } };
		expect(await history.answers['history.append']({ id, captions: [caption(0, 'one')] })).toEqual(busy);
		expect(await history.answers['history.append']({ id, captions: [caption(0, 'one')] })).toEqual(busy);
		other.close();
		expect(await history.answers['history.append']({ id, captions: [caption(0, 'one')] })).toMatchObject({
			ok: true,
		});
		expect(problems).toEqual(['history-busy', undefined]);
		expect(await textsOf(history, id)).toEqual(['one']);
	});

	test('that another program holds at the end of a conversation: the end can be told again', async () => {
		choice.history = 'erase';
		const { history, id } = await started(say, 'one');
		const other = new DatabaseSync(path());
		other.exec('BEGIN EXCLUSIVE');
		expect(await history.answers['history.end']({ id })).toMatchObject({ error: { kind: 'history-busy' } });
		other.close();
		expect(await history.answers['history.end']({ id })).toMatchObject({ ok: true });
		expect(await ids(history)).toEqual([]);
	});

	test('that cannot be made: a problem, and nothing is thrown', async () => {
		rmSync(folder, { recursive: true });
		writeFileSync(folder, 'a file in the way');
		const { answers } = start();
		expect(await answers['history.begin']({ mode: 'solo', agoMs: 0 })).toMatchObject({
			ok: false,
			error: { kind: 'storage-failed', what: expect.stringMatching(/history\.sqlite \(E[A-Z]+\)$/) },
		});
		expect(await answers['history.list'](page)).toMatchObject({ ok: false });
		expect(existsSync(path())).toBe(false);
	});
});

test.skipIf(process.platform === 'win32').each(['', '-wal', '-journal'])(
	'nothing is written through a link in the place of its file%s',
	async (part) => {
		const elsewhere = join(folder, 'elsewhere');
		writeFileSync(elsewhere, '');
		symlinkSync(elsewhere, path() + part);
		const { answers } = start();
		expect((await answers['history.begin']({ mode: 'solo', agoMs: 0 })).ok).toBe(false);
		expect(readFileSync(elsewhere, 'utf8')).toBe('');
	},
);

describe('a recording of a conversation', () => {
	let sounds: string;
	beforeEach(() => {
		sounds = mkdtempSync(join(tmpdir(), 'dragoman-sounds-'));
	});
	afterEach(() => rmSync(sounds, { recursive: true, force: true }));

	/** A second of sound. */
	function record(history: History, name: string, startedMs = clock.now()): string {
		const file = join(sounds, name);
		writeFileSync(file, encodeWav(new Float32Array(1000), 1000));
		history.recorded(file, startedMs);
		return file;
	}
	const recordingsOf = async ({ answers }: History, id: string) =>
		unwrap(answers['history.recordings']({ id }));
	const placesOf = async (history: History, id: string) =>
		(await recordingsOf(history, id)).map(({ name, startMs }) => [name, startMs]);
	/** What the window's player would be given. */
	function fileAt(history: History, address: string): string | null {
		const [, id = '', key = ''] = address.split('/').map(decodeURIComponent);
		return history.recordingAt(id, key);
	}
	async function speak(history: History, continues?: string): Promise<string> {
		const { id } = await unwrap(
			history.answers['history.begin']({ mode: 'solo', agoMs: 5000, ...(continues && { continues }) }),
		);
		await unwrap(history.answers['history.append']({ id, captions: [caption(0, 'one')] }));
		return id;
	}

	test('is found with its length and its time, begun before the first words or later, also by a later run', async () => {
		const history = start();
		clock.advance(10_000);
		// As with *Record* pressed before Start, whose time comes a moment too early.
		const first = record(history, 'first.wav', clock.now() - 5020);
		const id = await speak(history);
		expect(await placesOf(history, id)).toEqual([['first.wav', 0]]);
		clock.advance(20_000);
		record(history, 'second.wav');
		for (const run of [history, start()]) {
			const found = await recordingsOf(run, id);
			expect(found).toMatchObject([
				{ name: 'first.wav', startMs: 0, lengthMs: 1000 },
				{ name: 'second.wav', startMs: 25_000, lengthMs: 1000 },
			]);
			expect(found.map(({ address }) => fileAt(run, address))).toEqual([first, join(sounds, 'second.wav')]);
		}
		expect(await textsOf(history, id)).toEqual(['one']);
	});

	test('of an earlier conversation stays there, and leaves it when another is written over its file', async () => {
		const history = start();
		const earlier = await speak(history);
		record(history, 'talk.wav');
		await unwrap(history.answers['history.end']({ id: earlier }));
		clock.advance(60_000);
		const later = await speak(history);
		expect([await placesOf(history, earlier), await placesOf(history, later)]).toEqual([
			[['talk.wav', 5000]],
			[],
		]);
		record(history, 'talk.wav');
		expect([await placesOf(history, earlier), await placesOf(history, later)]).toEqual([
			[],
			[['talk.wav', 5000]],
		]);
		await unwrap(history.answers['history.end']({ id: later }));
		// For a conversation in which nothing was said yet.
		clock.advance(60_000);
		record(history, 'talk.wav');
		expect(await placesOf(history, later)).toEqual([]);
	});

	test('belongs to the conversation that began last, while the end of another is still being written', async () => {
		const history = start();
		const earlier = await speak(history);
		clock.advance(60_000);
		const later = await speak(history);
		record(history, 'talk.wav');
		expect([await placesOf(history, earlier), await placesOf(history, later)]).toEqual([
			[],
			[['talk.wav', 5000]],
		]);
	});

	test('of a conversation that goes on after its end is there before it is said again', async () => {
		const history = start();
		const id = await speak(history);
		await unwrap(history.answers['history.end']({ id }));
		clock.advance(10_000);
		record(history, 'talk.wav');
		expect(await placesOf(history, id)).toEqual([]);
		await unwrap(history.answers['history.begin']({ mode: 'solo', agoMs: 15_000, id }));
		expect(await placesOf(history, id)).toEqual([['talk.wav', 15_000]]);
	});

	test('moves with a conversation that is appended to another, later by its length, and goes when that part is cleared', async () => {
		const history = start();
		const whole = await speak(history);
		record(history, 'first.wav');
		await unwrap(history.answers['history.end']({ id: whole }));
		clock.advance(60_000);
		const part = await speak(history, whole);
		const file = record(history, 'second.wav');
		await unwrap(history.answers['history.end']({ id: part }));
		// The first part is 900 ms long; the recordings began 5 s after Start.
		expect(await placesOf(history, whole)).toEqual([
			['first.wav', 5000],
			['second.wav', 5900],
		]);
		const [, { address = '' } = {}] = await recordingsOf(history, whole);
		expect(fileAt(history, address)).toBe(file);
		await unwrap(history.answers['history.erase']({ id: part }));
		expect(await placesOf(history, whole)).toEqual([['first.wav', 5000]]);
	});

	test('is forgotten with its conversation; the file stays where it is', async () => {
		const history = start();
		const id = await speak(history);
		const file = record(history, 'talk-of-may.wav');
		const [{ address = '' } = {}] = await recordingsOf(history, id);
		expect(filesWith('talk-of-may')).not.toEqual([]);
		await unwrap(history.answers['history.end']({ id }));
		await unwrap(history.answers['history.erase']({ id }));
		expect(fileAt(history, address)).toBeNull();
		expect(filesWith('talk-of-may')).toEqual([]);
		expect(existsSync(file)).toBe(true);
	});

	test.each([
		['was moved or deleted', (file: string) => rmSync(file)],
		['is no longer a sound', (file: string) => writeFileSync(file, 'a secret of somebody')],
		['has no rate', (file: string) => writeFileSync(file, encodeWav(new Float32Array(9), 0))],
	])('whose file %s has no length', async (_, spoil) => {
		const history = start();
		const id = await speak(history);
		spoil(record(history, 'talk.wav'));
		expect(await recordingsOf(history, id)).toMatchObject([{ name: 'talk.wav', lengthMs: null }]);
	});

	test('is what main recorded: the window cannot name a file', async () => {
		const history = start();
		const id = await speak(history);
		const planted = caption(1, '', { key: 'k', kind: 'recorded', mark: '/etc/passwd' });
		const answer = await history.answers['history.append']({ id, captions: [planted] });
		expect(answer).toEqual({ ok: false, error: { kind: 'bug', where: 'history.append' } });
		expect(await recordingsOf(history, id)).toEqual([]);
		// Nor has it anything from a key of another kind or conversation.
		record(history, 'talk.wav');
		const [{ address = '' } = {}] = await recordingsOf(history, id);
		clock.advance(60_000);
		const other = await speak(history);
		expect(history.recordingAt(other, decodeURIComponent(address.split('/')[2] ?? ''))).toBeNull();
		expect(history.recordingAt(id, 'source|t0')).toBeNull();
		await unwrap(history.answers['history.delete']({ id }));
		expect((await history.answers['history.recordings']({ id })).ok).toBe(false);
	});

	test('whose file was moved is found where the person says it is, also by a later run', async () => {
		let chosen: string | null = null;
		const history = start({ chooseRecording: async () => chosen });
		const id = await speak(history);
		const file = record(history, 'talk.wav');
		record(history, 'other.wav');
		const [{ address = '' } = {}] = await recordingsOf(history, id);
		const find = () => unwrap(history.answers['history.find-recording']({ id, address }));
		const moved = join(sounds, 'moved.wav');
		renameSync(file, moved);
		const before = await recordingsOf(history, id);
		expect(await find()).toBe('cancelled');
		chosen = join(sounds, 'notes.wav');
		writeFileSync(chosen, 'not a sound');
		expect(await find()).toBe('no-recording');
		chosen = join(sounds, 'other.wav');
		expect(await find()).toBe('taken');
		expect(await recordingsOf(history, id)).toEqual(before);
		chosen = moved;
		expect(await find()).toBe('found');
		for (const run of [history, start()])
			expect(await recordingsOf(run, id)).toMatchObject([
				{ name: 'moved.wav', lengthMs: 1000, startMs: 5000, address },
				{ name: 'other.wav' },
			]);
		expect(fileAt(history, address)).toBe(moved);
		// The conversation goes on: its recordings are noted again.
		await unwrap(history.answers['history.end']({ id }));
		await unwrap(history.answers['history.begin']({ mode: 'solo', agoMs: 5000, id }));
		expect(fileAt(history, address)).toBe(moved);
		await unwrap(history.answers['history.delete']({ id }));
		await unwrap(history.answers['history.erase']({ id }));
		expect((await history.answers['history.find-recording']({ id, address })).ok).toBe(false);
	});

	test('is still known after the history was set aside', async () => {
		const history = start();
		const id = await speak(history);
		record(history, 'talk.wav');
		await unwrap(history.answers['history.end']({ id }));
		history.close();
		const bytes = readFileSync(path());
		// The page with the list of tables stays; the last page has an index.
		bytes.fill(0xff, bytes.length - 4096);
		writeFileSync(path(), bytes);
		const again = start();
		expect(await placesOf(again, id)).toEqual([['talk.wav', 5000]]);
		expect(readdirSync(folder).some((name) => name.includes('.broken-'))).toBe(true);
	});
});
