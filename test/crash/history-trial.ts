import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createHistory, type History } from '#main/history/history.ts';
import { createSystemClock } from '#main/system-clock.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { silentLogger } from '#shared/lib/log.ts';

export interface HistoryOutcome {
	/** Empty: all that was promised held. */
	readonly failures: readonly string[];
	readonly killed: number;
	/** Finals that were acknowledged; all of them are there, or it is a failure. */
	readonly finals: number;
	/** The most captions of one program that were handed over and neither acknowledged nor found: one batch. */
	readonly lost: number;
	/** Files whose end was also cut off at some byte, and that were whole again when opened. */
	readonly repaired: number;
}

interface Said {
	readonly id?: string;
	readonly handing?: readonly HistoryCaption[];
	readonly kept?: true;
}

/** A conversation as far as one program got. */
interface Life {
	readonly id: string;
	readonly acknowledged: ReadonlyMap<string, HistoryCaption>;
	/** Everything handed over, including the batch that was under way. */
	readonly handed: ReadonlyMap<string, HistoryCaption>;
	readonly underWay: number;
}

const clock = createSystemClock();
/** `kill -9` loses nothing that the kernel has, so a memory file system is as good as a disk here, and spares it. */
const SCRATCH = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** SQLite empties its log into the file at a thousand pages. */
const FIRST_CHECKPOINT = 1000 * 4096;

/** The captions after this batch: a final is replaced by finals only. */
function after(before: ReadonlyMap<string, HistoryCaption>, batch: readonly HistoryCaption[]) {
	const there = new Map(before);
	for (const one of batch) if (one.final || !there.get(one.key)?.final) there.set(one.key, one);
	return there;
}

function live(folder: string, seed: number, afterMs: number, compileCache: string): Promise<Life> {
	const child = spawn(process.execPath, ['test/support/history-child.ts', folder, `${seed}`], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
	});
	let id = '';
	let acknowledged: ReadonlyMap<string, HistoryCaption> = new Map();
	let handed = acknowledged;
	let underWay = 0;
	createInterface({ input: child.stdout }).on('line', (line) => {
		// What was still in the pipe when it died counts; half a line does not.
		if (!line.endsWith('}')) return;
		const said = JSON.parse(line) as Said;
		if (said.id !== undefined) {
			id = said.id;
			clock.after(afterMs, () => void child.kill('SIGKILL'));
		}
		if (said.handing) {
			handed = after(acknowledged, said.handing);
			underWay = said.handing.length;
		}
		if (said.kept) {
			acknowledged = handed;
			underWay = 0;
		}
	});
	return new Promise((done, fail) => {
		child.on('close', (_, signal) => {
			if (signal === 'SIGKILL') done({ id, acknowledged, handed, underWay });
			else fail(new Error('the writer of the history ended by itself'));
		});
	});
}

const open = (folder: string): History =>
	createHistory({
		folder,
		clock,
		log: silentLogger,
		choice: () => ({ history: 'keep', historyDays: 30 }),
	});

async function read({ answers }: History, id: string): Promise<ReadonlyMap<string, HistoryCaption>> {
	const there = new Map<string, HistoryCaption>();
	for (let next: string | null = null, more = true; more; more = next !== null) {
		const page = await answers['history.read']({ id, after: next, limit: 500 });
		if (!page.ok) return there;
		for (const one of page.value.captions) there.set(one.key, one);
		next = page.value.next;
	}
	return there;
}

/** Same captions, in whatever order. */
function isSame(
	one: ReadonlyMap<string, HistoryCaption>,
	other: ReadonlyMap<string, HistoryCaption>,
): boolean {
	return (
		one.size === other.size &&
		[...one].every(
			([key, { text, final }]) => other.get(key)?.text === text && other.get(key)?.final === final,
		)
	);
}

/** Cuts off the end of the log at some byte, as a power failure does; checks that a beginning is left and nothing is broken. */
async function isRepaired(folder: string, part: number): Promise<boolean> {
	const copy = mkdtempSync(join(SCRATCH, 'dragoman-torn-'));
	try {
		for (const name of readdirSync(folder).filter((it) => !it.endsWith('-shm')))
			copyFileSync(join(folder, name), join(copy, name));
		const log = join(copy, 'history.sqlite-wal');
		const { size } = existsSync(log) ? statSync(log) : { size: 0 };
		// Beyond this size some of the log may be in the file already; SQLite copies only what was flushed.
		if (size > 0 && size < FIRST_CHECKPOINT) truncateSync(log, Math.floor(size * part));
		const history = open(copy);
		const state = await history.answers['history.state'](undefined);
		const written = await history.answers['history.begin']({ mode: 'solo', agoMs: 0 });
		history.close();
		return state.ok && state.value.problem === null && written.ok && isWhole(copy);
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
}

const isWhole = (folder: string): boolean => !readdirSync(folder).some((name) => name.includes('broken'));

/**
 * Several programs write one history, each killed `afterMs` after its conversation began; after each the next
 * start must find every one of them as it was acknowledged, or with the one batch that was under way, whole.
 */
export async function tryHistory(
	kills: readonly { readonly afterMs: number; readonly cut: number }[],
	{ seed, compileCache }: { readonly seed: number; readonly compileCache: string },
): Promise<HistoryOutcome> {
	const folder = mkdtempSync(join(SCRATCH, 'dragoman-history-'));
	const failures: string[] = [];
	const lives: Life[] = [];
	const [found, finals, repaired] = [{ lost: 0 }, { count: 0 }, { count: 0 }];
	try {
		for (const [index, { afterMs, cut }] of kills.entries()) {
			const life = await live(folder, seed + index, afterMs, compileCache);
			lives.push(life);
			finals.count += [...life.acknowledged.values()].filter(({ final }) => final).length;
			if (await isRepaired(folder, cut)) repaired.count += 1;
			else failures.push(`kill ${index}: cut off at ${cut} it is broken`);
			const history = open(folder);
			for (const [number, one] of lives.entries()) {
				const there = await read(history, one.id);
				const isWithout = isSame(there, one.acknowledged);
				if (!isWithout && !isSame(there, one.handed))
					failures.push(`kill ${index}: conversation ${number} is not as it was acknowledged`);
				if (isWithout) found.lost = Math.max(found.lost, one.underWay);
			}
			const state = await history.answers['history.state'](undefined);
			if (!state.ok || state.value.problem !== null)
				failures.push(`kill ${index}: the history is not usable`);
			else if (life.acknowledged.size > 0 && state.value.offer?.id !== life.id)
				failures.push(`kill ${index}: what was cut off is not offered`);
			history.close();
			if (!isWhole(folder)) failures.push(`kill ${index}: the file was broken`);
		}
		return {
			failures,
			killed: kills.length,
			finals: finals.count,
			lost: found.lost,
			repaired: repaired.count,
		};
	} finally {
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}
