import { table } from '#test/bench/tables-and-plots.ts';
import type { SubjectName } from './subjects.ts';

/** What came of one fault with one subject; null: passed, else what was not seen. */
export interface Verdict {
	readonly row: number;
	readonly fault: string;
	readonly lookedFor: string;
	readonly seen: Readonly<Record<SubjectName, string | null>>;
}

export interface Totals {
	readonly all: number;
	readonly passed: Readonly<Record<SubjectName, number>>;
	/** Passes of ours for each of the vendor's. */
	readonly ratio: number;
}

export function totalsOf(verdicts: readonly Verdict[]): Totals {
	const passes = (name: SubjectName) => verdicts.filter(({ seen }) => seen[name] === null).length;
	const passed = { ours: passes('ours'), vendor: passes('vendor') };
	return { all: verdicts.length, passed, ratio: passed.ours / passed.vendor };
}

/** The new verdicts, plus the earlier ones of cases not tried again, in the order of `names`. */
export function merged(
	before: readonly Verdict[],
	now: readonly Verdict[],
	names: readonly string[],
): readonly Verdict[] {
	return names.flatMap((name) => {
		const same = ({ row, fault }: Verdict) => `${row} ${fault}` === name;
		return now.find(same) ?? before.find(same) ?? [];
	});
}

/** `docs/faults-vendor.md`. */
export function pageOf(
	verdicts: readonly Verdict[],
	made: { readonly date: string; readonly commit: string },
) {
	const { all, passed, ratio } = totalsOf(verdicts);
	const cell = (seen: string | null) =>
		seen === null ? 'yes' : `**no**: ${seen.replaceAll('|', '\\|').replaceAll('\n', ' ')}`;
	return `# Faults, beside the vendor's SDK

Made by \`npm run faults -- --vendor\` on ${made.date}, commit ${made.commit}; not edited by hand.

The faults that any client meets, program or library, are put to the built app and to the service vendor's own
JavaScript SDK (\`@palabra-ai/translator\`, version in \`test/vendor-sdk/package.json\`), each with a sandbox of its own, in
a Chromium of the same version, with the same speech. The same code judges both, by what a user or a calling program can
see: requests, sessions, microphone, texts, what is played, what is reported. The SDK reports by what its calls reject with
and by its events; a reason counts however it is worded. As it is a library, its users can add what it lacks: the table
shows what it does without that. Left out are faults that a library does not meet (windows, files, settings, stored
keys, uploads, and devices, which its caller opens) and those that are judged by a transcript or a list of sessions, which it does not have.
The numbers are those of \`docs/faults.md\`, which demands more of the app.

Passed: **the app ${passed.ours} of ${all}, the SDK ${passed.vendor} of ${all}**, ${ratio.toFixed(1)} times as many (asked: 3 times).

${table(
	['#', 'fault', 'looked for', 'the app', 'the vendor’s SDK'],
	verdicts.map(({ row, fault, lookedFor, seen }) => [
		String(row),
		fault,
		lookedFor,
		cell(seen.ours),
		cell(seen.vendor),
	]),
)}
`;
}
