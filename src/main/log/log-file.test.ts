import {
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogLevel } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createLogFile } from './log-file.ts';

let folder = '';
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function log(level: LogLevel = 'info', where = folder) {
	return createLogFile({
		folder: where,
		clock: createManualClock(),
		level: () => level,
		secrets: () => ['hunter22'],
	});
}

const text = () => readFileSync(join(folder, 'dragoman.log'), 'utf8');

test('no secret gets into the file: known values, bearers, tokens, secret parts of addresses', () => {
	log().info('a', {
		one: 'hunter22',
		two: 'Bearer abc.def',
		three: 'eyJhbGciOi.eyJzdWIi.sig',
		four: 'https://x.example/?token=abcd&page=2',
	});
	expect(text()).not.toMatch(/hunter22|abc\.def|eyJ|abcd/);
	expect(text()).toContain('page=2');
});

test.skipIf(process.platform === 'win32')('nothing is written through a link in its place', () => {
	const elsewhere = join(folder, 'elsewhere');
	writeFileSync(elsewhere, '');
	symlinkSync(elsewhere, join(folder, 'dragoman.log'));
	log().info('a');
	expect(readFileSync(elsewhere, 'utf8')).toBe('');
});

test('lines below the level in force are left out; each line is one JSON object with its time', () => {
	const warn = log('warn');
	warn.info('quiet');
	warn.warn('loud', { n: 1 });
	expect(JSON.parse(text())).toMatchObject({ level: 'warn', message: 'loud', n: 1 });
	expect(JSON.parse(text()).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('no fact takes the place of the line’s own time, level and message', () => {
	log().info('true', { time: '1970-01-01T00:00:00.000Z', level: 'error', message: 'forged', n: 1 });
	const line = JSON.parse(text());
	expect(line).toMatchObject({ level: 'info', message: 'true', level_: 'error', message_: 'forged', n: 1 });
	expect(line.time).not.toMatch(/^1970/);
});

test.each([4000, 4001, 42_000_000])('a text of %d characters: 4000 are kept', (length) => {
	log().info('m'.repeat(length), { why: 'w'.repeat(length) });
	const kept = (one: string) => one.repeat(4000) + (length > 4000 ? '…' : '');
	expect(JSON.parse(text())).toMatchObject({ message: kept('m'), why: kept('w') });
});

test('a secret that the cut goes through leaves no part of it', () => {
	for (const before of [3990, 3993, 3999])
		log().info('cut', { why: `${'w'.repeat(before)}hunter22${'x'.repeat(5000)}` });
	log().info('cut', { why: `${'hunter22'.repeat(499)}12345hunter22${'x'.repeat(5000)}` });
	expect(text()).not.toMatch(/hunt|unter|ter22/);
});

/** Facts that make a line of 100 kB. */
const big = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`part${n}`, 'x'.repeat(4000)]));

test('the log never takes more than five files of about a megabyte', () => {
	const full = log();
	for (let count = 0; count < 80; count++) full.info('big', big);
	const files = readdirSync(folder);
	expect(files).toHaveLength(5);
	for (const file of files) expect(statSync(join(folder, file)).size).toBeLessThan(1_300_000);
});

test('a folder that cannot be written costs the log and nothing else', () => {
	const blocked = join(folder, 'file');
	writeFileSync(blocked, '');
	const silent = log('info', join(blocked, 'logs'));
	expect(() => silent.error('lost')).not.toThrow();
	expect(silent.tail(10)).toBe('');
});

const messages = (lines: string) => lines.split('\n').map((line) => JSON.parse(line).message);

test('the tail is the last lines only', () => {
	const some = log();
	for (const word of ['one', 'two', 'three']) some.info(word);
	expect(messages(some.tail(2))).toEqual(['two', 'three']);
});

test('the tail reaches back into the file before, where the newest has just been begun', () => {
	const some = log();
	while (readdirSync(folder).length < 2) some.info('big', big);
	some.info('last');
	expect(messages(some.tail(5))).toEqual(['big', 'big', 'big', 'big', 'last']);
	expect(messages(some.tail(1))).toEqual(['last']);
});
