import { expect, test } from 'vitest';
import { runChecks } from '#shared/diagnosis/checks.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { type DiagnosisParts, roomChecks } from './checks.ts';

interface Given {
	readonly busy?: boolean;
	readonly reached?: Result<void, Problem>;
	readonly closed?: Result<void, Problem>;
	/** Runs while the session is being made. */
	readonly making?: () => void;
	/** Runs while a socket is being opened. */
	readonly dialling?: () => Promise<void>;
}

const unended = new AbortController().signal;

/** What is done, in its order, and what is found. */
async function look(given: Given = {}, signal = unended) {
	const { busy = false, reached = ok(), closed = ok(), making, dialling } = given;
	const did: string[] = [];
	const clock = createManualClock();
	const parts = {
		clock,
		busy: () => busy,
		room: {
			async open() {
				did.push('open');
				await new Promise((done) => setImmediate(done));
				making?.();
				return ok({
					async signal() {
						did.push('signal');
						return reached;
					},
					async close() {
						did.push('close');
						return closed;
					},
				});
			},
		},
		async dialSocket(product) {
			did.push(product);
			await dialling?.();
			return ok({ host: 'socket.example.com' });
		},
	} as Partial<DiagnosisParts> as DiagnosisParts;
	const findings = await runChecks(roomChecks(parts), { clock, signal, told() {} });
	return { did, found: findings.map(({ check, says, problem }) => [check, says ?? problem?.kind]) };
}

test('one after the other: no socket before the session of the room is given back', async () => {
	expect(await look()).toEqual({
		did: ['open', 'signal', 'close', 's2s', 'stt', 'tts'],
		found: [
			['room', 'roomFine'],
			['s2s', 'socketFine'],
			['stt', 'socketFine'],
			['tts', 'socketFine'],
		],
	});
});

test('one socket after the other: no two are open at a time', async () => {
	let [open, most] = [0, 0];
	await look({
		async dialling() {
			open += 1;
			most = Math.max(most, open);
			await new Promise((done) => setImmediate(done));
			open -= 1;
		},
	});
	expect([open, most]).toEqual([0, 1]);
});

test('beside a conversation that runs neither a session nor a socket of its kind is opened', async () => {
	expect(await look({ busy: true })).toEqual({
		did: ['stt', 'tts'],
		found: [
			['room', 'roomBusy'],
			['s2s', 'roomBusy'],
			['stt', 'socketFine'],
			['tts', 'socketFine'],
		],
	});
});

test('a session is given back whatever is found, and one that cannot be is said', async () => {
	const unreachable = await look({ reached: err({ kind: 'room-unreachable', reason: 'x' }) });
	expect(unreachable.did.slice(0, 3)).toEqual(['open', 'signal', 'close']);
	expect(unreachable.found[0]).toEqual(['room', 'room-unreachable']);
	const kept = await look({ closed: err({ kind: 'service-unreachable', cause: 'x' }) });
	expect(kept.found[0]).toEqual(['room', 'roomLeft']);
});

test('a session that is made when nobody looks any more is given back', async () => {
	const control = new AbortController();
	const { did, found } = await look({ making: () => control.abort() }, control.signal);
	await expect.poll(() => did).toEqual(['open', 'close']);
	expect(found[0]).toEqual(['room', 'cancelled']);
});
