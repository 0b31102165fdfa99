import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createFastClock } from '#test/support/manual-clock.ts';
import { createVoiceRig, draft, newFolder, type VoiceRig, writeSample } from '#test/support/voices.ts';

const KEY = 'canary-key-0815';
const logged: string[] = [];
const note = (message: string, facts?: unknown) => void logged.push(`${message} ${JSON.stringify(facts)}`);
const log: Logger = { error: note, warn: note, info: note, debug: note };

const sandbox = await startSandbox({ key: KEY });
let folder = '';
const rigs: VoiceRig[] = [];
afterAll(() => sandbox.close());
beforeEach(() => {
	folder = newFolder();
});
afterEach(async () => {
	for (const rig of rigs.splice(0)) await rig.close();
	rmSync(folder, { recursive: true, force: true });
	// Neither the key nor what a pre-signed form consists of.
	expect(logged.filter((line) => /canary-key|x-amz|policy|\/uploads/i.test(line))).toEqual([]);
	logged.length = 0;
});

const FAST = 'voice-pending:20';

/** Each test is a caller of its own with faults of its own; waits pass thirty times as fast. */
function rigWith(faults: string = FAST, parts: { token?: string; file?: string } = {}): VoiceRig {
	const key = faults === '' ? KEY : `${KEY}+${faults.replaceAll(',', '+')}`;
	const rig = createVoiceRig({
		api: sandbox.addresses.api,
		key,
		...(parts.token === undefined ? {} : { token: parts.token }),
		clock: createFastClock(30),
		folder,
		log,
		file: parts.file ?? writeSample(folder),
	});
	rigs.push(rig);
	return rig;
}

describe('from a file to a voice', () => {
	test('it is described, sent, followed, and announced when it is ready', async () => {
		const rig = rigWith();
		const made = await rig.make(draft);
		expect(made).toMatchObject({
			ok: true,
			value: { name: 'Ana (home)', language: 'es', active: true, problem: null },
		});
		const entry = await rig.entry(({ status }) => expect(status).toBe('ready'));
		expect(entry).toMatchObject({
			sample: { name: 'me.wav', bytes: 192_044, durationMs: 6000, recorded: false },
			consent: { wording: '1' },
			upload: null,
			canRetry: false,
			warnings: [],
			errors: [],
		});
		expect(entry.voiceId).toMatch(/^[\da-f-]{36}$/);
		expect(rig.finished.map(({ status }) => status)).toEqual(['ready']);
		// Where the file is stays in main, and on the disk only as long as it is needed.
		expect(JSON.stringify(rig.heard)).not.toContain(folder);
		expect(readFileSync(join(folder, 'voices.json'), 'utf8')).not.toContain('me.wav"\n\t\t\t\t"path": "/');
		expect(statSync(join(folder, 'voices.json')).mode & 0o777).toBe(0o600);
	});

	test('the upload that is meant is found by its id, not by its place', async () => {
		const rig = rigWith(`${FAST},two-samples`);
		await rig.make(draft);
		await rig.entry(({ status }) => expect(status).toBe('ready'));
	});

	test('a status that nobody knows is asked about again', async () => {
		const rig = rigWith('voice-odd-status,voice-pending:600');
		await rig.make(draft);
		await rig.entry(({ status }) => expect(status).toBe('ready'));
		// It lasts until the next answer, which may come before anybody has looked.
		expect(rig.heard.flatMap(({ voices }) => voices.map(({ status }) => status))).toContain('unknown');
	});
});

describe('what is not sent', () => {
	test('a file of another kind, or longer than it may be, is refused before', async () => {
		const text = join(folder, 'me.mp3');
		writeFileSync(text, 'only words');
		expect(await rigWith(FAST, { file: text }).make(draft)).toMatchObject({
			error: { fields: [{ field: 'sample', reason: 'type' }] },
		});
		const long = writeSample(folder, 'long.wav', 313);
		expect(await rigWith(FAST, { file: long }).make(draft)).toMatchObject({
			error: { fields: [{ field: 'sample', reason: 'too-large' }] },
		});
	});

	test('what the service refuses all the same is shown at its field, and nothing is kept', async () => {
		const rig = rigWith('ascii-names');
		expect(await rig.make({ ...draft, name: 'Añá' })).toMatchObject({
			ok: false,
			error: { kind: 'voice-refused', status: 422, field: 'data.name', code: expect.any(String) },
		});
		expect(await rig.answers['voice.list'](undefined)).toMatchObject({ value: { voices: [] } });
		// The sample is still valid: another name is enough.
		expect(await rig.make({ ...draft, name: 'Ana' })).toMatchObject({ ok: true });
	});

	test('each of several errors comes whole, with the field it names', async () => {
		const made = await rigWith('422-many@clone:1').make(draft);
		expect(made).toMatchObject({
			error: {
				kind: 'voice-refused',
				code: '100022',
				errors: [
					{ field: 'body.data.name', code: '100022', instance: '/saas/voice/clone#1' },
					{ field: 'body.data.samples[0].lang_code', code: '100026' },
					{ field: 'body.data.description', code: '100027' },
					{ title: 'Account refused', detail: 'The account makes too many voices', code: '100028' },
				],
			},
		});
	});

	test('a refused credential is named: the key, or the token of its own', async () => {
		expect(await rigWith('', { token: KEY }).make(draft)).toMatchObject({ ok: true });
		expect(await rigWith('voice-token-only').make(draft)).toMatchObject({
			error: { kind: 'api-key-rejected', status: 401 },
		});
		expect(await rigWith('', { token: 'nonsense' }).make(draft)).toMatchObject({
			error: { kind: 'voice-token-rejected', status: 401 },
		});
	});
});

describe('an upload that does not go well', () => {
	test('an address that has expired is replaced by a new one, and that is said', async () => {
		const rig = rigWith(`${FAST},upload-expired:1`);
		await rig.make(draft);
		const entry = await rig.entry(({ status }) => expect(status).toBe('ready'));
		expect(entry.renewed).toBe(true);
	});

	test('cancelled it stops, says so, and can be tried again', async () => {
		const rig = rigWith(`${FAST},upload-slow:30`);
		const made = await rig.make(draft);
		if (!made.ok) throw new Error(made.error.kind);
		const { handle } = made.value;
		expect(await rig.answers['voice.cancel']({ handle })).toMatchObject({
			value: { problem: { kind: 'cancelled' }, active: false, upload: null, canRetry: true },
		});
		await rig.answers['voice.retry']({ handle });
		await rig.entry(({ status }) => expect(status).toBe('ready'));
	});

	test('a file that was changed meanwhile is not sent', async () => {
		const rig = rigWith();
		const chosen = await rig.answers['voice.choose-file'](undefined);
		writeSample(folder, 'me.wav', 7);
		if (!chosen.ok || !chosen.value) throw new Error('no sample');
		await rig.answers['voice.make']({ draft, sample: chosen.value.sample });
		await rig.entry(({ problem }) =>
			expect(problem).toMatchObject({
				kind: 'file-unreadable',
				reason: 'it has changed since it was chosen',
			}),
		);
	});
});
