import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notRun } from '#test/support/not-run.ts';
import { deviceName, ownerOf, readProcesses } from './virtual-microphone.ts';

/** A /proc of the test's own. */
let proc = '';
beforeEach(() => {
	proc = mkdtempSync(join(tmpdir(), 'proc-'));
	mkdirSync(join(proc, 'sys/kernel/random'), { recursive: true });
	writeFileSync(join(proc, 'sys/kernel/random/boot_id'), 'b00t\n');
	mkdirSync(join(proc, 'self/ns'), { recursive: true });
	symlinkSync('pid:[4026531836]', join(proc, 'self/ns/pid'));
	run(100, '555');
});
afterEach(() => rmSync(proc, { recursive: true, force: true }));

function run(pid: number, start: string, name = 'dragoman'): void {
	mkdirSync(join(proc, String(pid)), { recursive: true });
	// proc_pid_stat(5): pid (comm) state ppid … starttime is the 22nd.
	const before = Array.from({ length: 18 }, (_, at) => String(at + 4));
	writeFileSync(join(proc, String(pid), 'stat'), `${pid} (${name}) S ${before.join(' ')} ${start} 0 0\n`);
}

describe('an owner', () => {
	test('is gone when its process is, or when its number was given to another', () => {
		const here = readProcesses(proc, 100);
		if (!here) throw new Error('the pretended /proc was not read');
		run(200, '777');
		const other = { ...here.self, pid: 200, start: '777' };
		expect(here.isGone(here.self)).toBe(false);
		expect(here.isGone(other)).toBe(false);
		run(200, '888');
		expect(here.isGone(other)).toBe(true);
		rmSync(join(proc, '200'), { recursive: true });
		expect(here.isGone(other)).toBe(true);
	});

	test('in another container, or on another computer, is never said to be gone', () => {
		const here = readProcesses(proc, 100);
		if (!here) throw new Error('the pretended /proc was not read');
		expect(here.isGone({ place: 'ffffffff', pid: 99_999, start: '1' })).toBe(false);
		rmSync(join(proc, 'self/ns/pid'));
		symlinkSync('pid:[1]', join(proc, 'self/ns/pid'));
		expect(readProcesses(proc, 100)?.self.place).not.toBe(here.self.place);
	});

	test('whose /proc cannot be read in full is not said to be gone', () => {
		const here = readProcesses(proc, 100);
		if (!here) throw new Error('the pretended /proc was not read');
		mkdirSync(join(proc, '300'));
		writeFileSync(join(proc, '300', 'stat'), 'half a line');
		expect(here.isGone({ ...here.self, pid: 300 })).toBe(false);
		expect(readProcesses(join(proc, 'nothing'), 100)).toBeNull();
	});

	test.each(['a b', 'x) S 1 2 3', '((', ''])('with the name "%s" is read all the same', (name) => {
		run(100, '4242', name);
		expect(readProcesses(proc, 100)?.self.start).toBe('4242');
	});

	test.skipIf(process.platform !== 'linux' && notRun('processes of this computer', 'there is no /proc'))(
		'is told by this computer, too',
		async () => {
			const child = spawn('sleep', ['60']);
			await once(child, 'spawn');
			const its = readProcesses('/proc', child.pid);
			const here = readProcesses();
			if (!its || !here) throw new Error('/proc was not read');
			expect(here.isGone(its.self)).toBe(false);
			child.kill('SIGKILL');
			await once(child, 'exit');
			expect(here.isGone(its.self)).toBe(true);
		},
	);
});

describe('the name of a device', () => {
	const owner = { place: '0a1b2c3d', pid: 12, start: '34' };

	test.each([
		[`sink_name=${deviceName(owner, 'voice')} rate=48000`, { owner, part: 'voice' }],
		[
			`source_name=${deviceName(owner, 'microphone')} master=${deviceName(owner, 'voice')}.monitor`,
			{ owner, part: 'microphone' },
		],
		// pipewire-pulse gives arguments back in braces and quotes.
		[`{ sink_name="${deviceName(owner, 'voice')}" }`, { owner, part: 'voice' }],
	])('tells whose it is in %s', (args, whose) => {
		expect(ownerOf(args)).toEqual(whose);
	});

	test.each([
		'sink_name=speakers',
		'',
		'master=dragoman.0a1b2c3d.12.34.voice.monitor',
		'sink_name=dragoman.0a1b2c3d.12.voice',
		'xsink_name=dragoman.0a1b2c3d.12.34.voice',
	])('is nobody of ours in "%s"', (args) => {
		expect(ownerOf(args)).toBeNull();
	});
});
