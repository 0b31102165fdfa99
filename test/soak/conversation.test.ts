import { expect, test } from 'vitest';
import { soakConversation } from './conversation.ts';

const seed = Number(process.env.DRAGOMAN_TEST_SEED ?? 1);

test.each([0, 1, 2].map((more) => seed + more))(
	'twenty minutes of conversation with faults of seed %i: one session, no final lost or twice, nothing left at rest',
	{ timeout: 120_000 },
	async (one) => {
		const report = await soakConversation(one, 20);
		expect(report.findings).toEqual([]);
		expect(report.minutes).toBeGreaterThan(20);
		expect(report.finals).toBeGreaterThan(10);
	},
);
