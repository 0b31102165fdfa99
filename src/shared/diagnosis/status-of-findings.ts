import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import type { Finding } from './finding.ts';

/** The most fundamental first: with a refused key or without a network nothing else can work. */
const WORST_FIRST: readonly ExitStatus[] = [EXIT.credential, EXIT.network, EXIT.limit, EXIT.notFound];

/** 0 when nothing failed (warnings allowed), otherwise the status of the worst. */
export function exitStatusOfFindings(findings: readonly Finding[]): ExitStatus {
	const statuses = findings
		.filter(({ state }) => state === 'failed')
		.map(({ check, problem }) => {
			// A room's address comes from the service, any other from the user.
			if ((problem?.kind === 'address-refused' || problem?.kind === 'port-refused') && check !== 'room')
				return EXIT.usage;
			return problem ? exitStatusOf(problem) : EXIT.failed;
		});
	return WORST_FIRST.find((status) => statuses.includes(status)) ?? statuses[0] ?? EXIT.done;
}
