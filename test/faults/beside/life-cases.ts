import { setTimeout as wait } from 'node:timers/promises';
import { until } from '#test/support/app-steps.ts';
import {
	beginsWell,
	type Case,
	creates,
	endsTold,
	goesOn,
	harmless,
	isAllOver,
	leavesNothing,
	must,
	refused,
} from './looking.ts';

export const lifeCases: readonly Case[] = [
	{
		row: 26,
		fault: 'session deleted while live',
		lookedFor: 'texts and a voice go on by themselves',
		async see(stage) {
			await beginsWell(stage);
			const { api, key } = stage.sandbox.addresses;
			for (const { id } of stage.sandbox.openSessions())
				await fetch(`${api}/session-storage/sessions/${id}`, {
					method: 'DELETE',
					headers: { authorization: `Bearer ${key}` },
				});
			await goesOn(stage);
		},
	},
	refused(28, 'all sessions of the plan in use', '403-limit', /session|limit/i, 2),
	...(['503', 'drop-connection'] as const).map(
		(name): Case => ({
			row: 29,
			fault: name === '503' ? 'DELETE refused with 503 once' : 'DELETE cut off once',
			lookedFor: 'no session is left 40 s after Stop, microphone off',
			faults: [`${name}@delete:1`],
			async see(stage) {
				await beginsWell(stage);
				await leavesNothing(stage);
			},
		}),
	),
	{
		row: 35,
		fault: 'Stop while the session is being made',
		lookedFor: 'no session and no microphone, now and 5 s later',
		faults: ['slow@create:2000'],
		async see(stage) {
			await stage.subject.begin();
			await until('the session is asked for', () => creates(stage).length > 0, 10_000);
			await wait(500);
			await stage.subject.end();
			await wait(6000);
			await isAllOver(stage, 10_000);
			await wait(5000);
			await isAllOver(stage, 0);
		},
	},
	{
		row: 94,
		fault: 'the page is loaded anew while live',
		lookedFor: 'no session that nobody uses is left 30 s later',
		async see(stage) {
			await beginsWell(stage);
			await stage.subject.page.reload();
			await until(
				'no session is left that nobody uses',
				() => stage.sandbox.openSessions().every(({ connected }) => connected),
				30_000,
			);
		},
	},
];

export const messageCases: readonly Case[] = [
	{
		row: 56,
		fault: 'the first set_task is lost',
		lookedFor: 'texts come within 20 s',
		faults: ['ignore-first-set-task:1'],
		see: beginsWell,
	},
	{
		row: 57,
		fault: 'set_task is refused',
		lookedFor: 'it says so within 30 s',
		faults: ['refuse-task'],
		async see({ subject }) {
			await subject.begin();
			await until(
				'it says so',
				async () => /valid|refus|task|settings|accept/i.test(await subject.told()),
				30_000,
			);
		},
	},
	harmless(58, 'the task runs after 6 s', 'slow-task:6000'),
	harmless(64, 'types and fields nobody knows', 'unknown-messages'),
	harmless(64, 'data of wrong shapes', 'garbage-data'),
	harmless(64, 'data encoded twice', 'double-encoded'),
	harmless(65, 'packets that are no messages', 'data-garbage'),
	{
		row: 67,
		fault: '1 000 errors a second',
		lookedFor: 'texts go on, and the page answers within a second',
		faults: ['error-storm'],
		async see(stage) {
			await beginsWell(stage);
			await goesOn(stage);
			const beganMs = performance.now();
			await stage.subject.page.evaluate(() => new Promise((done) => setTimeout(done, 0)));
			const tookMs = performance.now() - beganMs;
			must(tookMs < 1000, `answered after ${tookMs.toFixed(0)} ms`);
		},
	},
	harmless(79, 'end_task is never answered', 'no-end-of-stream'),
];

export const deviceCases: readonly Case[] = [
	{
		row: 81,
		fault: 'the microphone is refused',
		lookedFor: 'ends, says so, no session',
		async see(stage) {
			await stage.subject.page.evaluate(() => window.__watch.deny());
			await endsTold(stage, /micro|permi|denied|NotAllowed/i);
		},
	},
];
