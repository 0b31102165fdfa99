import { expect, test } from 'vitest';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createAccounts } from './accounts.ts';
import { createFaults } from './faults.ts';

function stage() {
	const faults = createFaults();
	return { faults, ...createAccounts({ clock: createManualClock(), faults, key: 'the-key' }) };
}

test('accepts the key, with or without faults behind it, and nothing else', () => {
	const { caller, faults } = stage();
	expect(['the-key', 'the-key+500', 'the-key+500+slow:10'].map(caller)).toEqual([
		'the-key',
		'the-key+500',
		'the-key+500+slow:10',
	]);
	expect(
		['', 'the-ke', 'the-key-too', 'the-key-500', 'the-key+', 'the-key+no-such', 'the-key+500+no-such'].map(
			caller,
		),
	).toEqual(Array(7).fill(null));
	// A caller seen again does not get used-up faults back.
	const once = caller('the-key+500:1') ?? '';
	expect(faults.of(once).take('500')).toBe(true);
	caller(once);
	expect(faults.of(once).has('500')).toBe(false);
	expect([faults.of('the-key+500').has('500'), faults.of('the-key').has('500')]).toEqual([true, false]);
});

test('at the voice endpoints the key and the token are callers, at the others the key alone', () => {
	const { caller, voiceCaller, voiceToken } = stage();
	const callers = ['the-key', 'the-key+500', voiceToken, `${voiceToken}+500`];
	// A second time, too: the callers are known by then.
	for (let times = 0; times < 2; times += 1) {
		expect(callers.map(voiceCaller)).toEqual(callers);
		expect(callers.map(caller)).toEqual(['the-key', 'the-key+500', null, null]);
	}
	expect(voiceCaller('nonsense')).toBeNull();
});

test('where voices want their token, the key is no caller there', () => {
	const { caller, voiceCaller, voiceToken } = stage();
	const picky = 'the-key+voice-token-only';
	expect([caller(picky), voiceCaller(picky), voiceCaller('the-key'), voiceCaller(voiceToken)]).toEqual([
		picky,
		null,
		'the-key',
		voiceToken,
	]);
});
