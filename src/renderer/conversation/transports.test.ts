import { describe, expect, it } from 'vitest';
import { type Logger, silentLogger } from '#shared/lib/log.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createIntake } from './transports.ts';

const error = (code: string): ServerMessage => ({ type: 'error', code, text: code, field: '' });
const unknown = (name: string): ServerMessage => ({ type: 'unknown', name });

function stage() {
	const clock = createManualClock();
	const lines: [string, string, Record<string, unknown> | undefined][] = [];
	const write = (level: string) => (message: string, facts?: Record<string, unknown>) =>
		void lines.push([level, message, facts]);
	const log: Logger = { ...silentLogger, debug: write('debug'), info: write('info') };
	const repeated: [string, number][] = [];
	const intake = createIntake({ clock, log, repeated: (code, times) => repeated.push([code, times]) });
	return { clock, lines, repeated, intake };
}

describe('messages nobody knows', () => {
	it('pass, are named once, and are counted in one line at the end', () => {
		const { intake, lines } = stage();
		for (const name of ['a', 'b', 'a', 'a']) expect(intake.admit(unknown(name))).toBe(true);
		expect(lines).toEqual([
			['debug', 'unknown message', { name: 'a' }],
			['debug', 'unknown message', { name: 'b' }],
		]);
		intake.finish();
		expect(lines.slice(2)).toEqual([['info', 'unknown messages', { 'type a': 3, 'type b': 1 }]]);
		intake.finish();
		expect(lines).toHaveLength(3);
	});

	it('with names made up without end are counted all the same, in bounded space', () => {
		const { intake, lines } = stage();
		for (let number = 0; number < 5000; number++) intake.admit(unknown(`name-${number}`));
		intake.finish();
		const counts = lines.at(-1)?.[2] ?? {};
		expect(Object.keys(counts).length).toBeLessThan(30);
		expect(Object.values(counts).reduce((sum: number, times) => sum + Number(times), 0)).toBe(5000);
	});

	it('cannot take the place of what a log line is made of', () => {
		const { intake, lines } = stage();
		for (const name of ['level', 'message', '__proto__']) intake.admit(unknown(name));
		intake.finish();
		expect(lines.at(-1)?.[2]).toEqual({ 'type level': 1, 'type message': 1, 'type __proto__': 1 });
	});
});

describe('errors', () => {
	it('of one code within a second are one, and their number is told once', async () => {
		const { clock, intake, repeated } = stage();
		const admitted = Array.from({ length: 1000 }, () => intake.admit(error('X'))).filter(Boolean);
		expect(admitted).toHaveLength(1);
		expect(repeated).toEqual([]);
		await clock.run(1000);
		expect(repeated).toEqual([['X', 999]]);
		expect(intake.admit(error('X'))).toBe(true);
		expect(clock.pending).toBe(1);
	});

	it('of different codes do not hide each other', () => {
		const { intake } = stage();
		expect(['X', 'Y', 'X'].map((code) => intake.admit(error(code)))).toEqual([true, true, false]);
	});

	it('of a thousand codes at once cost no more than a few', () => {
		const { clock, intake } = stage();
		const admitted = Array.from({ length: 1000 }, (_, number) => intake.admit(error(`code-${number}`)));
		expect(admitted.filter(Boolean).length).toBeLessThan(12);
		expect(clock.pending).toBeLessThan(12);
	});

	it('that may answer a task are heard, whatever came before', () => {
		const { clock, intake, repeated } = stage();
		intake.admit(error('X'));
		intake.admit(error('X'));
		intake.expectAnswer();
		expect(repeated).toEqual([['X', 1]]);
		expect(intake.admit(error('X'))).toBe(true);
		intake.finish();
		expect(clock.pending).toBe(0);
	});

	it('are nothing that other messages wait for', () => {
		const { intake } = stage();
		intake.admit(error('X'));
		expect(intake.admit({ type: 'end-of-stream' })).toBe(true);
	});
});
