import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import type { Finding } from './finding.ts';

/** What explains the most comes first: with a refused key or without a network nothing else can be right. */
const WORST_FIRST: readonly ExitStatus[] = [EXIT.credential, EXIT.network, EXIT.limit, EXIT.notFound];

/** 0 when nothing failed (warnings may stand), else the status of the worst. */
export function exitStatusOfFindings(findings: readonly Finding[]): ExitStatus {
	const statuses = findings
		.filter(({ state }) => state === 'failed')
		.map(({ check, problem }) => {
			// That of a room was given by the service, any other by the user.
			if ((problem?.kind === 'address-refused' || problem?.kind === 'port-refused') && check !== 'room')
				return EXIT.usage;
			return problem ? exitStatusOf(problem) : EXIT.failed;
		});
	return WORST_FIRST.find((status) => statuses.includes(status)) ?? statuses[0] ?? EXIT.done;
}
