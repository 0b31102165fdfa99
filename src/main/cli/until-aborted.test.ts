import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

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
