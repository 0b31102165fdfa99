import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStartRecord } from './safe-mode.ts';

let folder = '';
let nowMs = 0;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-starts-'));
	nowMs = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => openStartRecord(folder, () => nowMs);

test('one start that came to nothing offers nothing, two in a row do, also after the program was killed', () => {
	open().begin();
	expect(open().shouldOffer()).toBe(false);
	open().begin();
	expect(open().shouldOffer()).toBe(true);
});

test('a page that could be used clears it, and leaves no file', () => {
	open().begin();
	open().begin();
	const third = open();
	third.begin();
	third.usable();
	expect([third.shouldOffer(), open().shouldOffer(), readdirSync(folder)]).toEqual([false, false, []]);
});

test('a page that dies twice at its start counts twice within one program', () => {
	const starts = open();
	starts.begin();
	starts.troubled();
	expect(starts.shouldOffer()).toBe(false);
	starts.begin();
	starts.troubled();
	expect(starts.shouldOffer()).toBe(true);
});

test('a page that is loaded again by hand, before it was usable, is one start', () => {
	const starts = open();
	starts.begin();
	starts.begin();
	starts.begin();
	expect(open().shouldOffer()).toBe(false);
});

test.each([
	['left at once', 9999, false, false],
	['left after waiting for it in vain', 10_000, false, true],
	['left when it had died', 0, true, true],
])('%s: %i ms', (_, waitedMs, died, offered) => {
	open().begin();
	const starts = open();
	starts.begin();
	if (died) starts.troubled();
	nowMs += waitedMs;
	starts.leave();
	expect(open().shouldOffer()).toBe(offered);
});

test('a page that dies too often while in use is offered safe mode at the next start', () => {
	const starts = open();
	starts.begin();
	starts.usable();
	starts.troubled();
	starts.givenUp();
	expect(open().shouldOffer()).toBe(true);
});

test.each(['', '{', 'null', '{"failed":-3}', '{"failed":"2"}', '{"failed":1e9}', '[]'])(
	'whatever stands in the file, it is read: %s',
	(text) => {
		writeFileSync(join(folder, 'start.json'), text);
		expect(open().shouldOffer()).toBe(text.includes('1e9'));
	},
);

test('a folder that cannot be written does not stop a start', () => {
	const starts = openStartRecord(join(folder, 'file'), () => nowMs);
	writeFileSync(join(folder, 'file'), '');
	starts.begin();
	starts.troubled();
	starts.begin();
	expect(starts.shouldOffer()).toBe(true);
});
