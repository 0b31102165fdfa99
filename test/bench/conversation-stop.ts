import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { wavOf } from '#shared/sound/wav.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import type { Bench, BenchOptions, BenchResult, Goal } from './bench.ts';
import { CHIRP_HZ, chirpSound } from './chirps.ts';
import { createMirror } from './interpreters.ts';
import { medianOf, written } from './statistics.ts';

const ROUNDS = { short: 10, long: 30 };
const MOST_MS = { released: 50, deleted: 200 };
/** Period of polling for the session's end: a deletion is seen at most this late. */
const LOOK_MS = 2;
const DELETED_LIMIT_MS = 10_000;

/** One end of one conversation, ms after its press; null = did not happen in time. */
interface End {
	readonly hanging: boolean;
	/** Stop → the microphone's last track ended. */
	readonly releasedMs: number | null;
	/** Stop now → the service had taken the DELETE. */
	readonly deletedMs: number | null;
}

/** How soon Stop releases the microphone and the session. */
export const stop: Bench = {
	name: 'stop',
	title: 'Stop',
	about: `Stop is clicked during a conversation with the sandbox, and Stop now right after it.

- **microphone**: from Stop until its last track has ended.
- **session**: from Stop now until the service has accepted the DELETE.
- **leaving hangs**: the same with a room that never lets go.`,
	run: measure,
};

async function measure({ long, rounds, say }: BenchOptions): Promise<BenchResult> {
	const count = rounds ?? (long ? ROUNDS.long : ROUNDS.short);
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-stop-'));
	const microphone = join(folder, 'chirps.wav');
	writeFileSync(microphone, wavOf(chirpSound(60), CHIRP_HZ));
	const sandbox = await startSandbox({
		// Otherwise the conversation may end before the second press.
		faults: ['no-end-of-stream'],
		interpose: (interpreter, port) => createMirror(interpreter, port, 'es'),
	});
	const ends: End[] = [];
	let app: Launched | null = null;
	try {
		app = await launch({
			microphone,
			probe: false,
			service: sandbox,
			settings: { speak: 'en', hear: ['es'], voiceOf: 'es' },
		});
		const { page } = app;
		await page.addInitScript(installStopProbe);
		await page.reload();
		for (let round = 0; round <= count; round++) {
			for (const hanging of round % 2 === 0 ? [false, true] : [true, false]) {
				const end = await endOne(app, sandbox, hanging);
				// Do not count the first of each, which fills caches.
				if (round > 0) ends.push(end);
			}
			if (round > 0) say(`round ${round} of ${count}, load ${loadavg()[0]?.toFixed(1)}`);
		}
	} finally {
		await app?.close();
		await sandbox.close();
		rmSync(folder, { recursive: true, force: true });
	}
	return report(ends);
}

async function endOne({ page }: Launched, sandbox: Sandbox, hanging: boolean): Promise<End> {
	await untilPhase(page, 'Ready');
	await until('no session', () => sandbox.openSessions().length === 0);
	await button(page, 'Start').click();
	await untilPhase(page, 'Live');
	// Let the voice begin, so that Stop has something to wait for.
	await page.waitForTimeout(1500);
	await page.evaluate(`window.__stop.hang(${hanging}); window.__stop.arm()`);
	await button(page, 'Stop').click();
	const first = await page.evaluate<StopSeen>('window.__stop.seen()');
	await page.evaluate('window.__stop.arm()');
	const { deleted } = sandbox.counts();
	let deletedAtMs: number | null = null;
	const watched = (async () => {
		const limit = performance.now() + DELETED_LIMIT_MS;
		while (deletedAtMs === null && performance.now() < limit) {
			if (sandbox.counts().deleted > deleted) deletedAtMs = performance.timeOrigin + performance.now();
			else await new Promise((done) => setTimeout(done, LOOK_MS));
		}
	})();
	await button(page, 'Stop now').click();
	await watched;
	const second = await page.evaluate<StopSeen>('window.__stop.seen()');
	await page.evaluate('window.__stop.hang(false)');
	await page.mouse.move(3, 3);
	await page.evaluate('document.activeElement?.blur?.()');
	const since = (from: number | null, to: number | null) => (from === null || to === null ? null : to - from);
	return {
		hanging,
		releasedMs: since(first.pressedMs, first.releasedMs),
		deletedMs: since(second.pressedMs, deletedAtMs),
	};
}

function report(ends: readonly End[]): BenchResult {
	const released = ends.map(({ releasedMs }) => releasedMs);
	const deleted = (hanging: boolean) =>
		ends.filter((end) => end.hanging === hanging).map(({ deletedMs }) => deletedMs);
	const rows = [
		{ words: 'Stop → microphone let go', most: MOST_MS.released, values: released },
		{ words: 'Stop now → DELETE taken', most: MOST_MS.deleted, values: deleted(false) },
		{
			words: 'Stop now → DELETE taken, leaving the room hangs',
			most: MOST_MS.deleted,
			values: deleted(true),
		},
	].map((row) => ({ ...row, seen: row.values.filter((value) => value !== null) }));
	const load = loadavg()[0] ?? 0;
	/** Above this load, processes wait for the processor, and the times say nothing about the app. */
	const busy = load > 2 * availableParallelism();
	const goals: Goal[] = rows.map(({ words, most, values, seen }) => {
		const held = seen.length === values.length && Math.max(...seen) <= most;
		return {
			id: 'P17',
			goal: `${words} within ${most} ms`,
			measured: `${written(medianOf(seen), 0)} ms, longest ${longest(seen)} of ${values.length}`,
			reached: values.length === 0 || (!held && busy) ? null : held,
			...(!held && busy ? { because: `the machine was busy: load ${load.toFixed(1)}` } : {}),
		};
	});
	return {
		markdown: [
			'| | median, ms | longest, ms | of |',
			'| --- | --- | --- | --- |',
			...rows.map(
				({ words, values, seen }) =>
					`| ${words} | ${written(medianOf(seen), 0)} | ${longest(seen)} | ${values.length} |`,
			),
		].join('\n'),
		data: ends,
		goals,
	};
}

function longest(values: readonly number[]): string {
	return values.length === 0 ? 'none' : Math.max(...values).toFixed(0);
}

/** Wall-clock ms, to be compared with another process; null = has not happened. */
interface StopSeen {
	readonly pressedMs: number | null;
	/** When the last track of the microphone had ended. */
	readonly releasedMs: number | null;
}

/** `__stop` of a page in which `installStopProbe` ran. */
interface StopProbe {
	/** Measure the next press. */
	arm(): void;
	seen(): StopSeen;
	/** From now on the room's socket swallows what is sent to it and does not close. */
	hang(on: boolean): void;
}

/**
 * Watches presses and every copy of the microphone's track. Its source text runs in the page before any other
 * script, so it may use nothing from this module.
 */
function installStopProbe(): void {
	const live = new Set<MediaStreamTrack>();
	let pressedMs: number | null = null;
	let releasedMs: number | null = null;
	let hanging = false;
	const wall = (atMs: number) => performance.timeOrigin + atMs;

	function look(): void {
		for (const track of live) if (track.readyState === 'ended') live.delete(track);
		if (live.size === 0 && pressedMs !== null) releasedMs ??= wall(performance.now());
	}
	const { stop, clone } = MediaStreamTrack.prototype;
	MediaStreamTrack.prototype.stop = function (this: MediaStreamTrack) {
		const mine = live.has(this);
		stop.call(this);
		if (mine) look();
	};
	MediaStreamTrack.prototype.clone = function (this: MediaStreamTrack) {
		const copy = clone.call(this);
		if (live.has(this)) live.add(copy);
		return copy;
	};
	const devices = navigator.mediaDevices;
	const open = devices.getUserMedia.bind(devices);
	devices.getUserMedia = async (constraints) => {
		const stream = await open(constraints);
		for (const track of stream.getAudioTracks()) live.add(track);
		return stream;
	};
	for (const method of ['send', 'close'] as const) {
		const native = WebSocket.prototype[method] as (...all: unknown[]) => void;
		WebSocket.prototype[method] = function (this: WebSocket, ...all: unknown[]) {
			if (!hanging) native.apply(this, all);
		};
	}
	addEventListener(
		'click',
		(event) => {
			if (event.isTrusted) pressedMs ??= wall(event.timeStamp);
		},
		true,
	);
	const probe: StopProbe = {
		arm() {
			pressedMs = null;
			releasedMs = null;
		},
		seen: () => ({ pressedMs, releasedMs }),
		hang(on) {
			hanging = on;
		},
	};
	Object.defineProperty(window, '__stop', { value: probe });
}
