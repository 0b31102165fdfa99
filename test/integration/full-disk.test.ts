import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createHistory } from '#main/history/history.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { nobodyThere } from '#test/support/nobody-there.ts';
import { notRun } from '#test/support/not-run.ts';
import { newFolder, writeSample } from '#test/support/voices.ts';

const scratch = mkdtempSync(join(tmpdir(), 'dragoman-full-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs a command with a small file system that only it sees and that disappears with it. Prints at its end what is there. */
function onSmallDisk(options: string, command: readonly string[]) {
	const script = `mount -t tmpfs -o mode=700,${options} tmpfs "$0" && "$@"; s=$?; find "$0" -mindepth 1; exit $s`;
	return spawnSync(
		'unshare',
		['--user', '--map-root-user', '--mount', 'sh', '-c', script, scratch, ...command],
		{
			encoding: 'utf8',
		},
	);
}

const probe = onSmallDisk('size=4m', ['true']);
const missing =
	probe.status === 0 ? '' : `no file system of its own here: ${probe.error ?? probe.stderr.trim()}`;
const isMissing = missing !== '' && notRun('what happens on a full disk', missing);

test.skipIf(isMissing).each([
	['read-only', 'size=4m,ro', 'EROFS', 'The folder is read-only for you: name another one.'],
	['full', 'size=4k', 'ENOSPC', 'The disk is full: make room.'],
])(
	'on a disk that is %s a command names the file and the next step, and leaves nothing half written',
	{ timeout: 60_000 },
	async (_, disk, code, step) => {
		const folder = newFolder();
		onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
		const [id, gone] = [await keepTalk(folder), await nobodyThere()];
		const srt = join(scratch, 'new', 'talk.srt');
		const clone = [
			'voices',
			'clone',
			writeSample(folder),
			'--name',
			'Ana',
			'--lang',
			'es',
			'--i-have-consent',
		];
		const cases = [
			[srt, ['history', 'export', id, '--out', srt, '--user-data-dir', folder], []],
			// Whole: the list, which is empty, and what shows others that somebody uses it.
			[join(scratch, 'voices.json'), [...clone, '--user-data-dir', scratch], ['.json', '.lock', '.owners']],
		] as const;
		for (const [path, words, whole] of cases) {
			const ran = onSmallDisk(disk, [
				...['env', `DRAGOMAN_API_URL=${gone}`, 'DRAGOMAN_API_KEY=a-key'],
				...[process.execPath, 'src/main/cli/index.ts', ...words],
			]);
			expect(ran).toMatchObject({
				status: 1,
				stderr: expect.stringContaining(`${step} (${path} (${code}))\n`),
			});
			const left = code === 'EROFS' ? [] : whole.map((ending) => join(scratch, `voices${ending}`));
			expect(ran.stdout.split('\n').filter(Boolean).toSorted()).toEqual(left);
		}
	},
);

test.skipIf(isMissing)(
	'the history in a folder that is read-only is listed, searched, shown and exported, whether its log was closed or not',
	{ timeout: 60_000 },
	async () => {
		const folder = newFolder();
		onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
		const script =
			'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && ! touch "$0/new" 2>/dev/null && exec "$@"';
		function history(...words: readonly string[]) {
			const command = [
				process.execPath,
				'src/main/cli/index.ts',
				'history',
				...words,
				'--user-data-dir',
				folder,
			];
			return spawnSync(
				'unshare',
				['--user', '--map-root-user', '--mount', 'sh', '-c', script, folder, ...command],
				{ encoding: 'utf8' },
			);
		}
		const id = await keepTalk(folder);
		const held = new DatabaseSync(join(folder, 'history.sqlite'));
		onTestFinished(() => held.close());
		for (const title of ['', 'Lunch']) {
			if (title !== '') held.prepare('UPDATE conversation SET title = ?').run(title);
			const before = readdirSync(folder).toSorted();
			expect(before.includes('history.sqlite-wal')).toBe(title !== '');
			const all = [
				['list', '--search', 'word'],
				['show', id],
				['export', id],
			];
			for (const words of title === '' ? all : [['list']]) {
				const ran = history(...words);
				expect(ran).toMatchObject({ status: 0, stderr: '' });
				expect(ran.stdout).toContain(title || 'word word');
			}
			expect(readdirSync(folder).toSorted()).toEqual(before);
		}
		expect(history('delete', id, '--yes')).toMatchObject({
			status: 1,
			stderr: expect.stringContaining('history.sqlite'),
		});
	},
);

/** Longer than the small disk, in the history of `folder`. */
async function keepTalk(folder: string): Promise<string> {
	const choice = () => ({ history: 'keep' as const, historyDays: 30 });
	const history = createHistory({ folder, clock: createSystemClock(), log: silentLogger, choice });
	const begun = await history.answers['history.begin']({ mode: 'solo', agoMs: 0 });
	if (!begun.ok) throw new Error(begun.error.kind);
	const { id } = begun.value;
	const place = { key: 's', row: 'r', part: '0', startMs: 0, endMs: 1, final: true, mark: '' };
	const caption = { ...place, kind: 'source' as const, language: 'en', text: 'word '.repeat(2000) };
	await history.answers['history.append']({ id, captions: [caption] });
	await history.answers['history.end']({ id });
	history.close();
	return id;
}

test.skipIf(isMissing)(
	'on a full disk nothing is cut short, each says so, and all goes on when there is room again',
	() => {
		const ran = onSmallDisk('size=4m', [process.execPath, 'test/support/full-disk-child.ts', scratch]);
		expect(ran.stderr).toBe('');
		const { before, full, onDisk, after, told, kept, ledger, problem } = JSON.parse(
			ran.stdout.split('\n')[0] ?? '',
		);
		const fine = { history: null, historyState: null, ledger: null, settings: null };
		const failed = 'storage-failed';
		expect(before).toMatchObject(fine);
		expect(full).toMatchObject({ history: failed, historyState: failed, ledger: failed, settings: failed });
		expect(full.why).toMatch(/history\.sqlite \(database or disk is full\)$/);
		// The setting is in force all the same, in memory.
		expect(full.captionSize).toBe(22);
		expect(onDisk).toMatchObject({ ledger: 1, settings: 21, backup: 20, names: [] });
		expect(told).toEqual([{ type: 'failed', problem: { kind: failed, what: 'talk.wav' } }]);
		// What was recorded before can be played, and the header claims no more than the file holds.
		expect(onDisk.soundSays).toBeGreaterThanOrEqual(2000 * 4);
		expect(onDisk.soundSays).toBeLessThanOrEqual(onDisk.soundHas);
		expect(after).toMatchObject({ ...fine, captionSize: 23 });
		expect(kept).toEqual(['k1', 'k3']);
		expect({ ledger, problem }).toEqual({ ledger: 2, problem: null });
	},
);
