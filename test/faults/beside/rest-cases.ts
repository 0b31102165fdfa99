import { setTimeout as wait } from 'node:timers/promises';
import {
	anything,
	type Case,
	comesAbout,
	creates,
	endsTold,
	harmless,
	must,
	patient,
	refused,
	unusable,
} from './looking.ts';

export const restCases: readonly Case[] = [
	refused(1, '401 on create', '401', /key|401|unauthor/i),
	refused(3, '402 on create', '402', /credit|pay|402|balance|quota/i),
	refused(4, '403 on create', '403', /may not|right|403|forbidden|allow|permi/i),
	refused(6, '409 on create', '409', /session|409|conflict|way/i, 2),
	patient(8, '429, Retry-After: 2, once', '429-after', 2000),
	refused(8, '429, Retry-After: a day', '429-day', /later|slow|many|busy|wait|429/i),
	{
		row: 9,
		fault: '429 for ever',
		lookedFor: 'ends within 60 s, says why; at most 5 requests in that time; microphone off, no session',
		faults: ['429@create'],
		async see(stage) {
			await endsTold(stage, /later|slow|many|busy|wait|429/i, 60);
			must(creates(stage).length <= 5, `asked ${creates(stage).length} times`);
		},
	},
	patient(10, '503, Retry-After: 1, once', '503-after', 1000),
	refused(10, '500 on create', '500', anything, 2),
	{
		row: 12,
		fault: 'nobody listens for half a second',
		lookedFor: 'the conversation comes about by itself',
		async see(stage) {
			await stage.front.gone();
			await stage.subject.begin();
			await wait(500);
			await stage.front.back();
			await comesAbout(stage);
		},
	},
	unusable(13, 'no answer on create', 'hang', 30),
	unusable(14, 'answer cut half way', 'cut-body', 30),
	unusable(15, 'a byte a second, without end', 'drip', 30),
	{
		...unusable(16, 'a body of 200 MB', 'huge-body', 30),
		lookedFor: 'ends within 30 s and says so; at most 8 MB are taken',
		async see(stage) {
			await unusable(16, '', 'huge-body', 30).see(stage);
			must(stage.front.givenBytes <= 8_000_000, `${Math.round(stage.front.givenBytes / 1e6)} MB taken`);
		},
	},
	unusable(16, 'JSON nested 100 000 deep', 'deep-body'),
	unusable(17, 'not JSON', 'malformed-json'),
	unusable(17, 'HTML', 'html'),
	unusable(17, 'an empty body', 'empty-body'),
	harmless(17, 'a byte order mark', 'bom'),
	harmless(18, 'fields nobody knows', 'extra-fields'),
	unusable(19, 'wrong types', 'wrong-types'),
	unusable(19, 'ok: false with 201', 'not-ok'),
	{
		row: 20,
		fault: '307 to another origin',
		lookedFor: 'the key is not sent there; ends and says so, microphone off',
		async see(stage) {
			const other = await stage.front.redirect();
			await endsTold(stage, anything);
			must(!other.sawKey(), 'the key was sent there');
		},
	},
	unusable(20, 'a redirect to itself, for ever', 'redirect-loop'),
	harmless(24, '200 instead of 201 and 204', 'status-200-create'),
];
