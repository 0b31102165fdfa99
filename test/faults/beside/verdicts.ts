import { table } from '#test/bench/statistics.ts';
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

const TITLE = "## In the vendor's SDK";

/** The last section of `test/faults/README.md`. */
export function sectionOf(
	verdicts: readonly Verdict[],
	made: { readonly date: string; readonly commit: string },
) {
	const { all, passed } = totalsOf(verdicts);
	const missedBy = (name: SubjectName) =>
		verdicts.filter(({ seen }) => seen[name] !== null).map(({ row, fault }) => [String(row), fault]);
	const failed = (name: SubjectName) => table(['#', 'fault'], missedBy(name));
	const ours = passed.ours < all ? `\nThe app failed:\n\n${failed('ours')}\n` : '';
	return `${TITLE}

\`npm run faults -- --vendor\` puts the faults that any client can meet to the built app and to the vendor's JavaScript SDK
(\`test/vendor-sdk\`), side by side and judged by the same code. On ${made.date}, commit ${made.commit}, **the app passed ${passed.ours}
of ${all}, the SDK ${passed.vendor}**. A program that uses the SDK must handle these faults itself:

${failed('vendor')}
${ours}`;
}

/** The page with this section as its last. */
export function withSection(page: string, section: string): string {
	return `${(page.split(`\n${TITLE}\n`)[0] ?? '').trimEnd()}\n\n${section}`;
}

/** The section that is in the page, or null. */
export function sectionIn(page: string): string | null {
	const at = page.indexOf(`\n${TITLE}\n`);
	return at < 0 ? null : page.slice(at + 1);
}
