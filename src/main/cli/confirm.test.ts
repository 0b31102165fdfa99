import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createConfirm } from './confirm.ts';

function rig({ isTTY = false } = {}) {
	const input = new PassThrough();
	const output = Object.assign(new PassThrough(), { isTTY });
	const over = new AbortController();
	const interrupt = () => over.abort();
	const confirm = createConfirm({ input, output, signal: over.signal, interrupt });
	return { input, output, over, confirm };
}

test.each([
	['y', true],
	[' YES ', true],
	['n', false],
	['', false],
	['yesterday', false],
] as const)('the answer "%s" is %s', async (typed, meant) => {
	const { input, output, confirm } = rig();
	const answer = confirm('Delete it?');
	input.write(`${typed}\n`);
	expect(await answer).toBe(meant);
	expect(String(output.read())).toBe('Delete it? [y/N] ');
});

test('an input that ends is a no, whatever is asked', async () => {
	const { input, confirm } = rig();
	const answer = confirm('Delete it?');
	input.end();
	expect(await answer).toBe(false);
	expect(await confirm('Really?')).toBe(false);
});

test('Ctrl-C as a key of a terminal interrupts, and is a no', async () => {
	const { input, over, confirm } = rig({ isTTY: true });
	const answer = confirm('Delete it?');
	input.write('\u0003');
	expect(await answer).toBe(false);
	expect(over.signal.aborted).toBe(true);
});

test('Ctrl-C as a signal is a no, before a question as well', async () => {
	const { over, confirm } = rig();
	const answer = confirm('Delete it?');
	over.abort();
	expect(await answer).toBe(false);
	expect(await confirm('Really?')).toBe(false);
});
