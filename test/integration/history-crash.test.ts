import { copyFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createHistory, type History } from '#main/history/history.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

const scratch = mkdtempSync(join(tmpdir(), 'dragoman-history-crash-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function reopen(folder: string) {
	const choice = () => ({ history: 'erase' as const, historyDays: 30 });
	return createHistory({ folder, clock: createManualClock(Date.now()), log: silentLogger, choice });
}

/** Caption `n`, as the window hands it over. */
const caption = (n: number): HistoryCaption => {
	const place = { row: `t${n}`, part: '0', kind: 'source', language: 'en', mark: '' };
	return { key: `k${n}`, ...place, text: `caption ${n}`, startMs: n, endMs: n, final: true };
};

async function begin({ answers }: History): Promise<string> {
	const begun = await answers['history.begin']({ mode: 'solo', agoMs: 0 });
	if (!begun.ok) throw new Error(begun.error.kind);
	return begun.value.id;
}

test('with the end of the log cut off at any byte, as by a power failure, a beginning of what was said is there and nothing is broken', async () => {
	const folder = mkdtempSync(join(scratch, 'torn-'));
	const history = reopen(folder);
	const id = await begin(history);
	for (let n = 0; n < 60; n++) await history.answers['history.append']({ id, captions: [caption(n)] });
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
	const ids = [await begin(one), await begin(two)];
	for (let n = 0; n < 50; n++)
		for (const [index, { answers }] of [one, two].entries())
			expect(await answers['history.append']({ id: ids[index] ?? '', captions: [caption(n)] })).toMatchObject(
				{ ok: true },
			);
	for (const id of ids) {
		const read = await one.answers['history.read']({ id, after: null, limit: 100 });
		expect(read).toMatchObject({ ok: true, value: { row: { lines: 50 } } });
	}
	one.close();
	two.close();
});
