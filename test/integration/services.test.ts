import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SandboxPlace } from '#main/account/account.ts';
import { createServices, type Services } from '#main/app/services.ts';
import { createDoctor, type DoctorParts } from '#main/doctor.ts';
import { createSettings, type SettingsStore } from '#main/settings/settings.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { createFakePorts, type FakePorts } from '#test/support/fake-sockets.ts';
import { createFastClock } from '#test/support/manual-clock.ts';
import { createNoSecretStore } from '#test/support/no-secret-store.ts';
import { notRun } from '#test/support/not-run.ts';
import { draft, writeSample } from '#test/support/voices.ts';

// The services of main as the app puts them together, at a real sandbox of its own; only the window is missing.

const soon = { timeout: 20_000 };
const TYPED = 'a-stream-that-nobody-guesses';

let folder = '';
let sandbox: Sandbox;
let settings: SettingsStore;
let services: Services;
let ports: Map<string, FakePorts>;
let finished: VoiceEntry[];
/** What is still there when the window hears that the account changes. */
let whenLeaving: ReturnType<typeof left>[];
/** What is still there when the sandbox is told to end. */
let whenStopped: ReturnType<typeof left>[];

/** What runs on: at the service, which counts each socket as a session, and towards the window. */
const left = () => ({
	sessions: sandbox.openSessions().length,
	ports: [...ports.values()].filter(({ closes }) => closes() === 0).length,
	listening: services.systemSound.listening(),
});
const NOTHING = { sessions: 0, ports: 0, listening: false };

async function start(clock: Clock = createFastClock(1), env: NodeJS.ProcessEnv = {}): Promise<void> {
	settings = createSettings(openSettingsFile(folder, clock), {}, env);
	services = createServices({
		settings,
		clock,
		userData: folder,
		log: silentLogger,
		env: { DRAGOMAN_API_KEY: sandbox.addresses.key },
		version: '0.0.0',
		outbound: { fetch, agent: async () => undefined, resolveProxy: async () => 'DIRECT' },
		secrets: createNoSecretStore(),
		sandbox: {
			async start() {
				const { api, key, s2s, stt, tts, voice_token: voiceToken } = sandbox.addresses;
				return ok<SandboxPlace>({ api, key, s2s, stt, tts, voiceToken });
			},
			stop: async () => void whenStopped.push(left()),
			onGone: () => () => {},
		},
		accountLeaves: () => void whenLeaving.push(left()),
		createPorts(stream) {
			const made = createFakePorts();
			ports.set(stream, made);
			return made.ends;
		},
		chooseSample: async () => writeSample(folder),
		chooseRecording: async () => null,
		voiceFinished: (voice) => void finished.push(voice),
		choosePlace: async () => null,
		openOutside: async () => false,
		isQuitting: () => false,
		granted: () => {},
	});
	await services.account.open();
	expect(await services.account.ready()).toMatchObject({ ok: true });
}

beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-services-'));
	[ports, finished, whenLeaving, whenStopped] = [new Map(), [], [], []];
	writeFileSync(join(folder, 'settings.json'), JSON.stringify({ service: 'sandbox' }));
	sandbox = await startSandbox();
});
afterEach(async () => {
	await services.close();
	await sandbox.close();
	vi.unstubAllEnvs();
	rmSync(folder, { recursive: true, force: true });
});

async function openTyped(): Promise<void> {
	const opening = {
		stream: TYPED,
		purpose: 'text-to-speech',
		language: 'es',
		voiceId: 'default_low',
	} as const;
	expect(await services.admission.streams.open(opening)).toEqual({ ok: true });
}

/** A sound server on which nothing plays: the programs that are asked of it, as PulseAudio's answer. */
const IDLE = 'case "$*" in *subscribe*) exec sleep 60;; *) echo "[]";; esac';

function pretendSoundServer(answers: string): void {
	writeFileSync(join(folder, 'pactl'), `#!/bin/sh\n${answers}\n`);
	chmodSync(join(folder, 'pactl'), 0o755);
	vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
}

const noSoundServer =
	process.platform !== 'linux' &&
	notRun('the end of a recording of other programs', 'they are recorded on Linux only');

test.skipIf(noSoundServer)(
	'a change of account ends sessions, sockets and recordings, the second time as well',
	async () => {
		pretendSoundServer(IDLE);
		await start();
		for (const round of [1, 2]) {
			expect(await services.admission.sessions.open()).toMatchObject({ ok: true });
			await openTyped();
			const { answers } = services.systemSound;
			const asked = { stream: `listener-number-${round}`, application: null, rateHz: 24_000 };
			expect(await answers['system-sound.open'](asked)).toEqual({ ok: true });
			await services.account.readdress(() => settings.write({ ttsUrl: `wss://voice${round}.example/` }));
			// The window is told first, so that the conversation does not mistake its end for a lost connection.
			expect(whenLeaving).toEqual(Array(round).fill({ sessions: 2, ports: 2, listening: true }));
			expect(left()).toEqual(NOTHING);
			services.admission.phase('idle');
			ports.clear();
		}
	},
);

test.skipIf(noSoundServer)(
	'a sound server that hangs holds up nobody who has cancelled the diagnosis',
	async () => {
		pretendSoundServer('exec sleep 60');
		const parts = { clock: createFastClock(1), soundEnv: process.env } as DoctorParts;
		const check = createDoctor(parts).find(({ name }) => name === 'sound');
		const looking = new AbortController();
		const looked = check?.run(looking.signal);
		looking.abort();
		expect(await looked).toMatchObject({ problem: { kind: 'sound-server-away', reason: 'cancelled' } });
	},
);

test('the program ends its sockets and the diagnosis with its session before its sandbox', async () => {
	await start();
	// Long enough for the session of the diagnosis to be seen.
	sandbox.setFault('slow:400', true);
	await openTyped();
	const looked = services.diagnosis.answers['diagnosis.run']();
	await expect.poll(() => sandbox.openSessions().length, soon).toBe(2);
	await services.close();
	expect(whenStopped).toEqual([NOTHING]);
	expect(ports.get(TYPED)?.control.posted.at(-1)).toEqual({ type: 'closed' });
	expect(await looked).toMatchObject({ ok: true, value: { running: false } });
});

test('media goes to allowed hosts only, except to its own sandbox', async () => {
	const env = { DRAGOMAN_ALLOWED_HOSTS: 'media.example' };
	await start(createFastClock(1), env);
	expect(await services.admission.sessions.open()).toMatchObject({ ok: true });
	await openTyped();
	await services.close();
	// The same one, but now somebody else runs it.
	await start(createFastClock(1), { ...env, DRAGOMAN_API_URL: sandbox.addresses.api });
	expect(await services.admission.sessions.open()).toMatchObject({
		ok: false,
		error: { kind: 'address-refused' },
	});
	expect(left().sessions).toBe(0);
});

test('tells of each voice that becomes ready', async () => {
	sandbox.setFault('voice-pending:20', true);
	await start(createFastClock(20));
	const { answers } = services.voices;
	for (const name of ['Ana', 'Bea']) {
		const chosen = await answers['voice.choose-file'](undefined);
		const sample = chosen.ok ? (chosen.value?.sample ?? '') : '';
		expect(await answers['voice.make']({ draft: { ...draft, name }, sample })).toMatchObject({ ok: true });
		await expect.poll(() => finished.at(-1), soon).toMatchObject({ name, status: 'ready' });
	}
	expect(finished).toHaveLength(2);
});
