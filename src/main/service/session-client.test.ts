import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createSessionClient } from './session-client.ts';

test('the token of the next page is asked with as it is, whatever characters it holds', async () => {
	const token = 'a/b+c=&page_size=1#é';
	const asked: URL[] = [];
	const client = createSessionClient({
		clock: createManualClock(),
		random: () => 0.5,
		log: silentLogger,
		baseUrl: () => 'https://api.example.com',
		key: () => 'the-key',
		fetch: async (address) => {
			asked.push(new URL(String(address)));
			const isFirst = asked.length === 1;
			return Response.json({ data: [], next_page_token: isFirst ? token : '' });
		},
	});
	const account = client.account();
	if (!account.ok) throw new Error(account.error.kind);
	expect(await account.value.list()).toMatchObject({ ok: true, value: { complete: true } });
	expect(asked.map(({ searchParams }) => searchParams.get('page_token'))).toEqual([null, token]);
	expect(asked.every(({ searchParams }) => searchParams.getAll('page_size').length === 1)).toBe(true);
});
