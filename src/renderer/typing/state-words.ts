import type { TFunction } from 'i18next';
import { problemWords } from '#renderer/problems/problem-notice.tsx';
import type { TextState } from '#shared/typing/queue.ts';

/** How far a text got, in words; with the reason where it failed. */
export function stateWords(state: TextState, t: TFunction, locale: string): string {
	if (state.is !== 'failed') return t(`typed.state.${state.is}`);
	const failed = t(state.partly ? 'typed.state.cut' : 'typed.state.failed');
	return `${failed} ${problemWords(state.problem, t, locale)}`;
}
