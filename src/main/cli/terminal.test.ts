import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createConfirm, untilAborted } from './terminal.ts';

describe('confirm', () => {
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
});

describe('until aborted', () => {
	function rig() {
		const source = new PassThrough();
		const over = new AbortController();
		const heard: string[] = [];
		const listen = async () => {
			for await (const piece of untilAborted<Buffer>(source, over.signal)) heard.push(piece.toString());
		};
		return { source, over, heard, ended: listen() };
	}

	test('everything is passed on, to its end', async () => {
		const { source, heard, ended } = rig();
		source.end('one');
		await ended;
		expect(heard).toEqual(['one']);
	});

	test('it ends with the signal while the source is silent, and nobody minds how the source ends then', async () => {
		const { source, over, heard, ended } = rig();
		source.write('one');
		await expect.poll(() => heard).toEqual(['one']);
		over.abort();
		await ended;
		const closed = once(source, 'close');
		source.destroy();
		await closed;
	});

	test('a signal that has aborted before: nothing is read', async () => {
		const source = new PassThrough();
		source.write('one');
		const pieces = untilAborted<Buffer>(source, AbortSignal.abort());
		expect(await pieces.next()).toEqual({ done: true, value: undefined });
	});

	test('a source that fails is heard', async () => {
		const { source, ended } = rig();
		source.destroy(new Error('cut'));
		await expect(ended).rejects.toThrow('cut');
	});
});
