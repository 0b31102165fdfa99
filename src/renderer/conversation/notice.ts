import type { Notice } from './conversation-store.ts';

/** A message that the service repeats is one notice, with a count. */
export function sameAgain(before: Notice | null, next: Notice): Notice {
	if (next.kind !== 'service-warning' || before?.kind !== 'service-warning') return next;
	return before.code === next.code ? { ...next, times: (before.times ?? 1) + 1 } : next;
}

/** It says that the interpreter has not answered yet. */
export function isSilence(notice: Notice | null): boolean {
	return notice?.kind === 'problem' && notice.problem.kind === 'interpreter-silent';
}

/** The one notice shown beside a running conversation. */
export interface NoticeSlot {
	now(): Notice | null;
	/** Takes effect with the next change of the view. */
	set(notice: Notice | null): void;
	/** Shown at once. */
	say(notice: Notice): void;
	/** Taken back when it is of this kind. */
	withdraw(kind: Notice['kind']): void;
}

/** `changed`: the notice must be shown at once. */
export function createNoticeSlot(changed: () => void): NoticeSlot {
	let notice: Notice | null = null;
	return {
		now: () => notice,
		set(next) {
			notice = next;
		},
		say(next) {
			notice = next;
			changed();
		},
		withdraw(kind) {
			if (notice?.kind === kind) notice = null;
		},
	};
}
