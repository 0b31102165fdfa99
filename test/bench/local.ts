import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INTERPRETER_ENV } from '#main/models/models.ts';
import type { SandboxAddresses } from '#sandbox/sandbox.ts';
import { expertHere, valuesOf } from '#shared/conversation/presets.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { wavHead } from '#shared/sound/wav.ts';
import { openSocket, pace, type SocketClient, silence, socketTask } from '#test/support/socket-client.ts';
import { allPrompts, type Prompt, testModels, wordsIn } from '#test/support/test-models.ts';
import type { Bench, BenchResult, Goal } from './bench.ts';
import { memoryOf, watchCpu } from './process-tree.ts';
import { medianOf, table, written } from './statistics.ts';

const RATE = 16_000;
/** As the app sends to it, ms. */
const CHUNK_MS = 40;
const GAP_MS = 2000;
/** Of 16 bits; quieter is silence. */
const LOUD = 400;
const FEWEST = 6;

/** The built program, interpreting with the models of a folder. */
async function startInterpreter(models: string) {
	const args = ['--port', '0', '--interpreter', 'local', '--models', models];
	const child = fork('out/main/sandbox.js', args, {
		env: { ...process.env, ...INTERPRETER_ENV },
		stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
	});
	const line = await new Promise<string>((done) => {
		let text = '';
		child.stdout?.on('data', (chunk: Buffer) => {
			text += chunk.toString('utf8');
			if (text.includes('\n')) done(text.split('\n')[0] ?? '');
		});
	});
	const addresses = JSON.parse(line) as SandboxAddresses;
	const headers = { authorization: `Bearer ${addresses.key}` };
	return {
		pid: child.pid ?? 0,
		converse: () => openSocket(addresses.s2s.replace('{hash}', 'a1b2c3d4'), { headers }),
		transcribe: (language: string) =>
			openSocket(`${addresses.stt}?format=pcm_s16le&sample_rate=${RATE}&language=${language}`, { headers }),
		async close() {
			const ended = new Promise((done) => child.once('exit', done));
			child.kill();
			await ended;
		},
	};
}

type Interpreter = Awaited<ReturnType<typeof startInterpreter>>;

/** When the last loud sample of a recording is heard, ms. */
function endOf({ pcm }: Prompt): number {
	let last = pcm.length - 2;
	while (last > 0 && Math.abs(pcm.readInt16LE(last)) < LOUD) last -= 2;
	return (last / 2 / RATE) * 1000;
}

interface Delays {
	readonly readyMs: number;
	readonly partialMs: readonly number[];
	readonly finalMs: readonly number[];
	readonly soundMs: readonly number[];
}

const timesOf = (client: SocketClient, type: string, fromMs: number) =>
	client.messages(type).flatMap(({ atMs }) => (atMs > fromMs ? [atMs] : []));

const here = valuesOf({ preset: 'balanced', expert: expertHere(defaultSettings) });

/** Says the prompts one after the other and times what comes back. */
async function converse(interpreter: Interpreter, prompts: readonly Prompt[]): Promise<Delays> {
	const client = await interpreter.converse();
	const askedMs = client.now();
	client.send(
		socketTask({
			source: { sample_rate: RATE },
			targets: ['pt'],
			// As the app asks for on this computer.
			transcription: { segment_confirmation_silence_threshold: here.silenceThresholdS },
			translation: { translate_partial_transcriptions: here.translatePartials },
		}),
	);
	const started = await client.type('task_status', 30_000);
	const [partialMs, finalMs, soundMs]: [number[], number[], number[]] = [[], [], []];
	for (const prompt of prompts) {
		const fromMs = client.now();
		const sound = Buffer.concat([prompt.pcm, silence(GAP_MS, RATE)]);
		await pace(client, sound, { rateHz: RATE, chunkMs: CHUNK_MS });
		const endMs = fromMs + endOf(prompt);
		const [partial] = timesOf(client, 'partial_transcription', fromMs);
		// A prompt of two sentences has two: the last one follows its end.
		const final = timesOf(client, 'validated_transcription', fromMs).at(-1);
		const voice = timesOf(client, 'output_audio_data', endMs)[0];
		if (partial !== undefined) partialMs.push(partial - fromMs);
		if (final !== undefined) finalMs.push(final - endMs);
		if (voice !== undefined) soundMs.push(voice - endMs);
	}
	client.ws.terminate();
	return { readyMs: started.atMs - askedMs, partialMs, finalMs, soundMs };
}

/** Words wrong, missing or too many, over words said (Levenshtein). */
function wordErrors(said: readonly string[], heard: readonly string[]): number {
	let row = Array.from({ length: heard.length + 1 }, (_, index) => index);
	for (const [at, word] of said.entries()) {
		const next = [at + 1];
		for (const [index, other] of heard.entries()) {
			const [left = 0, above = 0, corner = 0] = [next[index], row[index + 1], row[index]];
			next.push(Math.min(left + 1, above + 1, corner + (word === other ? 0 : 1)));
		}
		row = next;
	}
	return row.at(-1) ?? 0;
}

async function recognise(interpreter: Interpreter, language: string, prompts: readonly Prompt[]) {
	let [wrong, words, lengthMs] = [0, 0, 0];
	const startedMs = performance.now();
	for (const { text, pcm } of prompts) {
		const client = await interpreter.transcribe(language);
		const send = (chunk: Buffer) => client.ws.send(chunk);
		await pace(client, Buffer.concat([pcm, silence(600, RATE)]), {
			rateHz: RATE,
			chunkMs: 200,
			periodMs: 1,
			send,
		});
		client.send({ message_type: 'finalize' });
		await client.until((message) => segmentOf(message).includes('<fin>'), 60_000);
		const heard = client.frames
			.map(({ message }) =>
				message && 'is_eos' in message && message.is_eos === true ? segmentOf(message) : '',
			)
			.join(' ')
			.replace('<fin>', ' ');
		client.ws.terminate();
		await client.closed;
		wrong += wordErrors(wordsIn(text), wordsIn(heard));
		words += wordsIn(text).length;
		lengthMs += (pcm.length / 2 / RATE) * 1000;
	}
	return { errors: (wrong / Math.max(1, words)) * 100, speed: lengthMs / (performance.now() - startedMs) };
}

const segmentOf = (message: unknown) =>
	String((message as { segment?: { text?: string } } | null)?.segment?.text ?? '');

interface FileResult {
	/** How many times faster than it plays. */
	readonly speed: number;
	/** Memory of the command and its interpreter while it ran, MB; empty unless watched. */
	readonly memory: readonly number[];
}

/** Translates a recording of at least this length into captions and a voice by the built command, its start included. */
async function translateFile(
	models: string,
	prompts: readonly Prompt[],
	{ minutes, isWatched = false }: { readonly minutes: number; readonly isWatched?: boolean },
): Promise<FileResult> {
	const folder = mkdtempSync(join(tmpdir(), 'bench-file-'));
	try {
		const spoken = prompts.flatMap(({ pcm }) => [pcm, silence(1000, RATE)]);
		const one = Buffer.concat(spoken);
		const lengthMs = one.length / 2 / (RATE / 1000);
		const pcm = Buffer.concat(Array(Math.ceil((minutes * 60_000) / lengthMs)).fill(one));
		const file = join(folder, 'talk.wav');
		writeFileSync(file, Buffer.concat([wavHead({ rateHz: RATE, channels: 1, bytes: pcm.length }), pcm]));
		const words = ['translate', file, '--from', 'en', '--to', 'pt', '--out', join(folder, 'out'), '--local'];
		const startedMs = performance.now();
		const args = ['out/main/cli.js', ...words, '--models', models, '--user-data-dir', folder];
		const child = spawn(process.execPath, args, { stdio: 'ignore' });
		const memory: number[] = [];
		const watch = () => memory.push(memoryOf(child.pid ?? 0));
		const timer = isWatched ? setInterval(watch, 2000) : undefined;
		const [status] = await once(child, 'exit');
		clearInterval(timer);
		if (status !== 0) throw new Error(`the command ended with status ${status}`);
		return { speed: pcm.length / 2 / (RATE / 1000) / (performance.now() - startedMs), memory };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * By how many percent the most memory in the second half exceeds that in the first. Memory is freed in steps of minutes,
 * so shorter spans say little.
 */
function growthOf(memory: readonly number[]): number {
	const half = memory.length >> 1;
	return (Math.max(...memory.slice(half)) / Math.max(...memory.slice(0, half)) - 1) * 100;
}

/** The same models without the small one, so that the one of many languages hears English. */
function withoutSmall(): { readonly folder: string; remove(): void } {
	const folder = mkdtempSync(join(tmpdir(), 'bench-models-'));
	for (const name of readdirSync(testModels.folder))
		if (name !== 'whisper-tiny.en') symlinkSync(join(testModels.folder, name), join(folder, name));
	return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const ERRORS = { en: 5, es: 17, fr: 18, it: 13, ru: 10 } as const;

async function measure({ long, rounds, say }: Parameters<Bench['run']>[0]): Promise<BenchResult> {
	if (testModels.missing !== null)
		return { markdown: `Not measured: ${testModels.missing}.`, data: null, goals: [] };
	const count = rounds ?? (long ? 12 : FEWEST);
	const prompts = allPrompts('en').slice(0, count);
	const base = withoutSmall();
	const goals: Goal[] = [];
	const rows: string[][] = [];
	const data: Record<string, unknown> = {};
	try {
		for (const [name, folder, most] of [
			['small', testModels.folder, { finalMs: 600, soundMs: 700, cpu: 28, both: 60, memory: 650, file: 5 }],
			['base', base.folder, { finalMs: 1000, soundMs: 1200, cpu: 50, both: 100, memory: 950, file: 2.5 }],
		] as const) {
			say(`${name}: one direction`);
			const interpreter = await startInterpreter(folder);
			const cold = await converse(interpreter, prompts.slice(0, 1));
			let used = watchCpu(interpreter.pid);
			const one = await converse(interpreter, prompts);
			const cpu = used();
			const memory = memoryOf(interpreter.pid);
			say(`${name}: two directions`);
			used = watchCpu(interpreter.pid);
			const both = await Promise.all([converse(interpreter, prompts), converse(interpreter, prompts)]);
			const bothCpu = used();
			const bothMemory = memoryOf(interpreter.pid);
			await interpreter.close();
			say(`${name}: a file`);
			// Two minutes, as one would not wait for a talk of ten seconds.
			const { speed: file } = await translateFile(folder, prompts, { minutes: 2 });
			data[name] = { cold, one, both, cpu, bothCpu, memory, bothMemory, file };
			const [partial, final, sound] = [one.partialMs, one.finalMs, one.soundMs].map(medianOf);
			if (!partial || !final || !sound) throw new Error('nothing was measured');
			rows.push([
				name,
				...[written(final, 0), written(sound, 0), written(partial, 0)],
				...[written(medianOf(both.flatMap(({ soundMs }) => soundMs)), 0)],
				...[`${cpu.toFixed(0)} / ${bothCpu.toFixed(0)}`, `${memory.toFixed(0)} / ${bothMemory.toFixed(0)}`],
				`${one.readyMs.toFixed(0)} / ${cold.readyMs.toFixed(0)}`,
				file.toFixed(1),
			]);
			const goal = (what: string, value: number, limit: number, unit: string): Goal => ({
				id: 'L',
				goal: `${name}: ${what} within ${limit} ${unit}`,
				measured: `${value.toFixed(0)} ${unit}`,
				reached: value <= limit,
			});
			goals.push(
				goal('end of speech to final text', final.value, most.finalMs, 'ms'),
				goal('end of speech to first sound', sound.value, most.soundMs, 'ms'),
				goal('first partial text after the start', partial.value, 1000, 'ms'),
				goal('one direction', cpu, most.cpu, '% of a core'),
				goal('two directions', bothCpu, most.both, '% of a core'),
				goal('memory with one direction', memory, most.memory, 'MB'),
				goal('ready with warm models', one.readyMs, 300, 'ms'),
				goal('ready with cold models', cold.readyMs, 3000, 'ms'),
				{
					id: 'L',
					goal: `${name}: a file at least ${most.file} times faster than it plays`,
					measured: `${file.toFixed(1)} times`,
					reached: file >= most.file,
				},
			);
		}
		if (long) {
			say('an hour');
			const { memory } = await translateFile(testModels.folder, prompts, { minutes: 60, isWatched: true });
			data.hour = memory;
			const growth = growthOf(memory);
			goals.push({
				id: 'L',
				goal: 'an hour of speech: at most 2 % more memory in its second half than in its first',
				measured: `${growth.toFixed(1)} %`,
				reached: growth <= 2,
			});
		}
		const errors: string[][] = [];
		const interpreter = await startInterpreter(base.folder);
		for (const [language, limit] of Object.entries(ERRORS)) {
			say(`recognition: ${language}`);
			// Always all of them: one garbled prompt of six can make up half of a language's errors.
			const result = await recognise(interpreter, language, allPrompts(language));
			data[language] = result;
			errors.push([language, result.errors.toFixed(1), result.speed.toFixed(1)]);
			goals.push({
				id: 'L',
				goal: `word errors, ${language}, ≤ ${limit} %`,
				measured: `${result.errors.toFixed(1)} %`,
				reached: result.errors <= limit,
			});
		}
		await interpreter.close();
		const head = [
			'model',
			'final text, ms',
			'first sound, ms',
			'first partial, ms',
			'first sound of two, ms',
		];
		return {
			markdown: `${table([...head, '% of a core, one / two', 'MB, one / two', 'ready, ms, warm / cold', 'a file, times real time'], rows)}\n\n${table(
				['language', 'word errors, %', 'times real time'],
				errors,
			)}`,
			data,
			goals,
		};
	} finally {
		base.remove();
	}
}

export const local: Bench = {
	name: 'local',
	title: 'On this computer',
	about: `The local interpreter, English to Portuguese, from recordings of people (\`npm run test-models\`; the variable
\`DRAGOMAN_TEST_MODELS\` names their folder). Delays count from the end of speech; half a second of them is the silence that ends a
sentence. The goal for memory holds for one direction; a second one loads its recogniser again. *small* is whisper-tiny.en, *base* whisper-base; the voice is espeak-ng.`,
	run: measure,
};
