import type { Notice } from './conversation-store.ts';

/** What the service keeps saying is one notice, with its number. */
export function sameAgain(before: Notice | null, next: Notice): Notice {
	if (next.kind !== 'service-warning' || before?.kind !== 'service-warning') return next;
	return before.code === next.code ? { ...next, times: (before.times ?? 1) + 1 } : next;
}

/** It says that the interpreter has not answered yet. */
export function isSilence(notice: Notice | null): boolean {
	return notice?.kind === 'problem' && notice.problem.kind === 'interpreter-silent';
}
