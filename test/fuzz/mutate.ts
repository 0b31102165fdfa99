import type { Dice } from '#test/support/random.ts';

/** A valid JSON text, with the places where it can be corrupted. */
export interface Sample {
	readonly text: string;
	/** Where values stand, from and to. */
	readonly values: readonly (readonly [number, number])[];
	/** Where names of fields stand, quotes and all. */
	readonly names: readonly (readonly [number, number])[];
}

/** Values that have broken something somewhere, written as JSON. */
const TROUBLE: readonly string[] = [
	...[
		'null',
		'true',
		'false',
		'0',
		'-1',
		'1e308',
		'1e999',
		'9007199254740993',
		'-0',
		'""',
		'" "',
		'[]',
		'{}',
	],
	...[
		'"__proto__"',
		'"constructor"',
		'"toString"',
		'"\\ud800"',
		'"\\u0000"',
		'"\\u202e\\u200b"',
		'"a|b"',
		'"~x"',
	],
	...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '[[[[]]]]', '[null]'],
	...[
		'"<img src=x onerror=alert(1)>"',
		'"javascript:alert(1)"',
		'"../../etc/passwd"',
		'"2026-13-45T99:99:99Z"',
	],
	...['{"data":{"data":{}}}', '"{\\"a\\":1}"', '"eyJhbGciOiJIUzI1NiJ9.e30.c2ln"', '"Bearer x"', '"//////8="'],
];
const NAMES: readonly string[] = [
	'"__proto__"',
	'"constructor"',
	'"data"',
	'"id"',
	'"text"',
	'"ok"',
	'"message_type"',
];
const CHARS = '{}[]",:\\0e-.\u0000\ufeff\ud800\udc00é';
/** Repeats that are long: a packet holds 64 KiB. */
const LONG = 70_000;

/** Notes where the values and names of a valid JSON text stand. */
export function sampleOf(text: string): Sample {
	const values: [number, number][] = [];
	const names: [number, number][] = [];
	const open: number[] = [];
	for (let at = 0; at < text.length; ) {
		const char = text[at] ?? '';
		if (char === '{' || char === '[') open.push(at++);
		else if (char === '}' || char === ']') {
			at += 1;
			values.push([open.pop() ?? 0, at]);
		} else if (char === '"') {
			const end = endOfString(text, at);
			const isName = /^\s*:/.test(text.slice(end, end + 20));
			(isName ? names : values).push([at, end]);
			at = end;
		} else if (/[\s,:]/.test(char)) at += 1;
		else {
			const end = at + (/^[^\s,:[\]{}"]+/.exec(text.slice(at, at + 40))?.[0].length ?? 1);
			values.push([at, end]);
			at = end;
		}
	}
	return { text, values, names };
}

function endOfString(text: string, from: number): number {
	for (let at = from + 1; at < text.length; at += 1) {
		if (text[at] === '\\') at += 1;
		else if (text[at] === '"') return at + 1;
	}
	return text.length;
}

const put = (text: string, [from, to]: readonly [number, number], what: string) =>
	text.slice(0, from) + what + text.slice(to);

type Spoil = (sample: Sample, others: readonly Sample[], dice: Dice) => string;

const anyValue = ({ text, values }: Sample, dice: Dice): string => {
	const [from, to] = dice.pick(values);
	return text.slice(from, to);
};

const spoil: readonly Spoil[] = [
	// The wrong value at the right place, five ways.
	(sample, _others, dice) => put(sample.text, dice.pick(sample.values), dice.pick(TROUBLE)),
	(sample, _others, dice) => put(sample.text, dice.pick(sample.values), dice.pick(TROUBLE)),
	(sample, others, dice) => put(sample.text, dice.pick(sample.values), anyValue(dice.pick(others), dice)),
	(sample, _others, dice) =>
		put(sample.text, dice.pick(sample.values), JSON.stringify(anyValue(sample, dice))),
	(sample, _others, dice) => put(sample.text, dice.pick(sample.values), String(dice.between(-9, 1e10))),
	// Another name.
	(sample, _others, dice) =>
		sample.names.length === 0 ? '{}' : put(sample.text, dice.pick(sample.names), dice.pick(NAMES)),
	(sample, others, dice) => {
		const other = dice.pick(others);
		if (sample.names.length === 0 || other.names.length === 0) return sample.text;
		return put(sample.text, dice.pick(sample.names), other.text.slice(...dice.pick(other.names)));
	},
	// A broken text.
	({ text }, _others, dice) => text.slice(0, dice.below(text.length)),
	({ text }, _others, dice) => {
		const at = dice.below(text.length);
		return put(text, [at, at + dice.below(2)], dice.pick([...CHARS]));
	},
	({ text }, _others, dice) => {
		const [from, to] = [dice.below(text.length), dice.below(text.length)].sort((a, b) => a - b) as [
			number,
			number,
		];
		return text.slice(0, to) + text.slice(from);
	},
];

/** Rare, because expensive: long texts, deep nesting, many fields. */
const swell: readonly Spoil[] = [
	(sample, _others, dice) => put(sample.text, dice.pick(sample.values), `"${'x'.repeat(dice.below(LONG))}"`),
	(sample, _others, dice) => {
		const depth = dice.pick([2, 30, 31, 32, 33, 1000, 30_000]);
		const value = dice.pick(sample.values);
		const inner = depth > 40 ? '0' : sample.text.slice(...value);
		return put(sample.text, value, '['.repeat(depth) + inner + ']'.repeat(depth));
	},
	(sample, _others, dice) => {
		const fields = Array.from({ length: dice.below(2000) }, (_, at) => `"f${at}":${at}`).join();
		return put(sample.text, dice.pick(sample.values), `{${fields}}`);
	},
	(sample, _others, dice) => {
		const value = dice.pick(sample.values);
		const list = Array.from({ length: dice.below(200) }, () => sample.text.slice(...value)).join();
		return put(sample.text, value, `[${list.slice(0, 200_000)}]`);
	},
	({ text }, _others, dice) => text + dice.pick(['\u0000', '\ufeff', text, '/*', ' '.repeat(LONG)]),
];
const SWELL_SHARE = 0.001;

/** A valid text with one to three faults put in. */
export function mutate(samples: readonly Sample[], dice: Dice): string {
	const sample = dice.pick(samples);
	if (dice.chance(SWELL_SHARE)) return dice.pick(swell)(sample, samples, dice);
	const once = dice.pick(spoil)(sample, samples, dice);
	// Places are known only in the original text, so a further fault goes anywhere.
	if (!dice.chance(0.3) || once.length === 0) return once;
	const at = dice.below(once.length);
	return put(once, [at, at + dice.below(4)], dice.chance(0.5) ? dice.pick(TROUBLE) : dice.pick([...CHARS]));
}

/** A reader of what comes from outside: given anything, it must neither throw nor take long. */
export interface Target {
	/** What it reads, for the table. */
	readonly name: string;
	/** The file whose reader it is, for `npm run fuzz -- --list`. */
	readonly reads: readonly string[];
	/** Valid texts to corrupt. */
	readonly samples: readonly Sample[];
	/** How often, relative to the others; default 1. */
	readonly weight?: number;
	/** Which expensive inputs it gets (`costs-child.ts`); absent: nothing large from outside comes here. */
	readonly kind?: 'message' | 'answer';
	/** Reads it. What it returns or throws against what the reader promises is a finding. */
	feed(text: string): void | Promise<void>;
	/** Ends what it keeps open. */
	close?(): void;
}

/** A finding: the reader answered with something it promises never to answer. */
export function must(holds: boolean, what: string): void {
	if (!holds) throw new Error(`not kept: ${what}`);
}
