import { request } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { startSandbox } from '#sandbox/sandbox.ts';
import { createVoiceWire, type Reply, sample, valid } from '#test/support/voices.ts';

const sandbox = await startSandbox();
const wire = createVoiceWire(sandbox);
afterAll(() => sandbox.close());

describe('the request', () => {
	test('is answered with the record and one descriptor that names the sample', async () => {
		const { status, body } = await wire.clone({
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
		const { status, body } = await wire.clone(data);
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

	test('is refused when its body is no JSON, or not said to be', async () => {
		const plain = await wire.ask('POST', '/saas/voice/clone', { json: { data: valid }, type: 'text/plain' });
		expect([plain.status, plain.body.errors[0].status]).toEqual([415, 415]);
		const { api, key } = sandbox.addresses;
		const broken = await fetch(`${api}/saas/voice/clone`, {
			method: 'POST',
			headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json; charset=utf-8' },
			body: '{"data":',
		});
		expect(broken.status).toBe(400);
	});

	test('without an item_id gets one, of 1 to 36 characters', async () => {
		const { item_id: _, ...nameless } = sample;
		const { body } = await wire.clone({ ...valid, samples: [nameless] });
		expect(body.data.samples[0].item_id).toMatch(/^.{1,36}$/);
	});

	test('tells everything that is wrong at once, and wants its data in data', async () => {
		expect((await wire.clone({ name: 'x', samples: [{}] })).body.errors).toHaveLength(4);
		expect((await wire.ask('POST', '/saas/voice/clone', { json: valid })).body.errors[0].detail).toBe(
			'data: field required',
		);
	});

	test('takes letters of any script, unless its alphabet is ASCII', async () => {
		expect((await wire.clone({ ...valid, name: 'Голос (мой)' })).status).toBe(200);
		expect((await wire.clone({ ...valid, name: 'Голос (мой)' }, 'ascii-names')).status).toBe(422);
	});

	test('may carry the key or the voice token; the token is good for nothing else', async () => {
		const { key, voice_token: token } = sandbox.addresses;
		const json = { data: valid };
		expect((await wire.ask('POST', '/saas/voice/clone', { json, bearer: token })).status).toBe(200);
		expect((await wire.ask('POST', '/saas/voice/clone', { json, bearer: `${token}+401` })).status).toBe(401);
		expect((await wire.ask('POST', '/saas/voice/clone', { json, bearer: 'nobody' })).status).toBe(401);
		expect(
			(await wire.ask('POST', '/saas/voice/clone', { json, bearer: `${key}+voice-token-only` })).status,
		).toBe(401);
		expect((await wire.ask('GET', '/session-storage/sessions', { bearer: token })).status).toBe(401);
	});
});

describe('the upload', { timeout: 20_000 }, () => {
	test('makes the voice pending and then ready', async () => {
		const { id, descriptor } = await wire.cloned('voice-pending:50');
		expect(await wire.statusOf(id)).toBe('created');
		expect(await wire.upload(descriptor)).toEqual({ status: 204, text: '' });
		expect(['pending', 'ready']).toContain(await wire.statusOf(id));
		await expect.poll(() => wire.statusOf(id), { timeout: 10_000 }).toBe('ready');
	});

	const add = (form: FormData, file = new Blob(['x']), filename = 'x') => form.append('file', file, filename);
	/** A change of a form whose file comes last, as it should. */
	const field = (change: (form: FormData) => void) => (form: FormData) => {
		change(form);
		add(form);
	};
	const tooLarge = new Blob([new Uint8Array(10 * 1024 * 1024 + 1)]);
	test.each<[string, number, string, (form: FormData) => void, Record<string, string>?]>([
		[
			'a file that is not last',
			400,
			'last field',
			(form) => {
				add(form);
				form.append('more', '1');
			},
		],
		['no file', 400, 'exactly one file', () => {}],
		['a file of another name', 400, 'named', (form) => form.append('sample', new Blob(['x']), 'x')],
		['a field of nobody', 403, 'Extra input fields: more', field((form) => form.append('more', '1'))],
		['a field left out', 403, 'Policy Condition', field((form) => form.delete('x-amz-date'))],
		['a field that is there twice', 400, 'twice', field((form) => form.append('key', 'again'))],
		[
			'a file of another type than was promised',
			400,
			'audio/wav was promised',
			(form) => add(form, new Blob(['x'], { type: 'video/mp4' })),
		],
		['two files', 400, 'exactly one file', field(add)],
		['an empty file', 400, 'EntityTooSmall', (form) => add(form, new Blob([]))],
		['a field that was changed', 403, 'Policy Condition', field((form) => form.set('key', 'elsewhere'))],
		['another signature', 403, 'signature', field((form) => form.set('x-amz-signature', '0'))],
		['more than 10 MB', 400, 'EntityTooLarge', (form) => add(form, tooLarge)],
		['an Authorization header', 400, 'auth mechanism', (form) => add(form), { Authorization: 'Bearer x' }],
	])('with %s is refused as S3 does', async (_what, status, says, change, headers) => {
		const { id, descriptor } = await wire.cloned();
		const refused = await wire.upload(descriptor, change, headers);
		expect([refused.status, refused.text]).toEqual([status, expect.stringContaining('<Error>')]);
		expect(refused.text).toContain(says);
		expect(await wire.statusOf(id)).toBe('created');
	});

	test('goes wrong on demand, and right the next time', async () => {
		const file = (form: FormData) => form.append('file', new Blob([new Uint8Array(100_000)]), 'x');
		const expired = await wire.cloned('upload-expired:1');
		expect((await wire.upload(expired.descriptor)).text).toContain('Policy expired');
		for (const [fault, status] of [
			['upload-500:1', 500],
			['upload-503:1', 503],
			['upload-403:1', 403],
			['upload-error-body:1', 200],
		] as const) {
			const { id, descriptor } = await wire.cloned(fault);
			const first = await wire.upload(descriptor, file);
			expect([first.status, first.text]).toEqual([status, expect.stringContaining('<Error>')]);
			expect(await wire.statusOf(id)).toBe('created');
			expect((await wire.upload(descriptor, file)).status).toBe(204);
		}
		const cut = await wire.cloned('upload-cut:1+upload-200');
		await expect(wire.upload(cut.descriptor, file)).rejects.toThrow();
		expect((await wire.upload(cut.descriptor, file)).status).toBe(200);
		const wordy = await wire.upload((await wire.cloned('upload-201')).descriptor, file);
		expect([wordy.status, wordy.text]).toEqual([201, expect.stringContaining('<PostResponse>')]);
	});

	test('can be taken slowly, or never answered', async () => {
		const slow = await wire.cloned('upload-slow:300');
		const startedAt = performance.now();
		expect((await wire.upload(slow.descriptor)).status).toBe(204);
		expect(performance.now() - startedAt).toBeGreaterThan(290);
		const { id, descriptor } = await wire.cloned('upload-hang');
		const patience = AbortSignal.timeout(300);
		await expect(wire.upload(descriptor, undefined, {}, patience)).rejects.toThrow('timeout');
		expect(await wire.statusOf(id)).toBe('created');
	});

	test('of numbers as text and without what is null is right, whatever form_data holds', async () => {
		const { descriptor } = await wire.cloned('upload-odd-form');
		expect(descriptor.form_data).toMatchObject({ success_action_status: 204, 'x-amz-security-token': null });
		expect((await wire.upload(descriptor)).status).toBe(403);
		const { 'x-amz-security-token': _, ...form_data } = descriptor.form_data;
		expect((await wire.upload({ ...descriptor, form_data })).status).toBe(204);
	});

	test('belongs to one address, must say how long it is, and must be a form', async () => {
		const [mine, other] = [await wire.cloned(), await wire.cloned()];
		const mixed = await wire.upload({ ...mine.descriptor, url: other.descriptor.url });
		expect([mixed.status, await wire.statusOf(mine.id), await wire.statusOf(other.id)]).toEqual([
			403,
			'created',
			'created',
		]);
		const answerTo = (headers: Record<string, string>, body: string) =>
			new Promise<number | undefined>((done, failed) => {
				const sending = request(mine.descriptor.url, { method: 'POST', headers }, (answer) => {
					answer.resume();
					done(answer.statusCode);
				});
				sending.on('error', failed);
				sending.write(body);
				sending.end();
			});
		const type = { 'Content-Type': 'multipart/form-data; boundary=b' };
		expect(await answerTo({ ...type, 'Transfer-Encoding': 'chunked' }, '--b--\r\n')).toBe(411);
		expect(await answerTo({ 'Content-Type': 'text/plain', 'Content-Length': '1' }, 'x')).toBe(412);
		expect(await answerTo({ ...type, 'Content-Length': '5' }, '--b??')).toBe(400);
	});
});

describe('the life of a voice', () => {
	test.each([
		['voice-fails+voice-pending:1', 'failed', 'errors'],
		['voice-warns+voice-pending:1', 'ready', 'warnings'],
	])('with %s ends as %s and says why', async (faults, status, remarks) => {
		const { id, descriptor } = await wire.cloned(faults);
		await wire.upload(descriptor);
		await expect.poll(() => wire.statusOf(id), { timeout: 10_000 }).toBe(status);
		const { body } = await wire.ask('GET', `/saas/voice/m/${id}`);
		expect(body.data.processing_result[remarks]).toMatchObject([{ detail: expect.stringMatching(/sample/) }]);
	});

	test('ends when the sample is plainly something else', async () => {
		const { id, descriptor } = await wire.cloned('voice-pending:1');
		await wire.upload(descriptor, (form) => form.append('file', new Blob(['fLaC....']), 'me.wav'));
		await expect.poll(() => wire.statusOf(id), { timeout: 10_000 }).toBe('failed');
		const { body } = await wire.ask('GET', `/saas/voice/m/${id}`);
		expect(body.data.processing_result.errors[0].detail).toBe(
			'The sample was said to be audio/wav and is flac.',
		);
	});

	test('can have a status nobody knows, or none that can be asked for', async () => {
		const odd = await wire.cloned('voice-odd-status+voice-stuck');
		await wire.upload(odd.descriptor);
		expect(await wire.statusOf(odd.id)).toBe('queued_for_review');
		expect((await wire.ask('GET', `/saas/voice/m/${odd.id}`, { faults: 'no-voice-status' })).status).toBe(
			404,
		);
	});

	test('is listed page by page, and ends when deleted', async () => {
		const mine = [await wire.cloned(), await wire.cloned()].map(({ id }) => id);
		const seen: string[] = [];
		let next: string | null = null;
		do {
			const { body }: Reply = await wire.ask(
				'GET',
				next === null ? '/saas/voice?page_size=1' : `/saas/voice?token=${next}`,
			);
			seen.push(...body.data.items.map(({ voice_id }: { voice_id: string }) => voice_id));
			next = body.data.next;
		} while (next !== null);
		expect(seen).toEqual(expect.arrayContaining(mine));
		expect(new Set(seen).size).toBe(seen.length);
		expect((await wire.ask('DELETE', `/saas/voice/m/${mine[0]}`)).status).toBe(204);
		expect((await wire.ask('GET', `/saas/voice/m/${mine[0]}`)).status).toBe(404);
		expect((await wire.ask('GET', '/saas/voice/builtin')).body.data.items).toHaveLength(2);
	});

	test('is listed in its place, whichever way round, though others come meanwhile', async () => {
		const mine = [await wire.cloned(), await wire.cloned(), await wire.cloned()].map(({ id }) => id);
		const page = async (query: string) => {
			const { body } = await wire.ask('GET', `/saas/voice?${query}`);
			return {
				ids: body.data.items.map(({ voice_id }: { voice_id: string }) => voice_id),
				next: body.data.next,
			};
		};
		const first = await page('page_size=2&sort=desc');
		expect(first.ids).toEqual([mine[2], mine[1]]);
		await wire.cloned();
		const second = await page(`token=${first.next}`);
		expect(second.ids[0]).toBe(mine[0]);
		expect((await page('page_size=50&sort=asc')).ids.filter((id: string) => mine.includes(id))).toEqual(mine);
	});

	test.each([
		['page_size=0', 422],
		['page_size=51', 422],
		['page_size=many', 422],
		['sort=up', 422],
		['token=bnVsbA', 400],
		['token=%20', 400],
		['token=e30&sort=asc', 400],
		['token=e30&page_size=5', 400],
	])('is not listed for %s', async (query, status) => {
		const answer = await wire.ask('GET', `/saas/voice?${query}`);
		expect([answer.status, answer.body.errors[0].status]).toEqual([status, status]);
	});
});
