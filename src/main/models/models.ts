import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { z } from 'zod/mini';
import { freeBytesAt, writeAtomically } from '#main/lib/files.ts';
import { takeLock } from '#main/lib/shared-file.ts';
import type { SocketAgents } from '#main/service/proxy.ts';
import type { ModelEntry, ModelsState } from '#shared/host/models.ts';
import { type BackoffPlan, backoffDelay, type Cancel, type Clock, pause } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { INTERPRETER } from '#shared/models/choose-models.ts';
import {
	isWhole,
	type Model,
	type ModelFile,
	modelsFor,
	models as published,
	recogniserOf,
	translatorsOf,
	VOICE_DATA,
} from '#shared/models/manifest.ts';
import type { Problem } from '#shared/problem.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import { checkRestBase } from '#shared/service-address.ts';
import {
	type DownloadParts,
	download,
	type Expected,
	type Fetched,
	problemOfDisk,
	TRIES,
} from './download.ts';

/** Stored beside the files of a model: their verified sizes and hashes. */
const RECORD = 'installed.json';
const LOCK = '.lock';
/** Shortest time between two progress reports to the window, ms. */
const TELL_EVERY_MS = 400;
/** The speed is the average over this time, ms. */
const SPEED_OVER_MS = 5000;
/** Disk space to leave free for other programs. */
const SPARE_BYTES = 50_000_000;
/** How often to check whether another program has finished downloading the same model, ms. */
const LOOK_AGAIN_MS = 1000;

/**
 * For the process of the local interpreter on Linux: glibc then returns freed memory to the system, 50 MB of it.
 * Otherwise each thread keeps its own.
 */
export const INTERPRETER_ENV = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

const Record = z.object({ files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })) });
type Record = z.infer<typeof Record>;

export interface ModelsParts {
	readonly folder: string;
	/** Replaces the hosts of the manifest; empty = use those. */
	readonly mirror: string;
	readonly agent: SocketAgents;
	readonly clock: Clock;
	readonly random: () => number;
	readonly log: Logger;
	/** True while a conversation uses the model. */
	readonly isInUse?: (id: string) => boolean;
	/** How long to retry; the default assumes that the user does something else meanwhile. */
	readonly plan?: BackoffPlan;
	/** All models; tests have their own. */
	readonly models?: readonly Model[];
}

export interface Models {
	readonly folder: () => string;
	read(): Promise<ModelsState>;
	listen(heard: (state: ModelsState) => void): Cancel;
	/** Starts downloading the models; `from` is a folder to copy from instead. */
	add(ids: readonly string[], from?: string): Promise<Result<void, Problem>>;
	pause(id: string): Promise<Result<void, Problem>>;
	cancel(id: string): Promise<Result<void, Problem>>;
	remove(ids: readonly string[]): Promise<Result<void, Problem>>;
	/** Stops the download, and keeps the part that has arrived. */
	close(): Promise<void>;
	readonly answers: ModelAnswers;
}

interface ModelAnswers {
	'models.read'(): Promise<Result<ModelsState, Problem>>;
	'models.add'(input: { readonly ids: readonly string[] }): Promise<Result<void, Problem>>;
	'models.pause'(input: { readonly id: string }): Promise<Result<void, Problem>>;
	'models.cancel'(input: { readonly id: string }): Promise<Result<void, Problem>>;
	'models.remove'(input: { readonly ids: readonly string[] }): Promise<Result<void, Problem>>;
}

/** The folder of the models: the option, then `DRAGOMAN_MODELS`, then one in the data folder. */
export function modelsFolder(userData: string, env: NodeJS.ProcessEnv, option = ''): string {
	return resolve(option || env.DRAGOMAN_MODELS || join(userData, 'models'));
}

let here: ReturnType<typeof modelsFor> | null = null;

/** The models for this computer, and why it cannot interpret. No start waits for it: it looks for npm's packages. */
export function modelsHere(): ReturnType<typeof modelsFor> {
	here ??= modelsFor(process, createRequire(import.meta.url).resolve);
	return here;
}

/** `interpreter` if that has to be downloaded first; null = it need not be. */
export function missingInterpreter(folder: string): string | null {
	const interpreter = modelsHere().models.find(({ id }) => id === INTERPRETER);
	const has = (id: string, file: string) => existsSync(join(folder, id, file));
	return !interpreter || isWhole(interpreter, has) ? null : INTERPRETER;
}

/** The first pair that lacks a model, such as `en-pt`, or `interpreter` if only that is missing; or null. */
export function missingPair(folder: string, from: string, targets: readonly string[]): string | null {
	const has = (id: string, file: string) => existsSync(join(folder, id, file));
	const installed = new Set(published.filter((model) => isWhole(model, has)).map(({ id }) => id));
	const isHeard = recogniserOf(from, installed) !== null;
	if (targets.length === 0) return isHeard ? missingInterpreter(folder) : `${from}-en`;
	const isMissing = (to: string) => {
		// The spoken language is detected, so any translator into the target may be needed.
		if (from === AUTO) return false;
		return !translatorsOf(from, to)?.every((id) => installed.has(id));
	};
	const missing = targets.find((to) => !isHeard || isMissing(to));
	return missing === undefined ? missingInterpreter(folder) : `${from}-${missing}`;
}

type Standing = Omit<ModelEntry, 'id' | 'role' | 'languages' | 'licence' | 'quality'>;

/** The download of a requested model. */
interface Job {
	readonly model: Model;
	/** A folder to copy from; null = from the network. */
	readonly from: string | null;
	readonly stop: AbortController;
	/** True: delete the downloaded part afterwards. */
	isCancelled: boolean;
}

/** The models on this computer, and their downloads, one at a time. */
export function createModels(parts: ModelsParts): Models {
	const { folder, clock, log, plan = TRIES.window } = parts;
	const all = () => (parts.models ? { models: parts.models, problem: null } : modelsHere());
	const mirror = parts.mirror.replace(/\/+$/, '');
	const modelOf = (id: string) => all().models.find((model) => model.id === id);
	const network: DownloadParts = { agent: parts.agent, clock, catalogues: new Map() };
	const listeners = createListeners<[ModelsState]>();
	const standings = new Map<string, Standing>();
	const jobs: Job[] = [];
	/** Why the last attempt for a model stopped. */
	const failures = new Map<string, Problem>();
	let revision = 0;
	let freeBytes: number | null = null;
	let working: Promise<void> | null = null;
	let isClosed = false;
	let toldMs = Number.NEGATIVE_INFINITY;

	const placeOf = (id: string, ...names: string[]) => join(folder, id, ...names);

	function snapshot(): ModelsState {
		const { models, problem } = all();
		const entries = models.map(({ id, role, languages, licence, quality, files }) => {
			const standing = standings.get(id) ?? available(files);
			return { id, role, languages: [...languages], licence, quality, ...standing };
		});
		return { revision, models: entries, freeBytes, folder, problem };
	}

	function tell(): void {
		if (isClosed) return;
		revision += 1;
		toldMs = clock.now();
		listeners.tell(snapshot());
	}

	function put(id: string, change: Partial<Standing>): void {
		const files = modelOf(id)?.files ?? [];
		standings.set(id, { ...(standings.get(id) ?? available(files)), ...change });
	}

	async function look(): Promise<void> {
		freeBytes = await freeBytesAt(folder).catch(() => null);
		const there = new Set(await readdir(folder).catch(() => []));
		for (const model of all().models) {
			if (jobs.some((job) => job.model === model)) continue;
			const found = there.has(model.id) ? await standingOf(model) : available(model.files);
			settle(model.id, found);
		}
	}

	/** Records the files on the disk, and why the last attempt stopped. */
	function settle(id: string, found: Standing): void {
		// A download may have started meanwhile.
		if (jobs.some((job) => job.model.id === id)) return;
		const problem = failures.get(id);
		if (found.state === 'installed' || !problem) standings.set(id, found);
		else standings.set(id, { ...found, state: found.state === 'broken' ? 'broken' : 'paused', problem });
	}

	/** Judged by the sizes of its files: their hashes were verified when they arrived. */
	async function standingOf({ id, files }: Model): Promise<Standing> {
		const record = await recordOf(placeOf(id));
		let bytes = 0;
		let doneBytes = 0;
		let isPart = false;
		let damaged: string | null = null;
		let missing = 0;
		for (const file of files) {
			const known = record.files[file.name];
			bytes += known?.bytes ?? file.bytes;
			const size = await sizeOf(placeOf(id, file.name));
			const isRight =
				size !== null && size > 0 && size === (known?.bytes ?? (file.sha256 ? file.bytes : size));
			if (isRight) doneBytes += size;
			else if (size !== null || known) damaged ??= file.name;
			else missing += 1;
			const part = isRight ? null : await sizeOf(placeOf(id, `${file.name}.part`));
			isPart ||= part !== null;
			doneBytes += part ?? 0;
		}
		const standing = { ...available(files), bytes, doneBytes };
		if (damaged !== null) {
			const problem: Problem = { kind: 'model-damaged', model: id, file: damaged };
			return { ...standing, state: 'broken', problem };
		}
		if (missing === 0) return { ...standing, state: 'installed' };
		return { ...standing, state: isPart || missing < files.length ? 'paused' : 'available' };
	}

	function begin(job: Job): void {
		jobs.push(job);
		failures.delete(job.model.id);
		put(job.model.id, { state: 'waiting', problem: null, bytesPerS: null });
		working ??= work().finally(() => {
			working = null;
		});
	}

	async function work(): Promise<void> {
		// Yield once, so that a request for several models shows all of them as waiting.
		await Promise.resolve();
		for (let job = jobs[0]; job; job = jobs[0]) {
			const done = job.stop.signal.aborted ? err<Problem>({ kind: 'cancelled' }) : await install(job);
			const { id } = job.model;
			if (job.isCancelled) await discard(id);
			if (!done.ok && done.error.kind !== 'cancelled') {
				log.warn('model not installed', { id, kind: done.error.kind });
				failures.set(id, done.error);
			}
			const found = await standingOf(job.model);
			freeBytes = await freeBytesAt(folder).catch(() => null);
			jobs.shift();
			settle(id, found);
			tell();
		}
	}

	async function install(job: Job): Promise<Result<void, Problem>> {
		const { model, stop } = job;
		try {
			await mkdir(placeOf(model.id), { recursive: true, mode: 0o700 });
		} catch (thrown) {
			return err(await filled(problemOfDisk(thrown, placeOf(model.id)), model));
		}
		const lock = await lockOf(job);
		if (!lock) return err({ kind: 'cancelled' });
		try {
			const short = await shortOf(model);
			if (short) return err(short);
			const steady = meter(model.id);
			for (const file of model.files) {
				const done = await installFile(job, file, steady);
				if (!done.ok) return err(await filled(done.error, model));
			}
			log.info('model installed', { id: model.id });
			return ok();
		} catch (thrown) {
			if (stop.signal.aborted) return err({ kind: 'cancelled' });
			return err(await filled(problemOfDisk(thrown, placeOf(model.id)), model));
		} finally {
			lock.release();
		}
	}

	/** Another program may be downloading the same model: waits until it is done. Null = stopped meanwhile. */
	async function lockOf({ model, stop }: Job): Promise<{ release(): void } | null> {
		for (;;) {
			const lock = takeLock(placeOf(model.id, LOCK));
			if (lock) return lock;
			if (!(await pause(clock, LOOK_AGAIN_MS, stop.signal))) return null;
		}
	}

	/** The problem to report if the disk is too full; null if there is room. */
	async function shortOf(model: Model): Promise<Problem | null> {
		const neededBytes = (await missingOf(model)) + SPARE_BYTES;
		freeBytes = await freeBytesAt(folder).catch(() => null);
		return freeBytes === null || freeBytes >= neededBytes ? null : tooFull(neededBytes, freeBytes);
	}

	/** An archive needs room for itself and for its contents, which are up to three times as large. */
	async function missingOf({ id, files }: Model): Promise<number> {
		const record = await recordOf(placeOf(id));
		let bytes = 0;
		for (const file of files) {
			const size = await sizeOf(placeOf(id, file.name));
			if (size !== null && size === record.files[file.name]?.bytes) continue;
			const part = (await sizeOf(placeOf(id, `${file.name}.part`))) ?? 0;
			const isPacked = mirror === '' && file.urls.some((url) => url.endsWith('.gz'));
			bytes += Math.max(
				0,
				(file.package ? 4 : isPacked ? 2 : 1) * (record.files[file.name]?.bytes ?? file.bytes) - part,
			);
		}
		return bytes;
	}

	async function filled(problem: Problem, model: Model): Promise<Problem> {
		if (problem.kind !== 'disk-full') return problem;
		freeBytes = await freeBytesAt(folder).catch(() => null);
		return tooFull(await missingOf(model), freeBytes ?? 0);
	}

	/** Reports the progress of a model, with its speed, now and then. */
	function meter(id: string) {
		const samples: { atMs: number; bytes: number }[] = [];
		return (doneBytes: number, state: 'downloading' | 'checking') => {
			const atMs = clock.now();
			if (state === 'checking') samples.length = 0;
			else if (atMs - (samples.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) >= 100)
				samples.push({ atMs, bytes: doneBytes });
			while (samples[0] && atMs - samples[0].atMs > SPEED_OVER_MS) samples.shift();
			const [first] = samples;
			const overMs = first ? atMs - first.atMs : 0;
			const bytesPerS = first && overMs >= 500 ? ((doneBytes - first.bytes) * 1000) / overMs : null;
			const isNews = standings.get(id)?.state !== state;
			put(id, { state, doneBytes, bytesPerS, problem: null });
			if (isNews || atMs - toldMs >= TELL_EVERY_MS) tell();
		};
	}

	async function installFile(
		job: Job,
		file: ModelFile,
		steady: ReturnType<typeof meter>,
	): Promise<Result<void, Problem>> {
		const { model, stop, from } = job;
		const path = placeOf(model.id, file.name);
		const record = await recordOf(placeOf(model.id));
		const known = record.files[file.name];
		// Another program may have just downloaded it.
		const size = await sizeOf(path);
		if (size !== null && size === known?.bytes) return ok();
		const before = model.files.slice(0, model.files.indexOf(file));
		const beforeBytes = before.reduce((sum, one) => sum + (record.files[one.name]?.bytes ?? one.bytes), 0);
		const expected: Expected = {
			bytes: known?.bytes ?? file.bytes,
			isExact: known !== undefined || file.sha256 !== null,
			sha256: file.sha256 ?? known?.sha256 ?? null,
		};
		const progress = (doneBytes: number, isChecking: boolean) =>
			steady(beforeBytes + doneBytes, isChecking ? 'checking' : 'downloading');
		const given = { model: model.id, name: file.name, path, expected, progress, signal: stop.signal };
		const fetched =
			from === null ? await fetchFile(job, file, given) : await copyFile(join(from, model.id), given);
		if (!fetched.ok) return fetched;
		// Read it again: only we write while the lock is held, but the user may have copied a model there.
		const { files } = await recordOf(placeOf(model.id));
		const next = { files: { ...files, [file.name]: fetched.value } };
		writeAtomically(placeOf(model.id, RECORD), `${JSON.stringify(next, null, '\t')}\n`);
		return ok();
	}

	interface Given {
		readonly model: string;
		readonly name: string;
		readonly path: string;
		readonly expected: Expected;
		readonly progress: (doneBytes: number, isChecking: boolean) => void;
		readonly signal: AbortSignal;
	}

	/** Tries the file's hosts in turn, and again while that may help. */
	async function fetchFile(job: Job, file: ModelFile, given: Given): Promise<Result<Fetched, Problem>> {
		const wrong = mirror === '' ? null : checkRestBase(mirror);
		if (wrong) return err(wrong);
		const urls = mirror === '' ? file.urls : [`${mirror}/${job.model.id}/${encodeURIComponent(file.name)}`];
		let last: Problem = { kind: 'not-found', what: 'file', name: file.name };
		for (const url of urls) {
			const done = await insist(url, file, given);
			if (done.ok || done.error.kind === 'cancelled' || isOfDisk(done.error)) return done;
			last = done.error;
		}
		return err(last);
	}

	async function insist(url: string, file: ModelFile, given: Given): Promise<Result<Fetched, Problem>> {
		let failures = 0;
		let restarts = 0;
		let furthest = 0;
		for (;;) {
			const before = furthest;
			const progress: Given['progress'] = (doneBytes, isChecking) => {
				furthest = Math.max(furthest, doneBytes);
				given.progress(doneBytes, isChecking);
			};
			const catalogue = mirror === '' ? file.catalogue : undefined;
			const done = await download(network, { ...given, url, catalogue, progress });
			if (done.ok) return done;
			const { problem, again } = done.error;
			if (again === 'fresh' && restarts++ === 0) continue;
			if (again !== 'later') return err(problem);
			// Bytes that arrive a second time are no progress.
			failures = furthest > before ? 1 : failures + 1;
			const ended = await waitAfter(problem, failures, given);
			if (ended) return err(ended);
		}
	}

	/** Waits before the next attempt if there is one; otherwise returns why not. */
	async function waitAfter(
		problem: Problem,
		failures: number,
		{ model, signal }: Given,
	): Promise<Problem | null> {
		const delayMs = backoffDelay(plan, failures, parts.random);
		log.info('model download interrupted', { id: model, kind: problem.kind, delayMs: delayMs ?? -1 });
		if (delayMs === null) return problem;
		// The download resumes automatically; until then, show why it is waiting.
		put(model, { state: 'waiting', bytesPerS: null, problem });
		tell();
		return (await pause(clock, delayMs, signal)) ? null : { kind: 'cancelled' };
	}

	/** Copies from a folder that is laid out like ours. */
	async function copyFile(source: string, given: Given): Promise<Result<Fetched, Problem>> {
		const { name, model, path, signal } = given;
		const from = join(source, name);
		const kept = (await recordOf(source)).files[name]?.sha256 ?? null;
		const sha256 = given.expected.sha256 ?? kept;
		const part = `${path}.part`;
		const hash = createHash('sha256');
		let bytes = 0;
		const input = await open(from).catch(() => null);
		if (!input)
			return err({ kind: 'file-unreadable', file: from, reason: 'it is missing or cannot be read' });
		await input.close();
		const out = await open(part, 'w', 0o600);
		try {
			for await (const piece of createReadStream(from, { signal })) {
				bytes += piece.length;
				hash.update(piece);
				await out.write(piece);
				given.progress(bytes, true);
			}
			await out.sync();
		} catch (thrown) {
			await rm(part, { force: true });
			throw thrown;
		} finally {
			await out.close();
		}
		const found = hash.digest('hex');
		if (sha256 !== null && found !== sha256) {
			await rm(part, { force: true });
			return err({ kind: 'model-altered', model, file: name });
		}
		await rename(part, path);
		return ok({ bytes, sha256: found });
	}

	async function discard(id: string): Promise<void> {
		const model = modelOf(id);
		if (!model || (await standingOf(model)).state === 'installed') return;
		await rm(placeOf(id), { recursive: true, force: true });
	}

	const unknown = (id: string): Problem => ({ kind: 'not-found', what: 'model', name: id });

	function end(id: string, isCancelled: boolean): boolean {
		const job = jobs.find((one) => one.model.id === id);
		if (!job) return false;
		job.isCancelled ||= isCancelled;
		job.stop.abort();
		if (job !== jobs[0]) {
			// It has not started, so remove it from the queue at once.
			jobs.splice(jobs.indexOf(job), 1);
			put(id, { state: 'paused', bytesPerS: null });
			tell();
		}
		return true;
	}

	async function removeOne(id: string): Promise<Problem | null> {
		if (parts.isInUse?.(id) || jobs.some((job) => job.model.id === id))
			return { kind: 'model-in-use', model: id };
		try {
			if ((await sizeOf(placeOf(id))) === null) return null;
			const lock = takeLock(placeOf(id, LOCK));
			if (!lock) return { kind: 'model-in-use', model: id };
			lock.release();
			await rm(placeOf(id), { recursive: true, force: true });
			failures.delete(id);
			return null;
		} catch (thrown) {
			return problemOfDisk(thrown, placeOf(id));
		}
	}

	async function read(): Promise<ModelsState> {
		await look();
		revision += 1;
		return snapshot();
	}

	async function add(ids: readonly string[], from?: string): Promise<Result<void, Problem>> {
		const wanted: Model[] = [];
		for (const id of ids) {
			const model = modelOf(id);
			if (!model) return err(unknown(id));
			wanted.push(model);
		}
		if (isClosed) return err({ kind: 'cancelled' });
		const unique = [...new Set(wanted)];
		const found = await Promise.all(unique.map(standingOf));
		if (isClosed) return err({ kind: 'cancelled' });
		// Update all at once, so that no observer sees a requested model as not requested.
		unique.forEach((model, i) => {
			const standing = found[i] ?? available(model.files);
			if (jobs.some((job) => job.model === model && !job.stop.signal.aborted)) return;
			if (standing.state === 'installed') settle(model.id, standing);
			else
				begin({ model, from: from ? resolve(from) : null, stop: new AbortController(), isCancelled: false });
		});
		tell();
		return ok();
	}

	async function pauseOne(id: string): Promise<Result<void, Problem>> {
		if (!modelOf(id)) return err(unknown(id));
		end(id, false);
		return ok();
	}

	async function cancel(id: string): Promise<Result<void, Problem>> {
		if (!modelOf(id)) return err(unknown(id));
		const isFirst = jobs[0]?.model.id === id;
		if (end(id, true) && isFirst) return ok();
		failures.delete(id);
		await discard(id);
		await look();
		tell();
		return ok();
	}

	async function remove(ids: readonly string[]): Promise<Result<void, Problem>> {
		const strange = ids.find((id) => !modelOf(id));
		if (strange !== undefined) return err(unknown(strange));
		let problem: Problem | null = null;
		for (const id of ids) problem ??= await removeOne(id);
		const isVoice = ({ id, role }: Model) => role === 'voice' && existsSync(placeOf(id));
		if (!all().models.some(isVoice))
			await rm(join(folder, VOICE_DATA), { recursive: true, force: true }).catch(() => {});
		await look();
		tell();
		return problem ? err(problem) : ok();
	}

	return {
		folder: () => folder,
		read,
		listen: listeners.listen,
		add,
		pause: pauseOne,
		cancel,
		remove,
		async close() {
			isClosed = true;
			for (const job of jobs) job.stop.abort();
			jobs.splice(1);
			await working;
			listeners.clear();
		},
		answers: {
			'models.read': async () => ok(await read()),
			'models.add': ({ ids }) => add(ids),
			'models.pause': ({ id }) => pauseOne(id),
			'models.cancel': ({ id }) => cancel(id),
			'models.remove': ({ ids }) => remove(ids),
		},
	};
}

function available(files: readonly ModelFile[]): Standing {
	const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
	return { bytes, state: 'available', doneBytes: 0, bytesPerS: null, problem: null };
}

const isOfDisk = ({ kind }: Problem) => kind === 'disk-full' || kind === 'storage-failed';

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000);
function tooFull(neededBytes: number, freeBytes: number): Problem {
	return {
		kind: 'disk-full',
		neededMb: megabytes(neededBytes),
		freeMb: Math.floor(freeBytes / 1_000_000),
	};
}

/** The size of a file; null = there is no such file. */
async function sizeOf(path: string): Promise<number | null> {
	return stat(path).then(
		({ size }) => size,
		() => null,
	);
}

/** The files that were verified when they arrived; empty if unknown. */
async function recordOf(place: string): Promise<Record> {
	try {
		const read = Record.safeParse(JSON.parse(await readFile(join(place, RECORD), 'utf8')));
		return read.success ? read.data : { files: {} };
	} catch {
		return { files: {} };
	}
}
