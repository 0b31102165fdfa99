import { afterEach, expect, test, vi } from 'vitest';
import type { StreamPorts, StreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { recordSystemSound } from './others-sound.ts';

const channels: MessagePort[] = [];
afterEach(() => {
	for (const port of channels.splice(0)) port.close();
});

/** Main, controlled by the test: its answer and its ports come when the test says so. */
function createRig() {
	const clock = createManualClock();
	const asked: string[] = [];
	const answer = Promise.withResolvers<Result<undefined, Problem>>();
	let deliver: ((ports: StreamPorts) => void) | null = null;
	const receiver: StreamPortsReceiver = {
		expect(_stream, came) {
			deliver = came;
			return () => {
				deliver = null;
			};
		},
	};
	const host = {
		ask: async (name: string) => {
			asked.push(name);
			return name === 'system-sound.open' ? answer.promise : ok(undefined);
		},
	} as Parameters<typeof recordSystemSound>[0]['host'];
	const ended: Problem[] = [];
	const record = recordSystemSound({ host, receiver, clock });
	const recorded = record({ application: null, rateHz: 48_000 }, (problem) => void ended.push(problem));
	const [control, capture, voice] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
	channels.push(...[control, capture, voice].flatMap(({ port1, port2 }) => [port1, port2]));
	return {
		clock,
		asked,
		ended,
		recorded,
		mainsControl: control.port1,
		isExpected: () => deliver !== null,
		answer: answer.resolve,
		deliver: () => deliver?.({ control: control.port2, capture: capture.port2, voice: voice.port2 }),
	};
}

const settled = () => new Promise<void>((done) => void setImmediate(done));

test.each(['ports', 'answer'])('what others play is had when the %s come first', async (first) => {
	const rig = createRig();
	if (first === 'ports') rig.deliver();
	rig.answer(ok(undefined));
	await settled();
	if (first === 'answer') rig.deliver();
	const recorded = await rig.recorded;
	expect(recorded.ok).toBe(true);
	rig.mainsControl.postMessage({ type: 'failed', problem: { kind: 'system-sound-failed', reason: 'gone' } });
	await vi.waitFor(() => expect(rig.ended).toEqual([{ kind: 'system-sound-failed', reason: 'gone' }]));
	if (recorded.ok) recorded.value.close();
	expect(rig.asked).toEqual(['system-sound.open', 'system-sound.close']);
});

test('ports that never come end in a problem, and main is told to stop', async () => {
	const rig = createRig();
	rig.answer(ok(undefined));
	await settled();
	rig.clock.advance(2000);
	expect(await rig.recorded).toMatchObject({ ok: false, error: { kind: 'bug' } });
	expect(rig.asked).toEqual(['system-sound.open', 'system-sound.close']);
	expect(rig.isExpected()).toBe(false);
});

test('a refusal is passed on, and no ports are expected any more', async () => {
	const rig = createRig();
	rig.answer(err({ kind: 'cancelled' }));
	expect(await rig.recorded).toEqual({ ok: false, error: { kind: 'cancelled' } });
	expect(rig.isExpected()).toBe(false);
});
