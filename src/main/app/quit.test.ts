import { expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createQuit, type QuitParts } from './quit.ts';

function world(parts: Partial<QuitParts> = {}) {
	const clock = createManualClock();
	const did: string[] = [];
	const note = (what: string) => void did.push(`${what} at ${clock.now()}`);
	const quit = createQuit({
		clock,
		log: silentLogger,
		announce(reason) {
			note(`told ${reason}`);
			return true;
		},
		async closeSessions() {
			note('sessions');
		},
		async closeRest() {
			note('rest');
		},
		exit: (code) => note(`exit ${code}`),
		...parts,
	});
	return { clock, did, quit };
}

test('the deletion of sessions does not wait for the window', async () => {
	const { clock, did, quit } = world();
	void quit.begin('quit', 130);
	await clock.run(0);
	expect(did).toEqual(['told quit at 0', 'sessions at 0']);
	quit.closeReady();
	await clock.run(0);
	expect(did.slice(2)).toEqual(['rest at 0', 'exit 130 at 0']);
});

test('a window that does not answer holds it up two seconds and no more', async () => {
	const { clock, did, quit } = world();
	void quit.begin('window');
	await clock.run(10_000);
	expect(did.at(-1)).toBe('exit 0 at 2000');
});

test('the program does not end before its sessions are deleted, nor does anything they need', async () => {
	const { clock, did, quit } = world({ closeSessions: () => new Promise((done) => clock.after(3000, done)) });
	void quit.begin('quit');
	quit.closeReady();
	await clock.run(2999);
	expect(did).toEqual(['told quit at 0']);
	await clock.run(1);
	expect(did.slice(1)).toEqual(['rest at 3000', 'exit 0 at 3000']);
});

test('without a window nobody is waited for', async () => {
	const { clock, did, quit } = world({ announce: () => false });
	void quit.begin('quit');
	await clock.run(0);
	expect(did.at(-1)).toBe('exit 0 at 0');
});

test('whatever hangs or fails, the program ends', async () => {
	const never = new Promise<void>(() => {});
	const fails = () => Promise.reject(new Error('no'));
	for (const [parts, endMs] of [
		// Sessions are told to be done within five seconds, and have half a second to say so.
		[{ closeSessions: () => never, closeRest: fails }, 5500],
		[{ closeSessions: () => never, closeRest: () => never }, 7500],
		[{ closeSessions: fails, closeRest: () => never }, 4000],
	] as const) {
		const hanging = world(parts);
		void hanging.quit.begin('quit');
		await hanging.clock.run(20_000);
		expect(hanging.did.at(-1)).toBe(`exit 0 at ${endMs}`);
		expect(hanging.clock.pending).toBe(0);
	}
});

test('asking again changes nothing: one farewell, one exit, the first status', async () => {
	const { clock, did, quit } = world();
	void quit.begin('quit', 130);
	void quit.begin('window', 0);
	await clock.run(10_000);
	expect(did.filter((it) => it.startsWith('exit'))).toEqual(['exit 130 at 2000']);
	expect(did.filter((it) => it.startsWith('told'))).toHaveLength(1);
});
