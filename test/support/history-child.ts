import { writeSync } from 'node:fs';
import { createHistory } from '#main/history/history.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { silentLogger } from '#shared/lib/log.ts';

/**
 * A program that keeps captions until it is killed: batches of captions, some sent again with other
 * times, some replacing what was not final. Prints what it hands over, and then that it was acknowledged.
 */
const [folder = '', seed = '1'] = process.argv.slice(2);
let state = Number(seed);
/** A small generator of our own: the same seed, the same stream. */
function below(limit: number): number {
	state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
	return (state >>> 8) % limit;
}

const choice = () => ({ history: 'keep' as const, historyDays: 30 });
const { answers } = createHistory({ folder, clock: createSystemClock(), log: silentLogger, choice });
const begun = await answers['history.begin']({ mode: 'solo', agoMs: 0 });
if (!begun.ok) throw new Error(begun.error.kind);
const { id } = begun.value;
writeSync(1, `${JSON.stringify({ id })}\n`);
for (let count = 0; ; ) {
	const captions = Array.from({ length: 1 + below(5) }, (): HistoryCaption => {
		const n = below(3) === 0 && count > 0 ? below(count) : count++;
		const times = { startMs: n * 100 + below(50), endMs: n * 100 + 90 };
		const place = { row: `t${n}`, part: '0', kind: 'source', language: 'en', mark: '' };
		return {
			key: `k${n}`,
			...place,
			...times,
			text: `caption ${n} ${'word '.repeat(below(60))}`,
			final: below(4) > 0,
		};
	});
	writeSync(1, `${JSON.stringify({ handing: captions })}\n`);
	const written = await answers['history.append']({ id, captions });
	if (!written.ok) throw new Error(written.error.kind);
	writeSync(1, `${JSON.stringify({ kept: true })}\n`);
}
