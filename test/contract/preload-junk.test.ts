import { resolve } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { createHost } from '#renderer/host.ts';
import {
	type AnnouncementName,
	announcements,
	type HostBridge,
	type RequestName,
	requests,
} from '#shared/host/contract.ts';
import { TELL } from '#shared/host/names.ts';
import { Problem } from '#shared/problem.ts';
import { recordedElectron as electron } from '#test/support/recorded-electron.ts';

/*
 * The window's side of every channel: what main answers and announces is believed only in the shape of the contract.
 * The lists are the contract's own, so that a new channel is included.
 */

vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);

/** Main's own side of each takes ten times as many (`host-junk.test.ts`). */
const PER_CHANNEL = 1000;
/** Some hundred channels, on a machine that may be busy. */
const LIMIT_MS = 60_000;
const inherited = Object.getOwnPropertyNames(Object.prototype);
const values: readonly unknown[] = [
	...[undefined, null, true, 0, -1, 1e308, Number.NaN, '', '\ud800', 'x'.repeat(10_000), [], {}, [[]]],
	...[
		JSON.parse('{"__proto__":{"polluted":true}}'),
		{ constructor: { prototype: 1 } },
		JSON.parse('{"then":"x"}'),
	],
	...fc.sample(fc.jsonValue({ maxDepth: 3 }), 500),
];

let bridge: HostBridge;
beforeAll(async () => {
	const preload = resolve('src/preload/index.ts');
	await import(preload);
	bridge = electron.exposed.get('dragoman') as HostBridge;
});

/** Values in the shape of an object the contract wants, its fields filled with anything. */
function* junkFor(schema: object, count: number): Generator<unknown> {
	const { def } = schema as { def: { shape?: object } };
	const fields = Object.keys(def.shape ?? {});
	for (let at = 0; at < count; at++) {
		const pick = (salt: number) => values[(at * 31 + salt * 997) % values.length];
		if (fields.length === 0 || at % 4 === 0) yield pick(at >> 6);
		else yield Object.fromEntries(fields.map((key, i) => [key, pick(i + (at >> 6))]));
	}
}

function* answersFor(name: RequestName): Generator<unknown> {
	for (const value of junkFor(requests[name].output, PER_CHANNEL)) {
		yield value;
		yield { ok: true, value };
		yield { ok: false, error: value };
	}
}

test(
	'a thousand junk answers a request: the page gets one in the shape of the contract, or our own bug',
	async () => {
		const host = createHost(bridge);
		for (const name of Object.keys(requests) as RequestName[]) {
			let asked = 0;
			for (const answer of answersFor(name)) {
				asked += 1;
				if (asked > PER_CHANNEL) break;
				electron.invoke = async () => answer;
				// Only main checks the input of a request.
				const got = (await host.ask(name, undefined as never)) as {
					ok: boolean;
					value?: unknown;
					error?: unknown;
				};
				const fits = got.ok
					? requests[name].output.safeParse(got.value).success
					: Problem.safeParse(got.error).success;
				// `expect` costs more than a comparison.
				if (!fits) expect([name, answer, got]).toBe('in the shape of the contract');
			}
			expect([name, asked > PER_CHANNEL / 2]).toEqual([name, true]);
		}
		electron.invoke = () => Promise.reject(new Error('gone'));
		expect(await bridge.ask('app.info', undefined)).toMatchObject({ ok: false, error: { kind: 'bug' } });
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	},
	LIMIT_MS,
);

test('a name that is not in the contract does not leave the page, and nothing is heard by it', async () => {
	const asked: unknown[] = [];
	electron.invoke = async (_channel, ...args) => void asked.push(args);
	const heard: unknown[] = [];
	for (const name of ['session.delete-all', 'toString', '__proto__', 'constructor', '']) {
		expect(await bridge.ask(name as RequestName, {})).toEqual({
			ok: false,
			error: { kind: 'bug', where: 'preload: unknown request' },
		});
		bridge.listen(name as AnnouncementName, (payload) => heard.push(payload));
		electron.renderer.emit(TELL, {}, name, {});
	}
	expect([asked, heard]).toEqual([[], []]);
});

test(
	'a thousand junk announcements a kind: the window hears those in the shape of the contract',
	() => {
		const host = createHost(bridge);
		for (const name of Object.keys(announcements) as AnnouncementName[]) {
			let heard: unknown[] = [];
			const stop = host.listen(name, (payload) => heard.push(payload));
			for (const payload of junkFor(announcements[name], PER_CHANNEL)) {
				heard = [];
				electron.renderer.emit(TELL, {}, name, payload);
				const fits = announcements[name].safeParse(payload).success;
				if (heard.length !== (fits ? 1 : 0)) expect([name, payload, heard]).toBe('heard only when it fits');
			}
			stop();
		}
		expect(electron.renderer.listenerCount(TELL)).toBe(0);
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
	},
	LIMIT_MS,
);
