/**
 * `npm run promises [-- --only TEXT]`: for each promise of the README and of docs/security.md (`test/promises/`) one mistake
 * is put into the code, in memory, and its test must fail. `--only`: those whose promise or file has TEXT in it. The
 * status is 1 if a mistake was not noticed, if the text it changes is no longer there, or if the test fails
 * without it as well.
 */
import { promises } from '#test/promises/all.ts';
import { notRun } from '#test/support/not-run.ts';
import { readArguments } from './arguments.ts';
import { tryOut } from './mistakes.ts';

const { values, refuse } = readArguments(import.meta.filename, {
	options: { only: { type: 'string', default: '' } },
});
const only = values.only.toLowerCase();
const wanted = promises.filter(({ promise, file }) =>
	[promise, file].some((text) => text.toLowerCase().includes(only)),
);
if (wanted.length === 0) refuse(`No promise and no file has "${values.only}" in it.`);

const begun = performance.now();
let unseen = 0;
for (const [at, outcome] of (await tryOut(wanted)).entries()) {
	const one = wanted[at];
	if (!one || outcome.outcome === 'seen') continue;
	if (outcome.outcome === 'left out') {
		notRun(`the mistake against "${one.promise}"`, 'its test leaves itself out here');
		continue;
	}
	unseen += 1;
	const change = `  - ${one.from.trim()}\n  + ${one.to.trim()}`;
	console.log(`SURVIVED: ${one.promise}\n  ${one.file}: ${outcome.why}\n${change}`);
}
const seconds = Math.round((performance.now() - begun) / 1000);
console.log(`${wanted.length - unseen} of ${wanted.length} mistakes were seen, in ${seconds} s`);
process.exitCode = unseen > 0 ? 1 : 0;
