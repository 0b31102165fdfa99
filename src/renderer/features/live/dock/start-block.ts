import { choicesOf, planOf } from '#renderer/window/choices.ts';
import type { SoundView } from '#renderer/window/sound.ts';
import { checkChoices } from '#shared/conversation/task-builder.ts';
import type { AccountStatus } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** Why Start cannot work now: a problem with its way out, or something that passes by itself. */
export type StartBlock =
	| { readonly kind: 'problem'; readonly problem: Problem }
	| { readonly kind: 'wait'; readonly what: 'sandboxStarting' };

/** The first thing in the way, in the order a person would mend them; null when Start can work. */
export function startBlock(settings: Settings, account: AccountStatus, sound: SoundView): StartBlock | null {
	const problem = (one: Problem): StartBlock => ({ kind: 'problem', problem: one });
	if (account.service !== 'sandbox' && !account.key.present) {
		const { key, apiUrl } = account;
		return problem(
			key.elsewhere
				? { kind: 'key-elsewhere', host: URL.parse(apiUrl)?.host ?? '' }
				: { kind: 'api-key-missing' },
		);
	}
	if (account.service === 'sandbox' && account.sandbox === 'failed') {
		return problem({ kind: 'sandbox-failed', reason: '' });
	}
	if (account.service === 'sandbox' && account.sandbox !== 'running') {
		return { kind: 'wait', what: 'sandboxStarting' };
	}
	const plan = planOf(choicesOf(settings));
	for (const choices of Object.values(plan)) {
		const wrong = choices && checkChoices(choices);
		if (wrong) return problem(wrong);
	}
	// What other programs play needs no microphone.
	if (!plan.outgoing) return null;
	if (sound.permission === 'denied') return problem({ kind: 'microphone-denied' });
	if (sound.listed && sound.microphones.length === 0) return problem({ kind: 'microphone-missing' });
	return null;
}
