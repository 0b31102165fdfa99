import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AccountMirror, AccountView } from '#renderer/account/account-mirror.ts';
import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { ModelsState } from '#shared/host/models.ts';
import { err } from '#shared/lib/result.ts';
import type { chooseAmong } from '#shared/models/choose-models.ts';
import type { Problem } from '#shared/problem.ts';

/** Main's state of the models of the local interpreter. */
export interface ModelsMirror extends Mirror<ModelsView> {
	readonly takeOver: StoreApi<{
		/** This computer has taken over from a service; the user can switch back. */
		readonly isHere: boolean;
		/** True while the conversation is moving from one interpreter to the other. */
		readonly isMoving: boolean;
		/** True if the last attempt to take over failed, so that the next one needs a request by the user. */
		readonly hasFailed: boolean;
		/** Why the last attempt failed, until the user dismisses it. */
		readonly problem: Problem | null;
	}>;
}

/** Chooses the models for each language; loaded only once this computer interprets. */
type Choice = ReturnType<typeof chooseAmong>;

export interface ModelsView extends ModelsState {
	/** Null = not loaded yet. */
	readonly choice: Choice | null;
	/** Why the models could not be read. */
	readonly failure: Problem | null;
}

/** Reads the models automatically once the account uses this computer. */
export function createModelsMirror(
	host: Pick<Host, 'ask' | 'listen'>,
	account: Pick<AccountMirror, 'store' | 'choose'>,
): ModelsMirror {
	let choose: typeof chooseAmong | null = null;
	let choice: Choice | null = null;
	/** Length of the list behind `choice`. Main's list never changes, so another length means that a reading failed. */
	let count = 0;

	function choiceOf({ models }: ModelsState): Choice | null {
		if (choose && (choice === null || models.length !== count)) {
			choice = choose(models);
			count = models.length;
		}
		return choice;
	}

	const { store, load, close } = createMirror<ModelsState, ModelsView>({
		initial: {
			revision: -1,
			models: [],
			freeBytes: null,
			folder: '',
			problem: null,
			choice,
			failure: null,
		},
		listen: (heard) => host.listen('models.changed', heard),
		async read() {
			try {
				choose ??= (await import('#shared/models/choose-models.ts')).chooseAmong;
			} catch {
				return err({ kind: 'bug', where: 'models' });
			}
			return host.ask('models.read', undefined);
		},
		shown: (told) => ({ ...told, choice: choiceOf(told), failure: null }),
		unread: (failure) => ({ choice, failure }),
	});
	const takeOver = createStore<ReturnType<ModelsMirror['takeOver']['getState']>>(() => ({
		isHere: false,
		isMoving: false,
		hasFailed: false,
		problem: null,
	}));
	const isLocal = ({ status }: AccountView) => status.service === 'local';
	const isWhole = ({ models }: ModelsView) =>
		models.some(({ role, state }) => role === 'interpreter' && state === 'installed');
	const unfollow = account.store.subscribe((view, before) => {
		// A failed start may be due to a damaged file.
		const hasFailed = view.status.sandbox === 'failed' && before.status.sandbox !== 'failed';
		if (hasFailed ? view.status.service !== 'sandbox' : isLocal(view) && !isLocal(before)) void load();
		// A service interprets again, so do not offer the return to it.
		if (!isLocal(view) && isLocal(before)) takeOver.setState({ isHere: false });
	});
	const unfollowModels = store.subscribe((view, before) => {
		if (!isWhole(view) || isWhole(before) || before.revision < 0) return;
		// What failed for want of the interpreter goes on by itself once that is downloaded again.
		takeOver.setState({ hasFailed: false, problem: null });
		const now = account.store.getState();
		if (isLocal(now) && now.status.sandbox === 'failed') void account.choose('local');
	});
	return {
		store,
		load,
		takeOver,
		close() {
			close();
			unfollow();
			unfollowModels();
		},
	};
}
