import type { EventEmitter } from 'node:events';
import { z } from 'zod';
import type { Clock } from '#shared/lib/clock.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { SandboxPlace } from './account.ts';

/** It reads its clips and binds a port: a second on a slow machine. */
const START_LIMIT_MS = 15_000;

const socket = z.string().optional();
const FirstLine = z.object({
	api: z.string(),
	key: z.string(),
	s2s: socket,
	stt: socket,
	tts: socket,
	voice_token: socket,
});

/** Where a sandbox, or the local interpreter, can be reached: the first line that its process writes. */
export function placeOf(
	child: Pick<EventEmitter, 'once'> & {
		readonly stdout: { on(event: 'data', heard: (chunk: Buffer) => void): unknown } | null;
	},
	clock: Clock,
): Promise<Result<SandboxPlace, Problem>> {
	return new Promise((done) => {
		const fail = (reason: string) => done(err({ kind: 'sandbox-failed', reason }));
		const cancel = clock.after(START_LIMIT_MS, () => fail('did not answer in time'));
		let text = '';
		child.stdout?.on('data', (chunk) => {
			if (text.includes('\n')) return;
			text += chunk.toString('utf8');
			if (!text.includes('\n')) return;
			cancel();
			try {
				const { voice_token, ...place } = FirstLine.parse(JSON.parse(text.split('\n')[0] ?? ''));
				done(ok({ ...place, voiceToken: voice_token }));
			} catch {
				fail('its first line could not be read');
			}
		});
		child.once('exit', (code) => {
			cancel();
			fail(`ended with status ${code}`);
		});
	});
}
