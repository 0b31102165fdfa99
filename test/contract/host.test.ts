import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAccount } from '#main/account/account.ts';
import { createRouting } from '#main/calls/routing.ts';
import { createSystemSound } from '#main/calls/system-sound.ts';
import { createDiagnosis } from '#main/diagnosis/diagnosis.ts';
import { createGlossaries } from '#main/glossaries/glossaries.ts';
import { createGuests } from '#main/guests/guests.ts';
import { createHistory } from '#main/history/history.ts';
import { answerWith, createHost, type Handlers, type Sessions } from '#main/host.ts';
import { createModels } from '#main/models/models.ts';
import { createOverlays } from '#main/overlay/overlay.ts';
import { createRecordings } from '#main/recording/recording.ts';
import { createSettings } from '#main/settings/settings.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { type ClonedVoices, createClonedVoices } from '#main/voices/cloned-voices.ts';
import { createHost as createWindowHost, type Host } from '#renderer/host.ts';
import { noWords } from '#shared/captions/export-formats.ts';
import { type RequestName, requests } from '#shared/host/contract.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import { abilitiesOf } from '#shared/overlay/placement.ts';
import { emptyDraft } from '#shared/voices/draft.ts';
import { createFakeOverlayWindow, createFakeScreens } from '#test/support/fake-overlay.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createMemoryIpc } from '#test/support/memory-ipc.ts';
import { createNoSecretStore } from '#test/support/no-secret-store.ts';
import { createMemoryRegister } from '#test/support/voices.ts';

/** Holds more than the window may learn of it. */
const opened = { handle: 'h', webrtcUrl: 'wss://room.example', publisher: 'token', id: 'of-the-service' };

let folder = '';
let host: Host;
let ipc: ReturnType<typeof createMemoryIpc>;
let did: string[] = [];
let logged: unknown[] = [];
let history: ReturnType<typeof createHistory>;
let voices: ClonedVoices;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-host-'));
	did = [];
	logged = [];
	const settings = createSettings(openSettingsFile(folder, createManualClock()), {}, {});
	const account = createAccount({
		settings,
		secrets: createNoSecretStore(),
		sandbox: {
			start: async () => ok({ api: 'http://127.0.0.1:1', key: 'k' }),
			stop: async () => {},
			onGone: () => () => {},
		},
		checkKey: async (key) => (key === 'right' ? ok() : err({ kind: 'api-key-rejected', status: 401 })),
		isBusy: () => false,
		beforeChange: async () => void did.push(`ended at ${settings.values().apiUrl}`),
		keyOfVariable: undefined,
		publicApiUrl: 'https://service.example',
		publicSockets: {
			s2s: 'wss://speech.service.example/{hash}/stream',
			stt: 'wss://text.service.example/',
			tts: 'wss://voice.service.example/',
		},
		log: silentLogger,
	});
	const sessions: Sessions = {
		prepare: async () => ok(void did.push('prepare')),
		open: async () => ok(opened),
		joined: async (handle) => ok(void did.push(`joined ${handle}`)),
		close: async (handle) => ok(void did.push(`closed ${handle}`)),
		page: async () => {
			throw new Error('a bug of ours');
		},
		extend: async (_, ttlS) => ok({ expiresAt: ttlS }),
		sweep: async () => err({ kind: 'storage-failed', what: 'ledger' }),
		end: async (handle) => err({ kind: 'not-found', what: 'session', name: handle }),
	};
	history = createHistory({
		folder,
		clock: createManualClock(),
		log: silentLogger,
		choice: settings.values,
	});
	voices = createClonedVoices({
		register: createMemoryRegister(),
		api: { account: () => err({ kind: 'api-key-missing' }), credential: () => 'none' },
		clock: createManualClock(),
		random: () => 0.5,
		log: silentLogger,
		folder: join(folder, 'voice-samples'),
		lengthOf: async () => null,
		isPassing: () => false,
		ready: async () => err({ kind: 'api-key-missing' }),
		chooseFile: async () => null,
		finished() {},
	});
	ipc = createMemoryIpc();
	ipc.serve(
		createHost({
			account,
			settings,
			balance: async () => ok({ credits: 12.5, usd: null }),
			sessions,
			streams: { open: async () => ok(), close: async () => {} },
			history,
			voices,
			glossaries: createGlossaries({
				account,
				corrections: () => [],
				fetch: () => Promise.reject(new Error('no network')),
				clock: createManualClock(),
				random: () => 0.5,
				log: silentLogger,
			}),
			recordings: createRecordings({
				choosePlace: async () => null,
				createPorts: () => null,
				begun() {},
				clock: createManualClock(),
				log: silentLogger,
			}),
			systemSound: createSystemSound({
				recorder: null,
				way: 'none',
				lowering: null,
				createPorts: () => null,
				clock: createManualClock(),
				log: silentLogger,
			}),
			routing: createRouting({
				server: null,
				processes: null,
				clock: createManualClock(),
				log: silentLogger,
				openGuide: async (guide) => void did.push(guide),
			}),
			diagnosis: createDiagnosis({ checks: [], clock: createManualClock() }),
			guests: createGuests({
				clock: createManualClock(),
				log: silentLogger,
				createPorts: () => null,
				interfaces: () => ({}),
			}),
			models: createModels({
				folder: join(folder, 'models'),
				mirror: '',
				agent: async () => undefined,
				clock: createManualClock(),
				random: () => 0.5,
				log: silentLogger,
			}),
			overlay: createOverlays({
				settings,
				abilities: abilitiesOf({ shell: 'stand-in', platform: 'linux', wayland: false }),
				locales: () => ['en'],
				screens: createFakeScreens(),
				open: createFakeOverlayWindow().open,
				clock: createManualClock(),
			}),
			log: { ...silentLogger, info: (message, facts) => void logged.push([message, facts]) },
			shell: {
				info: () => ({
					version: '1',
					shell: 'stand-in',
					platform: 'linux',
					locales: ['en'],
					microphone: 'unknown',
				}),
				state: () => ({
					revision: 1,
					tray: 'none',
					globalKeys: 'none',
					holds: false,
					shown: true,
					refusedKeys: [],
				}),
				saveFile: async (name, content) => {
					saved.push(content);
					return name === 'closed.txt' ? ok(null) : ok(`/saved/${name}`);
				},
				showInFolder: (path) => void did.push(`show ${path}`),
				openMicrophonePrivacy: async () => false,
				openServiceSite: async (page) => page === 'prices',
				openSoundPrivacy: async () => false,
				phase: (phase) => void did.push(phase),
				keepDisplayAwake() {},
				usable: () => void did.push('usable'),
				restart: () => void did.push('restart'),
				closeReady: () => void did.push('close-ready'),
				report: () => 'report',
			},
		}),
	);
	host = createWindowHost(ipc.bridge);
});
afterEach(async () => {
	history.close();
	await voices.close();
	rmSync(folder, { recursive: true, force: true });
});

/** What files were saved with. */
const saved: (string | Uint8Array)[] = [];

/** The smallest valid document. */
const noDocument = JSON.stringify({
	table: { columns: [''], sided: false, rows: [] },
	words: noWords,
});

const inputs: { readonly [Name in RequestName]: unknown } = {
	'app.info': undefined,
	'settings.read': undefined,
	'settings.write': { theme: 'dark' },
	'account.read': undefined,
	'account.set-key': { key: 'right', keep: 'session' },
	'account.forget-key': undefined,
	'account.set-voice-token': { token: 'spoken', keep: 'session' },
	'account.forget-voice-token': undefined,
	'account.balance': undefined,
	'account.choose': { service: 'sandbox' },
	'session.prepare': undefined,
	'session.open': undefined,
	'session.joined': { handle: 'h' },
	'session.close': { handle: 'h' },
	'session.list': { after: null },
	'session.extend': { handle: 'h', ttlS: 600 },
	'session.sweep': undefined,
	'session.end': { handle: 'h' },
	'stream.open': {
		stream: 'a-name-that-nobody-guesses',
		purpose: 'speech-to-speech',
		keepSpeech: false,
		chunkMs: 320,
	},
	'stream.close': { stream: 'a-name-that-nobody-guesses' },
	'conversation.phase': { phase: 'live', muted: false },
	'display.keep-awake': { on: true },
	'file.save-document': { suggestedName: 'a.docx', text: noDocument },
	'file.save-text': { suggestedName: 'a.srt', text: 'x' },
	'file.show-saved': { path: '/saved/a.srt' },
	'system.open-microphone-privacy': undefined,
	'system.open-service-site': { page: 'keys' },
	'system.open-sound-privacy': undefined,
	'log.write': { level: 'info', message: 'live' },
	'history.state': undefined,
	'history.begin': { mode: 'solo', agoMs: 0 },
	'corrections.read': { table: 'en,Anna,Ana' },
	'history.append': { id: 'x', captions: [] },
	'history.end': { id: 'x' },
	'history.list': { after: null, limit: 10 },
	'history.search': { query: 'x', after: null, limit: 10 },
	'history.read': { id: 'x', after: null, limit: 10 },
	'history.recordings': { id: 'x' },
	'history.find-recording': { id: 'x', address: 'recordings/x/y' },
	'history.rename': { id: 'x', title: 'y' },
	'history.delete': { id: 'x' },
	'history.undelete': { id: 'x' },
	'history.erase': { id: null },
	'history.recover': { id: 'x' },
	'voice.list': undefined,
	'voice.choose-file': undefined,
	'voice.begin-recording': { name: 'Sample' },
	'voice.append-recording': { recording: 'x', at: 0, base64: '' },
	'voice.end-recording': { recording: 'x' },
	'voice.discard-sample': { sample: 'x' },
	'voice.make': { draft: { ...emptyDraft, name: 'A voice' }, sample: 'x' },
	'voice.cancel': { handle: 'x' },
	'voice.retry': { handle: 'x' },
	'voice.rename': { handle: 'x', name: 'Other' },
	'voice.forget': { handle: 'x', atService: false },
	'voice.refresh': { handle: 'x' },
	'glossary.list': undefined,
	'glossary.add': { name: 'Names', kind: 'translation', source: 'en', target: 'es', table: 'a,b' },
	'glossary.table': { id: 'x' },
	'glossary.change': {
		id: 'x',
		name: 'Names',
		kind: 'translation',
		source: 'en',
		target: 'es',
		table: 'a,b',
	},
	'glossary.enable': { id: 'x', enabled: true },
	'glossary.from-corrections': undefined,
	'glossary.delete': { id: 'x' },
	'shell.state': undefined,
	'routing.state': undefined,
	'routing.make': undefined,
	'routing.remove': undefined,
	'routing.open-guide': { guide: 'blackhole' },
	'recording.begin': { stream: 'a-name-that-nobody-guesses', suggestedName: 'a.wav', rateHz: 48_000 },
	'recording.end': { stream: 'a-name-that-nobody-guesses' },
	'diagnosis.run': undefined,
	'diagnosis.cancel': undefined,
	'system-sound.state': undefined,
	'system-sound.open': { stream: 'a-name-that-nobody-guesses', application: null, rateHz: 48_000 },
	'system-sound.close': { stream: 'a-name-that-nobody-guesses' },
	'system-sound.lower': { gain: 0.25 },
	'guests.open': undefined,
	'guests.speak': { stream: '0123456789abcdef', language: 'de' },
	'guests.voices': { languages: ['de'] },
	'guests.close': undefined,
	'overlay.show': { rows: [] },
	'overlay.abilities': undefined,
	'overlay.read': { which: 'audience' },
	'overlay.act': { which: 'mine', act: 'close' },
	'models.read': undefined,
	'models.add': { ids: [] },
	'models.pause': { id: 'silero-v5' },
	'models.cancel': { id: 'silero-v5' },
	'models.remove': { ids: ['silero-v5'] },
	'diagnostics.report': undefined,
	'app.usable': undefined,
	'app.restart': undefined,
	'app.close-ready': undefined,
};

test.each(Object.keys(requests) as RequestName[])('%s is answered as the contract says', async (name) => {
	const answer = (await host.ask(name, inputs[name] as never)) as {
		ok: boolean;
		value?: unknown;
		error?: unknown;
	};
	if (answer.ok) expect(requests[name].output.safeParse(answer.value).success).toBe(true);
	else expect(answer.error).toHaveProperty('kind');
});

test('what is asked in another shape than the contract reaches no handler', async () => {
	expect(await ipc.bridge.ask('session.close', { handle: 7 })).toEqual(
		err({ kind: 'bug', where: 'host.session.close: input' }),
	);
	expect(await ipc.bridge.ask('session.delete-all', {})).toEqual(
		err({ kind: 'bug', where: 'host: unknown request' }),
	);
	expect(await ipc.bridge.ask('__proto__', {})).toMatchObject({ ok: false });
	expect(did).toEqual([]);
});

test('an answer leaves main without what the contract does not name', async () => {
	await ipc.bridge.ask('account.set-key', { key: 'right', keep: 'session' });
	const { id: _, ...named } = opened;
	expect(await ipc.bridge.ask('session.open', undefined)).toEqual(ok(named));
});

test('an answer in another shape than the contract does not leave main', async () => {
	const answering = { 'session.extend': async () => ok({ expiresAt: 'soon' }) };
	const answer = answerWith(answering as unknown as Handlers, silentLogger);
	expect(await answer('session.extend', { handle: 'h', ttlS: 60 })).toEqual(
		err({ kind: 'bug', where: 'host.session.extend: answer' }),
	);
});

test('a handler that throws is our bug, and tells nothing of its inside', async () => {
	await host.ask('account.choose', { service: 'sandbox' });
	expect(await host.ask('session.list', { after: null })).toEqual(
		err({ kind: 'bug', where: 'host.session.list' }),
	);
});

test('no session can be asked for before there is an account', async () => {
	expect(await host.ask('session.open', undefined)).toEqual(err({ kind: 'api-key-missing' }));
	expect(await host.ask('session.prepare', undefined)).toEqual(err({ kind: 'api-key-missing' }));
	expect(did).toEqual([]);
	// Closing is always possible: a handle may be older than the account.
	expect((await host.ask('session.close', { handle: 'h' })).ok).toBe(true);
});

test('a document is made in main of what the window says is in it', async () => {
	const asked = await host.ask('file.save-document', { suggestedName: 'a.docx', text: noDocument });
	expect(asked).toEqual(ok('/saved/a.docx'));
	// What every zip file begins with.
	const [content] = saved.slice(-1);
	expect(content instanceof Uint8Array && String.fromCharCode(...content.slice(0, 2))).toBe('PK');
	const refused = await host.ask('file.save-document', { suggestedName: 'a.docx', text: 'x' });
	expect(refused.ok).toBe(false);
});

test('a dialog that was closed is an answer of its own', async () => {
	expect(await host.ask('file.save-text', { suggestedName: 'closed.txt', text: '' })).toEqual(ok(null));
});

test('a saved file is shown in its folder, and no file that was not saved here', async () => {
	const other = '/saved/other.srt';
	expect(await host.ask('file.show-saved', { path: other })).toEqual(ok(false));
	for (const name of ['one.srt', 'two.srt']) {
		await host.ask('file.save-text', { suggestedName: name, text: 'x' });
		expect(await host.ask('file.show-saved', { path: `/saved/${name}` })).toEqual(ok(true));
	}
	await host.ask('file.save-text', { suggestedName: 'closed.txt', text: '' });
	for (const path of [other, '/saved/closed.txt', '/saved/one.srt/..', ''])
		expect(await host.ask('file.show-saved', { path })).toEqual(ok(false));
	expect(did.filter((one) => one.startsWith('show'))).toEqual(['show /saved/one.srt', 'show /saved/two.srt']);
});

test('which service is used cannot be changed as a setting, past the sessions of the other', async () => {
	const answer = await host.ask('settings.write', { service: 'service', theme: 'dark' });
	expect(answer.ok && [answer.value.values.service, answer.value.values.theme]).toEqual(['unset', 'dark']);
});

test('another address ends what was begun before it is in force; other settings end nothing', async () => {
	await host.ask('settings.write', { theme: 'dark', apiUrl: '' });
	expect(did).toEqual([]);
	const answer = await host.ask('settings.write', { apiUrl: 'https://other.example' });
	expect(did).toEqual(['ended at ']);
	expect(answer.ok && answer.value.values.apiUrl).toBe('https://other.example');
});

test.each(['s2sUrl', 'sttUrl', 'ttsUrl'] as const)('so does another %s', async (name) => {
	const answer = await host.ask('settings.write', { [name]: 'wss://other.example/' } as never);
	expect(did).toEqual(['ended at ']);
	expect(answer.ok && answer.value.values[name]).toBe('wss://other.example/');
	await host.ask('settings.write', { [name]: 'wss://other.example/' } as never);
	expect(did).toHaveLength(1);
});

test('the key never comes back to the window', async () => {
	const asked = [
		await host.ask('account.set-key', { key: 'right', keep: 'session' }),
		await host.ask('account.read', undefined),
		await host.ask('settings.read', undefined),
	];
	expect(JSON.stringify(asked)).not.toContain('right');
});

test('what is refused never repeats the key to the window', async () => {
	await host.ask('account.set-key', { key: 'right', keep: 'session' });
	await host.ask('account.set-voice-token', { token: 'mossy-token', keep: 'session' });
	const handle = `right and ${Buffer.from('mossy-token').toString('base64')}`;
	expect(await host.ask('session.end', { handle })).toEqual(
		err({ kind: 'not-found', what: 'session', name: '[redacted] and [redacted]' }),
	);
});

test('what is granted does not repeat a secret either, unless it is so short that it may be a word', async () => {
	await host.ask('account.set-key', { key: 'right', keep: 'session' });
	await host.ask('account.set-voice-token', { token: 'mossy-token-0123', keep: 'session' });
	const { webrtcUrl } = opened;
	opened.webrtcUrl = `${webrtcUrl}/right?from=mossy-token-0123`;
	const granted = await host.ask('session.open', undefined);
	opened.webrtcUrl = webrtcUrl;
	expect(granted).toMatchObject({ ok: true, value: { webrtcUrl: `${webrtcUrl}/right?from=[redacted]` } });
});

test('an announcement in another shape is not heard', () => {
	const heard: unknown[] = [];
	const remove = host.listen('app.closing', (payload) => heard.push(payload));
	ipc.announce('app.closing', { reason: 'earthquake' } as never);
	ipc.announce('app.closing', { reason: 'quit' });
	remove();
	ipc.announce('app.closing', { reason: 'window' });
	expect(heard).toEqual([{ reason: 'quit' }]);
});

test('a line for the log is bounded before any of it is looked at, and is always the window’s', async () => {
	const write = (facts: unknown) =>
		ipc.bridge.ask('log.write', { level: 'info', message: 'm', facts }) as Promise<{ ok: boolean }>;
	const many = (count: number) => Array.from({ length: count }, (_, n) => [`n${n}`, n]);
	expect(await write(many(32))).toEqual(ok(undefined));
	expect(await write([['n'.repeat(40), 'v'.repeat(500)]])).toEqual(ok(undefined));
	expect(await write([['from', 'main']])).toEqual(ok(undefined));
	expect(logged).toEqual([
		['m', expect.objectContaining({ n31: 31, from: 'window' })],
		['m', expect.objectContaining({ ['n'.repeat(40)]: 'v'.repeat(500) })],
		['m', { from: 'window' }],
	]);
	for (const facts of [
		many(33),
		[['n'.repeat(41), 1]],
		[['n', 'v'.repeat(501)]],
		{ time: 'forged' },
		[['nested', { a: 1 }]],
	])
		expect((await write(facts)).ok).toBe(false);
	expect(logged).toHaveLength(3);
	const looked = vi.fn(Reflect.get);
	const trap = new Proxy(['n', 1], { get: looked });
	const parsed = (facts: unknown) =>
		requests['log.write'].input.safeParse({ level: 'info', message: 'm', facts }).success;
	expect(parsed([...many(32), trap])).toBe(false);
	expect(looked).not.toHaveBeenCalled();
	expect(parsed([...many(31), trap])).toBe(true);
});
