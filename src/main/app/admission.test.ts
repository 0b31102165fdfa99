import { expect, test } from 'vitest';
import { err, ok } from '#shared/lib/result.ts';
import { createAdmission } from './admission.ts';

const grant = { handle: 'h', webrtcUrl: 'wss://room.example', publisher: 'token' };
const opening = { stream: 's', purpose: 'speech-to-speech', keepSpeech: false, chunkMs: 320 } as const;

function world() {
	const did: string[] = [];
	let quitting = false;
	const admission = createAdmission({
		keeper: {
			prepare: () => void did.push('prepare'),
			async open() {
				did.push('open');
				return ok(grant);
			},
			joined() {},
			close: async () => void did.push('close'),
			page: async () => err({ kind: 'cancelled' }),
			extend: async () => err({ kind: 'cancelled' }),
			end: async () => ok(),
			sweep: async () => err({ kind: 'cancelled' }),
		},
		streams: {
			async open() {
				did.push('stream');
				return ok();
			},
			close: async () => {},
		},
		isQuitting: () => quitting,
		granted: (address) => void did.push(`granted ${address}`),
	});
	return {
		admission,
		did,
		quit: () => {
			quitting = true;
		},
	};
}

test('while the program ends nothing is begun, and everything may still be closed', async () => {
	const { admission, did, quit } = world();
	quit();
	const cancelled = err({ kind: 'cancelled' });
	expect(await admission.sessions.prepare()).toEqual(cancelled);
	expect(await admission.sessions.open()).toEqual(cancelled);
	expect(await admission.streams.open(opening)).toEqual(cancelled);
	await admission.sessions.close('h');
	expect(did).toEqual(['close']);
});

test('typed texts may be spoken beside no conversation, but not for another account that takes over, nor at the end', async () => {
	const { admission, did, quit } = world();
	const typed = {
		stream: 'a-name-nobody-guesses',
		purpose: 'text-to-speech',
		language: 'es',
		voiceId: 'default_low',
	} as const;
	expect(await admission.streams.open(typed)).toEqual(ok());
	admission.accountLeaves();
	// A conversation that never began will not report its end.
	expect(await admission.streams.open(typed)).toEqual(ok());
	await admission.sessions.open();
	admission.accountLeaves();
	expect(await admission.streams.open(typed)).toEqual(err({ kind: 'account-changed' }));
	quit();
	expect(await admission.streams.open(typed)).toEqual(err({ kind: 'cancelled' }));
	expect(did.filter((what) => what === 'stream')).toHaveLength(2);
});

test('the address of a session that is handed out is made known', async () => {
	const { admission, did } = world();
	expect(await admission.sessions.open()).toEqual(ok(grant));
	expect(did).toEqual(['open', 'granted wss://room.example']);
});

test.each(['live', 'recovering', 'paused', 'starting', 'ending'] as const)(
	'a conversation that was %s when the account changed gets nothing of the other, until its end is reported',
	async (phase) => {
		const { admission, did } = world();
		admission.phase(phase);
		admission.accountLeaves();
		expect(await admission.sessions.open()).toEqual(err({ kind: 'account-changed' }));
		expect(await admission.streams.open(opening)).toEqual(err({ kind: 'account-changed' }));
		admission.phase('recovering');
		expect((await admission.sessions.open()).ok).toBe(false);
		expect(did).toEqual([]);
		admission.phase('idle');
		expect((await admission.sessions.open()).ok).toBe(true);
	},
);

test('what was asked for before the window said a word counts as running', async () => {
	const { admission } = world();
	await admission.sessions.open();
	admission.accountLeaves();
	expect(await admission.sessions.open()).toEqual(err({ kind: 'account-changed' }));
});

test('without a conversation a changed account is used at once, and a new page begins anew', async () => {
	const { admission } = world();
	admission.accountLeaves();
	expect((await admission.sessions.open()).ok).toBe(true);
	admission.accountLeaves();
	admission.pageGone();
	expect((await admission.sessions.open()).ok).toBe(true);
});
