import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { BASE, createAnsweringService } from '#test/support/answering-service.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createGlossaries } from './glossaries.ts';

test('closing waits for the deletions that were asked for, and for nothing else', async () => {
	const { promise, resolve } = Promise.withResolvers<Response>();
	const clock = createManualClock();
	const glossaries = createGlossaries({
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

test.each([
	['on', true, true],
	['off', false, false],
	['of a state that the service does not tell', undefined, true],
])('a glossary that is %s stays so when it is changed', async (_, enabled, after) => {
	const about = { name: 'Names', glossary_type: 'translation', source_lang: 'en', target_lang: 'es' };
	const answer = (id: string) => ({ json: { data: { id, ...about, is_enabled: enabled } } });
	const service = createAnsweringService(answer('old'), answer('new'), 200, 204);
	const { answers } = createGlossaries({
		...service,
		account: { baseUrl: () => BASE, key: () => 'a-key', ready: async () => ok() },
		corrections: () => [],
	});
	const draft = { name: 'Names', kind: 'translation', source: 'en', target: 'es' } as const;
	await answers['glossary.change']({ ...draft, id: 'old', table: 'train,tren' });
	expect(service.lines()).toEqual([
		'GET /saas/glossary/old',
		'POST /saas/glossary',
		'POST /saas/glossary/new/upload',
		'DELETE /saas/glossary/old',
	]);
	expect(JSON.parse(service.asked[1]?.body ?? '').data.is_enabled).toBe(after);
});
