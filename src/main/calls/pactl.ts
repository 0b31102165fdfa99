import { type ExecFileException, execFile } from 'node:child_process';
import { watchSoundServer } from '#main/lib/sound-server-events.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { parseInfo, parseModules, parseSourceOutputs, sourceIndex } from './pactl-format.ts';
import { isWithin, parentOf } from './sink-inputs.ts';
import type { DeviceKind, SoundServer } from './sound-server.ts';

/** It answers in a few ms; a server that hangs is as good as away. */
const LIMIT_MS = 4000;
const LONGEST_ANSWER = 1 << 20;

/**
 * The sound server through its command-line tool, which PulseAudio and PipeWire's replacement for it both answer.
 * `env` says where the server is (PULSE_SERVER, XDG_RUNTIME_DIR). `ownPid` and every process it started are this program.
 */
export function createPactl(
	clock: Clock,
	env: NodeJS.ProcessEnv = process.env,
	ownPid = process.pid,
): SoundServer {
	// Otherwise the words of its answers depend on the language; without UTF-8 it calls names that are not ASCII "(null)".
	const surroundings = { ...withoutSecrets(env), LC_ALL: 'C.UTF-8', LANGUAGE: '' };

	const run = (...args: string[]): Promise<Result<string, Problem>> => runUntil(undefined, args);

	function runUntil(
		signal: AbortSignal | undefined,
		args: readonly string[],
	): Promise<Result<string, Problem>> {
		return new Promise((resolve) => {
			const options = { env: surroundings, timeout: LIMIT_MS, maxBuffer: LONGEST_ANSWER, signal };
			execFile('pactl', args, options, (failure, answer, said) => {
				resolve(failure ? err(problemOf(failure, said)) : ok(answer));
			});
		});
	}

	async function done(...args: string[]): Promise<Result<void, Problem>> {
		const ran = await run(...args);
		return ran.ok ? ok() : ran;
	}

	return {
		async info(signal) {
			const answer = await runUntil(signal, ['info']);
			return answer.ok ? ok(parseInfo(answer.value)) : answer;
		},
		async modules() {
			const answer = await run('list', 'short', 'modules');
			return answer.ok ? ok(parseModules(answer.value)) : answer;
		},
		async load(module, args) {
			const answer = await run('load-module', module, ...args);
			if (!answer.ok) return answer;
			const id = Number(answer.value.trim());
			return Number.isInteger(id) && answer.value.trim() !== ''
				? ok(id)
				: err({ kind: 'virtual-microphone-failed', reason: `pactl: ${answer.value.trim().slice(0, 100)}` });
		},
		async unload(id) {
			const answer = await done('unload-module', String(id));
			const gone = !answer.ok && 'reason' in answer.error && /No such entity/i.test(answer.error.reason);
			return gone ? ok() : answer;
		},
		async open(kind: DeviceKind, name) {
			const loud = await done(`set-${kind}-volume`, name, '100%');
			return loud.ok ? done(`set-${kind}-mute`, name, '0') : loud;
		},
		async recorded(source) {
			const sources = await run('list', 'short', 'sources');
			if (!sources.ok) return sources;
			const index = sourceIndex(sources.value, source);
			const outputs = await run('-f', 'json', 'list', 'source-outputs');
			if (!outputs.ok) return outputs;
			const found = parseSourceOutputs(outputs.value);
			if (!found || index === null) return err({ kind: 'virtual-microphone-failed', reason: 'pactl' });
			return ok(found.some((one) => one.source === index && !isWithin(one.pid, ownPid, parentOf)));
		},
		setDefault: (kind, name) => done(`set-default-${kind}`, name),
		watch: (changed, ended) =>
			watchSoundServer(clock, surroundings, /on (module|source-output) #/, changed, ended),
	};
}

function problemOf(failure: ExecFileException, said: string): Problem {
	if (failure.code === 'ENOENT') return { kind: 'sound-tool-missing', program: 'pactl' };
	if (failure.name === 'AbortError') return { kind: 'sound-server-away', reason: 'cancelled' };
	if (failure.killed) return { kind: 'sound-server-away', reason: 'no answer' };
	const reason = said.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
	// pactl's exit status is 1 for everything; "Connection failure" is what it says of a server it cannot reach.
	return /^Connection (failure|terminated)|pa_context_\w+\(\) failed: Connection/i.test(said.trim())
		? { kind: 'sound-server-away', reason }
		: { kind: 'virtual-microphone-failed', reason };
}
