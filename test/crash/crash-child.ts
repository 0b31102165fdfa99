import { createSystemClock } from '#main/system-clock.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { startProgram } from './program.ts';
import { countSteps } from './steps.ts';

/**
 * The main process through a day: it starts, clears away what an earlier one left, holds three conversations
 * (one ended at once, the last still running at the end) and quits. Dies by `kill -9` at the step numbered in its
 * last argument, 0 = never. It reports what was acknowledged as kept on standard output, in the form of `Said`.
 */
const [base = '', key = '', folder = '', fatal = '0'] = process.argv.slice(2);
const steps = await countSteps(Number(fatal));
const { say } = steps;
say({ type: 'begun' });

const clock = steps.clock(createSystemClock());
const exit = (code: number) => {
	say({ type: 'ended', steps: steps.count() });
	process.exit(code);
};
const program = startProgram({ base, key, folder, clock, exit });
const { admission, history, settings, quit } = program;
const { sessions } = admission;
void program.keeper.sweep();
await history.answers['history.state'](undefined);

/** A sentence and its translation, which grow and become final, handed over as the window does it. */
async function talk(id: string, sentences: number): Promise<void> {
	for (let n = 0; n < sentences; n++) {
		for (const final of [false, true]) {
			const captions = ['source', 'translation'].map((kind): HistoryCaption => {
				const text = final ? `${kind} ${n} is whole` : `${kind} ${n}`;
				const place = { row: `r${n}`, part: '0', kind, language: 'en', mark: '' };
				return { key: `${kind} ${n}`, ...place, text, startMs: n, endMs: n + 1, final };
			});
			say({ type: 'handed', id, captions });
			const kept = await history.answers['history.append']({ id, captions });
			if (kept.ok) say({ type: 'kept', id, captions });
		}
	}
}

async function converse(): Promise<() => Promise<void>> {
	const opened = await sessions.open();
	// On a very busy machine the answer may come too late: then there is no conversation.
	if (!opened.ok) return async () => {};
	const { handle } = opened.value;
	const begun = await history.answers['history.begin']({ mode: 'solo', agoMs: 0 });
	if (!begun.ok) throw new Error(begun.error.kind);
	await sessions.joined(handle);
	await talk(begun.value.id, 2);
	return async () => {
		await sessions.close(handle);
		await history.answers['history.end']({ id: begun.value.id });
	};
}

await sessions.prepare();
const stop = await converse();
settings.write({ warmIdleS: 90 });
if (settings.snapshot().problem === null) say({ type: 'set', warmIdleS: 90 });
await stop();
// Stop before the session is there: what the create brings is deleted.
void sessions.open().then(async (late) => late.ok && (await sessions.close(late.value.handle)));
await program.keeper.closeAll(5000);
await converse();
await quit.begin('quit');
