import { describe, expect, it } from 'vitest';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { choices, createRig, type RigScript } from '#test/support/conversation-rig.ts';
import type { MarkLost } from './unsent-speech.ts';

const source = (id: string): ServerMessage => ({
	type: 'transcript',
	kind: 'source',
	final: true,
	transcriptionId: id,
	partId: '0',
	language: 'en',
	text: id,
	startS: null,
	endS: null,
});

describe('this computer takes over', () => {
	/** 100 s after Start the line is lost, and 20 s later somebody else interprets what was kept since `keptS`. */
	async function takeOver(keptS: number) {
		let fromMs: number | null = null;
		const { unsent, marks } = createUnsent();
		const rig = createRig({ unsent: { ...unsent, settle() {}, fromMs: () => fromMs } });
		const since = rig.clock.now();
		await rig.goLive();
		await rig.clock.run(100_000);
		rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		const lostMs = rig.clock.now();
		await rig.clock.run(20_000);
		await Promise.all([rig.conversation.stopNow(), rig.clock.run(5000)]);
		rig.script.travel = { route: 'websocket', mayFallBack: false };
		fromMs = since + keptS * 1000;
		rig.conversation.start(choices, { startedMs: since, again: true });
		await rig.clock.run(3000);
		expect(rig.view().phase).toBe('live');
		const spans = () =>
			rig.conversation.captions.finals().map(({ kind, startMs, endMs }) => ({ kind, startMs, endMs }));
		return { rig, marks, spans, since, lostMs };
	}
	const said = (id: string, startS: number, endS: number) => ({ ...source(id), startS, endS });
	/** Keeps everything; `marks` are those of speech that is kept. */
	function createUnsent() {
		const marks: MarkLost[] = [];
		const whole: boolean[] = [];
		const unsent: NonNullable<RigScript['unsent']> = {
			keeps: () => true,
			lost(mark, wasOff) {
				marks.push(mark);
				whole.push(wasOff);
			},
			settle() {
				for (const mark of marks.splice(0)) mark();
			},
			fromMs: () => null,
		};
		return { unsent, marks, whole };
	}
	const lostSpans = (rig: ReturnType<typeof createRig>) =>
		rig.conversation.captions
			.finals()
			.filter(({ kind }) => kind === 'lost')
			.map(({ startMs, endMs }) => [startMs, endMs]);

	it('and the captions of what it hears late have the times at which it was said', async () => {
		const { rig, spans } = await takeOver(99);
		rig.socket().say(said('a', 1, 3));
		await rig.clock.run(8000);
		rig.socket().say(said('b', 21, 23));
		expect(spans()).toEqual([
			{ kind: 'source', startMs: 100_000, endMs: 102_000 },
			{ kind: 'source', startMs: 120_000, endMs: 122_000 },
		]);
		// In a pause its clock stands still.
		rig.conversation.pause();
		await rig.clock.run(60_000);
		rig.conversation.resume();
		await rig.clock.run(3000);
		rig.socket().say(said('c', 40, 42));
		expect(spans()[2]?.startMs).toBeGreaterThan(180_000);
	});

	it('and only what it does not hear either is marked as lost', async () => {
		const { marks, spans, since, lostMs } = await takeOver(110);
		expect([marks.length, spans()]).toEqual([1, []]);
		marks[0]?.(0, since + 110_000);
		expect(spans()).toEqual([{ kind: 'lost', startMs: lostMs - since, endMs: 110_000 }]);
		const other = await takeOver(99);
		other.marks[0]?.(0, other.since + 99_000);
		// Too short to notice.
		other.marks[0]?.(0, other.lostMs + 499);
		expect(other.spans()).toEqual([]);
		other.marks[0]?.();
		expect(other.spans()).toEqual([
			{ kind: 'lost', startMs: other.lostMs - other.since, endMs: other.lostMs - other.since + 20_000 },
		]);
	});

	it('what a socket drops before it is lost is marked when nobody interprets it: before the next text, or after Stop', async () => {
		const { unsent, marks } = createUnsent();
		const rig = createRig({ unsent, travel: { route: 'websocket', mayFallBack: false } });
		await rig.goLive();
		rig.socket().tell({ type: 'speech-lost', ms: 3000 });
		expect([marks.length, rig.view().notice, lostSpans(rig)]).toEqual([1, null, []]);
		rig.socket().say(source('after'));
		expect(rig.conversation.captions.row(0)?.lost).toBeDefined();
		expect(rig.conversation.captions.row(1)?.source?.text).toBe('after');
		rig.socket().tell({ type: 'speech-lost', ms: 2000 });
		await Promise.all([rig.conversation.stopNow(), rig.clock.run(3000)]);
		expect(lostSpans(rig)).toHaveLength(2);
	});

	it('after a failure, what nobody heard while the microphone was off is lost, whoever goes on', async () => {
		const { unsent, marks, whole } = createUnsent();
		const rig = createRig({ unsent });
		const since = rig.clock.now();
		await rig.goLive();
		rig.room().say(source('before'));
		const fails = { state: 'down', problem: { kind: 'opened-elsewhere' } } as const;
		rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
		await rig.clock.run(4000);
		rig.room().tell({ type: 'link', link: fails });
		await rig.clock.run(1000);
		const failedMs = rig.clock.now() - 1000;
		// It may still be interpreted.
		expect([rig.view().phase, whole, lostSpans(rig)]).toEqual(['failed', [false], []]);
		await rig.clock.run(9000);
		rig.conversation.start(choices, { startedMs: since, again: true });
		await rig.clock.run(5000);
		expect(whole.slice(0, 2)).toEqual([false, true]);
		marks[1]?.();
		const offMs = failedMs - since;
		expect(lostSpans(rig)).toEqual([[offMs, expect.closeTo(offMs + 10_000, -3)]]);
	});

	it('what is marked only after a failure is kept in the history, but not of captions that were cleared, or replaced', async () => {
		for (const then of ['nothing', 'clear', 'start'] as const) {
			const { unsent, marks } = createUnsent();
			const rig = createRig({ unsent });
			await rig.goLive();
			rig.room().say(source('before'));
			rig.room().tell({ type: 'link', link: { state: 'restoring', cause: 'signal' } });
			await rig.clock.run(4000);
			rig.room().tell({ type: 'link', link: { state: 'down', problem: { kind: 'opened-elsewhere' } } });
			await rig.clock.run(1000);
			if (then === 'clear') rig.conversation.captions.clear();
			if (then === 'start') await rig.goLive();
			marks[0]?.();
			expect([then, lostSpans(rig).length]).toEqual([then, then === 'nothing' ? 1 : 0]);
		}
	});
});
