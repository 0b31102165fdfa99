import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AccountView } from '#renderer/account/account-mirror.ts';
import type { Host } from '#renderer/host.ts';
import { createMirror, type Mirror } from '#renderer/shell/mirror.ts';
import type { ModelsState } from '#shared/host/models.ts';
import { err } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** The models of the local interpreter, as main has them. */
export interface ModelsMirror extends Mirror<ModelsView> {
	readonly takeOver: StoreApi<{
		/** This computer has taken over from a service; the user can switch back. */
		readonly isHere: boolean;
		/** The conversation is on its way from one to the other. */
		readonly isMoving: boolean;
		/** The last attempt to take over failed: the next one needs a request by the user. */
		readonly hasFailed: boolean;
		/** Why it failed, until the user dismisses it. */
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
	/** Why they could not be read. */
	readonly failure: Problem | null;
}

/** Reads them by itself once the account says that this computer interprets. */
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
		// Something else interprets: there is no way back to offer.
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
