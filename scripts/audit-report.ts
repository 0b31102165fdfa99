/** What a registry said of known vulnerabilities. */
export interface Audit {
	/** For people; if the registry did not answer, why. */
	readonly said: string;
	/** How many are high or critical. */
	readonly bad: number;
	/** The registry answered. */
	readonly asked: boolean;
}

/** Reads what `npm audit --json` printed. If it is no report, the result says so and counts no vulnerability. */
export function auditOf(printed: string): Audit {
	let read: unknown;
	try {
		read = JSON.parse(printed);
	} catch {
		return { said: 'not asked: npm gave no answer', bad: 0, asked: false };
	}
	const { metadata, message, vulnerabilities } = (read ?? {}) as {
		metadata?: { vulnerabilities?: Readonly<Record<string, number>> };
		message?: string;
		vulnerabilities?: Readonly<Record<string, { severity?: string }>>;
	};
	const counts = metadata?.vulnerabilities;
	if (!counts) {
		// Without the address in it, which may be that of a private registry.
		const reason = /\b[45]\d\d\b[^-]*/.exec(message ?? '')?.[0]?.trim() ?? 'no answer';
		return { said: `not asked: the registry offers no audit (${reason})`, bad: 0, asked: false };
	}
	const { high = 0, critical = 0, total = 0 } = counts;
	const names = Object.entries(vulnerabilities ?? {})
		.filter(([, { severity }]) => severity === 'high' || severity === 'critical')
		.map(([name]) => name);
	const which = names.length > 0 ? `: ${names.sort().join(', ')}` : '';
	return {
		said: `${total} known holes, ${high + critical} of them high or critical${which}`,
		bad: high + critical,
		asked: true,
	};
}

/** The last line: what was not checked must not pass for clean. */
export function sumOf(audits: readonly Audit[]): string {
	const missing = audits.filter(({ asked }) => !asked).length;
	if (missing === audits.length)
		return 'Nothing was checked: ask again where the registry answers (npm config get registry).';
	const bad = audits.reduce((sum, audit) => sum + audit.bad, 0);
	const found = bad === 0 ? 'No high or critical holes' : `High or critical holes: ${bad}`;
	return missing === 0
		? `${found}.`
		: `${found} in what was checked; not checked: ${missing} of ${audits.length}.`;
}
