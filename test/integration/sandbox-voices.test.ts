import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { createFormReader } from '#sandbox/voices/multipart.ts';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const sample = { filename: 'me.wav', mime_type: 'audio/wav', lang_code: 'en', item_id: 'item-1' };
const valid = { name: 'My voice', samples: [sample] };

interface Reply {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: the wire, looked at as it is
	readonly body: any;
}

async function ask(
	method: string,
	path: string,
	options: { faults?: string; json?: unknown; bearer?: string } = {},
): Promise<Reply> {
	const { api, key } = sandbox.addresses;
	const bearer = options.bearer ?? (options.faults ? `${key}+${options.faults}` : key);
	const answer = await fetch(`${api}${path}`, {
		method,
		headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
		...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
	});
	const text = await answer.text();
	return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}

const clone = (data: unknown = valid, faults = '') =>
	ask('POST', '/saas/voice/clone', { json: { data }, ...(faults ? { faults } : {}) });

interface Descriptor {
	readonly url: string;
	readonly form_data: Readonly<Record<string, string>>;
}

async function upload(
	{ url, form_data }: Descriptor,
	change: (form: FormData) => void = (form) => form.append('file', new Blob(['RIFF....WAVE']), 'me.wav'),
	headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
	const form = new FormData();
	for (const [name, value] of Object.entries(form_data)) form.append(name, value);
	change(form);
	const answer = await fetch(url, { method: 'POST', body: form, headers });
	return { status: answer.status, text: await answer.text() };
}

async function cloned(faults = ''): Promise<{ id: string; descriptor: Descriptor }> {
	const { status, body } = await clone(valid, faults);
	expect(status).toBe(200);
	return { id: body.data.voice_id, descriptor: body.data.samples.at(-1) };
}

async function statusOf(id: string): Promise<string> {
	return (await ask('GET', `/saas/voice/m/${id}`)).body.data.processing_status;
}

describe('the request', () => {
	test('is answered with the record and one descriptor that names the sample', async () => {
		const { status, body } = await clone({
			...valid,
			description: 'Calm',
			labels: { gender: 'female', mood: null },
			attributes: ['warm'],
			skip_external_voice: true,
		});
		expect(status).toBe(200);
		expect(body).toMatchObject({
			ok: true,
			data: {
				name: 'My voice',
				voice_type: 'instantly_cloned',
				processing_status: 'created',
				has_external_voice: false,
				attributes: ['warm'],
				samples: [
					{
						item_id: 'item-1',
						url: expect.stringContaining('http'),
						form_data: { policy: expect.any(String) },
					},
				],
			},
		});
	});

	test.each([
		['data.name', { ...valid, name: 'ab' }],
		['data.name', { ...valid, name: 'a/b/c' }],
		['data.name', { samples: [sample] }],
		['data.samples', { ...valid, samples: [] }],
		['data.samples', { ...valid, samples: [sample, sample] }],
		['data.samples[0].filename', { ...valid, samples: [{ ...sample, filename: 'a?b' }] }],
		['data.samples[0].mime_type', { ...valid, samples: [{ ...sample, mime_type: 'text/plain' }] }],
		['data.samples[0].lang_code', { ...valid, samples: [{ ...sample, lang_code: 'xx' }] }],
		['data.samples[0].item_id', { ...valid, samples: [{ ...sample, item_id: 'x'.repeat(37) }] }],
		['data.samples[0].denoise', { ...valid, samples: [{ ...sample, denoise: 'yes' }] }],
		['data.labels', { ...valid, labels: [] }],
		['data.attributes', { ...valid, attributes: [1] }],
	])('is refused with a record about %s', async (at, data) => {
		const { status, body } = await clone(data);
		expect(status).toBe(422);
		expect(body).toMatchObject({
			ok: false,
			errors: [
				{
					type: expect.stringMatching(/^https:/),
					status: 422,
					title: expect.stringMatching(/.{5}/),
					instance: '/saas/voice/clone',
					error_code: expect.any(Number),
				},
			],
		});
		expect(body.errors[0].detail).toMatch(new RegExp(`^${at.replaceAll(/[[\].]/g, '\\$&')}: `));
	});

	test('tells everything that is wrong at once, and wants its data in data', async () => {
		expect((await clone({ name: 'x', samples: [{}] })).body.errors).toHaveLength(4);
		expect((await ask('POST', '/saas/voice/clone', { json: valid })).body.errors[0].detail).toBe(
			'data: field required',
		);
	});

	test('takes letters of any script, unless its alphabet is ASCII', async () => {
		expect((await clone({ ...valid, name: 'Голос (мой)' })).status).toBe(200);
		expect((await clone({ ...valid, name: 'Голос (мой)' }, 'ascii-names')).status).toBe(422);
	});

	test('may carry the key or the voice token; the token is good for nothing else', async () => {
		const { key, voice_token: token } = sandbox.addresses;
		const json = { data: valid };
		expect((await ask('POST', '/saas/voice/clone', { json, bearer: token })).status).toBe(200);
		expect((await ask('POST', '/saas/voice/clone', { json, bearer: `${token}+401` })).status).toBe(401);
		expect((await ask('POST', '/saas/voice/clone', { json, bearer: 'nobody' })).status).toBe(401);
		expect((await ask('POST', '/saas/voice/clone', { json, bearer: `${key}+voice-token-only` })).status).toBe(
			401,
		);
		expect((await ask('GET', '/session-storage/sessions', { bearer: token })).status).toBe(401);
	});
});

describe('the upload', () => {
	test('makes the voice pending and then ready', async () => {
		const { id, descriptor } = await cloned('voice-pending:50');
		expect(await statusOf(id)).toBe('created');
		expect(await upload(descriptor)).toEqual({ status: 204, text: '' });
		expect(['pending', 'ready']).toContain(await statusOf(id));
		await expect.poll(() => statusOf(id)).toBe('ready');
	});

	test.each<[string, number, string, (form: FormData) => void, Record<string, string>]>([
		[
			'a file that is not last',
			400,
			'last field',
			(form) => {
				form.append('file', new Blob(['x']), 'x');
				form.append('more', '1');
			},
			{},
		],
		['no file', 400, 'exactly one file', () => {}, {}],
		[
			'two files',
			400,
			'exactly one file',
			(form) => {
				form.append('file', new Blob(['x']), 'x');
				form.append('file', new Blob(['x']), 'y');
			},
			{},
		],
		['an empty file', 400, 'empty', (form) => form.append('file', new Blob([]), 'x'), {}],
		[
			'a field that was changed',
			403,
			'Policy Condition',
			(form) => {
				form.set('key', 'elsewhere');
				form.append('file', new Blob(['x']), 'x');
			},
			{},
		],
		[
			'another signature',
			403,
			'signature',
			(form) => {
				form.set('x-amz-signature', '0');
				form.append('file', new Blob(['x']), 'x');
			},
			{},
		],
		[
			'more than 10 MB',
			400,
			'EntityTooLarge',
			(form) => form.append('file', new Blob([new Uint8Array(10 * 1024 * 1024 + 1)]), 'x'),
			{},
		],
		[
			'an Authorization header',
			400,
			'auth mechanism',
			(form) => form.append('file', new Blob(['x']), 'x'),
			{ Authorization: 'Bearer x' },
		],
	])('with %s is refused as S3 does', async (_what, status, says, change, headers) => {
		const { id, descriptor } = await cloned();
		const refused = await upload(descriptor, change, headers);
		expect([refused.status, refused.text]).toEqual([status, expect.stringContaining('<Error>')]);
		expect(refused.text).toContain(says);
		expect(await statusOf(id)).toBe('created');
	});

	test('goes wrong on demand, and right the next time', async () => {
		const file = (form: FormData) => form.append('file', new Blob([new Uint8Array(100_000)]), 'x');
		const expired = await cloned('upload-expired:1');
		expect((await upload(expired.descriptor)).text).toContain('Policy expired');
		for (const [fault, status] of [
			['upload-500:1', 500],
			['upload-403:1', 403],
			['upload-error-body:1', 200],
		] as const) {
			const { id, descriptor } = await cloned(fault);
			const first = await upload(descriptor, file);
			expect([first.status, first.text]).toEqual([status, expect.stringContaining('<Error>')]);
			expect(await statusOf(id)).toBe('created');
			expect((await upload(descriptor, file)).status).toBe(204);
		}
		const cut = await cloned('upload-cut:1+upload-200');
		await expect(upload(cut.descriptor, file)).rejects.toThrow();
		expect((await upload(cut.descriptor, file)).status).toBe(200);
	});
});

describe('the life of a voice', () => {
	test.each([
		['voice-fails+voice-pending:1', 'failed', 'errors'],
		['voice-warns+voice-pending:1', 'ready', 'warnings'],
	])('with %s ends as %s and says why', async (faults, status, remarks) => {
		const { id, descriptor } = await cloned(faults);
		await upload(descriptor);
		await expect.poll(() => statusOf(id)).toBe(status);
		const { body } = await ask('GET', `/saas/voice/m/${id}`);
		expect(body.data.processing_result[remarks]).toMatchObject([{ detail: expect.stringMatching(/sample/) }]);
	});

	test('can have a status nobody knows, or none that can be asked for', async () => {
		const odd = await cloned('voice-odd-status+voice-stuck');
		await upload(odd.descriptor);
		expect(await statusOf(odd.id)).toBe('queued_for_review');
		expect((await ask('GET', `/saas/voice/m/${odd.id}`, { faults: 'no-voice-status' })).status).toBe(404);
	});

	test('is listed page by page, and ends when deleted', async () => {
		const mine = [await cloned(), await cloned()].map(({ id }) => id);
		const seen: string[] = [];
		let next: string | null = null;
		do {
			const { body }: Reply = await ask(
				'GET',
				next === null ? '/saas/voice?page_size=1' : `/saas/voice?token=${next}`,
			);
			seen.push(...body.data.items.map(({ voice_id }: { voice_id: string }) => voice_id));
			next = body.data.next;
		} while (next !== null);
		expect(seen).toEqual(expect.arrayContaining(mine));
		expect(new Set(seen).size).toBe(seen.length);
		expect((await ask('DELETE', `/saas/voice/m/${mine[0]}`)).status).toBe(204);
		expect((await ask('GET', `/saas/voice/m/${mine[0]}`)).status).toBe(404);
		expect((await ask('GET', '/saas/voice/builtin')).body.data.items).toHaveLength(2);
	});
});

test('a form is read the same whatever the pieces it comes in', () => {
	const boundary = 'x-boundary';
	const file = Buffer.from('\r\n--x-bound\r\n\r\n--x-boundar y\0 not the end');
	const body = Buffer.concat([
		Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="key"\r\n\r\nvalue\r\n`),
		Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r\n`),
		Buffer.from(
			`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`,
		),
		file,
		Buffer.from(`\r\n--${boundary}--\r\n`),
	]);
	fc.assert(
		fc.property(fc.array(fc.integer({ min: 1, max: body.length }), { maxLength: 20 }), (cuts) => {
			const reader = createFormReader(`multipart/form-data; boundary=${boundary}`);
			if (typeof reader === 'string') throw new Error(reader);
			let from = 0;
			for (const to of [...cuts.sort((a, b) => a - b), body.length]) {
				expect(reader.push(body.subarray(from, to))).toBeNull();
				from = to;
			}
			expect(reader.end()).toMatchObject([
				{ kind: 'field', name: 'key', value: 'value' },
				{ kind: 'field', name: 'empty', value: '' },
				{ kind: 'file', name: 'file', type: 'audio/wav', bytes: file.length },
			]);
		}),
	);
});
