import {
	chmodSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
	claimFolder,
	homeFolder,
	refusalWords,
	userDataFolder,
	userDataSource,
	writeAtomically,
} from '#main/lib/files.ts';
import { OVERLAY_SIZE_PX } from '#shared/overlay/style.ts';
import { CAPTION_SIZE_PX, defaultSettings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { notRun } from '#test/support/not-run.ts';
import { createSettings, readOptions, setAside, settingsInForce, variablesSet } from './settings.ts';
import { openSettingsFile } from './settings-file.ts';

let folder = '';
const file = () => join(folder, 'settings.json');
const open = () => openSettingsFile(folder, createManualClock());

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-settings-'));
});
afterEach(() => {
	chmodSync(folder, 0o700);
	rmSync(folder, { recursive: true, force: true });
});

test('keeps written settings after a restart, with only the backup beside the file', () => {
	open().write({ theme: 'dark' });
	open().write({ captionSize: 30 });
	expect(open().stored()).toEqual({ theme: 'dark', captionSize: 30 });
	expect(readdirSync(folder).sort()).toEqual(['settings.json', 'settings.json.bak']);
});

const linkless = process.platform === 'win32' ? 'Windows lets only administrators make links' : '';
test.skipIf(linkless !== '' && notRun('settings behind a link', linkless))(
	'settings behind a link are written through it, also before the file is there',
	() => {
		const dotfiles = join(folder, 'dotfiles');
		mkdirSync(dotfiles);
		const real = join(dotfiles, 'settings.json');
		symlinkSync(join('dotfiles', 'settings.json'), file());
		for (const theme of ['dark', 'light', 'dark'] as const) {
			open().write({ theme });
			expect(lstatSync(file()).isSymbolicLink()).toBe(true);
			expect(JSON.parse(readFileSync(real, 'utf8'))).toMatchObject({ theme });
		}
		expect(readdirSync(dotfiles)).toEqual(['settings.json']);
		symlinkSync('loop', join(folder, 'loop'));
		expect(() => writeAtomically(join(folder, 'loop'), '')).toThrow('ELOOP');
	},
);

test('settings that an editor saved as UTF-16 are read', () => {
	writeFileSync(file(), Buffer.from('\uFEFF{"theme":"dark"}', 'utf16le'));
	expect([open().stored(), open().problem()]).toEqual([{ theme: 'dark' }, null]);
});

test('a file that has gone is made up for by the last good copy', () => {
	open().write({ theme: 'dark' });
	open().write({ captionSize: 30 });
	rmSync(file());
	expect(open().stored()).toEqual({ theme: 'dark' });
	expect(open().problem()).toBeNull();
	rmSync(`${file()}.bak`);
	expect(open().stored()).toEqual({});
});

test('removes the leftovers of a program killed while writing, but not files still being written', () => {
	const [old, young] = ['settings.json.0a.part', 'settings.json.0b.part'] as const;
	for (const name of [old, young, 'other.json.0a.part']) writeFileSync(join(folder, name), '{');
	utimesSync(join(folder, old), 1, 1);
	openSettingsFile(folder, createManualClock(Date.now())).write({ theme: 'dark' });
	expect(readdirSync(folder).sort()).toEqual(['other.json.0a.part', 'settings.json', young].sort());
});

test('an invalid value falls back alone; the others stay', () => {
	writeFileSync(file(), JSON.stringify({ version: 1, theme: 'pink', speak: 'fr' }));
	expect(open().stored()).toEqual({ speak: 'fr' });
	expect(open().problem()).toBeNull();
});

test('a list that is too long is kept aside, and said, before another is written in its place', () => {
	const corrections = Array.from({ length: 5001 }, (_, at) => ({
		language: 'en',
		wrong: `word${at}`,
		right: `Word ${at}`,
	}));
	writeFileSync(file(), JSON.stringify({ version: 2, corrections, speak: 'fr' }));
	const settings = open();
	expect(settings.stored()).toEqual({ speak: 'fr' });
	settings.write({ speak: 'de' });
	expect(settings.problem()).toBeNull();
	const [mine] = corrections;
	settings.write({ corrections: mine ? [mine] : [] });
	expect(settings.stored()).toEqual({ speak: 'de', corrections: [mine] });
	const kept = readdirSync(folder).filter((name) => name.startsWith('settings.json.broken-'));
	expect(settings.problem()).toEqual({ kind: 'settings-unreadable', keptAs: kept[0] });
	expect(JSON.parse(readFileSync(join(folder, kept[0] ?? ''), 'utf8')).corrections).toHaveLength(5001);
	// Once.
	settings.write({ corrections: [] });
	expect(readdirSync(folder).filter((name) => name.startsWith('settings.json.broken-'))).toEqual(kept);
});

test('the one window of captions of the first version becomes one’s own, as it was, in its places; the new one is off', () => {
	const overlay = { shown: true, locked: true, layout: 'target', font: 'serif', size: 30, color: '#ffff00' };
	const overlayPlaces = [{ display: '1@2', x: 110, y: 185 }];
	const shortcuts = { overlay: ['Shift+K'], 'global.overlay': [] };
	writeFileSync(file(), JSON.stringify({ version: 1, overlay, overlayPlaces, shortcuts }));
	const { values } = settingsInForce({}, {}, open().stored());
	// Screen shares showed it before: hidden is the default only since the second version.
	expect(values.overlay).toEqual({ ...defaultSettings.overlay, ...overlay, hidden: false });
	expect(values).toMatchObject({ overlayPlaces, shortcuts, audienceOverlayPlaces: [] });
	expect(values.audienceOverlay).toEqual(defaultSettings.audienceOverlay);
	open().write({ theme: 'dark' });
	expect(open().stored().overlay).toEqual(values.overlay);
	expect(JSON.parse(readFileSync(file(), 'utf8')).version).toBe(2);
});

test.each([true, false])('whether it was hidden (%s) is kept', (hidden) => {
	writeFileSync(file(), JSON.stringify({ version: 1, overlay: { shown: true, hidden } }));
	expect(open().stored().overlay?.hidden).toBe(hidden);
});

test('a file without a version, as written by hand, goes through every one of them', () => {
	writeFileSync(file(), JSON.stringify({ overlay: { shown: true } }));
	expect(open().stored().overlay).toMatchObject({ shown: true, hidden: false });
});

test('without a window of captions in the file, one’s own is hidden once it is shown', () => {
	writeFileSync(file(), JSON.stringify({ version: 1, overlay: 'nonsense' }));
	expect(settingsInForce({}, {}, open().stored()).values.overlay.hidden).toBe(true);
});

test('keys of a later version survive a write, and so does its number', () => {
	writeFileSync(file(), JSON.stringify({ version: 7, hologram: true, theme: 'light' }));
	open().write({ theme: 'dark' });
	expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ version: 7, hologram: true, theme: 'dark' });
});

test('settings that no longer exist are read without complaint', () => {
	writeFileSync(file(), JSON.stringify({ version: 2, roomAhead: true, lateSpeech: true, theme: 'dark' }));
	const settings = open();
	expect([settings.stored(), settings.problem()]).toEqual([{ theme: 'dark' }, null]);
	settings.write({ theme: 'light' });
	expect([settings.stored(), settings.problem()]).toEqual([{ theme: 'light' }, null]);
});

test('a file that is no JSON is set aside, said, and the last good copy takes its place', () => {
	open().write({ speak: 'fr' });
	open().write({ theme: 'dark' });
	writeFileSync(file(), '{"version": 1, "theme":');
	const settings = open();
	expect(settings.stored()).toEqual({ speak: 'fr' });
	expect(settings.problem()).toMatchObject({ kind: 'settings-unreadable' });
	expect(readdirSync(folder).some((name) => name.startsWith('settings.json.broken-'))).toBe(true);
});

test('who only looks leaves a damaged file where it is, and what others write; the last good copy is used', () => {
	open().write({ speak: 'fr' });
	open().write({ theme: 'dark' });
	writeFileSync(file(), '{"version": 1, "theme":');
	const part = join(folder, 'settings.json.0a.part');
	writeFileSync(part, '{');
	utimesSync(part, 1, 1);
	const before = readdirSync(folder).sort();
	const looks = openSettingsFile(folder, createManualClock(Date.now()), { looksOnly: true });
	expect(looks.stored()).toEqual({ speak: 'fr' });
	expect(looks.problem()).toEqual({ kind: 'settings-unreadable', keptAs: 'settings.json' });
	expect(readdirSync(folder).sort()).toEqual(before);
	// So the app still finds it, and tells the person.
	expect(open().problem()).toMatchObject({ kind: 'settings-unreadable' });
});

test('a byte order mark is no reason to lose the settings', () => {
	writeFileSync(file(), `\uFEFF${JSON.stringify({ theme: 'dark' })}`);
	expect(open().stored()).toEqual({ theme: 'dark' });
});

test('where nothing can be written the change holds for this run and the problem is told', () => {
	rmSync(folder, { recursive: true });
	writeFileSync(folder, 'a file where the folder should be');
	const settings = open();
	settings.write({ theme: 'dark' });
	expect(settings.stored()).toEqual({ theme: 'dark' });
	expect(settings.problem()).toEqual({ kind: 'storage-failed', what: 'settings.json' });
});

test('a file that cannot be read for a moment is not written over: its values are taken up as soon as it can be', () => {
	open().write({ theme: 'dark', speak: 'fr' });
	renameSync(file(), `${file()}.away`);
	// Reading it fails, as with a program that holds it.
	mkdirSync(file());
	const settings = open();
	expect(settings.stored()).toEqual({});
	settings.write({ speak: 'de' });
	rmSync(file(), { recursive: true });
	renameSync(`${file()}.away`, file());
	settings.write({ interfaceLanguage: 'de' });
	settings.write({ interfaceLanguage: 'en' });
	expect(settings.problem()).toBeNull();
	expect(open().stored()).toEqual({ theme: 'dark', speak: 'de', interfaceLanguage: 'en' });
});

test('invalid and unknown keys are not written', () => {
	const settings = open();
	settings.write({ captionSize: 4000, colour: 'red', theme: 'dark' });
	expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ version: 2, theme: 'dark' });
});

test('captions may be as small and as large as their limits say, and no more', () => {
	const { overlay, audienceOverlay } = defaultSettings;
	const settings = open();
	const write = (window: number, over: number) => {
		const others = {
			overlay: { ...overlay, size: over },
			audienceOverlay: { ...audienceOverlay, size: over },
		};
		settings.write({ captionSize: window, ...others });
		const { captionSize, ...stored } = settings.stored();
		return [captionSize, stored.overlay?.size, stored.audienceOverlay?.size];
	};
	for (const end of ['smallest', 'largest'] as const) {
		const ends = [CAPTION_SIZE_PX[end], OVERLAY_SIZE_PX[end]] as const;
		const beyond = end === 'smallest' ? -1 : 1;
		expect(write(...ends)).toEqual([...ends, ends[1]]);
		expect(write(ends[0] + beyond, ends[1] + beyond)).toEqual([...ends, ends[1]]);
	}
});

test('option goes before variable, variable before setting, setting before default', () => {
	const stored = { logLevel: 'warn', theme: 'dark' } as const;
	const variables = { DRAGOMAN_LOG_LEVEL: 'debug' };
	const inForce = settingsInForce({ 'log-level': 'error' }, variables, stored);
	expect([inForce.values.logLevel, inForce.origins.logLevel]).toEqual(['error', 'option']);
	expect(settingsInForce({}, variables, stored).values.logLevel).toBe('debug');
	expect(settingsInForce({}, {}, stored).values.logLevel).toBe('warn');
	expect(settingsInForce({}, {}, {}).values).toEqual(defaultSettings);
	expect([inForce.origins.theme, inForce.origins.speak]).toEqual(['setting', 'default']);
});

test('white space around an option, as files leave it, does not count', () => {
	const { values, refused } = settingsInForce({ 'api-url': 'https://a.example \r' }, {}, {});
	expect([values.apiUrl, refused]).toEqual(['https://a.example', []]);
});

test('an option that cannot be used is named and the next in line holds', () => {
	const inForce = settingsInForce({ 'log-level': 'loud' }, { DRAGOMAN_LOG_LEVEL: 'debug' }, {});
	expect([inForce.values.logLevel, inForce.origins.logLevel]).toEqual(['debug', 'variable']);
	expect(inForce.refused).toEqual(['--log-level']);
});

test('naming an address or a key outside means that service, whatever was chosen in the app', () => {
	const stored = { service: 'sandbox' } as const;
	expect(settingsInForce({}, { DRAGOMAN_API_URL: 'https://example.org' }, stored).values.service).toBe(
		'service',
	);
	expect(settingsInForce({}, { DRAGOMAN_API_KEY: 'k' }, stored).origins.service).toBe('variable');
	const chosen = { DRAGOMAN_API_KEY: 'k', DRAGOMAN_SERVICE: 'sandbox' };
	expect(settingsInForce({}, chosen, {}).values.service).toBe('sandbox');
});

test('options are read in both spellings, among arguments of others', () => {
	const options = readOptions(['.', '--api-url', 'https://a.example', '--lang=de', '--log-level=debug']);
	expect(options).toEqual({ 'api-url': 'https://a.example', 'log-level': 'debug' });
});

test('an argument longer than any address is passed over, as a value too', () => {
	const long = 'x'.repeat(70_000);
	const options = readOptions([`-${long}`, `--api-url=${long}`, '--s2s-url', long, '--log-level=debug']);
	expect(options).toEqual({ 'log-level': 'debug' });
});

test('a value in force from outside cannot be written over; each change grows the revision', () => {
	const settings = createSettings(open(), { 'log-level': 'error' }, {});
	const heard: number[] = [];
	settings.listen((snapshot) => heard.push(snapshot.revision));
	expect(settings.write({ logLevel: 'debug' }).values.logLevel).toBe('error');
	expect(settings.write({ logLevel: 'debug', theme: 'dark' }).values.theme).toBe('dark');
	expect(heard).toEqual([2]);
	expect(open().stored()).toEqual({ theme: 'dark' });
});

test('each system has its own place for the data, an option or variable another', () => {
	const home = '/home/ada';
	expect(userDataFolder({ platform: 'linux', home, env: {} })).toBe('/home/ada/.config/dragoman');
	expect(userDataFolder({ platform: 'linux', home, env: { XDG_CONFIG_HOME: 'relative' } })).toBe(
		'/home/ada/.config/dragoman',
	);
	expect(userDataFolder({ platform: 'linux', home, env: { XDG_CONFIG_HOME: '/x' } })).toBe('/x/dragoman');
	expect(userDataFolder({ platform: 'darwin', home, env: {} })).toBe(
		'/home/ada/Library/Application Support/Dragoman',
	);
	const env = { DRAGOMAN_USER_DATA: '/variable' };
	expect(userDataFolder({ platform: 'linux', home, env })).toBe('/variable');
	expect(userDataFolder({ platform: 'linux', home, env }, '/option')).toBe('/option');
});

test('what decided is named, also where one variable decides another setting', () => {
	const byKey = settingsInForce({}, { DRAGOMAN_API_KEY: 'k' }, {});
	expect(byKey.sources).toEqual({ service: 'DRAGOMAN_API_KEY' });
	const byAddress = settingsInForce({ 'api-url': 'https://a.example' }, { DRAGOMAN_API_KEY: 'k' }, {});
	expect(byAddress.sources).toEqual({ service: '--api-url', apiUrl: '--api-url' });
	const byName = settingsInForce({}, { DRAGOMAN_SERVICE: 'sandbox', DRAGOMAN_LOG_LEVEL: 'warn' }, {});
	expect(byName.sources).toEqual({ service: 'DRAGOMAN_SERVICE', logLevel: 'DRAGOMAN_LOG_LEVEL' });
});

test('variables that are set are told by name, never by value', () => {
	const env = { DRAGOMAN_VOICE_TOKEN: 'secret', https_proxy: 'http://user:pass@proxy', HOME: '/home/ada' };
	expect(variablesSet({ ...env, DRAGOMAN_LOG_LEVEL: 'warn', NO_COLOR: '' })).toEqual([
		'DRAGOMAN_LOG_LEVEL',
		'DRAGOMAN_VOICE_TOKEN',
		'HTTPS_PROXY',
	]);
});

test('what says where the data is, is named', () => {
	expect(userDataSource({ DRAGOMAN_USER_DATA: '/variable' }, '/option')).toBe('--user-data-dir');
	expect(userDataSource({ DRAGOMAN_USER_DATA: '/variable' })).toBe('DRAGOMAN_USER_DATA');
	expect(userDataSource({})).toBe('');
});

test('safe mode keeps what reaches the account, and for how long conversations are kept', () => {
	const mine = {
		s2sUrl: 'wss://s2s.example/',
		sttUrl: 'wss://stt.example/',
		ttsUrl: 'wss://tts.example/',
		allowedHosts: 'media.example',
		proxy: 'address',
		proxyAddress: 'proxy.example:3128',
		logLevel: 'debug',
		history: 'days',
		historyDays: 365,
		setup: { offered: true, done: ['account'] },
	} as const;
	open().write(mine);
	expect(createSettings(setAside(open()), {}, {}).values()).toMatchObject(mine);
});

test('in safe mode settings are set aside and their file stays: what reaches the account is kept, what may hurt is off', () => {
	const mine = {
		service: 'sandbox',
		apiUrl: 'https://example.com',
		interfaceLanguage: 'ar',
		history: 'erase',
		theme: 'dark',
		overlay: { ...defaultSettings.overlay, shown: true },
		audienceOverlay: { ...defaultSettings.audienceOverlay, shown: true },
	} as const;
	open().write(mine);
	const before = readFileSync(file(), 'utf8');
	const safe = createSettings(setAside(open()), {}, {});
	const { service, apiUrl, interfaceLanguage, history } = mine;
	expect(safe.values()).toEqual({
		...defaultSettings,
		service,
		apiUrl,
		interfaceLanguage,
		history,
		warmIdleS: 0,
	});
	const { overlay, audienceOverlay } = mine;
	safe.write({
		theme: 'light',
		history: 'nonsense',
		overlay,
		audienceOverlay,
		warmIdleS: 60,
	});
	expect(safe.values()).toMatchObject({ theme: 'light', history: 'erase', warmIdleS: 0 });
	expect([safe.values().overlay.shown, safe.values().audienceOverlay.shown]).toEqual([false, false]);
	expect(readFileSync(file(), 'utf8')).toBe(before);
	expect(open().stored()).toMatchObject({ theme: 'dark' });
});

test('without a home folder there is no place for data but a named one', () => {
	const none = { platform: 'linux', home: '', env: {} } as const;
	expect(userDataFolder(none)).toBe('');
	expect(userDataFolder(none, '/data')).toBe('/data');
	expect(userDataFolder({ ...none, env: { XDG_CONFIG_HOME: '/config' } })).toBe('/config/dragoman');
	expect(userDataFolder({ ...none, platform: 'darwin' })).toBe('');
	expect(claimFolder('')).toBe('nowhere');
	expect(refusalWords('nowhere', '')).toContain('--user-data-dir');
});

test('a home folder that is no place counts as none', () => {
	for (const home of ['', 'relative']) {
		vi.stubEnv('HOME', home);
		expect(process.platform === 'win32' || homeFolder() === '').toBe(true);
	}
	vi.unstubAllEnvs();
});
