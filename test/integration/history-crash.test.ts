import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { createHistory } from '#main/history/history.ts';
import { wordsOf } from '#shared/history/fold.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

const scratch = mkdtempSync(join(tmpdir(), 'dragoman-history-crash-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Life {
	readonly id: string;
	/** Acknowledged, by key: every text that was handed over under it, in order. */
	readonly told: ReadonlyMap<string, readonly HistoryCaption[]>;
}

/** Runs the program until so many batches are acknowledged, and kills it then, wherever it is. */
async function live(folder: string, seed: number, batches: number): Promise<Life> {
	const env = { ...process.env, NODE_COMPILE_CACHE: join(scratch, 'compiled') };
	const child = spawn(process.execPath, ['test/support/history-child.ts', folder, String(seed)], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env,
	});
	const told = new Map<string, HistoryCaption[]>();
	let id = '';
	let count = 0;
	for await (const line of createInterface({ input: child.stdout })) {
		// What was still in the pipe when it died is acknowledged too; half a line is not.
		if (!line.endsWith('}')) continue;
		const said = JSON.parse(line) as { id?: string; captions?: HistoryCaption[] };
		id = said.id ?? id;
		for (const one of said.captions ?? []) told.set(one.key, [...(told.get(one.key) ?? []), one]);
		if (said.captions && ++count === batches) child.kill('SIGKILL');
	}
	return { id, told };
}

function reopen(folder: string) {
	const choice = () => ({ history: 'erase' as const, historyDays: 30 });
	return createHistory({ folder, clock: createManualClock(Date.now()), log: silentLogger, choice });
}

test('killed at any moment, everything acknowledged is there after the next start, can be found, and is offered', {
	timeout: 120_000,
}, async () => {
	for (let seed = 1; seed <= 12; seed++) {
		const folder = mkdtempSync(join(scratch, 'kill-'));
		const { id, told } = await live(folder, seed, 1 + ((seed * 37) % 150));
		const { answers, close } = reopen(folder);
		const state = await answers['history.state'](undefined);
		expect(state).toMatchObject({ ok: true, value: { offer: { id, state: 'cut-off' }, problem: null } });
		const kept = new Map<string, HistoryCaption>();
		for (let after: string | null = null, more = true; more; ) {
			const page = await answers['history.read']({ id, after, limit: 500 });
			if (!page.ok) throw new Error(page.error.kind);
			for (const one of page.value.captions) kept.set(one.key, one);
			after = page.value.next;
			more = after !== null;
		}
		for (const [key, versions] of told) {
			const last = kept.get(key);
			// One batch more may have been written than was said; a final is never replaced by what is not.
			const wasFinal = versions.some(({ final }) => final);
			expect(last, key).toBeDefined();
			if (wasFinal) expect(last?.final).toBe(true);
		}
		const [word = ''] = wordsOf(`caption ${[...told.keys()].length - 1} `).slice(1);
		const found = await answers['history.search']({ query: `caption ${word}`, after: null, limit: 5 });
		expect(found).toMatchObject({ ok: true, value: { hits: [{ row: { id } }] } });
		close();
		expect(readdirSync(folder).filter((name) => name.includes('broken'))).toEqual([]);
	}
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
		expect(read).toMatchObject({ ok: true, value: { row: { captions: 50 } } });
	}
	one.close();
	two.close();
});
