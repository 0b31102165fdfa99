import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createAppGlossaries } from './app-glossaries.ts';

test('closing waits for the deletions that were asked for, and for nothing else', async () => {
	const { promise, resolve } = Promise.withResolvers<Response>();
	const clock = createManualClock();
	const glossaries = createAppGlossaries({
		fetch: () => promise,
		clock,
		random: () => 0,
		log: silentLogger,
		account: { baseUrl: () => 'https://api.example.com', key: () => 'a-key', ready: async () => ok() },
		corrections: () => [],
	});
	await glossaries.close();
	const deleted = glossaries.answers['glossary.delete']({ id: 'g1' });
	let closed = false;
	const closing = glossaries.close().then(() => {
		closed = true;
	});
	await clock.run(0);
	expect(closed).toBe(false);
	resolve(new Response(null, { status: 204 }));
	expect(await deleted).toEqual(ok());
	await closing;
});
