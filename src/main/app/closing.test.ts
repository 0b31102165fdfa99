import { expect, test } from 'vitest';
import type { Settings } from '#shared/settings/schema.ts';
import { type CloseAnswer, type CloseQuestion, createClosing } from './closing.ts';

function rig(
	options: { choice?: Settings['closeLive']; hasTray?: boolean; answer?: CloseAnswer; always?: boolean } = {},
) {
	const did: unknown[] = [];
	const asked: CloseQuestion[] = [];
	let choice = options.choice ?? 'ask';
	const closing = createClosing({
		choice: () => choice,
		remember(next) {
			choice = next;
			did.push(['remember', next]);
		},
		hasTray: () => options.hasTray ?? true,
		async ask(question) {
			asked.push(question);
			return { answer: options.answer ?? 'cancel', always: options.always ?? false };
		},
		hide: () => void did.push('hide'),
		end: (reason) => void did.push(['end', reason]),
	});
	return { closing, did, asked, settled: () => new Promise((done) => setImmediate(done)) };
}

test('without a conversation closing closes and quitting quits, unasked', () => {
	const { closing, did, asked } = rig();
	closing.window();
	closing.phase('failed');
	closing.quit();
	expect([did, asked]).toEqual([['hide', ['end', 'window'], 'hide', ['end', 'quit']], []]);
});

test.each(['starting', 'live', 'paused', 'recovering'] as const)(
	'a conversation that is %s is not lost unasked',
	async (phase) => {
		const { closing, did, asked, settled } = rig();
		closing.phase(phase);
		closing.window();
		await settled();
		closing.quit();
		await settled();
		expect(did).toEqual([]);
		expect(asked).toEqual([
			{ what: 'window', canKeep: true },
			{ what: 'quit', canKeep: false },
		]);
	},
);

test('it goes on without the window only where there is an icon to come back by', async () => {
	const { closing, asked, settled } = rig({ hasTray: false, choice: 'keep' });
	closing.phase('live');
	closing.window();
	await settled();
	expect(asked).toEqual([{ what: 'window', canKeep: false }]);
});

test('the answer is remembered when asked for, but never a cancel', async () => {
	const keep = rig({ answer: 'keep', always: true });
	keep.closing.phase('live');
	keep.closing.window();
	await keep.settled();
	keep.closing.window();
	await keep.settled();
	expect([keep.did, keep.asked.length]).toEqual([[['remember', 'keep'], 'hide', 'hide'], 1]);

	const cancel = rig({ answer: 'cancel', always: true });
	cancel.closing.phase('live');
	cancel.closing.window();
	await cancel.settled();
	expect(cancel.did).toEqual([]);
});

test('who keeps conversations running is asked all the same when quitting', async () => {
	const { closing, did, asked, settled } = rig({ choice: 'keep', answer: 'stop' });
	closing.phase('live');
	closing.quit();
	await settled();
	expect([asked.length, did]).toEqual([1, ['hide', ['end', 'quit']]]);
});

test('one question at a time, and none while the system shuts down', async () => {
	const { closing, did, asked, settled } = rig();
	closing.phase('live');
	closing.window();
	closing.window();
	closing.quit();
	await settled();
	expect(asked.length).toBe(1);
	closing.systemEnds();
	closing.quit();
	expect(did).toEqual(['hide', ['end', 'quit']]);
});
