import { join } from 'node:path';
import { ownFolder, typed } from '#main/lib/own-program.ts';
import { takeProxyOf } from '#main/service/proxy.ts';
import { readLiveKit } from '#sandbox/command-line.ts';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { EXIT } from '#shared/exit-status.ts';
import { takeEnvironment } from '#shared/lib/environment.ts';
import { createPresses } from '#shared/lib/terminal.ts';
import type { Sound } from '#stand-in/drive/sound.ts';
import { DriveFailure, failureWords } from './drive.ts';
import { type DemoOptions, help, readOptions } from './options.ts';
import { checkService, localService, type Service } from './service.ts';
import { openWindow } from './window.ts';

const SHIPPED = join(ownFolder, 'resources', 'speech', 'en-conversation.wav');

/** The app gets the whole environment; programs that the sandbox or the browser starts inherit no key. */
const env = takeEnvironment(process.env, (said) => process.stderr.write(said));
const say = (text: string) => void process.stderr.write(`${text}\n`);

/** Runs the sandbox in this process, so that its own count of sessions can be read at the end. */
function sandboxService(sandbox: Sandbox): Service {
	const { api, key } = sandbox.addresses;
	return {
		kind: 'sandbox',
		api,
		env: { DRAGOMAN_SERVICE: 'sandbox', DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
		counts: () => sandbox.counts(),
	};
}

/** The first Ctrl-C ends the conversation cleanly, the second exits at once. */
function endOnSignals(): AbortSignal {
	const ending = new AbortController();
	const pressed = createPresses({
		now: () => performance.now(),
		first() {
			say('ending…');
			ending.abort();
		},
		again: () => process.exit(EXIT.interrupted),
	});
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, pressed);
	return ending.signal;
}

/** Loads its modules only when called, because opening a window needs none of them. */
async function hold(options: DemoOptions, sound: Sound, signal: AbortSignal): Promise<number> {
	let sandbox: Sandbox | null = null;
	try {
		const named = options.local ? localService(options, env) : await checkService(env, signal);
		if (named && 'status' in named) {
			if (!signal.aborted) say(named.words);
			return named.status;
		}
		const liveKit = readLiveKit(env);
		const found = named ?? localService(options, env);
		if (!found) sandbox = await (await import('#sandbox/sandbox.ts')).startSandbox({ liveKit });
		const service = sandbox ? sandboxService(sandbox) : found;
		if (!service || 'status' in service) return EXIT.failed;
		const where = sandbox
			? `the built-in sandbox${liveKit ? ', its rooms on the LiveKit of LIVEKIT_URL' : ''}`
			: service.kind === 'local'
				? 'the interpreter on this computer'
				: service.api;
		say(`Talking to ${where}.`);
		if (sandbox) say(canned(options));
		const inputPath = options.input ?? SHIPPED;
		const { converse } = await import('./converse.ts');
		return await converse({ options, sound, inputPath, service, env, signal, say });
	} catch (failure) {
		// An interruption ends the app while the conversation runs, so the conversation fails.
		if (signal.aborted) return EXIT.interrupted;
		if (failure instanceof DriveFailure) {
			say(`The conversation could not be held: ${failure.message}`);
			return failure.status;
		}
		say(`The conversation could not be held: ${failureWords(failure)}.`);
		return EXIT.failed;
	} finally {
		await sandbox?.close();
	}
}

/** Tells the user how to get more than canned phrases. */
const canned = ({ from, to }: DemoOptions) =>
	`Its phrases are canned. To interpret really, on this computer: ${typed.cli} models add ${from}-${to[0]}`;

async function holdConversationOf(options: DemoOptions): Promise<number> {
	const inputPath = options.input ?? SHIPPED;
	const { readRecording } = await import('./converse.ts');
	const sound = await readRecording(inputPath);
	if (typeof sound !== 'string') return hold(options, sound, endOnSignals());
	say(`${inputPath}: ${sound}.`);
	return EXIT.badInput;
}

const hasDisplay = process.platform !== 'linux' || !!(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
const options = readOptions(process.argv.slice(2), hasDisplay);
if (options === 'help') process.stdout.write(help);
else if ('wrong' in options) {
	say(`${options.wrong}\n${typed.demo} --help shows what there is.`);
	process.exitCode = EXIT.usage;
} else {
	const proxyRefusal = takeProxyOf(process.env);
	if (proxyRefusal) say(proxyRefusal);
	process.exit(await (options.holds ? holdConversationOf(options) : openWindow(options, env, say)));
}
