import { expect, test } from 'vitest';
import { createDice } from '#test/support/random.ts';
import { fuzzMessages, targets } from './messages.ts';
import { mutate, sampleOf } from './mutate.ts';

/** `npm run fuzz -- --messages` reads millions. */
const INPUTS = 20_000;

test('twenty thousand spoilt messages through every reader: nothing is thrown, slow, inherited or promised in vain', {
	timeout: 120_000,
}, async () => {
	const seed = Number(process.env.DRAGOMAN_TEST_SEED ?? 20_261_121);
	let turns = 0;
	const turn = () => {
		turns += 1;
		counting = setImmediate(turn);
	};
	let counting = setImmediate(turn);
	const report = await fuzzMessages({ inputs: INPUTS, seed });
	clearImmediate(counting);
	expect(report.findings).toEqual([]);
	// Node frees memory outside the heap only between turns of the event loop.
	expect(turns).toBeGreaterThanOrEqual(INPUTS / 2000);
	expect(report.inputs).toBe(INPUTS);
	for (const { name } of targets) expect(report.perTarget[name], name).toBeGreaterThan(0);
});

test('what is spoilt is found to be broken or strange, and the same again from the same seed', () => {
	const samples = [sampleOf('{"message_type":"eos","data":{"a":[1,"x",null]}}')];
	const made = (seed: number) => {
		const dice = createDice(seed);
		return Array.from({ length: 500 }, () => mutate(samples, dice));
	};
	expect(made(1)).toEqual(made(1));
	expect(made(1)).not.toEqual(made(2));
	const all = new Set(made(1));
	expect(all.size).toBeGreaterThan(300);
	const isJson = (text: string) => {
		try {
			return JSON.parse(text) !== undefined;
		} catch {
			return false;
		}
	};
	const broken = [...all].filter((text) => !isJson(text)).length;
	// If all of them were broken JSON, none would get past the parser.
	expect(broken).toBeGreaterThan(50);
	expect(all.size - broken).toBeGreaterThan(100);
});

test('values and names of a text are found where they stand', () => {
	const { text, values, names } = sampleOf('{"a":[1,"b:\\"",true],"c":{}}');
	expect(values.map((place) => text.slice(...place)).sort()).toEqual(
		['1', '"b:\\""', 'true', '[1,"b:\\"",true]', '{}', text].sort(),
	);
	expect(names.map((place) => text.slice(...place))).toEqual(['"a"', '"c"']);
});
