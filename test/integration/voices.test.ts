import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createFastClock } from '#test/support/manual-clock.ts';
import { createVoiceRig, draft, newFolder, type VoiceRig, writeSample } from '#test/support/voices.ts';

const KEY = 'canary-key-0815';
const logged: string[] = [];
const note = (message: string, facts?: unknown) => void logged.push(`${message} ${JSON.stringify(facts)}`);
const log: Logger = { error: note, warn: note, info: note, debug: note };

let sandbox: Sandbox;
let folder = '';
const rigs: VoiceRig[] = [];
beforeAll(async () => {
	sandbox = await startSandbox({ key: KEY });
});
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
function rigWith(
	faults: string = FAST,
	parts: { token?: string; file?: string; passing?: boolean } = {},
): VoiceRig {
	const key = faults === '' ? KEY : `${KEY}+${faults.replaceAll(',', '+')}`;
	const rig = createVoiceRig({
		api: sandbox.addresses.api,
		key,
		...(parts.token === undefined ? {} : { token: parts.token }),
		passing: parts.passing === true,
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

	test('while it is sent it tells how far it is', async () => {
		const rig = rigWith(`${FAST},upload-slow:2`, { file: writeSample(folder, 'long.wav', 300) });
		await rig.make(draft);
		await rig.entry(({ status }) => expect(status).toBe('ready'));
		const shown = rig.heard.flatMap((list) => list.voices.flatMap(({ upload }) => upload ?? []));
		expect(new Set(shown.map(({ totalBytes }) => totalBytes))).toEqual(new Set([9_600_044]));
		const sent = shown.map(({ sentBytes }) => sentBytes);
		expect(sent).toEqual([...sent].sort((one, other) => one - other));
		expect(sent.filter((bytes) => bytes > 0 && bytes < 9_600_044).length).toBeGreaterThan(1);
		expect(shown.some(({ bytesPerS, secondsLeft }) => bytesPerS > 0 && (secondsLeft ?? 0) > 0)).toBe(true);
	});

	test('warnings and errors of the service come in its words', async () => {
		const warned = rigWith(`${FAST},voice-warns`);
		await warned.make(draft);
		const ready = await warned.entry(({ status }) => expect(status).toBe('ready'));
		expect(ready.warnings).toEqual(['The sample is noisy; the voice may be too.']);
		const failing = rigWith(`${FAST},voice-fails`);
		await failing.make({ ...draft, name: 'Other' });
		const failed = await failing.entry(({ status }) => expect(status).toBe('failed'));
		expect(failed).toMatchObject({
			errors: ['The sample holds more than one speaker.'],
			active: false,
			canRetry: true,
		});
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
	test('a form that is not right names its fields, and the service hears nothing', async () => {
		const rig = rigWith();
		expect(await rig.make({ ...draft, name: 'A', language: 'tlh', consent: '' })).toEqual({
			ok: false,
			error: {
				kind: 'voice-invalid',
				fields: [
					{ field: 'name', reason: 'too-short' },
					{ field: 'language', reason: 'unknown' },
					{ field: 'consent', reason: 'missing' },
				],
			},
		});
		expect(rig.calls()).toBe(0);
		expect(await rig.answers['voice.list'](undefined)).toMatchObject({ value: { voices: [] } });
	});

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

	test('once it is closed nothing is read or written any more', async () => {
		const rig = rigWith();
		expect(await rig.make(draft)).toMatchObject({ ok: true });
		await rig.close();
		rmSync(folder, { recursive: true });
		await new Promise((later) => setTimeout(later, 200));
		expect(existsSync(folder)).toBe(false);
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

	test('pressed twice, one voice is made', async () => {
		const rig = rigWith();
		const chosen = await rig.answers['voice.choose-file'](undefined);
		const sample = chosen.ok ? (chosen.value?.sample ?? '') : '';
		const made = await Promise.all([1, 2].map(() => rig.answers['voice.make']({ draft, sample })));
		expect(made.map(({ ok }) => ok)).toEqual([true, false]);
		expect(await rig.answers['voice.list'](undefined)).toMatchObject({
			value: { voices: [{ name: draft.name }] },
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
	test.each(['upload-500:2', 'upload-cut:1', 'upload-error-body:1'])(
		'%s: it is tried again',
		async (fault) => {
			const rig = rigWith(`${FAST},${fault}`);
			await rig.make(draft);
			await rig.entry(({ status }) => expect(status).toBe('ready'));
		},
	);

	test('an address that has expired is replaced by a new one, and that is said', async () => {
		const rig = rigWith(`${FAST},upload-expired:1`);
		await rig.make(draft);
		const entry = await rig.entry(({ status }) => expect(status).toBe('ready'));
		expect(entry.renewed).toBe(true);
	});

	test('addresses that expire again and again end it; a retry begins anew', async () => {
		const rig = rigWith(`${FAST},upload-expired:3`);
		await rig.make(draft);
		const stopped = await rig.entry(({ problem }) => expect(problem).toEqual({ kind: 'upload-expired' }));
		expect(stopped).toMatchObject({ status: 'created', active: false, canRetry: true });
		expect(await rig.answers['voice.retry']({ handle: stopped.handle })).toMatchObject({
			ok: true,
			value: { problem: null, renewed: false },
		});
		await rig.entry(({ status }) => expect(status).toBe('ready'));
	});

	test('a refusal of the storage is said with its code, and not repeated', async () => {
		const rig = rigWith('upload-403');
		await rig.make(draft);
		const stopped = await rig.entry(({ problem }) => expect(problem?.kind).toBe('upload-refused'));
		expect(stopped.problem).toEqual({
			kind: 'upload-refused',
			status: 403,
			detail: 'Access Denied',
			code: 'AccessDenied',
		});
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

describe('a recording', () => {
	async function record(rig: VoiceRig, bytes: Uint8Array) {
		const begun = await rig.answers['voice.begin-recording']({ name: 'Recording 1' });
		if (!begun.ok) throw new Error(begun.error.kind);
		const { recording } = begun.value;
		for (let at = 0; at < bytes.length; at += 100_000) {
			const base64 = Buffer.from(bytes.subarray(at, at + 100_000)).toString('base64');
			const appended = await rig.answers['voice.append-recording']({ recording, at, base64 });
			if (!appended.ok) return appended;
		}
		return rig.answers['voice.end-recording']({ recording });
	}
	const samples = () => {
		const place = join(folder, 'voice-samples');
		return existsSync(place) ? readdirSync(place) : [];
	};

	test('comes in pieces, is readable by its user only, and is erased when it has been sent', async () => {
		const rig = rigWith();
		const sample = await record(rig, readFileSync(writeSample(folder)));
		expect(sample).toMatchObject({
			value: { name: 'Recording 1.wav', bytes: 192_044, mimeType: 'audio/wav', durationMs: 6000 },
		});
		expect(statSync(join(folder, 'voice-samples')).mode & 0o777).toBe(0o700);
		expect(samples().map((name) => statSync(join(folder, 'voice-samples', name)).mode & 0o777)).toEqual([
			0o600,
		]);
		if (!sample.ok || !sample.value) throw new Error('no sample');
		await rig.answers['voice.make']({ draft, sample: sample.value.sample });
		await rig.entry(({ status }) => expect(status).toBe('ready'));
		expect(samples()).toEqual([]);
	});

	test('is erased when it is discarded, and with the page', async () => {
		const rig = rigWith();
		const bytes = readFileSync(writeSample(folder));
		const first = await record(rig, bytes);
		if (!first.ok || !first.value) throw new Error('no sample');
		await rig.answers['voice.discard-sample']({ sample: first.value.sample });
		expect(samples()).toEqual([]);
		await record(rig, bytes);
		await rig.pageGone();
		expect(samples()).toEqual([]);
	});

	test('may not be larger than what the service takes, and a piece may not be missing', async () => {
		const rig = rigWith();
		expect(await record(rig, new Uint8Array(10_000_001))).toMatchObject({
			error: { kind: 'voice-invalid', fields: [{ field: 'sample', reason: 'too-large' }] },
		});
		expect(samples()).toEqual([]);
		const begun = await rig.answers['voice.begin-recording']({ name: 'x' });
		if (!begun.ok) throw new Error(begun.error.kind);
		const odd = { recording: begun.value.recording, at: 5, base64: '' };
		expect(await rig.answers['voice.append-recording'](odd)).toMatchObject({ ok: false });
		// An unfinished recording is discarded with its page.
		await rig.pageGone();
		expect(samples()).toEqual([]);
	});
});

describe('the register', () => {
	test('another account sees none of it, and the first sees it again', async () => {
		const rig = rigWith();
		await rig.make(draft);
		await rig.entry(({ status }) => expect(status).toBe('ready'));
		rig.become('another-key');
		await rig.accountChanged();
		expect(rig.heard.at(-1)?.voices).toEqual([]);
		rig.become(`${KEY}+${FAST}`);
		await rig.accountChanged();
		expect(rig.heard.at(-1)?.voices).toHaveLength(1);
	});

	test('an upload ends with its account, and can be tried again when that is back', async () => {
		const key = `${KEY}+upload-slow:100`;
		const rig = rigWith('upload-slow:100', { file: writeSample(folder, 'long.wav', 300) });
		await rig.accountChanged();
		await rig.make(draft);
		rig.become('another-key');
		// The window asks too, and may be the first to see the other account.
		await Promise.all([rig.answers['voice.list'](undefined), rig.accountChanged()]);
		expect(rig.heard.at(-1)?.voices).toEqual([]);
		rig.become(key);
		await rig.accountChanged();
		expect(rig.heard.at(-1)?.voices).toMatchObject([
			{ problem: { kind: 'account-changed' }, active: false, canRetry: true },
		]);
	});

	test('cancelled while it is followed, it stays so until it is asked for again', async () => {
		const rig = rigWith('voice-stuck');
		await rig.make(draft);
		const { handle } = await rig.entry(({ status }) => expect(status).toBe('pending'));
		await rig.answers['voice.cancel']({ handle });
		await rig.accountChanged();
		expect(rig.heard.at(-1)?.voices).toMatchObject([
			{ status: 'pending', problem: { kind: 'cancelled' }, active: false, canRetry: true },
		]);
		await rig.answers['voice.retry']({ handle });
		await rig.entry((entry) => expect(entry).toMatchObject({ problem: null, active: true }));
	});

	test('voices of a service that ended with its program are forgotten with it', async () => {
		const rig = rigWith(FAST, { passing: true });
		await rig.accountChanged();
		await rig.make(draft);
		await rig.entry(({ status }) => expect(status).toBe('ready'));
		await rig.close();
		const next = rigWith('voice-warns');
		await next.accountChanged();
		expect(JSON.parse(readFileSync(join(folder, 'voices.json'), 'utf8')).voices).toEqual([]);
	});

	test('a name is changed here only; forgotten, it may be deleted at the service too', async () => {
		const rig = rigWith();
		await rig.make(draft);
		const { handle, voiceId } = await rig.entry(({ status }) => expect(status).toBe('ready'));
		expect(await rig.answers['voice.rename']({ handle, name: ' Büro ' })).toMatchObject({
			value: { name: 'Büro' },
		});
		expect(await rig.answers['voice.rename']({ handle, name: '!' })).toMatchObject({ ok: false });
		const ask = () =>
			fetch(`${sandbox.addresses.api}/saas/voice/m/${voiceId}`, {
				headers: { authorization: `Bearer ${KEY}` },
			});
		expect((await ask()).status).toBe(200);
		await rig.answers['voice.forget']({ handle, atService: true });
		expect((await ask()).status).toBe(404);
		expect(await rig.answers['voice.list'](undefined)).toMatchObject({ value: { voices: [] } });
	});
});
