import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './app-steps.ts';

const run = promisify(execFile);

/** A sound server of the test's own: what comes out of its speakers was really played. */
export interface Pulse {
	/** Environment for a program that is to play and record here. */
	readonly env: Readonly<Record<string, string>>;
	pactl(...args: string[]): Promise<string>;
	/** Records a source, default what the default sink plays: 48 kHz mono samples (−1..1), until `stop`. */
	listen(source?: string): { soFar(): Float32Array; stop(): Promise<Float32Array> };
	/** Stops every recorder that is still running. */
	stopListening(): Promise<void>;
	/** Ends it at once, with everything that was loaded, and starts it again in the same place. */
	restart(): Promise<void>;
	stop(): Promise<void>;
}

/** Starts a PulseAudio with one null sink named `speakers`; says what is missing where it cannot. */
export async function startPulse(): Promise<Pulse | { readonly missing: string }> {
	for (const program of ['pulseaudio', 'pactl', 'parec']) {
		if (spawnSync(program, ['--version']).error) return { missing: `${program} is not installed` };
	}
	const folder = mkdtempSync(join(tmpdir(), 'pulse-'));
	const socket = join(folder, 'native');
	const env = { XDG_RUNTIME_DIR: folder, PULSE_RUNTIME_PATH: folder, PULSE_SERVER: `unix:${socket}` };
	const withEnv = { env: { ...process.env, ...env } };
	const pactl = async (...args: string[]) => (await run('pactl', args, withEnv)).stdout;
	let server = startServer(socket, { ...withEnv.env, HOME: folder });
	async function end(): Promise<void> {
		const ended = new Promise((done) => server.once('close', done));
		server.kill('SIGKILL');
		await ended;
	}
	const failure = await answers(server, pactl);
	if (failure !== null) return { missing: `pulseaudio does not answer: ${failure}` };
	const recorders = new Set<ChildProcess>();
	async function stopRecorder(recorder: ChildProcess): Promise<void> {
		if (!recorders.has(recorder)) return;
		const ended = new Promise((done) => recorder.once('close', done));
		recorder.kill('SIGINT');
		await ended;
	}
	return {
		env,
		pactl,
		listen(source = 'speakers.monitor') {
			const args = [
				`--device=${source}`,
				'--format=s16le',
				'--rate=48000',
				'--channels=1',
				'--latency-msec=20',
			];
			const recorder = spawn('parec', args, { ...withEnv, stdio: ['ignore', 'pipe', 'ignore'] });
			recorders.add(recorder);
			recorder.once('close', () => recorders.delete(recorder));
			const chunks: Buffer[] = [];
			recorder.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
			const soFar = () => {
				const bytes = Buffer.concat(chunks);
				const samples = new Float32Array(bytes.length >> 1);
				for (let i = 0; i < samples.length; i += 1) samples[i] = bytes.readInt16LE(i * 2) / 32768;
				return samples;
			};
			return {
				soFar,
				async stop() {
					await stopRecorder(recorder);
					return soFar();
				},
			};
		},
		async stopListening() {
			await Promise.all([...recorders].map(stopRecorder));
		},
		async restart() {
			await end();
			server = startServer(socket, { ...withEnv.env, HOME: folder });
			const failed = await answers(server, pactl);
			if (failed !== null) throw new Error(failed);
		},
		async stop() {
			for (const recorder of recorders) recorder.kill('SIGKILL');
			await end();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

function startServer(socket: string, env: NodeJS.ProcessEnv): ChildProcess {
	const args = [
		'-n',
		'--daemonize=no',
		'--exit-idle-time=-1',
		'--use-pid-file=no',
		'--disallow-exit',
		'-L',
		`module-native-protocol-unix socket=${socket} auth-anonymous=1`,
		'-L',
		'module-null-sink sink_name=speakers sink_properties=device.description=Speakers rate=48000',
	];
	return spawn('pulseaudio', args, { env, stdio: 'ignore' });
}

/** Waits until the server answers; otherwise, after five seconds or its end, says why not and ends it. */
async function answers(server: ChildProcess, pactl: Pulse['pactl']): Promise<string | null> {
	for (let tries = 0; ; tries += 1) {
		try {
			await pactl('info');
			return null;
		} catch (failure) {
			if (tries < 50 && server.exitCode === null) await new Promise((done) => setTimeout(done, 100));
			else {
				server.kill('SIGKILL');
				return String(failure).slice(0, 120);
			}
		}
	}
}

/** Seconds of the recording that are louder than `threshold` (RMS over 20 ms). */
export function loudSeconds(samples: Float32Array, threshold = 0.01, rate = 48000): number {
	const step = rate / 50;
	let loud = 0;
	for (let start = 0; start + step <= samples.length; start += step) {
		let sum = 0;
		for (let i = start; i < start + step; i += 1) sum += (samples[i] ?? 0) ** 2;
		if (Math.sqrt(sum / step) > threshold) loud += 1;
	}
	return loud / 50;
}

/** A microphone that hears the recording, again and again, and is nobody's loudspeaker. */
export async function speakInto({ pactl }: Pulse, folder: string, recording: string): Promise<ChildProcess> {
	const fifo = join(folder, 'microphone');
	await pactl(
		...['load-module', 'module-pipe-source', 'source_name=mouth', `file=${fifo}`],
		...['format=s16le', 'rate=48000', 'channels=1', 'source_properties=device.description=Mouth'],
	);
	await pactl('set-default-source', 'mouth');
	const wav = ['-re', '-stream_loop', '-1', '-i', recording];
	const raw = ['-f', 's16le', '-ar', '48000', '-ac', '1', fifo];
	return spawn('ffmpeg', ['-loglevel', 'error', '-nostdin', '-y', ...wav, ...raw], { stdio: 'ignore' });
}

/** Plays the others' speech in another program; into the default sink, unless another is named. */
export function playMeeting({ env }: Pulse, recording: string, sink?: string): ChildProcess {
	const device = sink === undefined ? [] : [`--device=${sink}`];
	return spawn('paplay', ['--client-name=Meeting', ...device, recording], {
		env: { ...process.env, ...env },
		stdio: 'ignore',
	});
}

/** The name of ours, once the server has it: a recorder of a source that is not there hears nothing, and says nothing. */
export async function virtualMicrophone({ pactl }: Pulse): Promise<string> {
	let name: string | undefined;
	await until('the virtual microphone is there', async () => {
		name = /\t(dragoman\.\S+\.microphone)\t/.exec(await pactl('list', 'short', 'sources'))?.[1];
		return name !== undefined;
	});
	return name ?? '';
}
