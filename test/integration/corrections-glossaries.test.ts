import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGlossaries } from '#main/glossaries/glossaries.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import type { Correction } from '#shared/captions/corrections.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';

const KEY = 'corrections-key';
let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ key: KEY });
});
afterEach(() => sandbox.close());

/**
 * The glossaries of an account of the sandbox; `refuses` says which requests never arrive, `answered` hears of the
 * others.
 */
function glossaries(
	corrections: () => readonly Correction[],
	refuses = (_: string, __: string) => false,
	answered = (_: string) => {},
) {
	const { answers } = createGlossaries({
		account: {
			baseUrl: () => sandbox.addresses.api,
			key: () => KEY,
			ready: async () => ok(),
		} as never,
		corrections,
		fetch: async (url, init) => {
			const method = init?.method ?? 'GET';
			if (refuses(method, String(url))) return new Response('{"title":"no"}', { status: 422 });
			const answer = await fetch(url, init);
			answered(method);
			return answer;
		},
		clock: createSystemClock(),
		random: Math.random,
		log: silentLogger,
	});
	return answers;
}

const one = (language: string, wrong: string, right: string): Correction => ({ language, wrong, right });
const listed = async (answers: ReturnType<typeof glossaries>) => {
	const all = await answers['glossary.list']();
	if (!all.ok) throw new Error(all.error.kind);
	return all.value.map(({ name, kind, source, entries }) => ({ name, kind, source, entries }));
};

async function put(answers: ReturnType<typeof glossaries>) {
	const came = await answers['glossary.from-corrections']();
	if (!came.ok) throw new Error(came.error.kind);
	return came.value;
}

test('each language has a glossary of its corrections, in place of the one before; others stay', async () => {
	let corrections = [one('en', 'Anna', 'Ana'), one('de', 'Mair', 'Mayr'), one('en', 'Smith, J', 'Smyth "J"')];
	const answers = glossaries(() => corrections);
	await answers['glossary.add']({
		name: 'Dragoman words',
		kind: 'asr',
		source: 'en',
		target: 'en',
		table: 'a,b',
	});
	expect(await answers['glossary.from-corrections']()).toMatchObject({
		value: { made: [{}, {}], replaced: [], problem: null },
	});
	const words = { name: 'Dragoman words', kind: 'asr', source: 'en', entries: 1 };
	expect(await listed(answers)).toEqual(
		expect.arrayContaining([
			words,
			{ name: 'Dragoman corrections en', kind: 'asr', source: 'en', entries: 2 },
			{ name: 'Dragoman corrections de', kind: 'asr', source: 'de', entries: 1 },
		]),
	);
	corrections = [one('en', 'Anna', 'Ana')];
	expect(await answers['glossary.from-corrections']()).toMatchObject({ ok: true });
	const after = await listed(answers);
	expect(after).toHaveLength(2);
	expect(after).toContainEqual({ name: 'Dragoman corrections en', kind: 'asr', source: 'en', entries: 1 });
	expect(after).toContainEqual(words);
});

test('what the service refuses leaves the glossary that was there', async () => {
	let refused = false;
	const answers = glossaries(
		() => [one('en', 'Anna', 'Ana')],
		(method) => refused && method === 'POST',
	);
	await answers['glossary.from-corrections']();
	refused = true;
	expect(await answers['glossary.from-corrections']()).toMatchObject({ ok: false });
	expect(await listed(answers)).toEqual([
		{ name: 'Dragoman corrections en', kind: 'asr', source: 'en', entries: 1 },
	]);
});

test('one that could not be deleted is said, and deleted the next time', async () => {
	let refused = false;
	const answers = glossaries(
		() => [one('en', 'Anna', 'Ana')],
		(method) => refused && method === 'DELETE',
	);
	await answers['glossary.from-corrections']();
	refused = true;
	const again = await put(answers);
	expect(again.problem).not.toBeNull();
	expect(await listed(answers)).toHaveLength(2);
	refused = false;
	const last = await put(answers);
	expect([last.problem, last.replaced.length]).toEqual([null, 2]);
	expect(await listed(answers)).toHaveLength(1);
});

test('each new one says which it replaces, and is off where that was; one without corrections is only deleted', async () => {
	let corrections = [one('en', 'Anna', 'Ana'), one('de', 'Mair', 'Mayr'), one('fr', 'Jan', 'Jean')];
	const answers = glossaries(() => corrections);
	const idsOf = ({ made }: Awaited<ReturnType<typeof put>>) =>
		Object.fromEntries(made.map(({ source, id }) => [source, id]));
	const before = idsOf(await put(answers));
	await answers['glossary.enable']({ id: before['de'] ?? '', enabled: false });
	corrections = corrections.slice(0, 2);
	const again = await put(answers);
	const after = idsOf(again);
	expect(again.made.map(({ source, enabled }) => [source, enabled])).toEqual([
		['en', true],
		['de', false],
	]);
	expect(again.replaced).toHaveLength(3);
	expect(again.replaced).toEqual(
		expect.arrayContaining([
			{ id: before['en'], by: after['en'] },
			{ id: before['de'], by: after['de'] },
			{ id: before['fr'], by: null },
		]),
	);
});

const draft = { name: 'Names', kind: 'translation', source: 'en', target: 'es' } as const;

test('one that is changed is made anew, off as it was, before the old one is deleted; its table is given back', async () => {
	const asked: string[] = [];
	const answers = glossaries(
		() => [],
		(method, url) => {
			asked.push(`${method} ${url.includes('/upload') ? 'table' : 'glossary'}`);
			return false;
		},
	);
	const made = await answers['glossary.add']({ ...draft, table: 'train,tren\n"a, b",c' });
	if (!made.ok) throw new Error(made.error.kind);
	const { id } = made.value;
	await answers['glossary.enable']({ id, enabled: false });
	const table = await answers['glossary.table']({ id });
	expect(table).toEqual({ ok: true, value: 'train,tren\n"a, b",c' });
	asked.length = 0;
	const changed = await answers['glossary.change']({ ...draft, id, table: 'train,tren\ncoffee,café\nx,y' });
	expect(changed).toMatchObject({
		ok: true,
		value: { left: false, glossary: { entries: 3, enabled: false } },
	});
	expect(asked).toEqual(['GET glossary', 'POST glossary', 'POST table', 'DELETE glossary']);
	expect(await listed(answers)).toEqual([{ name: 'Names', kind: 'translation', source: 'en', entries: 3 }]);
});

test('a change that is refused leaves the old one as it was; one whose old glossary stays says so', async () => {
	let refused = '';
	const answers = glossaries(
		() => [],
		(method, url) => refused !== '' && `${method} ${url}`.includes(refused),
	);
	const made = await answers['glossary.add']({ ...draft, table: 'train,tren' });
	if (!made.ok) throw new Error(made.error.kind);
	const { id } = made.value;
	const change = (table: string) => answers['glossary.change']({ ...draft, id, table });
	expect(await change('only one column')).toMatchObject({ ok: false, error: { kind: 'table-invalid' } });
	refused = '/upload';
	expect(await change('a,b\nc,d')).toMatchObject({ ok: false });
	expect(await listed(answers)).toMatchObject([{ entries: 1 }]);
	refused = 'DELETE ';
	expect(await change('a,b\nc,d')).toMatchObject({ ok: true, value: { left: true } });
	expect(await listed(answers)).toMatchObject([{ entries: 1 }, { entries: 2 }]);
});

test('a list that is asked for while one is being deleted waits for that, and no longer has it', async () => {
	const done: string[] = [];
	const answers = glossaries(
		() => [],
		(method) => {
			done.push(method);
			return false;
		},
		(method) => void done.push(`${method} answered`),
	);
	const made = await answers['glossary.add']({ ...draft, table: 'train,tren' });
	if (!made.ok) throw new Error(made.error.kind);
	done.length = 0;
	const deletion = answers['glossary.delete']({ id: made.value.id });
	expect(await listed(answers)).toEqual([]);
	expect(await deletion).toEqual(ok());
	expect(done).toEqual(['DELETE', 'DELETE answered', 'GET', 'GET answered']);
});

test('a service that does not give a table back is no failure', async () => {
	sandbox.setFault('no-glossary-table', true);
	const answers = glossaries(() => []);
	const made = await answers['glossary.add']({ ...draft, table: 'train,tren' });
	if (!made.ok) throw new Error(made.error.kind);
	expect(await answers['glossary.table']({ id: made.value.id })).toEqual({ ok: true, value: null });
});
