import type { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createThreads } from './threads.ts';

type FakeWorker = EventEmitter & { readonly asked: { readonly type: string }[] };
const workers: FakeWorker[] = [];

/** Threads without code: the test reads what they are asked, and answers. */
vi.mock('node:worker_threads', async (original) => {
	const { EventEmitter } = await import('node:events');
	class Worker extends EventEmitter {
		readonly asked: { readonly type: string }[] = [];
		constructor() {
			super();
			workers.push(this);
		}
		postMessage(message: { readonly type: string }): void {
			this.asked.push(message);
		}
	}
	return { ...(await original<object>()), Worker };
});

const start = () => {
	workers.length = 0;
	return createThreads({ clock: createManualClock(), folder: '', detector: '' });
};

test.each([
	['error', new Error('out of memory'), 'out of memory'],
	['exit', 7, 'ended with status 7'],
])(
	'after the %s of its thread the mouth fails what it was asked, and the next has a new one',
	async (event, value, reason) => {
		const threads = start();
		const opened = threads.mouth();
		workers[0]?.emit('message', { type: 'ready' });
		const mouth = await opened;
		const asked = [
			mouth.translate('Good', ['en-es']),
			mouth.speak({ text: 'Bueno', language: 'es', timbre: 'low', tempo: 1 }, () => {}),
		];
		workers[0]?.emit(event, value);
		for (const one of asked) await expect(one).rejects.toThrow(reason);
		const again = threads.mouth();
		workers[1]?.emit('message', { type: 'ready' });
		const answer = (await again).translate('Good', ['en-es']);
		workers[1]?.emit('message', { type: 'translated', id: 1, text: 'Bueno' });
		expect(await answer).toBe('Bueno');
	},
);

test('two idle ears are kept for the next conversations, more are ended, and one that died is not used', () => {
	const threads = start();
	const events = { heard() {}, done() {}, slow() {}, failed() {} };
	const open = () => threads.ear('small', events);
	for (const ear of [open(), open(), open()]) ear.release();
	expect(workers.map(({ asked }) => asked.map(({ type }) => type))).toEqual([
		['begin'],
		['begin'],
		['begin', 'end'],
	]);
	workers[0]?.emit('exit', 1);
	open();
	expect(workers).toHaveLength(3);
	expect(workers[1]?.asked).toHaveLength(2);
	open();
	expect(workers).toHaveLength(4);
});
