import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { createHistory } from '#main/history/history.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { tryHistory } from '#test/crash/history-trial.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createRandom } from '#test/support/random.ts';

const scratch = mkdtempSync(join(tmpdir(), 'dragoman-history-crash-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function reopen(folder: string) {
	const choice = () => ({ history: 'erase' as const, historyDays: 30 });
	return createHistory({ folder, clock: createManualClock(Date.now()), log: silentLogger, choice });
}

test('killed at any moment, everything acknowledged is there after the next start, word for word, and is offered', {
	timeout: 120_000,
}, async () => {
	const seed = Number(process.env.DRAGOMAN_TEST_SEED ?? Date.now() % 2 ** 31);
	const random = createRandom(seed);
	const kills = Array.from({ length: 8 }, () => ({ afterMs: Math.floor(random() * 80), cut: random() }));
	const found = await tryHistory(kills, { seed, compileCache: join(scratch, 'compiled') });
	expect(found, `seed ${seed}`).toMatchObject({ failures: [], killed: 8, repaired: 8 });
	expect(found.finals).toBeGreaterThan(0);
});

test('what a killed program has kept can be found', async () => {
	const folder = mkdtempSync(join(scratch, 'found-'));
	const child = spawn(process.execPath, ['test/support/history-child.ts', folder, '1'], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	for await (const line of createInterface({ input: child.stdout }))
		if (line.includes('kept')) child.kill('SIGKILL');
	const { answers, close } = reopen(folder);
	const found = await answers['history.search']({ query: 'caption 0', after: null, limit: 5 });
	expect(found).toMatchObject({ ok: true, value: { hits: [{ row: { state: 'cut-off' } }] } });
	close();
});

test('with the end of the log cut off at any byte, as by a power failure, a beginning of what was said is there and nothing is broken', async () => {
	const folder = mkdtempSync(join(scratch, 'torn-'));
	const history = reopen(folder);
	const begun = await history.answers['history.begin']({ mode: 'solo', agoMs: 0 });
	if (!begun.ok) throw new Error(begun.error.kind);
	const { id } = begun.value;
	for (let n = 0; n < 60; n++) {
		const place = { row: `t${n}`, part: '0', kind: 'source', language: 'en', startMs: n, endMs: n, mark: '' };
		const captions = [{ key: `k${n}`, ...place, text: `caption ${n}`, final: true }];
		await history.answers['history.append']({ id, captions });
	}
	const length = statSync(join(folder, 'history.sqlite-wal')).size;
	for (let cut = 1; cut <= 15; cut++) {
		const copy = mkdtempSync(join(scratch, 'cut-'));
		for (const name of ['history.sqlite', 'history.sqlite-wal'])
			copyFileSync(join(folder, name), join(copy, name));
		truncateSync(join(copy, 'history.sqlite-wal'), Math.floor((length * cut) / 15) - ((cut * 97) % 4000));
		const torn = reopen(copy);
		const state = await torn.answers['history.state'](undefined);
		expect(state).toMatchObject({ ok: true, value: { problem: null } });
		const read = await torn.answers['history.read']({ id, after: null, limit: 100 });
		const texts = read.ok ? read.value.captions.map(({ text }) => text) : [];
		expect(texts).toEqual(texts.map((_, n) => `caption ${n}`));
		if (cut === 15) expect(texts.length).toBeGreaterThan(50);
		torn.close();
	}
	history.close();
});

test('two programs on one file: what each keeps is there', async () => {
	const folder = mkdtempSync(join(scratch, 'two-'));
	const [one, two] = [reopen(folder), reopen(folder)];
	const ids: string[] = [];
	for (const { answers } of [one, two]) {
		const begun = await answers['history.begin']({ mode: 'solo', agoMs: 0 });
		if (!begun.ok) throw new Error(begun.error.kind);
		ids.push(begun.value.id);
	}
	for (let n = 0; n < 50; n++) {
		for (const [index, { answers }] of [one, two].entries()) {
			const place = {
				row: `t${n}`,
				part: '0',
				kind: 'source',
				language: 'en',
				startMs: n,
				endMs: n,
				mark: '',
			};
			const captions = [{ key: `k${n}`, ...place, text: `${n}`, final: true }];
			expect(await answers['history.append']({ id: ids[index] ?? '', captions })).toMatchObject({ ok: true });
		}
	}
	for (const id of ids) {
		const read = await one.answers['history.read']({ id, after: null, limit: 100 });
		expect(read).toMatchObject({ ok: true, value: { row: { lines: 50 } } });
	}
	one.close();
	two.close();
});
