import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { notRun } from '#test/support/not-run.ts';

const scratch = mkdtempSync(join(tmpdir(), 'dragoman-full-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs a command with a file system of four megabytes that only it sees and that disappears with it. */
function onSmallDisk(command: readonly string[]) {
	const script = 'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"';
	return spawnSync(
		'unshare',
		['--user', '--map-root-user', '--mount', 'sh', '-c', script, scratch, ...command],
		{
			encoding: 'utf8',
		},
	);
}

const probe = onSmallDisk(['true']);
const missing =
	probe.status === 0 ? '' : `no file system of its own here: ${probe.error ?? probe.stderr.trim()}`;

test.skipIf(missing !== '' && notRun('what happens on a full disk', missing))(
	'on a full disk nothing is cut short, each says so, and all goes on when there is room again',
	() => {
		const ran = onSmallDisk([process.execPath, 'test/support/full-disk-child.ts', scratch]);
		expect(ran.stderr).toBe('');
		const { before, full, onDisk, after, told, kept, ledger, problem } = JSON.parse(ran.stdout);
		const fine = { history: null, historyState: null, ledger: null, settings: null };
		const failed = 'storage-failed';
		expect(before).toMatchObject(fine);
		expect(full).toMatchObject({ history: failed, historyState: failed, ledger: failed, settings: failed });
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
