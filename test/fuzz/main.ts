/** One worker of `npm run fuzz -- --messages N`: its own seed, its own share, its report on the last line. */
import { parseArgs } from 'node:util';
import { fuzzMessages } from './messages.ts';

const { values } = parseArgs({
	options: { inputs: { type: 'string' }, seed: { type: 'string' }, quiet: { type: 'boolean' } },
});
const report = await fuzzMessages({
	inputs: Number(values.inputs ?? 100_000),
	seed: Number(values.seed ?? 1),
	...(values.quiet ? {} : { say: (text: string) => console.log(text) }),
});
process.stdout.write(`${JSON.stringify(report)}\n`);
