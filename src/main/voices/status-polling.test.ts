import { describe, expect, test } from 'vitest';
import type { VoiceAccount } from '#main/service/voice-client.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { VoiceRecord } from '#shared/protocol/cloned-voice-record.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { storedVoice } from '#test/support/voices.ts';
import { createStatusPolling, LONG_MS, nextQuestionMs, recordedFields, type Work } from './status-polling.ts';
import type { StoredVoice } from './voices-file.ts';

describe('the next question', () => {
	test('is less often from 15 min after the upload, and none a day after, and not a ms before', () => {
		const next = (sinceSentMs: number) => nextQuestionMs(50, sinceSentMs, () => 0.5);
		const day = 24 * 3_600_000;
		expect([next(LONG_MS - 1), next(LONG_MS), next(day - 1), next(day)]).toEqual([
			30_000,
			300_000,
			300_000,
			null,
		]);
	});

	test('is soon where it is the first, whenever the upload was', () => {
		const first = [0, LONG_MS, 48 * 3_600_000].map((sinceMs) => nextQuestionMs(0, sinceMs, () => 0.5));
		expect(first).toEqual([2000, 2000, 2000]);
	});
});

const NOW = createManualClock().wall();
const sent = (fields: Partial<StoredVoice> = {}) =>
	storedVoice('a', { status: 'pending', sentAt: NOW, ...fields });
const record = (fields: Partial<VoiceRecord> = {}): VoiceRecord => ({
	voiceId: 'voice-a',
	name: 'Ana',
	status: 'pending',
	createdAt: 1,
	language: 'es',
	hasExternalVoice: null,
	uploads: [],
	warnings: [],
	errors: [],
	...fields,
});
const absent: Problem = { kind: 'not-found', what: 'read-voice' };
const away: Problem = { kind: 'service-unreachable', cause: 'ENOTFOUND' };
const slow: Problem = { kind: 'timed-out', what: 'read-voice', afterMs: 1 };

type Answer = Partial<VoiceRecord> | Problem;

/** One entry and a service that answers in turn, the last for all that follow. */
function stage(begun: StoredVoice, answers: readonly Answer[], onRead: () => void = () => {}) {
	const clock = createManualClock();
	const control = new AbortController();
	let entry: StoredVoice | null = begun;
	const asked: (readonly [id: string, at: number])[] = [];
	const written: Partial<StoredVoice>[] = [];
	const finished: StoredVoice[] = [];
	const logged: unknown[] = [];
	let changes = 0;
	const log: Logger = { error() {}, warn() {}, info: (...line) => void logged.push(line), debug() {} };
	const following = createStatusPolling({
		clock,
		random: () => 0.5,
		log,
		async amend(_, fields) {
			written.push(fields);
			entry = entry && { ...entry, ...fields };
			return entry;
		},
		changed: () => {
			changes += 1;
		},
		finished: (voice) => void finished.push(voice),
	});
	const read = async (id: string): Promise<Result<VoiceRecord, Problem>> => {
		const answer = answers[Math.min(asked.length, answers.length - 1)] ?? {};
		asked.push([id, clock.now()]);
		onRead();
		return 'kind' in answer ? err(answer) : ok(record(answer));
	};
	const work: Work = {
		signal: control.signal,
		reason: () => null,
		account: { read } as unknown as VoiceAccount,
	};
	return {
		clock,
		control,
		following,
		asked,
		written,
		finished,
		logged,
		work,
		ask: () => following.ask(begun, work),
		follow: () => following.follow(begun, work),
		arrived: () => following.arrived(begun, work),
		entry: () => entry,
		changes: () => changes,
		forget() {
			entry = null;
		},
	};
}

const unknown = err({ kind: 'not-found', what: 'voice' });

describe('asked once, a voice', () => {
	test('of which nothing new is said is not written', async () => {
		const voice = sent();
		const rig = stage(voice, [{}]);
		expect(await rig.ask()).toEqual(ok(voice));
		expect([rig.asked, rig.written]).toEqual([[['voice-a', 0]], []]);
	});

	test.each(['ready', 'failed'] as const)('that has become %s is told and logged once', async (status) => {
		const voice = sent();
		const rig = stage(voice, [{ status, warnings: ['short'], errors: ['noise'] }]);
		const sample = status === 'ready' ? { ...voice.sample, path: null } : voice.sample;
		const then = { ...voice, status, warnings: ['short'], errors: ['noise'], sample };
		expect(await rig.ask()).toEqual(ok(then));
		expect(rig.finished).toEqual([then]);
		expect(rig.logged).toEqual([['voice finished', { status }]]);
	});

	test('that was ready before is news to nobody', async () => {
		const rig = stage(sent({ status: 'ready' }), [{ status: 'ready', warnings: ['late'] }]);
		expect(await rig.ask()).toMatchObject({ value: { warnings: ['late'] } });
		expect([rig.finished, rig.logged]).toEqual([[], []]);
	});

	test('that goes on is no news either', async () => {
		const rig = stage(sent({ status: 'created' }), [{ status: 'pending' }]);
		expect(await rig.ask()).toMatchObject({ value: { status: 'pending' } });
		expect([rig.finished, rig.logged]).toEqual([[], []]);
	});

	test('that was never described, or was forgotten meanwhile, is not there', async () => {
		const never = stage(sent({ voiceId: null }), [{}]);
		expect([await never.ask(), never.asked]).toEqual([unknown, []]);
		const rig = stage(sent(), [{ status: 'ready' }]);
		rig.forget();
		expect([await rig.ask(), rig.finished]).toEqual([unknown, []]);
	});

	test('that cannot be asked about stays as it is', async () => {
		const rig = stage(sent(), [away]);
		expect([await rig.ask(), rig.written]).toEqual([err(away), []]);
	});
});

test('what an entry learns from a record', () => {
	const problem: Problem = { kind: 'cancelled' };
	const none = { warnings: [], errors: [] };
	const learns = (voice: StoredVoice, fields: Partial<VoiceRecord>) => recordedFields(record(fields), voice);
	// The service is slow to notice the sample.
	expect(learns(sent({ problem }), { status: 'created' })).toEqual({
		...none,
		status: 'pending',
		problem: null,
	});
	expect(learns(sent(), { status: 'unknown' })).toEqual({ ...none, status: 'unknown', problem: null });
	// Stopped before its sample was there: it stays stopped.
	const stopped = storedVoice('a', { problem });
	expect(learns(stopped, { status: 'created' })).toEqual({ ...none, status: 'created' });
	expect(learns(stopped, { status: 'failed' })).toEqual({ ...none, status: 'failed' });
	expect(learns(stopped, { status: 'ready' })).toEqual({
		...none,
		status: 'ready',
		problem: null,
		sample: { ...stopped.sample, path: null },
	});
});

describe('followed, a voice', () => {
	test.each(['ready', 'failed'] as const)('that is %s is not asked about', async (status) => {
		const rig = stage(sent({ status }), [{}]);
		await rig.follow();
		expect([rig.asked, rig.clock.pending]).toEqual([[], 0]);
	});

	test('is asked about until it has failed', async () => {
		const rig = stage(sent(), [{}, { status: 'failed' }]);
		const followed = rig.follow();
		await rig.clock.run(60_000);
		await followed;
		expect(rig.asked.map(([, at]) => at)).toEqual([2000, 5000]);
		expect(rig.finished).toHaveLength(1);
	});

	test.each([
		['crosses 15 min at a question', LONG_MS - 2000, 1],
		['crosses them a little before', LONG_MS - 1999, 1],
		['does not cross them yet', LONG_MS - 2001, 0],
		['is over them when it begins', LONG_MS, 0],
	])('that %s is shown anew once', async (_, agoMs, changes) => {
		const rig = stage(sent({ sentAt: NOW - agoMs }), [{}]);
		void rig.follow();
		await rig.clock.run(2000);
		const early = rig.changes();
		await rig.clock.run(1_000_000);
		expect([early, rig.changes()]).toEqual([changes, agoMs < LONG_MS ? 1 : 0]);
		rig.control.abort();
	});

	test('that was sent long ago is asked about once, and what was wrong is corrected', async () => {
		const rig = stage(sent({ sentAt: NOW - 48 * 3_600_000, problem: away }), [{}]);
		const followed = rig.follow();
		await rig.clock.run(2000);
		await followed;
		expect([rig.asked.length, rig.entry()?.problem, rig.clock.pending]).toEqual([1, null, 0]);
	});

	test('is let go of while it waits, and while it is asked about: nothing is written then', async () => {
		const waiting = stage(sent(), [{}]);
		const first = waiting.follow();
		await waiting.clock.run(1999);
		waiting.control.abort();
		await first;
		expect([waiting.asked, waiting.clock.pending]).toEqual([[], 0]);
		const asked = stage(sent(), [away], () => asked.control.abort());
		const second = asked.follow();
		await asked.clock.run(2000);
		await second;
		expect([asked.asked.length, asked.written, asked.clock.pending]).toEqual([1, [], 0]);
	});

	test('shows each new problem once, and goes on', async () => {
		const rig = stage(sent(), [away, away, slow, {}, { status: 'ready' }]);
		void rig.follow();
		await rig.clock.run(60_000);
		expect(rig.written.map(({ problem }) => problem)).toEqual([away, slow, null, null]);
		expect(rig.entry()).toMatchObject({ status: 'ready', problem: null });
	});

	test.each([
		'api-key-missing',
		'api-key-rejected',
		'voice-token-rejected',
		'forbidden',
		'no-credit',
		'address-refused',
		'port-refused',
	] as const)('is given up where asking again is of no use: %s', async (kind) => {
		const problem = { kind } as Problem;
		const rig = stage(sent(), [problem]);
		const followed = rig.follow();
		await rig.clock.run(2000);
		await followed;
		expect([rig.asked.length, rig.entry()?.problem, rig.clock.pending]).toEqual([1, problem, 0]);
		// Also where that was shown before.
		const again = stage(sent({ problem }), [problem]);
		void again.follow();
		await again.clock.run(60_000);
		expect([again.asked.length, again.written]).toEqual([1, []]);
	});

	test('that is absent is believed to be so at the fifth time in a row, and shown only then', async () => {
		const rig = stage(sent(), [absent, absent, absent, absent, away, absent, absent, absent, absent, absent]);
		const followed = rig.follow();
		await rig.clock.run(600_000);
		await followed;
		expect(rig.asked).toHaveLength(10);
		expect(rig.written).toEqual([{ problem: away }, { problem: absent }]);
	});

	test('ends with its entry', async () => {
		const rig = stage(sent(), [away]);
		const followed = rig.follow();
		rig.forget();
		await rig.clock.run(60_000);
		await followed;
		expect([rig.asked.length, rig.clock.pending]).toEqual([1, 0]);
	});
});

describe('a sample of which nobody noted that it was sent', () => {
	test('has arrived where the service works on it', async () => {
		const rig = stage(storedVoice('a', { owner: 'dead' }), [{ status: 'pending', warnings: ['short'] }]);
		const fields = {
			status: 'pending',
			warnings: ['short'],
			errors: [],
			problem: null,
			sentAt: NOW,
			owner: null,
		};
		expect(await rig.arrived()).toEqual({ ...storedVoice('a'), ...fields });
		expect([rig.written, rig.finished]).toEqual([[fields], []]);
	});

	test.each(['ready', 'failed'] as const)('and is %s: that is told', async (status) => {
		const rig = stage(storedVoice('a'), [{ status }]);
		const arrived = await rig.arrived();
		expect(arrived).toMatchObject({ status, sentAt: NOW });
		expect(rig.finished).toEqual([arrived]);
	});

	test.each<[string, Answer]>([
		['is as it was before', { status: 'created' }],
		['is called a word that nobody knows', { status: 'unknown' }],
		['cannot be asked about', away],
	])('has not arrived where the voice %s', async (_, answer) => {
		const rig = stage(storedVoice('a'), [answer]);
		expect([await rig.arrived(), rig.written]).toEqual([null, []]);
	});

	test('is not asked about where the voice was never described; forgotten, it is told to nobody', async () => {
		const never = stage(storedVoice('a', { voiceId: null }), [{}]);
		expect([await never.arrived(), never.asked]).toEqual([null, []]);
		const rig = stage(storedVoice('a'), [{ status: 'ready' }]);
		rig.forget();
		expect([await rig.arrived(), rig.finished]).toEqual([null, []]);
	});
});
