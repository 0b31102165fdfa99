import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerWith, type Handlers } from '#main/host.ts';
import { type RequestName, requests } from '#shared/host/contract.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';

const PER_CHANNEL = 10_000;
/** Some half a million calls, on a machine that may be busy. */
const LIMIT_MS = 60_000;
const inherited = Object.getOwnPropertyNames(Object.prototype);

/** Values that have broken something somewhere: types that are wrong, names that are inherited, sizes, paths. */
const TROUBLE: readonly unknown[] = [
	...[null, true, 0, -1, 1e308, Number.NaN, '', '\0', '\ud800', 'x'.repeat(100_000), '../../etc/passwd'],
	...['file:///etc/passwd', 'javascript:alert(1)', 'C:\\Windows', '__proto__', 'constructor', [], [[]], {}],
	...[{ __proto__: null }, JSON.parse('{"__proto__":{"polluted":true}}'), { toString: 1 }, { length: -1 }],
];

/** The names of a request's fields, to get past the outermost check. */
function fieldsOf(name: RequestName): readonly string[] {
	const definition = requests[name].input.def as { readonly shape?: object };
	return Object.keys(definition.shape ?? {});
}

const junk = fc.oneof(fc.constantFrom(...TROUBLE), fc.jsonValue({ maxDepth: 2 }));

/** A fixed number of values, made once: making them costs more than refusing them. */
const loose = fc.sample(junk, 2000);

function* inputsOf(name: RequestName): Generator<unknown> {
	const fields = fieldsOf(name);
	for (let at = 0; at < PER_CHANNEL; at++) {
		const pick = (salt: number) => loose[(at * 31 + salt * 997) % loose.length];
		if (fields.length === 0 || at % 5 === 0) yield pick(0);
		else
			yield Object.fromEntries(
				fields.filter((_, i) => (at + i) % 7 !== 0).map((key, i) => [key, pick(i + 1)]),
			);
	}
}

test(
	'ten thousand junk inputs a channel: what is not in the contract reaches no handler, and nothing is thrown',
	async () => {
		let reached: { name: string; input: unknown } | null = null;
		const handlers = new Proxy({} as Handlers, {
			get: (_, name: string) => async (input: unknown) => {
				reached = { name, input };
				return ok();
			},
		});
		const answer = answerWith(handlers, silentLogger);
		for (const name of Object.keys(requests) as RequestName[]) {
			let refused = 0;
			for (const input of inputsOf(name)) {
				reached = null;
				const result = await answer(name, input);
				// `expect` costs more than a refusal, so it is called only for what looks wrong.
				if (!result.ok && reached === null) {
					if (result.error.kind !== 'bug') expect(result.error).toEqual({ kind: 'bug' });
				} else {
					const said = requests[name].input.safeParse(input ?? undefined);
					expect(reached).toEqual({ name, input: said.success ? said.data : 'refused' });
					continue;
				}
				refused += 1;
			}
			// If nearly everything were let through, the contract would be meaningless.
			expect(refused, name).toBeGreaterThan(PER_CHANNEL / 2);
		}
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	},
	LIMIT_MS,
);

test('a channel that is not in the contract has no answer', async () => {
	const answer = answerWith({} as Handlers, silentLogger);
	for (const name of [
		'',
		'__proto__',
		'constructor',
		'toString',
		'app.infos',
		'APP.INFO',
		...fc.sample(fc.string(), 1000),
	])
		if (!Object.hasOwn(requests, name))
			expect(await answer(name, undefined)).toEqual({
				ok: false,
				error: { kind: 'bug', where: 'host: unknown request' },
			});
});

test('an answer leaves main as the contract has it, without what that does not name, or not at all', async () => {
	const answering = (value: unknown) =>
		answerWith({ 'session.extend': async () => ok(value) } as unknown as Handlers, silentLogger);
	const ask = { handle: 'h', ttlS: 60 };
	expect(await answering({ expiresAt: 1, id: 'of the service' })('session.extend', ask)).toEqual({
		ok: true,
		value: { expiresAt: 1 },
	});
	expect(await answering({ expiresAt: 'soon' })('session.extend', ask)).toEqual({
		ok: false,
		error: { kind: 'bug', where: 'host.session.extend: answer' },
	});
});
