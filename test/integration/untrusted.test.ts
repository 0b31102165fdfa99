import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DiagnosisParts, serviceChecks } from '#main/diagnosis/checks.ts';
import { createUploader } from '#main/service/upload.ts';
import { dial } from '#main/streaming/dial.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { notRun } from '#test/support/not-run.ts';
import { startTlsFront, type TlsFront } from '#test/support/tls-front.ts';

/* A server with an unknown authority, and an environment that turns off the check of certificates. */

const signal = new AbortController().signal;
const clock = createSystemClock();
let front: TlsFront | { readonly missing: string };
let folder: string;
beforeAll(async () => {
	front = await startTlsFront({ browser: false });
	folder = await mkdtemp(join(tmpdir(), 'dragoman-untrusted-'));
});
beforeEach(() => {
	vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
	return () => vi.unstubAllEnvs();
});
afterAll(async () => {
	if (!('missing' in front)) await front.close();
	await rm(folder, { recursive: true, force: true });
});

/** The outcome of the request; checks that the server saw an aborted handshake. */
async function refusedBy<Value>(ask: (at: string) => Promise<Value>, skip: (why: string) => void) {
	if ('missing' in front) {
		notRun('certificates nobody knows', front.missing);
		return skip(front.missing);
	}
	const outcome = await ask(`localhost:${front.port}`);
	expect(front.received()).toBe(0);
	return outcome;
}

const untrusted = { kind: 'certificate-untrusted', cause: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' };

describe('checked all the same', () => {
	test('a socket', async ({ skip }) => {
		const ask = (at: string) => dial(`wss://${at}/stream`, 'the-key', { clock, signal });
		expect(await refusedBy(ask, skip)).toEqual({ type: 'failed', problem: untrusted });
	});

	test('an upload', async ({ skip }) => {
		const path = join(folder, 'me.wav');
		await writeFile(path, 'sound');
		const { size, mtimeMs } = await stat(path);
		const ended = new AbortController();
		const kinds: unknown[] = [];
		const log = {
			...silentLogger,
			/** It would be tried again: once is enough. */
			debug(_: string, facts: Readonly<Record<string, unknown>> = {}) {
				kinds.push(facts.kind);
				ended.abort();
			},
		};
		const uploader = createUploader({ clock, random: () => 0, log });
		const file = { path, bytes: size, modifiedMs: mtimeMs, name: 'me.wav', filename: 'me.wav' };
		const ask = (at: string) =>
			uploader.send(
				{ itemId: '', url: `https://${at}/`, fields: [] },
				{ file: { ...file, mimeType: 'audio/wav' }, progress() {}, signal: ended.signal },
			);
		await refusedBy(ask, skip);
		expect(kinds).toEqual(['certificate-untrusted']);
	});

	test('the look at the certificate itself', async ({ skip }) => {
		const ask = (at: string) => {
			const parts = {
				base: () => `https://${at}`,
				proxyOf: async () => '',
				clock,
			} as unknown as DiagnosisParts;
			return (
				serviceChecks(parts)
					.find(({ name }) => name === 'certificate')
					?.run(signal) ?? Promise.reject()
			);
		};
		expect(await refusedBy(ask, skip)).toMatchObject({ state: 'failed', problem: untrusted });
	});
});
