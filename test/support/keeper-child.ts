import { createLedgerFile } from '#main/keeper/ledger-file.ts';
import { createSessionKeeper } from '#main/keeper/session-keeper.ts';
import { createSessionClient } from '#main/service/session-client.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';

/**
 * A program with a keeper that lives one life: makes ahead, opens, joins, closes. Dies by `kill -9` at the
 * step numbered in its last argument; steps are counted at every call to the network and at every answer.
 * Says on standard output how many steps there were when it came to the end.
 */
const [base = '', key = '', folder = '', fatal = '0'] = process.argv.slice(2);
let steps = 0;
function count(): void {
	if (++steps === Number(fatal)) process.kill(process.pid, 'SIGKILL');
}

const clock = createSystemClock();
const counted: typeof globalThis.fetch = async (input, init) => {
	count();
	const response = await fetch(input, init);
	count();
	return response;
};
const common = { clock, random: Math.random, log: silentLogger };
const api = createSessionClient({ ...common, fetch: counted, baseUrl: () => base, key: () => key });
const file = createLedgerFile({ folder, clock, log: silentLogger });
const ledger: typeof file = {
	...file,
	async change(edit) {
		count();
		const changed = await file.change(edit);
		count();
		return changed;
	},
};
const keeper = createSessionKeeper({ ...common, api, ledger, warmIdleMs: () => 60_000 });

keeper.warm();
const first = await keeper.open();
count();
if (first.ok) {
	keeper.joined(first.value.handle);
	await keeper.close(first.value.handle);
}
count();
const second = await keeper.open();
count();
if (second.ok) await keeper.close(second.value.handle);
await keeper.closeAll(5000);
count();
process.stdout.write(`${steps}\n`);
process.exit(0);
