import type { planOf } from '#renderer/conversation/choices.ts';
import type { AccountStatus } from '#shared/host/contract.ts';
import type { ModelEntry } from '#shared/host/models.ts';
import type { Problem } from '#shared/problem.ts';
import { AUTO, sameLanguage } from '#shared/protocol/languages.ts';
import type { ModelsView } from './models-mirror.ts';

/** Why this computer cannot interpret now. */
export type HereBlock =
	| { readonly kind: 'problem'; readonly problem: Problem }
	| { readonly kind: 'wait'; readonly what: 'localStarting' | 'loading' }
	/** Models that have to be downloaded first. */
	| { readonly kind: 'models'; readonly missing: readonly ModelEntry[] }
	/** This computer cannot interpret this pair, whatever is downloaded. */
	| { readonly kind: 'pair'; readonly from: string; readonly to: string };

/** Why this computer cannot interpret; models come first, because without them its interpreter cannot start. */
export function hereBlock(
	{ account, models }: { readonly account: Pick<AccountStatus, 'sandbox'>; readonly models: ModelsView },
	plan: ReturnType<typeof planOf>,
): HereBlock | null {
	if (models.problem) return { kind: 'problem', problem: models.problem };
	if (models.failure) return { kind: 'problem', problem: models.failure };
	if (!models.choice) return { kind: 'wait', what: 'loading' };
	const { neededFor, recogniserOf, voiceFor } = models.choice;
	const installed = models.models.filter(({ state }) => state === 'installed').map(({ id }) => id);
	const needed = new Set<string>();
	for (const { from, to, small } of pairsIn(plan)) {
		const ids = neededFor(from, to, { small });
		if (!ids) return { kind: 'pair', from, to };
		// Another installed recogniser of the language is enough.
		const isHeard = recogniserOf(small ? from : AUTO, installed) !== null;
		for (const { id, role } of models.models)
			if (ids.includes(id) && !(isHeard && role === 'recogniser')) needed.add(id);
	}
	const spoken = Object.values(plan).map((choices) =>
		choices && choices.mode !== 'captions' ? voiceFor(choices.voiceOf) : null,
	);
	/** Offered only together with missing models: a voice alone is not worth asking about. */
	const isVoiceToAdd = ({ id, state }: ModelEntry) => spoken.includes(id) && state !== 'installed';
	const missing = models.models.filter(({ id, state }) => needed.has(id) && state !== 'installed');
	if (missing.length > 0)
		return { kind: 'models', missing: [...missing, ...models.models.filter(isVoiceToAdd)] };
	if (account.sandbox === 'failed')
		return { kind: 'problem', problem: { kind: 'sandbox-failed', reason: '', local: true } };
	return account.sandbox === 'running' ? null : { kind: 'wait', what: 'localStarting' };
}

/** A language that is only written down is "translated" into itself. */
interface LocalPair {
	readonly from: string;
	readonly to: string;
	/** True if a recogniser of one language is enough, because no language must be detected. */
	readonly small: boolean;
}

function pairsIn(plan: ReturnType<typeof planOf>): readonly LocalPair[] {
	return Object.values(plan).flatMap((choices) => {
		if (!choices) return [];
		const { speak, detectable, hear } = choices;
		const small = speak !== AUTO;
		return (small ? [speak] : detectable).flatMap((from) => {
			const others = hear.filter((to) => !sameLanguage(from, to));
			return (others.length > 0 ? others : [from]).map((to) => ({ from, to, small }));
		});
	});
}
