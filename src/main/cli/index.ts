import { buffer } from 'node:stream/consumers';
import { claimFolder, codeOf, homeFolder, refusalWords, userDataFolder } from '#main/lib/files.ts';
import { ownVersion } from '#main/lib/own-program.ts';
import { takeProxyOf } from '#main/service/proxy.ts';
import { readOptions } from '#main/settings/settings.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { takeEnvironment } from '#shared/lib/environment.ts';
import { longSecrets, redact, redactKnown } from '#shared/lib/log.ts';
import { createPresses } from '#shared/lib/terminal.ts';
import { decodeText } from '#shared/protocol/json.ts';
import { isTopic, overview } from './command-list.ts';
import { afterFailedWrite, levelPassedOver } from './line.ts';
import { createOutput } from './output.ts';
import { runCommand } from './run.ts';
import { createConfirm, type Terminal, untilAborted } from './terminal.ts';

async function run([name = '', ...rest]: readonly string[], terminal: Terminal): Promise<ExitStatus> {
	if (['', '--help', '-h', 'help'].includes(name)) {
		terminal.out(`${overview()}\n`);
		return name === '' ? EXIT.usage : EXIT.done;
	}
	if (name === '--version') {
		terminal.out(`${ownVersion()}\n`);
		return EXIT.done;
	}
	if (!isTopic(name)) {
		return createOutput(terminal, { json: rest.includes('--json') }).usage(`There is no command "${name}".`);
	}
	const asked = { platform: process.platform, home: homeFolder(), env: terminal.env };
	const folder = userDataFolder(asked, readOptions(rest)['user-data-dir']);
	const refusal = claimFolder(folder);
	if (refusal === null) return runCommand(name, rest, terminal);
	const [kind, message, code] = ['storage-failed', refusalWords(refusal, folder), EXIT.failed];
	if (rest.includes('--json')) terminal.out(`${JSON.stringify({ error: { kind, message, code } })}\n`);
	else terminal.error(`${message}\n`);
	return code;
}

/** Time to save what was finished after the terminal has gone. */
const HANGS_MS = 30_000;
const interrupted = new AbortController();
const { signal } = interrupted;
/** The exit status after an interruption. */
let cutStatus: ExitStatus = EXIT.interrupted;
/** The first Ctrl-C ends the command cleanly, the second exits at once. */
const interrupt = createPresses({
	now: () => performance.now(),
	first: () => interrupted.abort(),
	again: () => process.exit(EXIT.interrupted),
});
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
// A closed terminal does not count as Ctrl-C: both system and shell may report it, and behind npm SIGTERM
// follows (scripts/run.mjs). `nohup` never protected a Node program: Node resets the signals inherited as
// ignored.
process.on('SIGHUP', () => {
	interrupted.abort();
	// An operation that no signal interrupts, such as opening a named pipe without a writer, must not outlive the terminal.
	createSystemClock({ unref: true }).after(HANGS_MS, () => process.exit(EXIT.interrupted));
});
process.stdout.on('error', (failure) => {
	const code = codeOf(failure, 'not written');
	const course = afterFailedWrite(code, process.argv.slice(2), signal.aborted);
	if (course === 'go-on') return;
	if (course === 'done') process.exit(EXIT.done);
	process.stderr.write(`Standard output could not be written (${code}).\n`);
	cutStatus = EXIT.failed;
	// Set the status now: the command may have ended before its last output failed.
	process.exitCode = cutStatus;
	interrupted.abort();
});
// Ignore errors when writing to stderr.
process.stderr.on('error', () => {});
const proxyRefusal = takeProxyOf(process.env);
if (proxyRefusal) process.stderr.write(`${proxyRefusal}\n`);

/** Takes the secrets out of the environment, because ffmpeg needs no key. */
const env = takeEnvironment(process.env, (said) => process.stderr.write(said));
const secrets = [env.DRAGOMAN_API_KEY, env.DRAGOMAN_VOICE_TOKEN].filter((one) => one !== undefined);
/** What a crash report must not show: the secrets and, later, the text to speak. */
const unsaid = [...secrets];
watchUnforeseen(process, unsaid, (written) => process.stderr.write(written));
const isKeyPiped = process.argv.some((word) => word === '--key-stdin' || word === '--voice-token-stdin');

const passedOver = levelPassedOver(env);
if (passedOver !== '') process.stderr.write(`${passedOver}\n`);

/** Reads all of standard input, which may be a key. Empty when interrupted, null if it is not text. */
async function readInput(): Promise<string | null> {
	const read = decodeText(await buffer(untilAborted(process.stdin, signal)));
	if (signal.aborted) {
		process.stdin.destroy();
		return '';
	}
	if (read === null) return null;
	unsaid.push(read.trim());
	if (isKeyPiped) secrets.push(read.trim());
	return read;
}

/** Whether standard output accepted the last write. */
let lastTaken: Promise<boolean> = Promise.resolve(true);

const confirm = createConfirm({ input: process.stdin, output: process.stderr, signal, interrupt });
const status = await run(process.argv.slice(2), {
	env,
	// As a last safeguard, remove secrets: an answer of the service, or a failure of ours, may repeat one.
	out(written) {
		const text = redactKnown(written, longSecrets(secrets));
		lastTaken = new Promise((done) => process.stdout.write(text, (failure) => done(!failure)));
	},
	outTaken: () => lastTaken,
	error: (written) => process.stderr.write(redactKnown(written, secrets)),
	readInput,
	confirm: process.stdin.isTTY ? confirm : null,
	signal,
	input: () => process.stdin,
	outBytes: (bytes) => new Promise((done) => process.stdout.write(bytes, () => done())),
	isErrorTerminal: process.stderr.isTTY === true,
});
process.exitCode = signal.aborted ? cutStatus : status;

interface FailingProcess {
	on(event: string, heard: (failure: unknown) => void): unknown;
	exit(status: number): void;
}

/** Prints an unexpected error without secrets, unlike Node, and exits with 1. `secrets` may grow. */
function watchUnforeseen(
	program: FailingProcess,
	secrets: readonly string[],
	write: (text: string) => void,
): void {
	for (const event of ['uncaughtException', 'unhandledRejection']) {
		program.on(event, (failure) => {
			const words = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
			write(`A failure nobody foresaw: ${redact(words, secrets)}\n`);
			program.exit(EXIT.failed);
		});
	}
}
