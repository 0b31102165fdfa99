import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import type { VoiceEntry, VoiceList, VoiceSample } from '#shared/host/voices.ts';
import { askMain } from '#test/support/app-steps.ts';
import { eventually } from '#test/support/eventually.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { draft, newFolder, writeSample } from '#test/support/voices.ts';

let sandbox: Sandbox;
let app: Launched | null = null;
let folder = '';
beforeEach(async () => {
	sandbox = await startSandbox();
	folder = newFolder();
});
afterEach(async () => {
	// A browser whose app was killed would still be writing into the folder.
	await app?.close();
	app = null;
	await sandbox.close();
	rmSync(folder, { recursive: true, force: true });
});

async function open(faults: string, sample: string): Promise<Launched> {
	const { api, key } = sandbox.addresses;
	app = await launch({
		probe: false,
		userData: folder,
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: `${key}+${faults}`, DRAGOMAN_OPEN_FILE: sample },
	});
	return app;
}

/** As the window asks its main process. */
async function ask<Value>({ page }: Launched, name: string, input?: unknown): Promise<Value> {
	const answer = await askMain(page, name, input);
	expect(answer).toMatchObject({ ok: true });
	return answer.value as Value;
}

async function begin(launched: Launched): Promise<void> {
	const chosen = await ask<VoiceSample>(launched, 'voice.choose-file');
	expect(chosen).toMatchObject({ name: 'me.wav', mimeType: 'audio/wav' });
	await ask<VoiceEntry>(launched, 'voice.make', { draft, sample: chosen.sample });
}

const only = async (launched: Launched) => (await ask<VoiceList>(launched, 'voice.list')).voices[0];

test('a voice that is still being made when the app is killed is followed by the next one, which tells when it is ready', async () => {
	const sample = writeSample(folder);
	await begin(await open('voice-pending:8000', sample));
	await eventually(
		() => app && only(app),
		(voice) => expect(voice).toMatchObject({ status: 'pending', active: true }),
	);
	await app?.kill('SIGKILL');
	const next = await open('voice-pending:8000', sample);
	await eventually(
		() => only(next),
		(voice) => expect(voice?.status).toBe('ready'),
		60_000,
	);
	await eventually(
		() => next.output(),
		(said) => expect(said).toContain('Your voice is ready: \u2068Ana (home)\u2069 can be used now.'),
	);
	// Neither the path, nor the address, nor a field of the form.
	expect(next.log()).not.toMatch(/me\.wav|\/uploads|x-amz|policy/);
}, 150_000);

test('an upload that died with the app says so at the next start, and can be tried again', async () => {
	const sample = writeSample(folder, 'me.wav', 300);
	await begin(await open('upload-slow:300+voice-pending:20', sample));
	await app?.kill('SIGKILL');
	const again = await open('upload-slow:300+voice-pending:20', sample);
	await eventually(
		() => only(again),
		(voice) =>
			expect(voice).toMatchObject({
				problem: { kind: 'voice-interrupted', stage: 'upload' },
				active: false,
				canRetry: true,
			}),
		30_000,
	);
	const { handle } = (await only(again)) ?? { handle: '' };
	await ask(again, 'voice.retry', { handle });
	await eventually(
		() => only(again),
		(voice) => expect(voice).toMatchObject({ status: 'uploading', active: true }),
	);
	expect(await ask(again, 'voice.cancel', { handle })).toMatchObject({ problem: { kind: 'cancelled' } });
}, 200_000);
