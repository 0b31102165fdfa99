import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AccountView } from '#renderer/account/account-mirror.ts';
import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { ModelsState } from '#shared/host/models.ts';
import { err } from '#shared/lib/result.ts';
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

/** Which models each language needs; loaded only once this computer interprets. */
export type Manifest = Pick<
	typeof import('#shared/models/manifest.ts'),
	'neededFor' | 'recogniserOf' | 'translatorsOf' | 'voiceFor'
>;

export interface ModelsView extends ModelsState {
	/** Null = not loaded yet. */
	readonly manifest: Manifest | null;
	/** Why the models could not be read. */
	readonly failure: Problem | null;
}

/** Reads the models automatically once the account uses this computer. */
export function createModelsMirror(
	host: Pick<Host, 'ask' | 'listen'>,
	account: StoreApi<AccountView>,
): ModelsMirror {
	let manifest: Manifest | null = null;
	const { store, load, close } = createMirror<ModelsState, ModelsView>({
		initial: {
			revision: -1,
			models: [],
			freeBytes: null,
			folder: '',
			problem: null,
			manifest,
			failure: null,
		},
		listen: (heard) => host.listen('models.changed', heard),
		async read() {
			try {
				manifest ??= await import('#shared/models/manifest.ts');
			} catch {
				return err({ kind: 'bug', where: 'models' });
			}
			return host.ask('models.read', undefined);
		},
		shown: (told) => ({ ...told, manifest, failure: null }),
		unread: (failure) => ({ manifest, failure }),
	});
	const takeOver = createStore<ReturnType<ModelsMirror['takeOver']['getState']>>(() => ({
		isHere: false,
		isMoving: false,
		hasFailed: false,
		problem: null,
	}));
	const isLocal = ({ status }: AccountView) => status.service === 'local';
	const unfollow = account.subscribe((view, before) => {
		if (isLocal(view) && !isLocal(before)) void load();
		// A service interprets again, so do not offer the return to it.
		if (!isLocal(view) && isLocal(before)) takeOver.setState({ isHere: false });
	});
	return {
		store,
		load,
		takeOver,
		close() {
			close();
			unfollow();
		},
	};
}
