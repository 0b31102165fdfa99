import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolderNow } from '#main/lib/make-folder.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import type { Environment } from '#shared/lib/environment.ts';
import { launchApp } from '#stand-in/drive/launch-app.ts';
import { padded, type Sound, writeWav } from '#stand-in/drive/wav.ts';
import { holdConversation, sessionsOf } from './drive.ts';
import type { DemoOptions } from './options.ts';
import type { Service } from './service.ts';
import { describe, type Facts, subtitleFiles, summarise } from './summary.ts';
import { languageSettings, windowData } from './window.ts';

/** Silence after the recording, so that a pause follows the last word, s. */
const SILENCE_AFTER_S = 2;

export interface Run {
	readonly options: DemoOptions;
	readonly sound: Sound;
	readonly inputPath: string;
	readonly service: Service;
	/** The environment this program was started with, for the app. */
	readonly env: Environment;
	/** Ends the app and with it the conversation, which then rejects. */
	readonly signal: AbortSignal;
	readonly say: (text: string) => void;
}

/**
 * Opens the app, holds the conversation and writes the files. Before it settles it removes its data,
 * unless a session may still be open.
 */
export async function converse(run: Run): Promise<ExitStatus> {
	const { options, sound, service, signal, say } = run;
	const { folder: userData, isOwn } = windowData(options, run.env);
	// Inside, so that whoever names a folder finds nothing of ours anywhere else.
	const work = mkdtempSync(join(userData, 'conversation-'));
	const out = resolve(options.out ?? (isOwn ? 'out/demo' : join(userData, 'demo')));
	// No session is prepared ahead, so exactly one is ever opened.
	const giveBack = lend(userData, { ...languageSettings(options), interfaceLanguage: 'en', warmIdleS: 0 });
	const sessions = () => service.counts?.() ?? sessionsOf(userData);
	const microphone = join(work, 'microphone.wav');
	// The device itself is silent: the recording is spoken in front of it, once the app is live.
	writeFileSync(microphone, writeWav(48_000, new Int16Array(48_000)));
	try {
		const app = await launchApp({
			host: 'chromium',
			headless: options.headless,
			userData,
			microphone,
			width: 1000,
			height: 760,
			locale: 'en',
			env: { ...run.env, ...service.env, DRAGOMAN_SAVE_FOLDER: work, DRAGOMAN_USER_DATA: userData },
			signal,
		});
		try {
			const speech = { rate: sound.rate, pcm: padded(sound, 0, SILENCE_AFTER_S) };
			const driven = await holdConversation(app, { speech, saveFolder: work }, say);
			await app.close();
			return report(run, { driven, out }, sessions());
		} finally {
			await app.close();
		}
	} finally {
		giveBack();
		const { created, deleted } = sessions();
		// A sandbox's sessions end with it.
		const isOver = created === deleted || service.kind === 'sandbox';
		rmSync(isOwn && isOver ? userData : work, { recursive: true, force: true, maxRetries: 3 });
		if (!isOver) say(`A session may be left open; its ledger is in ${userData}.`);
	}
}

/** Puts settings of this conversation beside those of the folder. Returns what puts the folder's own back. */
export function lend(userData: string, settings: Readonly<Record<string, unknown>>): () => void {
	const clock = createSystemClock();
	const file = openSettingsFile(userData, clock);
	const before: Readonly<Record<string, unknown>> = file.stored();
	file.write(settings);
	return () => {
		const own = Object.keys(settings).map((name) => [name, before[name]]);
		openSettingsFile(userData, clock).write(Object.fromEntries(own));
	};
}

function report(
	run: Run,
	{ driven, out }: { readonly driven: Facts['driven']; readonly out: string },
	sessions: Facts['sessions'],
): ExitStatus {
	const { options, sound, service } = run;
	const facts: Facts = {
		service: service.kind,
		api: service.api,
		from: options.from,
		to: options.to,
		input: run.inputPath,
		inputS: sound.samples.length / sound.rate,
		sessions,
		driven,
	};
	const summary = summarise(facts);
	write(out, facts, summary);
	process.stdout.write(`${describe(summary, out)}\n`);
	if (driven.captions.length === 0)
		run.say('Nothing was understood. Check that there is speech in it, in the language of --from.');
	const wasHeld = driven.captions.length > 0 && summary.heard.voice_ms > 0;
	return wasHeld && sessions.created === sessions.deleted ? EXIT.done : EXIT.failed;
}

function write(folder: string, facts: Facts, summary: object): void {
	const { heard, captions, picture } = facts.driven;
	makeFolderNow(folder);
	writeFileSync(join(folder, 'heard.wav'), writeWav(48_000, heard));
	writeFileSync(join(folder, 'window.png'), picture);
	writeFileSync(join(folder, 'captions.json'), `${JSON.stringify(captions, null, '\t')}\n`);
	writeFileSync(join(folder, 'summary.json'), `${JSON.stringify(summary, null, '\t')}\n`);
	for (const [name, text] of subtitleFiles(facts)) writeFileSync(join(folder, name), text);
}
