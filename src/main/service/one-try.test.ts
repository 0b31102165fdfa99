import { expect, test } from 'vitest';
import { createManualClock, settle } from '#test/support/manual-clock.ts';
import { type TryOutcome, tryOnce } from './one-try.ts';

const ADDRESS = 'https://api.example.com/x';

/** A service whose answer, and the end of it, come when the test says so. */
function stage({ ignoresEnd = false } = {}) {
	const clock = createManualClock();
	clock.advance(700);
	const control = new AbortController();
	const head = Promise.withResolvers<Response>();
	const asked: (readonly [unknown, RequestInit | undefined])[] = [];
	let body: ReadableStreamDefaultController<Uint8Array> | undefined;
	let outcome: TryOutcome | undefined;
	const heard: number[] = [];
	const answer = (status = 200) =>
		head.resolve(
			new Response(
				new ReadableStream({
					start: (to) => {
						body = to;
					},
				}),
				{ status },
			),
		);
	const fetch: typeof globalThis.fetch = (address, init) => {
		asked.push([address, init]);
		if (!ignoresEnd)
			init?.signal?.addEventListener('abort', () => {
				head.reject(init.signal?.reason);
				body?.error(init.signal?.reason);
			});
		return head.promise;
	};
	const begin = () =>
		tryOnce(
			ADDRESS,
			{ method: 'GET' },
			{
				fetch,
				clock,
				firstMs: 10_000,
				overallMs: 15_000,
				signal: control.signal,
				heardHead: ({ status }) => void heard.push(status),
			},
		).then((came) => {
			outcome = came;
		});
	return {
		clock,
		control,
		asked,
		heard,
		head,
		answer,
		begin,
		finish(text: string) {
			body?.enqueue(new TextEncoder().encode(text));
			body?.close();
		},
		async turn() {
			for (let turns = 0; turns < 5; turns += 1) await new Promise((done) => setImmediate(done));
			await settle();
		},
		outcome: () => outcome,
	};
}

test('an answer is its status, its headers and what its body says; nothing is left running', async () => {
	const rig = stage();
	const tried = rig.begin();
	rig.answer(201);
	await rig.turn();
	rig.finish('{"a":1}');
	await tried;
	expect(rig.outcome()).toMatchObject({
		type: 'answer',
		status: 201,
		body: { type: 'json', value: { a: 1 } },
	});
	expect(rig.asked).toMatchObject([[ADDRESS, { method: 'GET', redirect: 'manual' }]]);
	expect([rig.heard, rig.clock.pending]).toEqual([[201], 0]);
});

test('its first byte is waited for 10 s, and not a ms less', async () => {
	const rig = stage();
	void rig.begin();
	await rig.clock.run(9999);
	expect(rig.outcome()).toBeUndefined();
	await rig.clock.run(1);
	expect(rig.outcome()).toEqual({ type: 'late', afterMs: 10_000 });
	expect(rig.clock.pending).toBe(0);
});

test('the whole of it 15 s, once it has begun, and not a ms less', async () => {
	const rig = stage();
	void rig.begin();
	rig.answer();
	await rig.clock.run(14_999);
	await rig.turn();
	expect([rig.outcome(), rig.clock.pending]).toEqual([undefined, 1]);
	await rig.clock.run(1);
	await rig.turn();
	expect(rig.outcome()).toEqual({ type: 'late', afterMs: 15_000 });
});

test('an answer that comes after its time is late all the same', async () => {
	const rig = stage({ ignoresEnd: true });
	const tried = rig.begin();
	await rig.clock.run(10_000);
	rig.answer();
	await rig.turn();
	rig.finish('{}');
	await tried;
	expect(rig.outcome()).toEqual({ type: 'late', afterMs: 10_000 });
});

test('one that nobody wants any more was sent, or was not', async () => {
	const sent = stage();
	void sent.begin();
	sent.control.abort();
	await sent.turn();
	expect(sent.outcome()).toEqual({ type: 'cancelled', sent: true });
	expect(sent.clock.pending).toBe(0);
	const never = stage();
	never.control.abort();
	await never.begin();
	expect([never.outcome(), never.asked]).toEqual([{ type: 'cancelled', sent: false }, []]);
});

test('a connection that breaks says how', async () => {
	const rig = stage();
	const tried = rig.begin();
	rig.head.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }));
	await tried;
	expect(rig.outcome()).toEqual({
		type: 'broken',
		failure: { cause: 'ECONNREFUSED', neverSent: true },
		url: ADDRESS,
	});
	expect(rig.clock.pending).toBe(0);
});
