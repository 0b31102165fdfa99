import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openStartRecord } from '#main/app/safe-mode.ts';
import { OVER_MS } from '#main/guests/guests.ts';
import { PUBLIC_REST_BASE } from '#main/service/addresses.ts';
import type { GuestsState } from '#shared/host/contract.ts';
import { askAsGuest } from '#test/support/guest-client.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import {
	recordedElectron as electron,
	type StartedShell,
	startRecorded,
} from '#test/support/recorded-electron.ts';

vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);
// A network that guests are in, wherever this runs.
vi.mock('node:os', async (original) => {
	const at = { address: '192.168.1.20', family: 'IPv4', internal: false };
	return { ...(await original<typeof import('node:os')>()), networkInterfaces: () => ({ eth0: [at] }) };
});
const { startShell } = await import('./shell.ts');

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const soon = { timeout: 15_000 };

let shell: StartedShell;
beforeEach(() => {
	electron.calls.length = 0;
	electron.windows.length = 0;
	electron.app.removeAllListeners();
	electron.power.removeAllListeners();
});
afterEach(() => shell.end());

test('the page is told when the computer sleeps, wakes, is locked and unlocked', async () => {
	shell = await startRecorded(startShell);
	for (const event of ['suspend', 'resume', 'lock-screen', 'unlock-screen']) electron.power.emit(event);
	const sent = electron.called('webContents.send').map(({ args: [, name, payload] }) => ({ name, payload }));
	const told = sent.filter(({ name }) => name === 'power.changed').map(({ payload }) => payload);
	const atWallMs = expect.any(Number);
	expect(told).toEqual(['suspend', 'resume', 'lock', 'unlock'].map((event) => ({ event, atWallMs })));
});

test('the window waits three seconds for a keychain that does not answer, and hears of it later', async () => {
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const safeStorage = electron.module['safeStorage'] as { isAsyncEncryptionAvailable(): Promise<boolean> };
	safeStorage.isAsyncEncryptionAvailable = () => promise;
	onTestFinished(() => {
		safeStorage.isAsyncEncryptionAvailable = async () => false;
	});
	const clock = createManualClock();
	const starting = startRecorded(startShell, {}, clock);
	const questions = () => electron.called('safeStorage.isAsyncEncryptionAvailable');
	await expect.poll(questions, soon).toHaveLength(1);
	await clock.run(2999);
	expect(electron.windows).toEqual([]);
	await clock.run(1);
	shell = await starting;
	const told = () =>
		electron.called('webContents.send').filter(({ args: [, name] }) => name === 'account.changed');
	expect(told()).toEqual([]);
	resolve(false);
	await expect.poll(told, soon).not.toEqual([]);
});

/** The service: opens and deletes sessions, and knows none when asked about one. */
async function answer(_address: string, { method }: RequestInit = {}): Promise<Response> {
	if (method !== 'POST') return new Response(null, { status: method === 'DELETE' ? 204 : 404 });
	const data = { id: 'session', publisher: 'token', webrtc_url: 'wss://media.example.com/' };
	return new Response(JSON.stringify({ ok: true, data }), { status: 201 });
}

/** Methods of the calls about sessions, in order. */
const asked = () =>
	electron
		.called('session.service.fetch')
		.filter(({ args }) => String(args[0]).includes('/session-storage/'))
		.map(({ args }) => (args[1] as RequestInit).method);

test('going to sleep deletes the prepared session; after waking another may be prepared', async () => {
	electron.fetch = answer;
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	await shell.ask('session.prepare');
	// After the creation, the app reads the session once.
	const prepared = ['POST', 'GET'];
	await expect.poll(asked, soon).toEqual(prepared);
	electron.power.emit('suspend');
	await expect.poll(asked, soon).toEqual([...prepared, 'DELETE']);
	electron.power.emit('resume');
	await shell.ask('session.prepare');
	await expect.poll(asked, soon).toEqual([...prepared, 'DELETE', ...prepared]);
});

test('the computer does not go to sleep by itself from Start to the end of a conversation', async () => {
	shell = await startRecorded(startShell);
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	expect(electron.called('powerSaveBlocker.start')).toMatchObject([{ args: ['prevent-app-suspension'] }]);
	expect(electron.called('powerSaveBlocker.stop')).toEqual([]);
	await shell.ask('conversation.phase', { phase: 'idle', muted: false });
	expect(electron.called('powerSaveBlocker.stop')).toMatchObject([{ args: [1] }]);
});

test('a proxy that is chosen is in force at once, for the calls of main and for the window', async () => {
	shell = await startRecorded(startShell);
	await shell.ask('settings.write', { proxy: 'none' });
	for (const session of ['service', 'defaultSession'])
		await expect
			.poll(() => electron.called(`session.${session}.setProxy`), soon)
			.toMatchObject([{ args: [{ mode: 'direct' }] }]);
});

test('a prepared session that nobody uses is given back after the seconds of the setting', async () => {
	electron.fetch = answer;
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	await shell.ask('settings.write', { warmIdleS: 3 });
	await shell.ask('session.prepare');
	await expect.poll(asked, soon).toEqual(['POST', 'GET']);
	await shell.clock.run(2999);
	expect(asked()).not.toContain('DELETE');
	shell.clock.advance(1);
	await expect.poll(asked, soon).toContain('DELETE');
});

test('a prepared session is kept when a setting changes that has nothing to do with it; none is made without need', async () => {
	electron.fetch = answer;
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	await shell.ask('session.prepare');
	await expect.poll(asked, soon).toEqual(['POST', 'GET']);
	await shell.ask('settings.write', { interfaceLanguage: 'de', speak: 'fr' });
	await shell.clock.run(1000);
	expect(asked()).toEqual(['POST', 'GET']);
	await shell.ask('settings.write', { mode: 'captions' });
	await expect.poll(asked, soon).toEqual(['POST', 'GET', 'DELETE']);
	await shell.ask('session.prepare');
	// A session would be created as soon as the disk has answered.
	await new Promise((done) => setTimeout(done, 500));
	expect(asked()).toEqual(['POST', 'GET', 'DELETE']);
	await shell.ask('settings.write', { mode: 'solo' });
	await shell.ask('session.prepare');
	await expect.poll(asked, soon).toEqual(['POST', 'GET', 'DELETE', 'POST', 'GET']);
});

test('another address ends the conversation first, the second time as well: told, its session deleted, and nothing new for it', async () => {
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	let letGo = () => {};
	electron.fetch = async (address, init) => {
		if (init?.method === 'DELETE') await new Promise<void>((done) => (letGo = done));
		return await answer(address, init);
	};
	const names = () =>
		electron.calls.flatMap(({ name, args }) => {
			if (name === 'webContents.send' && args[1] === 'account.leaving') return ['told'];
			const isDeletion =
				name === 'session.service.fetch' && (args[1] as RequestInit | undefined)?.method === 'DELETE';
			return isDeletion ? ['deleted'] : [];
		});
	for (const round of [1, 2]) {
		electron.calls.length = 0;
		expect(await shell.ask('session.open')).toMatchObject({ ok: true });
		await shell.ask('conversation.phase', { phase: 'live', muted: false });
		let isChanged = false;
		const changing = shell.ask('settings.write', { ttsUrl: `wss://voice${round}.example/` }).then(() => {
			isChanged = true;
		});
		await expect.poll(names, soon).toEqual(['told', 'deleted']);
		// The page has not noticed yet.
		expect(await shell.ask('session.open')).toMatchObject({ ok: false, error: { kind: 'account-changed' } });
		expect(isChanged).toBe(false);
		letGo();
		await changing;
		expect(await shell.ask('session.open')).toMatchObject({ ok: false, error: { kind: 'account-changed' } });
		await shell.ask('conversation.phase', { phase: 'idle', muted: false });
	}
	expect(await shell.ask('session.open')).toMatchObject({ ok: true });
});

test('a key that is still being checked when a conversation begins does not end it', async () => {
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	let letGo = () => {};
	electron.fetch = async () => {
		await new Promise<void>((done) => (letGo = done));
		return Response.json({ ok: true, data: { sessions: [] } });
	};
	const checking = shell.ask('account.set-key', { key: 'another-key', keep: 'session' });
	await expect.poll(asked, soon).toEqual(['GET']);
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	letGo();
	expect(await checking).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
});

test('glossaries are made of the corrections as they are then', async () => {
	const sent: string[] = [];
	electron.fetch = async (address, { method = 'GET', body } = {}) => {
		if (method === 'GET') return Response.json({ data: { items: [] } });
		if (address.endsWith('/upload')) sent.push(await new Response(body).text());
		const data = { id: 'g', name: 'Dragoman corrections en', glossary_type: 'asr', source_lang: 'en' };
		return Response.json({ data: { ...data, target_lang: 'en', is_enabled: true } });
	};
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	for (const right of ['Ana', 'Anna']) {
		await shell.ask('settings.write', { corrections: [{ language: 'en', wrong: 'Hannah', right }] });
		expect(await shell.ask('glossary.from-corrections')).toMatchObject({ ok: true });
		expect(sent.at(-1)).toContain(`Hannah,${right}`);
	}
	expect(sent).toHaveLength(2);
});

test('a page that is gone keeps neither the computer nor the display awake', async () => {
	shell = await startRecorded(startShell);
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	await shell.ask('display.keep-awake', { on: true });
	expect(electron.called('powerSaveBlocker.start')).toHaveLength(2);
	shell.windows[0].webContents.emit('did-navigate');
	expect(electron.called('powerSaveBlocker.stop')).toHaveLength(2);
});

test('a voice sample is erased with the page that recorded it', async () => {
	shell = await startRecorded(startShell);
	expect(await shell.ask('voice.begin-recording', { name: 'me' })).toMatchObject({ ok: true });
	const samples = () => readdirSync(join(shell.userData, 'voice-samples'));
	expect(samples()).toHaveLength(1);
	shell.windows[0].webContents.emit('did-navigate');
	await expect.poll(samples, soon).toEqual([]);
});

/** The announcements to the window, in order: can guests read the captions? */
const shared = () =>
	electron
		.called('webContents.send')
		.filter(({ args: [, name] }) => name === 'guests.changed')
		.map(({ args: [, , state] }) => (state as GuestsState).sharing);

test('captions are shared for as long as the conversation runs, and no longer than its page is there', async () => {
	shell = await startRecorded(startShell);
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	await shell.ask('guests.open');
	await shell.clock.run(2 * OVER_MS);
	expect(shared()).toEqual([true]);
	shell.windows[0].webContents.emit('did-navigate');
	await expect.poll(shared, soon).toEqual([true, false]);
});

test('guests read what the window shows', async () => {
	shell = await startRecorded(startShell);
	const opened = (await shell.ask('guests.open')) as { readonly value: GuestsState };
	const [address = ''] = opened.value.addresses;
	const guest = await askAsGuest(`${address.replace('192.168.1.20', '127.0.0.1')}captions/a`);
	const piece = { key: 'p', kind: 'source', language: 'en', text: 'said', steady: 4, final: true };
	await shell.ask('overlay.show', { rows: [{ key: 'r', lit: false, pieces: [piece] }] });
	await expect
		.poll(() => guest.frames().at(-1), soon)
		.toMatchObject({ rows: [{ pieces: [{ text: 'said' }] }] });
	guest.leave();
});

test('the program ends when a glossary is deleted, and then holds neither history nor sessions', async () => {
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	let letGo = () => {};
	electron.fetch = async () => {
		await new Promise<void>((done) => (letGo = done));
		return new Response(null, { status: 204 });
	};
	const begun = (await shell.ask('history.begin', { mode: 'solo', agoMs: 0 })) as { value: { id: string } };
	const { id } = begun.value;
	const place = { row: 't', part: '0', startMs: 0, endMs: 1000, final: true, mark: '' };
	const caption = { ...place, key: 's', kind: 'source', language: 'en', text: 'A canary sang.' };
	await shell.ask('history.append', { id, captions: [caption] });
	await shell.ask('history.end', { id });
	const owners = () => readdirSync(join(shell.userData, 'ledger.owners'));
	await expect.poll(owners, soon).toHaveLength(1);
	const deleting = shell.ask('glossary.delete', { id: 'g' });
	await expect.poll(() => electron.called('session.service.fetch'), soon).toHaveLength(1);
	electron.app.emit('before-quit', { preventDefault() {} });
	expect(await shell.ask('session.open')).toMatchObject({ ok: false, error: { kind: 'cancelled' } });
	await shell.ask('app.close-ready');
	await expect.poll(owners, soon).toEqual([]);
	expect(electron.called('app.exit')).toEqual([]);
	letGo();
	await deleting;
	await expect.poll(() => electron.called('app.exit'), soon).toHaveLength(1);
	for (const file of readdirSync(shell.userData).filter((name) => name.startsWith('history.sqlite')))
		expect(readFileSync(join(shell.userData, file)).includes('canary')).toBe(false);
});

test.each([
	['beside the farewell of its window', true],
	['at once where its window is gone, which is not waited for', false],
])('a program that ends deletes its session %s', async (_, hasWindow) => {
	electron.fetch = answer;
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	expect(await shell.ask('session.open')).toMatchObject({ ok: true });
	if (!hasWindow) Object.assign(shell.windows[0], { isDestroyed: () => true });
	electron.app.emit('before-quit', { preventDefault() {} });
	await expect.poll(() => asked().at(-1), soon).toBe('DELETE');
	if (hasWindow) {
		expect(electron.called('app.exit')).toEqual([]);
		await shell.ask('app.close-ready');
	}
	await expect.poll(() => electron.called('app.exit'), soon).toHaveLength(1);
});

test('a session ends with the page that uses it, the second time as well', async () => {
	electron.fetch = answer;
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	for (const round of [1, 2]) {
		expect(await shell.ask('session.open')).toMatchObject({ ok: true });
		shell.windows[0].webContents.emit('did-navigate');
		await expect.poll(() => asked().filter((method) => method === 'DELETE'), soon).toHaveLength(round);
	}
});

test('captions are shared no longer than the program runs', async () => {
	shell = await startRecorded(startShell);
	await shell.ask('guests.open');
	electron.app.emit('before-quit', { preventDefault() {} });
	await shell.ask('app.close-ready');
	await expect.poll(() => electron.called('app.exit'), soon).toHaveLength(1);
	expect(shared()).toEqual([true, false]);
});

test('once the program ends it polls no keyboard, and nothing else of it is due', async () => {
	shell = await startRecorded(startShell, { DISPLAY: ':1' });
	const keys = { talk: 'push-to-talk', globalKeys: true, shortcuts: { 'global.talk': ['Mod+F9'] } };
	await shell.ask('settings.write', keys);
	// Run the tasks that are due after a start.
	await shell.clock.run(5000);
	const before = shell.clock.pending;
	await shell.ask('conversation.phase', { phase: 'live', muted: false });
	await shell.ask('app.usable');
	// The keyboard, and the memory to be given back.
	expect(shell.clock.pending).toBe(before + 2);
	electron.power.emit('shutdown', { preventDefault() {} });
	await shell.ask('app.close-ready');
	await expect.poll(() => electron.called('app.exit'), soon).toHaveLength(1);
	expect(shell.clock.pending).toBe(0);
});

test('no page of ours is slowed down while other windows are in front of it', async () => {
	shell = await startRecorded(startShell);
	const throttled = shell.windows.map(({ options }) => options.webPreferences?.backgroundThrottling);
	expect(throttled).toEqual([false, false]);
});

/** A session of this account in the ledger, as a program that was killed leaves it. */
function leaveSession(): void {
	const salt = 'salt-of-the-ledger';
	const account = createHash('sha256')
		.update(JSON.stringify([salt, PUBLIC_REST_BASE, 'a-key']))
		.digest('hex');
	const left = { intent: 'i', state: 'open', id: 'left', owner: 'gone', createdWall: 0, createdServer: 0 };
	const entries = [{ ...left, account: account.slice(0, 16) }];
	writeFileSync(join(shell.userData, 'ledger.json'), JSON.stringify({ version: 1, salt, entries }));
}

test.each([
	['as soon as its page can be used', 'usable'],
	['within five seconds, where no page ever can', 'later'],
])('a session that an ended program has left is deleted %s', async (_, when) => {
	electron.fetch = answer;
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	leaveSession();
	shell.clock.advance(4999 - shell.clock.now());
	await new Promise((done) => setImmediate(done));
	expect(asked()).toEqual([]);
	if (when === 'usable') await shell.ask('app.usable');
	else shell.clock.advance(5000);
	await expect.poll(asked, soon).toEqual(['DELETE']);
});

test('a page that was served while this computer was closed to it is loaded again once the service is here', async () => {
	shell = await startRecorded(startShell);
	await shell.get('app://dragoman/index.html');
	const reloads = () => electron.called('webContents.reload');
	await shell.ask('settings.write', { apiUrl: 'http://127.0.0.1:4321' });
	await shell.clock.run(499);
	expect(reloads()).toEqual([]);
	await shell.clock.run(1);
	await expect.poll(reloads, soon).toHaveLength(1);
});

test('the captions over other windows close with the window whose captions they show', async () => {
	shell = await startRecorded(startShell);
	shell.windows[0].emit('closed');
	expect(electron.called('BrowserWindow.destroy')).toHaveLength(1);
});

/** What the captions over other windows were told to show, one after the other. */
const over = () =>
	electron
		.called('webContents.send')
		.filter(({ args: [, name] }) => name === 'overlay.frame')
		.map(({ args: [, , frame] }) => frame);

test('captions of a page that is gone stand over other windows no longer', async () => {
	shell = await startRecorded(startShell);
	const piece = { key: 'p', kind: 'source', language: 'en', text: 'said', steady: 4, final: true };
	const frame = { rows: [{ key: 'r', lit: false, pieces: [piece] }] };
	await shell.ask('overlay.show', frame);
	expect(over()).toEqual([frame]);
	shell.windows[0].webContents.emit('did-navigate');
	expect(over()).toEqual([frame, { rows: [] }]);
});

test('a recording ends with its page, and the next page can make another', async () => {
	shell = await startRecorded(startShell);
	vi.stubEnv('DRAGOMAN_SAVE_FOLDER', shell.userData);
	onTestFinished(() => void vi.unstubAllEnvs());
	const begin = (stream: string) =>
		shell.ask('recording.begin', { stream, suggestedName: 'talk.wav', rateHz: 48_000 });
	expect(await begin('a-name-that-nobody-guesses')).toMatchObject({ ok: true });
	expect(await begin('another-that-nobody-guesses')).toMatchObject({ ok: false });
	shell.windows[0].webContents.emit('did-navigate');
	await expect.poll(() => begin('another-that-nobody-guesses'), soon).toMatchObject({ ok: true });
});

test('the page reaches the room of each session it was given, and no other place', async () => {
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: 'a-key' });
	const [guard] = electron.sessions.get('')?.given.get('webRequest.onBeforeRequest') ?? [];
	function isCancelled(url: string): boolean {
		let isEnded = false;
		const heard = guard as (asked: object, answer: (said: { cancel: boolean }) => void) => void;
		heard({ url }, ({ cancel }) => {
			isEnded = cancel;
		});
		return isEnded;
	}
	const rooms = ['wss://one.example/rtc', 'wss://two.example/rtc'];
	for (const [at, room] of rooms.entries()) {
		expect(rooms.map(isCancelled)).toEqual(rooms.map((_, other) => other >= at));
		electron.fetch = async (address, init) => {
			if (init?.method !== 'POST') return await answer(address, init);
			const data = { id: `session${at}`, publisher: 'token', webrtc_url: room };
			return Response.json({ ok: true, data }, { status: 201 });
		};
		expect(await shell.ask('session.open')).toMatchObject({ ok: true });
	}
	expect(rooms.map(isCancelled)).toEqual([false, false]);
	expect(isCancelled('wss://three.example/rtc')).toBe(true);
});

test('the log has as much as the settings say now', async () => {
	shell = await startRecorded(startShell);
	const logged = async (message: string) => {
		await shell.ask('log.write', { level: 'debug', message });
		const report = (await shell.ask('diagnostics.report', [])) as { readonly value: string };
		return report.value.includes(message);
	};
	expect(await logged('not asked for')).toBe(false);
	await shell.ask('settings.write', { logLevel: 'debug' });
	expect(await logged('asked for')).toBe(true);
	await shell.ask('settings.write', { logLevel: 'error' });
	expect(await logged('not any more')).toBe(false);
});

test('a report repeats no key, whatever was found', async () => {
	const key = 'Canary9/Slate=Harbour~Mild';
	shell = await startRecorded(startShell, { DRAGOMAN_API_KEY: key });
	const problem = { kind: 'forbidden', detail: `no such key: ${key}` };
	const found = [{ check: 'media', state: 'failed', says: null, facts: {}, problem }];
	const report = await shell.ask('diagnostics.report', found);
	expect(report).toMatchObject({ ok: true, value: expect.stringContaining('no such key: [redacted]') });
	expect(JSON.stringify(report)).not.toContain('Slate');
});

test('a window that keeps crashing is reported, ends the program as failed, and the next start offers safe mode', async () => {
	shell = await startRecorded(startShell);
	for (let death = 0; death < 4; death += 1)
		shell.windows[0].webContents.emit('render-process-gone', {}, { reason: 'crashed' });
	await expect.poll(() => electron.called('dialog.showErrorBox'), soon).toHaveLength(1);
	await shell.ask('app.close-ready');
	await expect.poll(() => electron.called('app.exit'), soon).toMatchObject([{ args: [1] }]);
	expect(openStartRecord(shell.userData, () => 0).shouldOffer()).toBe(true);
});

test('a conversation without a session is known to other programs', async () => {
	shell = await startRecorded(startShell);
	function signedIn(): number {
		try {
			return readdirSync(join(shell.userData, 'ledger.owners')).length;
		} catch {
			return 0;
		}
	}
	expect(signedIn()).toBe(0);
	expect(await shell.ask('history.begin', { mode: 'captions', agoMs: 0 })).toMatchObject({ ok: true });
	await expect.poll(signedIn, soon).toBe(1);
});
