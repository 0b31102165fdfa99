import { describe, expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createServiceState } from './service-state.ts';

function start() {
	const clock = createManualClock();
	clock.advance(1234);
	return { clock, state: createServiceState(clock) };
}

describe('its time', () => {
	const EARLIEST = 'Wed, 01 Jan 2020 00:00:00 GMT';
	const heard = (headers: Record<string, string>) => {
		const { clock, state } = start();
		state.heardDate(new Headers(headers));
		clock.advance(1000);
		return state.now() - clock.wall();
	};

	test('is this computer’s until it has said one; then its own, half a second later for what it cuts', () => {
		const { clock, state } = start();
		expect(state.now()).toBe(clock.wall());
		state.heardDate(new Headers({ date: EARLIEST }));
		clock.advance(1000);
		expect(state.now()).toBe(Date.parse(EARLIEST) + 1500);
	});

	test.each([{}, { date: '' }, { date: 'Tue, 31 Dec 2019 23:59:59 GMT' }, { date: EARLIEST, age: '1' }])(
		'is not taken from %j',
		(headers) => expect(heard({ ...headers } as Record<string, string>)).toBe(0),
	);

	test('is taken from an answer that has no age', () => {
		expect(heard({ date: EARLIEST, age: '0' })).not.toBe(0);
	});
});

test('its quiet is the longest that was asked for, from when it was asked', () => {
	const { clock, state } = start();
	expect(state.pauseMs('key')).toBe(0);
	state.pauseFor('key', 5000);
	state.pauseFor('key', 2000);
	expect(state.pauseMs('key')).toBe(5000);
	clock.advance(4000);
	state.pauseFor('key', 2000);
	expect(state.pauseMs('key')).toBe(2000);
	clock.advance(3000);
	expect(state.pauseMs('key')).toBe(0);
});

describe('what is tried again', () => {
	/** How many can be paid for. */
	const payable = ({ state }: ReturnType<typeof start>) => {
		let paid = 0;
		while (paid < 100 && state.payRetry()) paid += 1;
		return paid;
	};

	test('is paid for ten times, then once for each answer that is no refusal', () => {
		const rig = start();
		expect(payable(rig)).toBe(10);
		for (const status of [200, 399]) rig.state.heardAnswer(status);
		for (const status of [400, 404, 500]) rig.state.heardAnswer(status);
		expect(payable(rig)).toBe(2);
	});

	test('is not saved up', () => {
		const rig = start();
		for (let count = 0; count < 50; count += 1) rig.state.heardAnswer(200);
		expect(payable(rig)).toBe(10);
	});
});

describe('a service that fails', () => {
	const fail = ({ state }: ReturnType<typeof start>, times: number) => {
		for (let count = 0; count < times; count += 1) state.heardAnswer(count % 2 === 0 ? 500 : 503);
	};

	test('six times in a row is asked once in 30 s, and not a ms earlier', () => {
		const rig = start();
		const { clock, state } = rig;
		fail(rig, 5);
		expect([state.isFailing(), state.mayTry(), state.mayTry()]).toEqual([false, true, true]);
		fail(rig, 1);
		expect([state.isFailing(), state.mayTry()]).toEqual([true, false]);
		clock.advance(29_999);
		expect(state.mayTry()).toBe(false);
		clock.advance(1);
		expect([state.mayTry(), state.mayTry()]).toEqual([true, false]);
	});

	test('is asked at once where it was not asked before', () => {
		const rig = start();
		fail(rig, 6);
		expect([rig.state.mayTry(), rig.state.mayTry()]).toEqual([true, false]);
	});

	test('is well again with one answer that is no failure of its own', () => {
		for (const status of [200, 499]) {
			const rig = start();
			fail(rig, 6);
			rig.state.heardAnswer(status);
			fail(rig, 5);
			expect([rig.state.isFailing(), rig.state.mayTry(), rig.state.mayTry()]).toEqual([false, true, true]);
		}
	});
});
