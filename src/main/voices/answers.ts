import type { Input, Output } from '#shared/host/contract.ts';
import type { voiceRequests } from '#shared/host/voices.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

type Name = keyof typeof voiceRequests;
type Answer<N extends Name> = [Output<N>] extends [undefined]
	? Result<void, Problem>
	: Result<Output<N>, Problem>;

/** One call for each request of the contract. */
export type VoiceAnswers = { readonly [N in Name]: (input: Input<N>) => Promise<Answer<N>> };
