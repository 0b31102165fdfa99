import { expect, test } from 'vitest';
import { type Check, fine, type Outcome, skipped } from '#shared/diagnosis/checks.ts';
import type { DiagnosisState } from '#shared/host/contract.ts';
import { createManualClock, settle } from '#test/support/manual-clock.ts';
import { createDiagnosis } from './diagnosis.ts';

/** A diagnosis with one check, which the test ends. */
function stage() {
	const runs: { readonly signal: AbortSignal; readonly end: (outcome: Outcome) => void }[] = [];
	const check: Check = {
		name: 'room',
		limitMs: 1000,
		run: (signal) =>
			new Promise<Outcome>((end) => {
				runs.push({ signal, end });
			}),
	};
	const diagnosis = createDiagnosis({ checks: [check], clock: createManualClock() });
	const told: DiagnosisState[] = [];
	diagnosis.listen((state) => told.push(state));
	const { 'diagnosis.run': run, 'diagnosis.cancel': cancel } = diagnosis.answers;
	return {
		diagnosis,
		runs,
		told,
		cancel,
		/** Begins to look. */
		async look() {
			const looked = run();
			await settle();
			return { looked };
		},
	};
}

const found = { check: 'room', says: 'roomFine' };

test('asked for again while it looks it does not look twice: a plan may allow one session', async () => {
	const { runs, look } = stage();
	const [one, other] = [await look(), await look()];
	expect(runs).toHaveLength(1);
	runs[0]?.end(fine('roomFine'));
	for (const { looked } of [one, other])
		expect(await looked).toMatchObject({ value: { running: false, findings: [found] } });
});

test('another look begins with nothing found, and each change has a higher number', async () => {
	const { diagnosis, runs, told, look } = stage();
	const first = await look();
	runs[0]?.end(fine('roomFine'));
	await first.looked;
	expect(diagnosis.findings()).toMatchObject([found]);
	const second = await look();
	expect(told.at(-1)).toMatchObject({ running: true, findings: [] });
	runs[1]?.end(fine('roomFine'));
	await second.looked;
	expect(diagnosis.findings()).toMatchObject([found]);
	expect(told.map(({ revision }) => revision)).toEqual([2, 3, 4, 5, 6, 7]);
});

test('one that is cancelled says so, and the next is not', async () => {
	const { runs, cancel, look } = stage();
	const first = await look();
	await cancel();
	expect(runs[0]?.signal.aborted).toBe(true);
	runs[0]?.end(skipped('cancelled'));
	expect(await first.looked).toMatchObject({ value: { findings: [{ says: 'cancelled' }] } });
	const second = await look();
	expect(runs[1]?.signal.aborted).toBe(false);
	runs[1]?.end(fine('roomFine'));
	expect(await second.looked).toMatchObject({ value: { findings: [found] } });
});

test('its end waits until what the look made is put away, and after it nobody looks', async () => {
	const { diagnosis, runs, look } = stage();
	const { looked } = await look();
	let isClosed = false;
	const closed = diagnosis.close().then(() => {
		isClosed = true;
	});
	await settle();
	expect([runs[0]?.signal.aborted, isClosed]).toEqual([true, false]);
	runs[0]?.end(skipped('cancelled'));
	await Promise.all([closed, looked]);
	await (await look()).looked;
	expect(runs).toHaveLength(1);
});
