import { createSessionClient } from '#main/service/session-client.ts';
import { createSessionKeeper } from '#main/sessions/session-keeper.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from './manual-clock.ts';
import { createLedgerDisk, createMemoryLedger } from './memory-ledger.ts';
import { createPretendService, type Mishap } from './pretend-service.ts';

interface StageOptions {
	readonly limit?: number;
	readonly skewMs?: number;
	readonly tokenLifeMs?: number;
	readonly allowedHosts?: readonly string[];
	/** Default two minutes. */
	readonly warmIdleMs?: number;
}

/** A session keeper beside a pretend service, under manual time; nothing is there yet. */
export function createKeeperStage(options: StageOptions = {}) {
	const clock = createManualClock();
	const mishaps: Mishap[] = [];
	const next = () => mishaps.shift() ?? 'none';
	const key = { now: 'the-key' };
	const parts = {
		next,
		latencyMs: () => 150,
		skewMs: options.skewMs ?? 0,
		limit: options.limit ?? 10,
		lifeMs: 600_000,
		tokenLifeMs: options.tokenLifeMs,
	};
	const service = createPretendService(clock, parts);
	const disk = createLedgerDisk();
	const common = { clock, random: () => 0.5, log: silentLogger };
	const api = createSessionClient({
		...common,
		fetch: service.fetch,
		baseUrl: () => 'https://api.example.com',
		key: () => key.now,
		allowedHosts: () => options.allowedHosts ?? [],
	});
	const lost: { handle: string; problem: Problem }[] = [];
	function createKeeper(owner: string) {
		const ledger = createMemoryLedger(disk, owner);
		const made = createSessionKeeper({
			...common,
			api,
			ledger,
			warmIdleMs: () => options.warmIdleMs ?? 120_000,
		});
		made.onLost((handle, problem) => lost.push({ handle, problem }));
		return made;
	}
	const keeper = createKeeper('this');

	async function over<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
		for (let left = ms; left > 0; left -= 50) await clock.run(50);
		return await promise;
	}
	async function opened(): Promise<string> {
		const grant = await over(2000, keeper.open());
		if (!grant.ok) throw new Error(grant.error.kind);
		return grant.value.handle;
	}
	/** The program dies with a session, whose entry is in the ledger; the keeper of the next one. */
	async function startedAgain() {
		await opened();
		disk.alive.delete('this');
		return createKeeper('next');
	}
	return { keeper, clock, service, disk, mishaps, key, lost, over, opened, startedAgain };
}
