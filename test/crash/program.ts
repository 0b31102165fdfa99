import { type Admission, createAdmission } from '#main/app/admission.ts';
import { createQuit, type Quit } from '#main/app/lifecycle.ts';
import { createHistory, type History } from '#main/history/history.ts';
import { createSessionClient, type SessionClient } from '#main/service/session-client.ts';
import { createLedgerFile, type Ledger } from '#main/sessions/ledger.ts';
import { createSessionKeeper, type SessionKeeper } from '#main/sessions/session-keeper.ts';
import { createSettings, type SettingsStore } from '#main/settings/settings.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';

export interface Program {
	readonly api: SessionClient;
	readonly ledger: Ledger;
	readonly keeper: SessionKeeper;
	readonly settings: SettingsStore;
	readonly history: History;
	readonly admission: Admission;
	readonly quit: Quit;
}

export interface ProgramParts {
	readonly base: string;
	readonly key: string;
	/** The user's data. */
	readonly folder: string;
	readonly clock: Clock;
	readonly exit: (code: number) => void;
}

/** What the app's main process builds of sessions, settings and history, put together as `electron/shell.ts` does. */
export function startProgram({ base, key, folder, clock, exit }: ProgramParts): Program {
	const common = { clock, random: Math.random, log: silentLogger };
	const settings = createSettings(openSettingsFile(folder, clock), {}, {});
	// Looked up at each call, because the step counter may have replaced it.
	const fetch: typeof globalThis.fetch = (...args) => globalThis.fetch(...args);
	const api = createSessionClient({ ...common, fetch, baseUrl: () => base, key: () => key });
	const ledger = createLedgerFile({ folder, clock, log: silentLogger });
	const preparedIdleMs = () => settings.values().warmIdleS * 1000;
	const keeper = createSessionKeeper({ ...common, api, ledger, preparedIdleMs });
	const choice = () => ({ history: 'keep' as const, historyDays: 30 });
	const history = createHistory({ folder, clock, log: silentLogger, choice });
	const none = {
		open: async () => ({ ok: false, error: { kind: 'cancelled' } }) as const,
		close: async () => {},
	};
	const admission = createAdmission({
		keeper,
		streams: none,
		isQuitting: () => quit.begun,
		granted: () => {},
	});
	const quit = createQuit({
		clock,
		log: silentLogger,
		announce: () => false,
		closeSessions: (deadlineMs) => keeper.closeAll(deadlineMs),
		async closeRest() {
			ledger.close();
			history.close();
		},
		exit,
	});
	return { api, ledger, keeper, settings, history, admission, quit };
}
