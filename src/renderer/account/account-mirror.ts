import { createStore } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { AccountStatus, Input } from '#shared/host/contract.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { isFree } from '#shared/settings/schema.ts';

/** Main's state of the service in use and of the key. Never contains the key itself. */
export type AccountMirror = ReturnType<typeof createAccountMirror>;

export interface AccountView {
	readonly loaded: boolean;
	readonly status: AccountStatus;
	/** Why the first snapshot could not be read. */
	readonly problem: Problem | null;
}

const unknownAccount: AccountStatus = {
	revision: -1,
	service: 'unset',
	apiUrl: '',
	key: { present: false, lastFour: '', source: 'none', keychain: 'missing' },
	sandbox: 'off',
};

export function createAccountMirror(host: Host) {
	const store = createStore<AccountView>()(() => ({ loaded: false, status: unknownAccount, problem: null }));

	function receive(status: AccountStatus): void {
		if (status.revision < store.getState().status.revision) return;
		store.setState({ loaded: true, status, problem: null });
	}

	function taken(answer: Result<AccountStatus, Problem>): Result<void, Problem> {
		if (!answer.ok) return answer;
		receive(answer.value);
		return ok();
	}

	return {
		store,
		close: host.listen('account.changed', receive),
		async load(): Promise<void> {
			const read = taken(await host.ask('account.read', undefined));
			if (!read.ok) store.setState({ loaded: true, problem: read.error });
		},
		setKey: async (input: Input<'account.set-key'>): Promise<Result<void, Problem>> =>
			taken(await host.ask('account.set-key', input)),
		forgetKey: async (): Promise<Result<void, Problem>> =>
			taken(await host.ask('account.forget-key', undefined)),
		setVoiceToken: async (input: Input<'account.set-voice-token'>): Promise<Result<void, Problem>> =>
			taken(await host.ask('account.set-voice-token', input)),
		forgetVoiceToken: async (): Promise<Result<void, Problem>> =>
			taken(await host.ask('account.forget-voice-token', undefined)),
		async choose(service: Input<'account.choose'>['service']): Promise<Result<void, Problem>> {
			const chosen = taken(await host.ask('account.choose', { service }));
			if (chosen.ok || chosen.error.kind !== 'sandbox-failed' || service !== 'local') return chosen;
			return err({ ...chosen.error, local: true });
		},
	};
}

/** Why the service cannot be used: no key, or none for its address. The sandbox and this computer need none. */
export function keyProblem({ service, key, apiUrl }: AccountStatus): Problem | null {
	if (isFree(service) || key.present) return null;
	if (!key.elsewhere) return { kind: 'api-key-missing' };
	return { kind: 'key-elsewhere', host: URL.parse(apiUrl)?.host ?? '' };
}
