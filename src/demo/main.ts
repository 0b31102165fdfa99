import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { type LaunchedApp, launchApp } from '#stand-in/drive/launch-app.ts';
import { padded, readWav, type Sound, writeWav } from '#stand-in/drive/wav.ts';
import { DriveFailure, holdConversation, sessionsOf } from './drive.ts';
import { type DemoOptions, help, readOptions } from './options.ts';
import { checkService, type Service } from './service.ts';
import { describe, type Facts, subtitleFiles, summarise } from './summary.ts';

const root = join(import.meta.dirname, '..', '..');
const SHIPPED = join(root, 'resources', 'speech', 'en-conversation.wav');
/** A person waits for "Live" before speaking; words said before it may be lost on a real service. */
const LEAD_S = 6;
/** The microphone opens a moment after Start. */
const OPENING_S = 1;

const EXIT = {
	done: 0,
	failed: 1,
	usage: 2,
	credential: 3,
	network: 6,
	badInput: 7,
	interrupted: 130,
} as const;

const say = (text: string) => void process.stderr.write(`${text}\n`);

/** The window for a person: the app as it is, with the sandbox chosen unless a service is named. */
function openWindow(): Promise<number> {
	const service =
		process.env.DRAGOMAN_API_URL || process.env.DRAGOMAN_API_KEY ? [] : ['--service', 'sandbox'];
	const child = spawn(process.execPath, [join(root, 'src', 'stand-in', 'start.ts'), ...service], {
		stdio: 'inherit',
		cwd: root,
	});
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
	return new Promise((done) => {
		child.once('error', () => done(EXIT.failed));
		child.once('exit', (code) => done(code ?? EXIT.interrupted));
	});
}

function readInput(path: string): Sound | string {
	try {
		return readWav(readFileSync(path));
	} catch {
		return 'it cannot be read';
	}
}

interface Run {
	readonly options: DemoOptions;
	readonly sound: Sound;
	readonly inputPath: string;
	readonly service: Service;
	/** Set for as long as it runs, so that an interruption can end it. */
	readonly running: { app: LaunchedApp | null };
}

async function converse({ options, sound, inputPath, service, running }: Run): Promise<number> {
	const work = mkdtempSync(join(tmpdir(), 'dragoman-demo-'));
	const userData = join(work, 'user-data');
	mkdirSync(userData);
	let keepWork = false;
	try {
		const microphone = join(work, 'microphone.wav');
		// Silence behind it, so that the last word is followed by a pause and not by the end of the file.
		writeFileSync(microphone, writeWav(sound.rate, padded(sound, LEAD_S, 2)));
		const inputS = sound.samples.length / sound.rate;
		const [first = 'es'] = options.to;
		const app = await launchApp({
			host: 'chromium',
			headless: options.headless,
			userData,
			microphone,
			width: 1000,
			height: 760,
			locale: 'en',
			// No session is made ahead, so that exactly one is ever opened.
			settings: {
				speak: options.from,
				hear: [...options.to],
				voiceOf: first,
				interfaceLanguage: 'en',
				warmIdleS: 0,
			},
			env: { ...service.env, DRAGOMAN_SAVE_FOLDER: work },
		});
		running.app = app;
		const driven = await holdConversation(
			app,
			{ speechMs: (LEAD_S + OPENING_S + inputS) * 1000, saveFolder: work },
			say,
		);
		await app.close();
		running.app = null;
		const sessions = service.counts?.() ?? sessionsOf(userData);
		keepWork = sessions.created !== sessions.deleted;
		const facts: Facts = {
			service: service.kind,
			api: service.api,
			from: options.from,
			to: options.to,
			input: inputPath,
			inputS,
			sessions,
			driven,
		};
		const folder = resolve(options.out);
		write(folder, facts);
		const summary = summarise(facts);
		process.stdout.write(`${describe(summary, folder)}\n`);
		if (keepWork) say(`A session may be left open; its ledger is in ${userData}.`);
		return driven.captions.length > 0 && summary.heard.voice_ms > 0 && !keepWork ? EXIT.done : EXIT.failed;
	} finally {
		await running.app?.close();
		const { created, deleted } = sessionsOf(userData);
		if (!keepWork && created === deleted) rmSync(work, { recursive: true, force: true, maxRetries: 3 });
	}
}

function write(folder: string, facts: Facts): void {
	const { heard, captions, picture } = facts.driven;
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'heard.wav'), writeWav(48_000, heard));
	writeFileSync(join(folder, 'window.png'), picture);
	writeFileSync(join(folder, 'captions.json'), `${JSON.stringify(captions, null, '\t')}\n`);
	writeFileSync(join(folder, 'summary.json'), `${JSON.stringify(summarise(facts), null, '\t')}\n`);
	for (const [name, text] of subtitleFiles(facts)) writeFileSync(join(folder, name), text);
}

/** The sandbox in this process, so that its own count of sessions can be asked at the end. */
function sandboxService(sandbox: Sandbox): Service {
	const { api, key } = sandbox.addresses;
	return {
		kind: 'sandbox',
		api,
		env: { DRAGOMAN_SERVICE: 'sandbox', DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key },
		counts: () => sandbox.counts(),
	};
}

async function headlessDemo(options: DemoOptions): Promise<number> {
	const inputPath = options.input ?? SHIPPED;
	const sound = readInput(inputPath);
	if (typeof sound === 'string') {
		say(`${inputPath}: ${sound}.`);
		return EXIT.badInput;
	}
	const running: { app: LaunchedApp | null } = { app: null };
	let sandbox: Sandbox | null = null;
	let interrupt: (status: number) => void = () => {};
	const interrupted = new Promise<number>((done) => {
		interrupt = done;
	});
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.on(signal, () => {
			say('ending…');
			void (running.app?.close() ?? Promise.resolve()).then(() => interrupt(EXIT.interrupted));
		});
	}
	try {
		const named = await checkService(process.env);
		if (typeof named === 'object' && named !== null && 'status' in named) {
			say(named.words);
			return named.status;
		}
		if (!named) sandbox = await startSandbox();
		const service = sandbox ? sandboxService(sandbox) : named;
		if (!service) return EXIT.failed;
		say(service.kind === 'sandbox' ? 'Talking to the built-in sandbox.' : `Talking to ${service.api}.`);
		const run = converse({ options, sound, inputPath, service, running });
		// An interruption ends the app under the conversation, which then fails; the status is the signal's.
		return await Promise.race([run, interrupted]);
	} catch (failure) {
		if (failure instanceof DriveFailure) say(`The conversation could not be held: ${failure.message}`);
		else say(`The demo failed: ${failure instanceof Error ? failure.message : failure}`);
		return EXIT.failed;
	} finally {
		await sandbox?.close();
	}
}

const hasDisplay = process.platform !== 'linux' || !!(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
const options = readOptions(process.argv.slice(2), hasDisplay);
if (options === 'help') process.stdout.write(help);
else if ('wrong' in options) {
	say(`${options.wrong}\nnpm run demo -- --help shows what there is.`);
	process.exitCode = EXIT.usage;
} else {
	const drives = options.headless || options.input !== null;
	process.exit(await (drives ? headlessDemo(options) : openWindow()));
}
