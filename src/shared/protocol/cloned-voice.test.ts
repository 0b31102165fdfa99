import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CloneRequest } from './cloned-voice.ts';
import { readVoiceRecord } from './cloned-voice-record.ts';

const upload = {
	item_id: 'i',
	blob_id: 'b',
	url: 'https://up.example/x',
	form_data: { key: 'k', policy: 'p' },
};
const record = {
	utc_created_at: '2026-11-21T10:00:00Z',
	voice_id: '0f0e7b5e-1111-4222-8333-444455556666',
	user_id: 'u',
	name: 'Ana',
	voice_type: 'instantly_cloned',
	processing_status: 'created',
	labels: { gender: 'female', mood: null },
	lang_code: 'es',
	has_external_voice: true,
	attributes: ['warm'],
	samples: [upload],
};

test('the answer of a clone (spec 2.3, 2.4) is read in our words', () => {
	expect(readVoiceRecord({ ok: true, data: record })).toEqual({
		ok: true,
		value: {
			voiceId: record.voice_id,
			name: 'Ana',
			status: 'created',
			createdAt: Date.UTC(2026, 10, 21, 10),
			language: 'es',
			hasExternalVoice: true,
			uploads: [
				{
					itemId: 'i',
					url: 'https://up.example/x',
					fields: [
						['key', 'k'],
						['policy', 'p'],
					],
				},
			],
			warnings: [],
			errors: [],
		},
	});
});

test.each([
	['bare, without data', record],
	['as a list of one', { data: [record] }],
	[
		'with nulls where something may be missing',
		{ data: { ...record, labels: null, samples: null, name: null } },
	],
	['of which only the id is right', { data: { voice_id: record.voice_id } }],
])('a record %s is read', (_, answer) => {
	const read = readVoiceRecord(answer);
	expect(read.ok && read.value.voiceId).toBe(record.voice_id);
});

test.each([
	['READY', 'ready'],
	['queued', 'unknown'],
	[null, 'unknown'],
	[undefined, 'unknown'],
	[3, 'unknown'],
])('the status %j is %s', (said, status) => {
	const read = readVoiceRecord({ data: { ...record, processing_status: said } });
	expect(read.ok && read.value.status).toBe(status);
});

test('warnings and errors are sentences, as records or as text, without secrets', () => {
	const processing_result = {
		warnings: ['Noisy', { title: 'Quiet' }, { detail: 'see https://x.example/?token=abcdef' }, {}],
		errors: { detail: 'One at a time' },
	};
	const read = readVoiceRecord({ data: { ...record, processing_result } });
	expect(read).toMatchObject({
		value: {
			warnings: ['Noisy', 'Quiet', 'see https://x.example/?token=[redacted]'],
			errors: ['One at a time'],
		},
	});
});

test('numbers and flags of a form are sent as text; what is no text is left out', () => {
	const form_data = { a: 1, b: true, c: null, d: { e: 1 }, 'x-amz-date': 'z' };
	const read = readVoiceRecord({ data: { ...record, samples: [{ ...upload, form_data }] } });
	expect(read.ok && read.value.uploads[0]?.fields).toEqual([
		['a', '1'],
		['b', 'true'],
		['x-amz-date', 'z'],
	]);
});

const told = (more: object) => {
	const read = readVoiceRecord({ data: { ...record, ...more } });
	if (!read.ok) throw new Error(read.error);
	return read.value;
};

test('what a record does not say is empty or null, what is too long is cut', () => {
	const bare = readVoiceRecord({ data: { voice_id: 'v' } });
	expect(bare).toEqual({
		ok: true,
		value: {
			voiceId: 'v',
			name: '',
			status: 'unknown',
			createdAt: null,
			language: '',
			hasExternalVoice: null,
			uploads: [],
			warnings: [],
			errors: [],
		},
	});
	expect(told({ has_external_voice: 'yes', lang_code: 'x'.repeat(17), name: 'n'.repeat(201) })).toMatchObject(
		{
			hasExternalVoice: null,
			language: 'x'.repeat(16),
			name: 'n'.repeat(200),
		},
	);
});

test('the failure says what it is', () => {
	expect(readVoiceRecord({ ok: false, data: record })).toEqual({ ok: false, error: 'ok is false' });
	expect(readVoiceRecord({ data: {} })).toEqual({ ok: false, error: 'data.voice_id: is missing' });
});

test.each([
	['a', true],
	['...', true],
	['.a', true],
	['a.', true],
	['a..', true],
	['x'.repeat(200), true],
	['x'.repeat(201), false],
	['!~', true],
	['.', false],
	['..', false],
	['a\u007f', false],
	['é', false],
	['a\n', false],
])('that the id %j can be used is %s', (voice_id, can) => {
	expect(readVoiceRecord({ voice_id }).ok).toBe(can);
});

test('an upload has an address of at most 2083 letters, and so many fields as a form may have', () => {
	const uploads = (more: object) => told({ samples: [{ ...upload, ...more }] }).uploads;
	expect(uploads({ url: 'u'.repeat(2083) })).toHaveLength(1);
	for (const url of ['u'.repeat(2084), '', undefined, 5]) expect(uploads({ url })).toEqual([]);
	expect(uploads({ item_id: undefined, form_data: undefined })).toEqual([
		{ itemId: '', url: upload.url, fields: [] },
	]);
	const form_data = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, index]));
	expect(uploads({ form_data })[0]?.fields).toHaveLength(100);
	expect(told({ samples: Array(17).fill(upload) }).uploads).toHaveLength(16);
	// One that is no list is the only one.
	expect(told({ samples: upload }).uploads).toHaveLength(1);
});

test('reads a remark from the first non-empty of its names, and keeps at most twenty', () => {
	const errors = (list: unknown) => told({ processing_result: { errors: list } }).errors;
	expect(
		errors([
			{ detail: 'a', title: 'b', message: 'c', msg: 'd', desc: 'e' },
			{ detail: ' ', title: 'b', message: 'c' },
			{ message: 'c', msg: 'd' },
			{ msg: 'd', desc: 'e' },
			{ desc: 'e' },
			{ title: '' },
			5,
			null,
		]),
	).toEqual(['a', 'b', 'c', 'd', 'e']);
	expect(errors(Array(21).fill('x'))).toHaveLength(20);
	expect(errors('x')).toEqual(['x']);
	for (const none of [undefined, null, []]) expect(errors(none)).toEqual([]);
});

test.each([
	[{ ok: false, data: record }],
	[{ data: { ...record, voice_id: '' } }],
	[{ data: { ...record, voice_id: '..' } }],
	[{ data: { ...record, voice_id: 'a b' } }],
	[{ data: [] }],
	[null],
])('no usable record: %#', (answer) => {
	expect(readVoiceRecord(answer).ok).toBe(false);
});

test('whatever comes, reading it does not throw, and quotes nothing of it when it fails', () => {
	fc.assert(
		fc.property(
			fc.oneof(fc.jsonValue(), fc.anything()),
			fc.dictionary(fc.constantFrom(...Object.keys(record)), fc.jsonValue()),
			(anything, fields) => {
				for (const answer of [anything, { data: anything }, { data: { ...record, ...fields } }]) {
					const read = readVoiceRecord(answer);
					if (!read.ok) expect(['ok is false', 'data.voice_id: is missing']).toContain(read.error);
				}
			},
		),
	);
});

type Path = readonly (string | number)[];
const sample = {
	filename: 'ana.wav',
	mime_type: 'audio/wav',
	lang_code: 'es-mx',
	display_name: 'Ana',
	description: 'words',
	item_id: '1',
	denoise: true,
	speech_normalization: false,
};
const whole = {
	data: {
		name: 'Ana',
		samples: [sample],
		description: 'words',
		labels: { gender: 'female', age_group: 'adult', mood: 'calm' },
		skip_external_voice: true,
		attributes: ['warm'],
	},
};

/** The request with another value at a path; `undefined` takes it away. */
function changed([name, ...rest]: Path, value: unknown, within: unknown = whole): unknown {
	if (name === undefined) return value;
	const copy: Record<string, unknown> | unknown[] = Array.isArray(within)
		? [...within]
		: { ...(within as object) };
	Reflect.set(copy, name, changed(rest, value, Reflect.get(within as object, name)));
	return copy;
}
const pathsRefused = (path: Path, value: unknown): readonly string[] | null => {
	const parsed = CloneRequest.safeParse(changed(path, value));
	return parsed.success ? null : parsed.error.issues.map((issue) => issue.path.join('.'));
};
const SAMPLE = ['data', 'samples', 0] as const;

// One test: what a schema is made of is made once.
test('a request is taken with all there may be, or with what there must be; each value is of its kind and within its limits', () => {
	expect(CloneRequest.safeParse(whole)).toEqual({ success: true, data: whole });
	const least = {
		data: {
			name: 'Ana',
			samples: [{ filename: 'a.w', mime_type: 'video/mp4', lang_code: 'auto', item_id: 'i' }],
		},
	};
	expect(CloneRequest.safeParse(least)).toEqual({ success: true, data: least });

	const name = ['data', 'name'];
	const filename = [...SAMPLE, 'filename'];
	const item = [...SAMPLE, 'item_id'];
	const taken: readonly (readonly [Path, unknown])[] = [
		[name, 'x'.repeat(3)],
		[name, 'x'.repeat(64)],
		[name, 'Голос (1) a_b-c.d'],
		[name, 'e\u0301e\u0301'],
		[filename, 'a.w'],
		[filename, 'x'.repeat(255)],
		[filename, `it's "my" (voice) 1-2_3.wav`],
		[item, 'x'],
		[item, 'x'.repeat(36)],
		[[...SAMPLE, 'lang_code'], 'yue'],
		[[...SAMPLE, 'mime_type'], 'image/webp'],
		[['data', 'attributes'], []],
		[['data', 'labels'], {}],
	];
	for (const [path, value] of taken) expect([path, pathsRefused(path, value)]).toEqual([path, null]);

	const refused: readonly (readonly [Path, unknown])[] = [
		[name, 'x'.repeat(2)],
		[name, 'x'.repeat(65)],
		// Two characters of two units each.
		[name, '𝒜𝒷'],
		[name, 'Ana!'],
		[name, '!Ana'],
		[name, undefined],
		[name, 5],
		[filename, 'aw'],
		[filename, 'x'.repeat(256)],
		[filename, 'ana/a.wav'],
		[filename, 'Ána.wav'],
		[filename, 5],
		[filename, undefined],
		[item, ''],
		[item, 'x'.repeat(37)],
		[item, undefined],
		[[...SAMPLE, 'lang_code'], 'xx'],
		[[...SAMPLE, 'lang_code'], 'EN'],
		[[...SAMPLE, 'lang_code'], undefined],
		[[...SAMPLE, 'mime_type'], 'audio/ogg'],
		[[...SAMPLE, 'mime_type'], undefined],
		[[...SAMPLE, 'display_name'], 5],
		[[...SAMPLE, 'description'], 5],
		[[...SAMPLE, 'denoise'], 'yes'],
		[[...SAMPLE, 'speech_normalization'], 'yes'],
		[['data', 'samples'], []],
		[
			['data', 'samples'],
			[sample, sample],
		],
		[['data', 'samples'], sample],
		[['data', 'description'], 5],
		[['data', 'labels'], 'x'],
		[['data', 'labels', 'gender'], 5],
		[['data', 'labels', 'age_group'], 5],
		[['data', 'labels', 'mood'], 5],
		[['data', 'skip_external_voice'], 'no'],
		[['data', 'attributes'], 'warm'],
		[['data', 'attributes', 0], 5],
		[['data'], undefined],
	];
	for (const [path, value] of refused) {
		const faults = pathsRefused(path, value);
		expect([path, value, faults]).toEqual([path, value, expect.arrayContaining([path.join('.')])]);
	}

	// Strict: what we do not know we do not say.
	for (const holder of [[], ['data'], [...SAMPLE], ['data', 'labels']])
		expect(pathsRefused([...holder, 'more'], 1)).toEqual([holder.join('.')]);
});
