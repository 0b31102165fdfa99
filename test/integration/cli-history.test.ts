import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Terminal } from '#main/cli/terminal.ts';
import { createHistory, type History } from '#main/history/history.ts';
import { createLedgerFile } from '#main/sessions/ledger.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { runInProcess } from '#test/support/run-command.ts';

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-cli-history-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(line: readonly string[], fields: Partial<Terminal> = {}) {
	const ran = await runInProcess('history', line, { env: { DRAGOMAN_USER_DATA: folder }, ...fields });
	return { ...ran, json: () => JSON.parse(ran.out) };
}

const choice = () => ({ history: 'keep' as const, historyDays: 30 });

async function begin(history: History): Promise<string> {
	const begun = await history.answers['history.begin']({ mode: 'solo', agoMs: 0 });
	if (!begun.ok) throw new Error(begun.error.kind);
	return begun.value.id;
}

/** Each text in English and Spanish. */
function captionsOf(...said: readonly (readonly [string, string])[]): HistoryCaption[] {
	return said.flatMap(([en, es], n): HistoryCaption[] => {
		const place = {
			row: `t${n}`,
			part: '0',
			startMs: n * 2000,
			endMs: n * 2000 + 1500,
			final: true,
			mark: '',
		};
		return [
			{ ...place, key: `s${n}`, kind: 'source', language: 'en', text: en },
			{ ...place, key: `t${n}`, kind: 'translation', language: 'es', text: es },
		];
	});
}

/** Keeps a conversation as the app does. */
async function keep(...said: readonly (readonly [string, string])[]): Promise<string> {
	const history = createHistory({ folder, clock: createManualClock(), log: silentLogger, choice });
	const id = await begin(history);
	await history.answers['history.append']({ id, captions: captionsOf(...said) });
	await history.answers['history.end']({ id });
	history.close();
	return id;
}

describe('history', () => {
	test('words and names are put right as the settings say, in what is shown, listed and exported', async () => {
		const id = await keep(['Anna came.', 'Vino Anna.']);
		const corrections = [
			{ language: 'es', wrong: 'Anna', right: 'Ana' },
			{ language: 'en', wrong: 'came', right: 'left' },
		];
		writeFileSync(join(folder, 'settings.json'), JSON.stringify({ corrections }));
		for (const line of [['list'], ['list', '--search', 'Vino'], ['show', id]])
			expect((await run(line)).out).toMatch(/kept +Anna left\.|title +Anna left\./);
		expect((await run(['show', id])).out).toMatch(/Anna left\.[\s\S]*Vino Ana\./);
		expect((await run(['export', id, '--language', 'es'])).out).toContain('Vino Ana.');
		rmSync(join(folder, 'settings.json'));
		expect((await run(['export', id, '--language', 'es'])).out).toContain('Vino Anna.');
	});

	test('damaged settings stay where they are: their last good copy is used, and that is said once', async () => {
		const id = await keep(['Anna came.', 'Vino Anna.']);
		const corrections = [{ language: 'es', wrong: 'Anna', right: 'Ana' }];
		writeFileSync(join(folder, 'settings.json.bak'), JSON.stringify({ version: 2, corrections }));
		writeFileSync(join(folder, 'settings.json'), '{"version": 2,');
		const { out, error } = await run(['export', id, '--language', 'es']);
		expect(out).toBe('Vino Ana.\n');
		expect(error).toMatch(/^The settings file \(settings\.json\) cannot be read: .*\.\n$/);
		expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe('{"version": 2,');
		expect(readdirSync(folder).filter((name) => name.includes('broken'))).toEqual([]);
	});

	test('without any: an empty list, and nothing is made', async () => {
		expect((await run(['list'])).out).toBe('No conversations yet.\n');
		expect((await run(['list', '--json'])).json()).toEqual({ conversations: [] });
		expect((await run(['show', 'abc', '--json'])).json().error).toMatchObject({ kind: 'not-found', code: 4 });
		expect(await run(['export', '3f9c21aa'])).toMatchObject({
			status: 4,
			error: 'There is no conversation "3f9c21aa". Those there are: npm run cli -- history list\n',
		});
		expect(readdirSync(folder)).toEqual([]);
	});

	test('shows the files of its recordings, and when they begin', async () => {
		const clock = createManualClock();
		const history = createHistory({ folder, clock, log: silentLogger, choice });
		const id = await begin(history);
		history.recorded('/home/ada/talk.wav', clock.now() + 65_000);
		await history.answers['history.append']({ id, captions: captionsOf(['Good morning.', 'Buenos días.']) });
		await history.answers['history.end']({ id });
		history.close();
		expect((await run(['show', id])).out).toMatch(/^recording +\/home\/ada\/talk\.wav, from 0:01:05$/m);
		const { recordings, captions } = (await run(['show', id, '--json'])).json();
		expect([recordings, captions.length]).toEqual([[{ path: '/home/ada/talk.wav', start_ms: 65_000 }], 2]);
	});

	test('list, search and show, by id and by the short name', async () => {
		const id = await keep(['Good morning.', 'Buenos días.'], ['See you \u001b[31mtomorrow', 'Hasta mañana']);
		const other = await keep(['Nothing', 'Nada']);
		const listed = (await run(['list', '--json'])).json();
		expect(listed.conversations.map((one: { id: string }) => one.id).sort()).toEqual([id, other].sort());
		expect(listed.conversations).toContainEqual({
			id,
			title: '',
			preview: 'Good morning.',
			started_at: '2026-01-01T00:00:00Z',
			length_ms: 3500,
			ended_at: '2026-01-01T00:00:00Z',
			lines: 2,
			captions: 4,
			sources: ['en'],
			targets: ['es'],
			state: 'kept',
		});
		const [head, , last] = (await run(['list'])).out.split('\n');
		expect(head).toMatch(/^CONVERSATION +STARTED +LENGTH +LANGUAGES +LINES +STATE +TITLE$/);
		expect(last).toMatch(
			/^[0-9a-f]{8} +\S+ \S+ +0:00:0\d +English \(en\) > Español · Spanish \(es\) +\d +kept +\w/,
		);
		const found = (await run(['list', '--search', 'manana HASTA', '--json'])).json();
		expect(found.conversations).toMatchObject([{ id, hits: 1 }]);

		const shown = await run(['show', id.slice(0, 8)]);
		expect(shown.out).toContain('0:00:00  [en] Good morning.\n0:00:00  [es] Buenos días.\n');
		expect(shown.out).not.toContain('\u001b');
		expect((await run(['show', id, '--json'])).json().captions).toHaveLength(4);
	});

	// More than are read at once, exactly as many, and more than twice as many.
	test.each([250, 251, 501])(
		'a conversation of %d lines in two languages is shown and exported whole',
		async (lines) => {
			const said = Array.from({ length: lines }, (_, n): [string, string] => [`line ${n}.`, `línea ${n}.`]);
			const id = await keep(...said);
			const shown = (await run(['show', id, '--json'])).json().captions;
			expect(shown.map(({ text }: { text: string }) => text)).toEqual(said.flat());
			expect((await run(['export', id, '--aligned'])).out).toBe(
				said.map((pair) => `${pair.join('\t')}\n`).join(''),
			);
		},
	);

	test('a short name that two conversations begin with is none', async () => {
		// An id begins with one of 16 digits.
		const starts = new Set<string>();
		let start = '';
		do {
			starts.add(start);
			start = (await keep(['Hello', 'Hola'])).slice(0, 1);
		} while (!starts.has(start));
		const shown = await run(['show', start, '--json']);
		expect(shown.json().error).toMatchObject({ kind: 'not-found', code: 4 });
		expect(shown.json().error.message).toContain('single conversation that begins with');
	});

	test('more than five hundred conversations are listed and searched, each once', {
		timeout: 30_000,
	}, async () => {
		const history = createHistory({ folder, clock: createManualClock(), log: silentLogger, choice });
		const kept: string[] = [];
		for (let n = 0; n < 501; n += 1) {
			const id = await begin(history);
			await history.answers['history.append']({ id, captions: captionsOf([`talk ${n}`, `charla ${n}`]) });
			await history.answers['history.end']({ id });
			kept.push(id);
		}
		history.close();
		for (const more of [[], ['--search', 'charla']]) {
			const { conversations } = (await run(['list', '--json', ...more])).json();
			const ids = conversations.map((one: { id: string }) => one.id);
			expect(ids.toSorted()).toEqual(kept.toSorted());
		}
	});

	test.skipIf(process.platform === 'win32')('every command closes the database', async () => {
		const id = await keep(['Hello', 'Hola']);
		for (const line of [
			['list'],
			['show', id],
			['show', 'nobody'],
			['export', id],
			['delete', id, '--yes'],
		]) {
			await run(line);
			// Whoever closes it last removes them.
			expect([line, readdirSync(folder).filter((name) => /-(wal|shm)$/.test(name))]).toEqual([line, []]);
		}
	});

	test('a language is found by its regional name, both sides of a conversation by that of any region', async () => {
		const id = await keep(['Good morning.', 'Bom dia.'], ['Ônibus', 'Bus']);
		const database = new DatabaseSync(join(folder, 'history.sqlite'));
		const exported = async (language: string) => (await run(['export', id, '--language', language])).out;
		database.exec("UPDATE caption SET language = 'pt-br' WHERE language = 'es'");
		expect([await exported('pt-BR'), await exported('pt-PT')]).toEqual(['Bom dia.\nBus\n', '']);
		database.exec("UPDATE caption SET language = 'pt-pt' WHERE text = 'Ônibus'");
		database.exec("UPDATE caption SET language = 'en-us' WHERE text = 'Bus'");
		database.close();
		for (const code of ['pt', 'pt-BR']) expect(await exported(code)).toBe('Bom dia.\nÔnibus\n');
		expect(await exported('en-GB')).toBe('Good morning.\nBus\n');
	});

	test('export to a file by its ending, to standard output, in one language or beside what was said', async () => {
		const id = await keep(['Good morning.', 'Buenos días.']);
		const out = join(folder, 'talk.srt');
		expect(await run(['export', id, '--out', out])).toMatchObject({ status: 0, out: `Written: ${out}\n` });
		expect((await run(['export', id, '--out', out, '--json'])).json()).toEqual({ id, written: out });
		expect(readFileSync(out, 'utf8')).toBe('1\n00:00:00,000 --> 00:00:01,500\nBuenos días.\n');
		expect((await run(['export', id])).out).toBe('Buenos días.\n');
		expect((await run(['export', id, '--language', 'EN'])).out).toBe('Good morning.\n');
		expect((await run(['export', id, '--aligned'])).out).toBe('Good morning.\tBuenos días.\n');
		expect((await run(['export', id, '--format', 'md'])).out).toContain('| 00:00:00 | Buenos días. |');
		expect((await run(['export', id, '--json'])).json()).toMatchObject([
			{ kind: 'source' },
			{ text: 'Buenos días.' },
		]);
		expect((await run(['export', id, '--language', 'fr'])).status).toBe(4);
		const nowhere = join(folder, 'talk.srt', 'x.srt');
		expect((await run(['export', id, '--out', nowhere])).status).toBe(1);
	});

	test('minutes in two languages mark numbers that are not the same in both', async () => {
		const id = await keep(['It costs 15 euros.', 'Cuesta 50 euros.'], ['On 4 May.', 'El 4 de mayo.']);
		const page = await run(['export', id, '--format', 'md', '--aligned']);
		expect(page.out).toContain('| It costs **⚠ 15 euros**. | Cuesta **⚠ 50 euros**. |');
		expect(page.out).toContain('| On 4 May. | El 4 de mayo. |');
		expect(page.out).toContain('⚠ Marked: not the same in both languages');
		const html = (await run(['export', id, '--format', 'html', '--aligned'])).out;
		expect(html).toContain('>Cuesta <mark>50 euros</mark>.</td>');
	});

	test('minutes as a document and as a page: every language, corrected, what is not finished marked', async () => {
		const id = await keep(['Anna came.', 'Vino Anna.'], ['Good', '']);
		const database = new DatabaseSync(join(folder, 'history.sqlite'));
		database.exec("UPDATE caption SET final = 0 WHERE text = 'Good'");
		database.close();
		const corrections = [{ language: 'es', wrong: 'Anna', right: 'Ana' }];
		writeFileSync(join(folder, 'settings.json'), JSON.stringify({ corrections }));
		const out = join(folder, 'talk.docx');
		expect(await run(['export', id, '--out', out, '--all'])).toMatchObject({ status: 0 });
		const xml = unzipSync(readFileSync(out))['word/document.xml'];
		const document = new TextDecoder().decode(xml);
		for (const text of ['Anna came.', 'Vino Ana.', 'Good [cut off]', '—']) expect(document).toContain(text);
		const { out: html } = await run(['export', id, '--format', 'html', '--all']);
		expect(html).toContain('Vino Ana.');
		expect(html).toContain('Good [cut off]</td>');
		expect((await run(['export', id, '--all'])).out).toBe('Anna came.\tVino Ana.\n');
		expect(await run(['export', id, '--format', 'docx'])).toMatchObject({
			status: 2,
			error: expect.stringContaining('--format docx needs --out FILE.'),
		});
	});

	test('delete asks where somebody can answer, and wants --yes where nobody can', async () => {
		const id = await keep(['Secret plan', 'Plan secreto']);
		expect((await run(['delete', id])).status).toBe(2);
		expect((await run(['delete', id], { confirm: async () => false })).status).toBe(1);
		const declined = await run(['delete', id, '--json'], { confirm: async () => false });
		expect(declined.json().error).toMatchObject({ kind: 'declined', code: 1 });
		const interrupted = new AbortController();
		const pressCtrlC = async () => {
			interrupted.abort();
			return false;
		};
		expect(await run(['delete', id], { signal: interrupted.signal, confirm: pressCtrlC })).toMatchObject({
			status: 130,
			error: 'Cancelled.\n',
		});
		let asked = '';
		const confirm = async (question: string) => {
			asked = question;
			return true;
		};
		expect(await run(['delete', id], { confirm })).toMatchObject({
			status: 0,
			out: 'The conversation is deleted.\n',
		});
		expect(asked).toContain('Secret plan');
		for (const one of readdirSync(folder, { withFileTypes: true }))
			if (one.isFile()) expect(readFileSync(join(folder, one.name)).includes('Secret')).toBe(false);
		await keep(['One', 'Uno']);
		await keep(['Two', 'Dos']);
		expect((await run(['delete', '--all', '--yes', '--json'])).json().deleted).toHaveLength(2);
		expect((await run(['list', '--json'])).json()).toEqual({ conversations: [] });
	});

	test('a conversation that may be going on in the app is kept; after a crash it is deleted like any other', async () => {
		const kept = await keep(['One', 'Uno']);
		const ledger = createLedgerFile({ folder, clock: createSystemClock(), log: silentLogger });
		let signedIn: Promise<unknown> = Promise.resolve();
		const signIn = () => {
			signedIn = ledger.read();
		};
		const app = createHistory({ folder, clock: createManualClock(), log: silentLogger, choice, signIn });
		const id = await begin(app);
		await signedIn;
		const append = (text: string) =>
			app.answers['history.append']({ id, captions: captionsOf([text, text]) });
		await append('Two');

		const one = await run(['delete', id, '--yes']);
		expect(one).toMatchObject({ status: 1, out: '' });
		expect(one.error).toMatch(
			/^This conversation has not ended, and the app or another command is running: /,
		);
		const refused = (await run(['delete', id, '--yes', '--json'])).json().error;
		expect(refused).toMatchObject({ kind: 'conversation-running', code: 1 });
		const all = await run(['delete', '--all', '--yes', '--json']);
		expect(all.json()).toEqual({ deleted: [kept], kept: [id] });
		expect(all).toMatchObject({
			status: 0,
			error: 'Not ended, and kept because the app or another command is running: 1.\n',
		});
		// The app finds its conversation, and goes on with it.
		expect(await append('Three')).toMatchObject({ ok: true });

		app.close();
		ledger.close();
		// What a program that was killed leaves.
		writeFileSync(join(folder, 'ledger.owners', 'killed'), '');
		expect((await run(['list', '--json'])).json().conversations).toMatchObject([{ id, state: 'not ended' }]);
		const after = await run(['delete', '--all', '--yes', '--json']);
		expect(after.json()).toEqual({ deleted: [id], kept: [] });
		expect(after.error).toBe('');
	});

	test.each([
		[[]],
		[['forget']],
		[['show']],
		[['list', 'x']],
		[['list', '--yes']],
		[['delete', '--all', 'x']],
		[['export', 'x', '--format', 'doc']],
		[['show', 'x', '--what']],
	])('%j cannot be meant', async (line) => {
		expect(await run(line)).toMatchObject({ status: 2, out: '' });
	});

	test('a broken file stays where it is while the app may have it open', async () => {
		const id = await keep(
			...Array.from({ length: 200 }, (_, n): [string, string] => [`one ${n} ${'x'.repeat(200)}`, 'uno']),
		);
		const app = createLedgerFile({ folder, clock: createSystemClock(), log: silentLogger });
		await app.read();
		const path = join(folder, 'history.sqlite');
		const bytes = readFileSync(path);
		bytes.fill(0x5a, 4096 * 10, 4096 * 12);
		writeFileSync(path, bytes);
		expect((await run(['show', id])).status).toBe(1);
		expect(readdirSync(folder).filter((name) => name.includes('broken'))).toEqual([]);
		app.close();
		expect((await run(['list'])).error).toContain('history.sqlite.broken-');
	});

	test('a broken file is set aside, and that is said', async () => {
		writeFileSync(join(folder, 'history.sqlite'), 'x'.repeat(5000));
		const listed = await run(['list']);
		expect(listed).toMatchObject({ status: 0, out: 'No conversations yet.\n' });
		expect(listed.error).toContain('history.sqlite.broken-');
	});
});
