import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VoiceAccount } from '#main/service/voice-client.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import {
	type CloneRequest,
	isVoiceType,
	SAMPLE_LANGUAGES,
	SAMPLE_TYPES,
} from '#shared/protocol/cloned-voice.ts';
import type { VoiceRecord } from '#shared/protocol/cloned-voice-record.ts';
import { CONSENT_WORDING, checkVoiceDraft, emptyDraft, type VoiceDraft } from '#shared/voices/draft.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { storedVoice } from '#test/support/voices.ts';
import { cloneRequestOf, createProgress, createSampleUpload, filenameOf } from './sample-upload.ts';
import type { Work } from './status-polling.ts';
import type { StoredVoice } from './voices-file.ts';

describe('the progress of an upload', () => {
	/** `at(ms, bytes)`: what is said when so many have gone by then. */
	function stage(total = 10_000) {
		const clock = createManualClock();
		clock.advance(5000);
		const progress = createProgress(total, clock);
		return (ms: number, bytes: number) => {
			clock.advance(5000 + ms - clock.now());
			return progress(bytes);
		};
	}

	test('says no speed before a second has passed', () => {
		const at = stage();
		const said = { totalBytes: 10_000, bytesPerS: 0, secondsLeft: null };
		expect(at(0, 0)).toEqual({ sentBytes: 0, ...said });
		expect(at(999, 999)).toEqual({ sentBytes: 999, ...said });
		expect(at(1000, 1000)).toEqual({
			sentBytes: 1000,
			totalBytes: 10_000,
			bytesPerS: 1000,
			secondsLeft: 9,
		});
	});

	test('is that of the last 4 s', () => {
		const at = stage();
		at(0, 0);
		at(1, 1000);
		// The first is 4 s ago, and still counts; then it does not.
		expect(at(4000, 4000).bytesPerS).toBe(1000);
		expect(at(4001, 4000).bytesPerS).toBe(750);
	});

	test('has no end in sight while nothing moves, and is at its end with everything', () => {
		const at = stage(2000);
		at(0, 0);
		at(1000, 2000);
		expect(at(2000, 2000)).toMatchObject({ bytesPerS: 1000, secondsLeft: 0 });
		expect(at(6000, 2000)).toMatchObject({ bytesPerS: 0, secondsLeft: null });
	});

	test('of a try that begins anew counts from there', () => {
		const at = stage();
		at(0, 0);
		at(1000, 5000);
		at(2000, 0);
		expect(at(2999, 100)).toMatchObject({ bytesPerS: 0 });
		expect(at(3000, 500)).toMatchObject({ bytesPerS: 500, secondsLeft: 19 });
	});
});

const sample = { name: 'Mañana “früh”.wav', mimeType: 'audio/wav' };
const draft: VoiceDraft = { ...emptyDraft, name: 'Ana', language: 'es', consent: CONSENT_WORDING };

test('a bare description sends no optional field', () => {
	expect(cloneRequestOf(draft, sample, 'item')).toEqual({
		data: {
			name: 'Ana',
			samples: [
				{
					filename: 'Manana _fruh.wav',
					mime_type: 'audio/wav',
					lang_code: 'es',
					display_name: 'Mañana “früh”.wav',
					item_id: 'item',
				},
			],
		},
	});
});

test('a full one has every field by its wire name', () => {
	const full: VoiceDraft = {
		...draft,
		description: ' Calm ',
		labels: { gender: ' female ', ageGroup: ' adult ', mood: ' ' },
		attributes: [' warm '],
		denoise: true,
		normalise: true,
		skipExternal: true,
	};
	expect(cloneRequestOf(full, sample, 'item')).toMatchObject({
		data: {
			description: 'Calm',
			labels: { gender: 'female', age_group: 'adult' },
			attributes: ['warm'],
			skip_external_voice: true,
			samples: [{ denoise: true, speech_normalization: true }],
		},
	});
});

test('a file that the service does not take has no name there', () => {
	expect(filenameOf({ name: 'x.ogg', mimeType: 'audio/ogg' })).toBe('');
	expect(filenameOf({ name: 'x.wav', mimeType: '' })).toBe('');
});

/** The specification written out a second time: whatever passes the form must pass these (spec 4.6). */
const WORD = '\\p{L}\\p{M}\\p{N}_';
const NAME = new RegExp(`^[${WORD}\\-. ()]+$`, 'u');
const FILENAME = /^[\w\-. '"()]+$/;

const nearName = fc.string({
	unit: fc.oneof(
		fc.constantFrom(...'aZ9_-. ()éÑж语اिé!/@\u0000½'),
		fc.string({ minLength: 1, maxLength: 1 }),
	),
	maxLength: 70,
});
const drafts: fc.Arbitrary<VoiceDraft> = fc.record({
	name: fc.oneof(nearName, fc.stringMatching(/^[A-Za-zé ()]{2,40}$/)),
	language: fc.oneof(fc.constantFrom(...SAMPLE_LANGUAGES), fc.constantFrom('', 'EN', 'tlh', 'en_us')),
	description: fc.string({ maxLength: 1100 }),
	labels: fc.record({ gender: fc.string(), ageGroup: fc.string(), mood: fc.string() }),
	attributes: fc.oneof(
		fc.array(fc.string({ maxLength: 70 }), { maxLength: 25 }),
		fc.array(fc.stringMatching(/^[a-z]{1,64}$/), { maxLength: 20 }),
	),
	denoise: fc.boolean(),
	normalise: fc.boolean(),
	skipExternal: fc.boolean(),
	// Mostly valid, so that the other fields are seen to matter.
	consent: fc.constantFrom(CONSENT_WORDING, CONSENT_WORDING, CONSENT_WORDING, ''),
});
const samples = fc.record({
	name: fc.oneof(nearName, fc.string({ maxLength: 300 })),
	mimeType: fc.constantFrom(...SAMPLE_TYPES, '', 'audio/ogg'),
	bytes: fc.oneof(fc.integer({ min: -1, max: 11_000_000 }), fc.constantFrom(0, 1, 10_000_000, 10_000_001)),
	durationMs: fc.option(fc.integer({ min: 0, max: 700_000 })),
});

test('whatever passes the check of the form is what the specification accepts, and becomes a request', () => {
	let passed = 0;
	fc.assert(
		fc.property(drafts, samples, (wanted, file) => {
			if (checkVoiceDraft(wanted, file).length > 0) return;
			passed += 1;
			const request = cloneRequestOf(wanted, file, 'item');
			const described = request?.data;
			const [only] = described?.samples ?? [];
			expect(described?.name).toMatch(NAME);
			for (const length of [[...(described?.name ?? '')].length, described?.name.length ?? 0]) {
				expect(length).toBeGreaterThanOrEqual(3);
				expect(length).toBeLessThanOrEqual(64);
			}
			expect(only?.filename).toMatch(FILENAME);
			expect(only?.filename.length).toBeGreaterThanOrEqual(3);
			expect(only?.filename.length).toBeLessThanOrEqual(255);
			expect(SAMPLE_LANGUAGES).toContain(only?.lang_code);
			expect(SAMPLE_TYPES).toContain(only?.mime_type);
			expect(isVoiceType(only?.mime_type ?? '')).toBe(true);
			expect(file.bytes).toBeLessThanOrEqual(10_000_000);
			expect(wanted.consent).not.toBe('');
		}),
		{ numRuns: 3000 },
	);
	expect(passed).toBeGreaterThan(20);
});

test('any name of a file becomes one the service takes, ending as its type says', () => {
	fc.assert(
		fc.property(
			fc.string({ unit: 'grapheme', maxLength: 400 }),
			fc.constantFrom(...SAMPLE_TYPES.slice(0, 9)),
			(name, mimeType) => {
				const filename = filenameOf({ name, mimeType });
				expect(filename).toMatch(FILENAME);
				expect(filename.length).toBeGreaterThanOrEqual(3);
				expect(filename.length).toBeLessThanOrEqual(255);
			},
		),
	);
	expect(filenameOf({ name: '語.m4a', mimeType: 'audio/x-m4a' })).toBe('sample.m4a');
	expect(filenameOf({ name: 'song.mp3', mimeType: 'audio/wav' })).toBe('song.mp3.wav');
	expect(filenameOf({ name: '../../etc/passwd', mimeType: 'audio/mpeg' })).toBe('etc_passwd.mp3');
});

type Cloned = Awaited<ReturnType<VoiceAccount['clone']>>;
type UploadOptions = Parameters<VoiceAccount['upload']>[1];

const fresh = (fields: Partial<StoredVoice> = {}) => storedVoice('a', { voiceId: null, ...fields });
const record = (uploads: VoiceRecord['uploads'], fields: Partial<VoiceRecord> = {}): VoiceRecord => ({
	voiceId: 'voice-a',
	name: 'Ana',
	status: 'created',
	createdAt: 1,
	language: 'es',
	hasExternalVoice: null,
	uploads,
	warnings: ['short'],
	errors: ['noise'],
	...fields,
});
const to = (itemId: string, url = 'https://up.example/1') => ({ itemId, url, fields: [] });
const itemOf = (request: CloneRequest) => request.data.samples[0]?.item_id ?? '';

interface Given {
	readonly voice?: StoredVoice;
	/** Default: an address for what was asked. */
	readonly cloned?: (request: CloneRequest, time: number) => Cloned;
	readonly uploaded?: (options: UploadOptions, time: number) => Result<void, Problem>;
	readonly reason?: Problem;
}

function stage({ voice = fresh(), cloned, uploaded = () => ok(), reason }: Given = {}) {
	const clock = createManualClock();
	const control = new AbortController();
	let entry: StoredVoice | null = voice;
	/** All that happens, in its order. */
	const done: unknown[] = [];
	const shown: unknown[] = [];
	const logged: unknown[] = [];
	const uploads: { readonly url: string; readonly options: UploadOptions }[] = [];
	let clones = 0;
	const note = (...line: unknown[]) => void logged.push(line);
	const log: Logger = { error: note, warn: note, info: note, debug: note };
	const sending = createSampleUpload({
		clock,
		log,
		removeRecording: async (path) => void done.push(`erased ${path}`),
		async amend(_, fields) {
			done.push(fields);
			entry = entry && { ...entry, ...fields };
			return entry;
		},
		showUpload: (handle, progress) => void shown.push([handle, progress]),
	});
	const account = {
		clone: async (request: CloneRequest) => {
			clones += 1;
			return cloned?.(request, clones) ?? ok(record([to(itemOf(request))]));
		},
		upload: async ({ url }: { url: string }, options: UploadOptions) => {
			uploads.push({ url, options });
			return uploaded(options, uploads.length);
		},
	} as unknown as VoiceAccount;
	const work: Work = { signal: control.signal, reason: () => reason ?? null, account };
	return {
		clock,
		control,
		done,
		shown,
		logged,
		uploads,
		describe: () => sending.describe(voice, work),
		send: () => sending.send(voice, to('i', 'https://up.example/0'), work),
		forget() {
			entry = null;
		},
	};
}

const gone = err({ kind: 'not-found', what: 'voice' });
const known = { voiceId: 'voice-a', warnings: ['short'], errors: ['noise'] };
const stopped = { status: 'created', owner: null };

describe('describing', () => {
	test('notes what the service calls it, and where its sample goes', async () => {
		const rig = stage();
		const said = await rig.describe();
		expect(said).toMatchObject(ok({ voice: { ...fresh(), ...known }, to: { url: 'https://up.example/1' } }));
		expect(rig.done).toEqual([known]);
		expect(rig.logged).toEqual([['voice described', { status: 'created' }]]);
	});

	test('what the form would not let pass is our own fault', async () => {
		const rig = stage({ voice: fresh({ name: '' }) });
		expect(await rig.describe()).toEqual(err({ kind: 'bug', where: 'voices: description not checked' }));
		expect(rig.done).toEqual([]);
	});

	test('refused is said; without an answer it may be there all the same', async () => {
		const problem: Problem = { kind: 'timed-out', what: 'clone-voice', afterMs: 1 };
		const refused = stage({ cloned: () => err({ problem, made: 'no' }) });
		expect([await refused.describe(), refused.done, refused.logged]).toEqual([err(problem), [], []]);
		const silent = stage({ cloned: () => err({ problem, made: 'maybe' }) });
		const uncertain = { ...stopped, problem: { kind: 'voice-uncertain' } };
		expect(await silent.describe()).toEqual(ok({ voice: { ...fresh(), ...uncertain }, to: null }));
		expect(silent.done).toEqual([uncertain]);
		expect(silent.logged).toEqual([['voice described, no usable answer', { kind: 'timed-out' }]]);
	});

	test.each<[Problem | undefined, Problem]>([
		[{ kind: 'cancelled' }, { kind: 'cancelled' }],
		[undefined, { kind: 'voice-interrupted', stage: 'upload' }],
	])('ended meanwhile (%j) keeps its id and the reason', async (reason, problem) => {
		const rig = stage({
			...(reason && { reason }),
			cloned: (request) => {
				rig.control.abort();
				return ok(record([to(itemOf(request))]));
			},
		});
		expect(await rig.describe()).toMatchObject(ok({ to: null }));
		expect(rig.done).toEqual([{ ...known, ...stopped, problem }]);
	});

	test.each([
		['none', [], null],
		['one of another', ['other'], null],
		['one without an id', [''], ''],
		['two without an id', ['', ''], null],
		['ours after another', ['other', 'ours'], 'ours'],
	])('with addresses for uploads (%s) it takes the one that is meant, or ends', async (_, ids, taken) => {
		const rig = stage({
			cloned: (request) =>
				ok(record(ids.map((id) => to(id === 'ours' ? itemOf(request) : id, `https://up.example/${id}`)))),
		});
		const said = await rig.describe();
		const problem = { kind: 'unexpected-answer', what: 'clone-voice: no upload' };
		const url = `https://up.example/${taken}`;
		expect(said).toMatchObject(ok({ to: taken === null ? null : { url } }));
		expect(rig.done).toEqual([taken === null ? { ...known, ...stopped, problem } : known]);
	});

	test('forgotten meanwhile it is not there', async () => {
		for (const cloned of [undefined, () => ok(record([]))]) {
			const rig = stage({ ...(cloned && { cloned }) });
			rig.forget();
			expect(await rig.describe()).toEqual(gone);
		}
	});
});

describe('sending', () => {
	test('gives the file as it was chosen, shows how it goes, and notes that all is there', async () => {
		const rig = stage({
			uploaded: ({ progress }) => {
				progress(0);
				progress(50_000);
				return ok();
			},
		});
		const sentAt = rig.clock.wall();
		const then = { status: 'pending', sentAt, problem: null, owner: null, sample: fresh().sample };
		expect(await rig.send()).toEqual({ ...fresh(), ...then });
		expect(rig.done).toEqual([{ status: 'uploading' }, then]);
		expect(rig.uploads.map(({ url, options: { file } }) => [url, file])).toEqual([
			[
				'https://up.example/0',
				{
					path: '/tmp/me.wav',
					name: 'me.wav',
					filename: 'me.wav',
					bytes: 100_000,
					modifiedMs: 1,
					mimeType: 'audio/wav',
				},
			],
		]);
		const progress = { totalBytes: 100_000, bytesPerS: 0, secondsLeft: null };
		expect(rig.shown).toEqual([
			['a', { sentBytes: 0, ...progress }],
			['a', { sentBytes: 50_000, ...progress }],
			['a', null],
		]);
		expect(rig.logged).toEqual([['voice sample sent', { bytes: 100_000 }]]);
	});

	test('a recording is erased when it is written that it is not needed', async () => {
		const sample = { ...fresh().sample, recorded: true };
		const rig = stage({ voice: fresh({ sample }) });
		await rig.send();
		expect(rig.done.slice(1)).toMatchObject([{ sample: { ...sample, path: null } }, 'erased /tmp/me.wav']);
	});

	test('a recording is kept where that could not be written', async () => {
		const voice = fresh({ sample: { ...fresh().sample, recorded: true } });
		const rig = stage({
			voice,
			uploaded: () => {
				rig.forget();
				return ok();
			},
		});
		expect(await rig.send()).toBeNull();
		expect(rig.done).not.toContain('erased /tmp/me.wav');
	});

	test('nothing is sent of a file that is not there any more', async () => {
		const voice = fresh({ sample: { ...fresh().sample, path: null } });
		const rig = stage({ voice });
		expect(await rig.send()).toBeNull();
		const problem = { kind: 'file-unreadable', file: 'me.wav', reason: 'it is not there any more' };
		expect([rig.done.at(-1), rig.uploads]).toEqual([{ ...stopped, problem }, []]);
	});

	test.each<[Problem | undefined, Problem]>([
		[{ kind: 'account-changed' }, { kind: 'account-changed' }],
		[undefined, { kind: 'voice-interrupted', stage: 'upload' }],
	])('ended meanwhile (%j) it says why', async (reason, problem) => {
		const rig = stage({ ...(reason && { reason }), uploaded: () => err({ kind: 'cancelled' }) });
		expect([await rig.send(), rig.done.at(-1)]).toEqual([null, { ...stopped, problem }]);
	});

	test('of what was forgotten there is none', async () => {
		const rig = stage();
		rig.forget();
		expect([await rig.send(), rig.uploads]).toEqual([null, []]);
	});

	const expired = err<Problem>({ kind: 'upload-expired' });

	test('to an address that has expired goes on at another', async () => {
		const rig = stage({ uploaded: (_, time) => (time === 1 ? expired : ok()) });
		expect(await rig.send()).toMatchObject({ status: 'pending', renewed: true, voiceId: 'voice-a' });
		expect(rig.uploads.map(({ url }) => url)).toEqual(['https://up.example/0', 'https://up.example/1']);
		expect(rig.done.slice(0, 3)).toEqual([{ status: 'uploading' }, { renewed: true }, known]);
		expect(rig.logged[0]).toEqual(['upload address expired, asking for another']);
	});

	test('is not begun anew where it was ended meanwhile', async () => {
		const rig = stage({
			uploaded: () => {
				rig.control.abort();
				return expired;
			},
		});
		expect([await rig.send(), rig.done.at(-1)]).toEqual([
			null,
			{ ...stopped, problem: { kind: 'upload-expired' } },
		]);
	});

	test('ends with the reason why there is no other address, and only with that', async () => {
		const problem: Problem = { kind: 'no-credit', detail: '' };
		const refused = stage({ uploaded: () => expired, cloned: () => err({ problem, made: 'no' }) });
		expect(await refused.send()).toBeNull();
		expect(refused.done.slice(2)).toEqual([{ ...stopped, problem }]);
		const none = stage({ uploaded: () => expired, cloned: () => ok(record([])) });
		expect(await none.send()).toBeNull();
		expect(none.done.slice(2)).toMatchObject([{ problem: { kind: 'unexpected-answer' } }]);
		expect(none.uploads).toHaveLength(1);
	});
});
