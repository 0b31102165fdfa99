import type { Sessions, StreamSockets } from '#main/host.ts';
import type { SessionKeeper } from '#main/sessions/session-keeper.ts';
import type { PhaseReport } from '#shared/host/contract.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** Decides whether the window may begin something now, and passes allowed requests to the keeper and the sockets. */
export interface Admission {
	readonly sessions: Sessions;
	readonly streams: StreamSockets;
	/** True while a conversation runs. */
	isBusy(): boolean;
	phase(phase: PhaseReport): void;
	/** The account is about to change: a running conversation may open nothing until its end is reported. */
	accountLeaves(): void;
	/** Call when the page was closed, which ended its conversation. */
	pageGone(): void;
}

const OVER: ReadonlySet<PhaseReport> = new Set(['idle', 'failed']);

export function createAdmission({
	keeper,
	streams,
	isQuitting,
	granted,
}: {
	readonly keeper: Pick<
		SessionKeeper,
		'prepare' | 'open' | 'joined' | 'close' | 'page' | 'extend' | 'end' | 'sweep'
	>;
	readonly streams: StreamSockets;
	/** True while the program quits: nothing that costs money may start. */
	isQuitting(): boolean;
	/** Called when the window is given an address for its media. */
	granted(webrtcUrl: string): void;
}): Admission {
	/** True if something was requested or reported since the last conversation ended. */
	let isRunning = false;
	/** True if the running conversation began with another account. */
	let isOfAnother = false;

	function refusal(): Problem | null {
		if (isQuitting()) return { kind: 'cancelled' };
		return isOfAnother ? { kind: 'account-changed' } : null;
	}

	async function begin<Value>(run: () => Promise<Result<Value, Problem>>): Promise<Result<Value, Problem>> {
		const problem = refusal();
		if (problem) return err(problem);
		isRunning = true;
		return run();
	}

	function over(): void {
		isRunning = false;
		isOfAnother = false;
	}

	return {
		sessions: {
			prepare: async () => (isQuitting() ? err({ kind: 'cancelled' }) : ok(keeper.prepare())),
			open: () =>
				begin(async () => {
					const opened = await keeper.open();
					if (opened.ok) granted(opened.value.webrtcUrl);
					return opened;
				}),
			joined: async (handle) => ok(keeper.joined(handle)),
			close: async (handle) => ok(await keeper.close(handle)),
			page: keeper.page,
			extend: keeper.extend,
			end: keeper.end,
			sweep: keeper.sweep,
		},
		streams: {
			async open(opening) {
				if (opening.purpose === 'speech-to-speech') return begin(() => streams.open(opening));
				// Other sockets are no conversation: their phase is not reported, and a change of account closes them.
				const problem = refusal();
				return problem ? err(problem) : streams.open(opening);
			},
			close: streams.close,
		},
		isBusy: () => isRunning,
		phase(phase) {
			if (OVER.has(phase)) over();
			else isRunning = true;
		},
		accountLeaves() {
			isOfAnother = isRunning;
		},
		pageGone: over,
	};
}
