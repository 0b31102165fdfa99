import type { Page, Place, SettingsSection } from '#renderer/shell/navigation.ts';
import { type Finding, fine, skipped, trouble, warning } from '#shared/diagnosis/checks.ts';
import type { Glossary } from '#shared/host/glossaries.ts';
import type { HistoryRecording } from '#shared/host/history.ts';
import { ok } from '#shared/lib/result.ts';
import { modelsFor } from '#shared/models/manifest.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { captionRow, lostRow } from './fake-conversation.ts';
import { kept, modelEntries, severalVoices } from './fake-pages.ts';
import { createFakeWindow, type FakeMain, type FakeWindow } from './fake-window.ts';

const mixedFindings: readonly Finding[] = [
	{ check: 'proxy', ...fine('proxyUsed', { proxy: 'http://proxy.example:3128' }) },
	{ check: 'service', ...fine('serviceAnswers', { host: 'api.example.com', ms: 142 }) },
	{ check: 'clock', ...warning('clockWrong', { minutes: 12 }) },
	{ check: 'key', ...fine('keyHere', { source: 'keychain', host: 'api.example.com' }) },
	{ check: 'account', ...trouble({ kind: 'api-key-rejected', status: 401 }) },
	{ check: 'room', ...skipped('waitsFor', { check: 'account' }) },
	{ check: 's2s', ...skipped('socketOff') },
	{ check: 'permission', ...trouble({ kind: 'microphone-denied' }) },
	{ check: 'media', ...warning('mediaTcp') },
	{ check: 'disk', ...fine('diskFree', { megabytes: 72_402 }) },
];

function at(page: Page, main: FakeMain = {}, place?: Place): FakeWindow {
	const window = createFakeWindow(main);
	window.parts.navigation.go(page, place);
	return window;
}

/** The history, or one conversation of it. */
function reading(id: string | null, main: FakeMain = {}): FakeWindow {
	const window = createFakeWindow(main);
	window.parts.navigation.read(id);
	return window;
}

/** States of the window to look at and to check: each name makes one. */
export const windowStates = {
	idle: () => createFakeWindow(),
	captions: () => createFakeWindow({ settings: { mode: 'captions', translateCaptions: false } }),
	'captions-live': () => {
		const window = withCaptions(
			shown({ settings: { mode: 'captions' } }, { ...live, travel: { route: 'websocket', fellBack: null } }),
		);
		window.conversation.putRow(lostRow(5, 4200), 3);
		return window;
	},
	listen: () => createFakeWindow({ settings: { mode: 'listen' } }),
	'listen-live': () => {
		const window = createFakeWindow({ settings: { mode: 'listen' } });
		window.legs.names.setState(['incoming'], true);
		window.conversation.show({ ...live, delayMs: 2140, voiceActive: true });
		for (const [index, [en, es]] of said.entries())
			window.conversation.putRow({
				...captionRow(index, ['es', es], [['en', en]], index < said.length - 1),
				leg: 'incoming',
			});
		return window;
	},
	'listen-several': () =>
		withCaptions(
			shown(
				{ settings: { mode: 'listen', listenDetect: true, detectable: ['es', 'pt', 'fr'] } },
				{ ...live, delayMs: 2140 },
			),
		),
	'listen-waiting': () => shown({ settings: { mode: 'listen' } }, live),
	'face-setup': () => createFakeWindow({ settings: { mode: 'face' } }),
	'face-mine': () => facing({}, myTurn),
	'face-recording': () =>
		facing({}, myTurn, { recording: { state: 'recording', sinceMs: 0, path: '/home/a/talk.wav' } }),
	'face-turn': () =>
		facing(
			{ speak: 'ar', hear: ['en-gb'], voiceOf: 'en-gb' },
			{ cues: { me: 'your-turn', partner: 'ready' } },
		),
	'face-wait': () =>
		facing(
			{ faceTalk: 'automatic', faceLayout: 'beside', hear: ['ja'], voiceOf: 'ja' },
			{ cues: { me: 'wait-voice', partner: 'wait-voice' } },
		),
	blocked: () => createFakeWindow({ key: noKey }),
	sandbox: () => createFakeWindow(sandbox),
	local: () => createFakeWindow({ ...local, models: { models: modelEntries('installed') } }),
	'local-slow': () => {
		const notice = { kind: 'service-warning', code: 'COMPUTER_TOO_SLOW', text: 'late' } as const;
		return withCaptions(
			shown({ ...local, models: { models: modelEntries('installed') } }, { ...live, notice }),
		);
	},
	'local-instead': () => {
		const problem = { kind: 'service-unreachable', cause: 'ENOTFOUND', host: 'api.example' } as const;
		const settings = { speak: 'en', hear: ['pt'], voiceOf: 'pt' };
		const main = { settings, models: { models: modelEntries('installed') } };
		return withCaptions(shown(main, { phase: 'failed', problem }));
	},
	'local-missing': () => createFakeWindow(local),
	'local-downloading': () => createFakeWindow({ ...local, models: { models: someModels() } }),
	'local-interpreter-missing': () => createFakeWindow({ ...local, models: { models: withInterpreter() } }),
	'local-interpreter-downloading': () => {
		const is = { state: 'downloading', doneBytes: 31_000_000, bytesPerS: 4_200_000 } as const;
		return createFakeWindow({ ...local, models: { models: withInterpreter({ interpreter: is }) } });
	},
	'local-pair': () => createFakeWindow({ ...local, settings: { speak: 'fil', hear: ['cy'], voiceOf: 'cy' } }),
	'settings-models': () => at('settings', { ...local, models: { models: someModels() } }, 'models'),
	starting: () => shown({}, { phase: 'starting', awaiting: 'interpreter' }),
	live: () =>
		withCaptions(
			shown({ settings: { recentHear: ['es', 'ar'] } }, { ...live, delayMs: 1830, voiceActive: true }),
		),
	'push-to-talk': () => {
		const window = withCaptions(shown({}, { ...live, delayMs: 1830 }));
		window.talk.show({ mode: 'push-to-talk', open: false });
		return window;
	},
	several: () => {
		const settings = { speak: 'auto', detectable: ['en', 'de'], hear: ['ar', 'ja', 'es'], voiceOf: 'ar' };
		const view = { ...live, delayMs: 5200, muted: true, change: 'applied' } as const;
		return withCaptions(shown({ ...sandbox, settings }, view), ['ar', 'ja']);
	},
	'last-minute': () => {
		const settings = { speak: 'en', hear: ['ar'], voiceOf: 'ar' };
		const window = withCaptions(shown({ ...sandbox, settings }, live), ['ar']);
		window.parts.navigation.showLastMinute(true);
		return window;
	},
	meeting: () => meeting(),
	'meeting-one-leg': () => meeting({ phase: 'failed', problem: { kind: 'opened-elsewhere' } }),
	'meeting-detecting': () => {
		const window = meeting();
		void window.parts.settings.write({ listenDetect: true, detectable: ['es', 'pt', 'fr'] });
		window.legs.incoming.conversation.putRow({
			...captionRow(0, ['es', '¿Hay alguna pregunta?'], []),
			leg: 'incoming',
		});
		return window;
	},
	'meeting-turns': () => {
		const window = meeting();
		window.parts.turnSigns.setState({ outgoing: 'still', incoming: 'turn' });
		return window;
	},
	'meeting-limit': () => {
		const window = createFakeWindow({ settings: { mode: 'meeting' } });
		window.legs.names.setState(['outgoing', 'incoming'], true);
		window.conversation.show({
			phase: 'failed',
			problem: { kind: 'session-limit', detail: 'limit of 1 reached' },
			problemLeg: 'incoming',
		});
		return window;
	},
	'meeting-idle': () =>
		createFakeWindow({ settings: { mode: 'meeting' }, callOutput: { to: 'nowhere', missing: '' } }),
	stopped: () => withCaptions(createFakeWindow()),
	'stopped-captions': () => withCaptions(createFakeWindow({ settings: { mode: 'captions' } })),
	'stopped-meeting': () => withCaptions(createFakeWindow({ settings: { mode: 'meeting' } })),
	'stopped-listen': () => withCaptions(createFakeWindow({ settings: { mode: 'listen' } })),
	'stopped-face': () => withCaptions(createFakeWindow({ settings: { mode: 'face' } })),
	'live-settings': () => {
		const window = withCaptions(shown({}, { ...live, delayMs: 1830 }));
		window.parts.navigation.go('settings');
		return window;
	},
	reconnecting: () => {
		const recovering = { sinceMs: performance.now() - 7000, attempt: 2, cause: 'network' } as const;
		return withCaptions(shown({}, { ...live, phase: 'reconnecting', delayMs: 9400, recovering }));
	},
	silent: () => {
		const liveliest = { id: 'm2', label: 'Jabra Evolve2 65' };
		return withCaptions(shown({ silence: { leg: 'outgoing', stage: 'microphone' }, liveliest }, live));
	},
	diagnostics: () => at('diagnostics', { findings: mixedFindings }),
	setup: () => at('setup', { settings: { setup: { offered: true, done: ['account'] } } }),
	'setup-banner': () => createFakeWindow({ settings: { setup: { offered: true, done: ['account'] } } }),
	'setup-rehearsal': () =>
		at('setup', {
			settings: { setup: { offered: true, done: ['account', 'microphone', 'output', 'languages'] } },
			rehearsal: {
				state: 'passed',
				reached: { connected: 1210, said: 4310, understood: 2900, translated: 3150, heard: 3870 },
				understood: 'Good morning. This is a rehearsal.',
				translated: 'Buenos días. Esto es un ensayo.',
			},
		}),
	notice: () =>
		withCaptions(
			shown({}, { ...live, paused: true, notice: { kind: 'silent-microphone', device: 'Jabra Evolve2 65' } }),
		),
	'paused-by-itself': () => {
		const window = withCaptions(shown({}, { ...live, paused: true }));
		window.parts.quiet.setState({ quietMs: 1_800_000 });
		return window;
	},
	'credit-low': () => {
		const used = { credits: 1248.5, usd: 12.49 };
		return withCaptions(shown({ creditUse: { used, lastsMs: 480_000 } }, { ...live, delayMs: 1830 }));
	},
	'guests-reading': () => {
		const window = withCaptions(shown({}, { ...live, delayMs: 1830 }));
		window.parts.guests.store.setState({ sharing: true, guests: 12 });
		return window;
	},
	failed: () =>
		withCaptions(shown({}, { phase: 'failed', problem: { kind: 'connection-lost', reason: '' } })),
	'session-limit': () =>
		shown({}, { phase: 'failed', problem: { kind: 'session-limit', detail: 'limit of 1 reached' } }),
	ending: () => withCaptions(shown({}, { ...live, phase: 'ending', tail: true })),
	welcome: () =>
		createFakeWindow({ account: { service: 'unset', apiUrl: 'https://api.palabra.ai' }, key: noKey }),
	'welcome-no-keychain': () =>
		createFakeWindow({ account: { service: 'unset' }, key: { ...noKey, keychain: 'missing' } }),
	typing: typedTexts,
	'typing-here': () => {
		const window = createFakeWindow({
			...local,
			settings: { mode: 'type', typedLanguage: 'es', typedFrom: 'en' },
			models: { models: modelEntries('installed') },
		});
		window.parts.typing.say('Where is the railway station?', {
			language: 'es',
			voiceId: 'default_low',
			from: 'en',
		});
		const [stream] = window.speaking;
		stream?.tell({ type: 'opened' });
		stream?.tell({ type: 'translated', id: 't1', text: '¿Dónde está la estación de tren?' });
		return window;
	},
	'typing-empty': () => createFakeWindow({ settings: { mode: 'type' } }),
	'live-typed': () => {
		const window = withCaptions(shown({}, { ...live, delayMs: 1830 }));
		const typed = captionRow(
			9,
			['en', 'My number is 0034 555 12 34.'],
			[['es', 'Mi número es 0034 555 12 34.']],
		);
		window.conversation.putRow({ ...typed, typed: { is: 'taken' } });
		window.conversation.putRow({
			...captionRow(10, ['en', 'And my name is spelled C, A, O.'], []),
			typed: { is: 'refused', problem: { kind: 'rate-limited', retryAfterMs: 60_000 } },
		});
		return window;
	},
	settings: () => settings('general'),
	'settings-sound': () => settings('sound'),
	'settings-captions': () => settings('captions'),
	'settings-privacy': () => settings('privacy'),
	'settings-shortcuts': () => settings('shortcuts'),
	'settings-account': () => settings('account'),
	'settings-advanced': () => settings('advanced'),
	'call-route': () => {
		const [speakerLabel, microphoneLabel] = ['Dragoman voice', 'Dragoman microphone'];
		const main: FakeMain = {
			sound: {
				outputs: [{ id: 'v', label: speakerLabel }],
				microphones: [{ id: 'm', label: microphoneLabel }],
			},
			routing: { virtualMicrophone: { state: 'ready', speakerLabel, microphoneLabel } },
			testPath: async () => ({ passed: false, step: 'hear', heard: 'silence' }),
		};
		return at('settings', main, 'call-route');
	},
	'call-route-cable': () => {
		const routing = { virtualMicrophone: { state: 'unsupported' } } as const;
		return at('settings', { info: { platform: 'darwin' }, routing }, 'call-route');
	},
	sessions: () => at('sessions', { sessions: sessions() }),
	glossaries: () =>
		at('glossaries', {
			settings: { glossaries: ['names'] },
			answers: {
				'glossary.list': () => ok(severalGlossaries()),
				'glossary.table': () => ok('train,tren\ncoffee,café\ngood morning,buenos días\n'),
			},
		}),
	voices: () => {
		const voices = severalVoices();
		return at('voices', { voices: { voices }, settings: { voices: { es: voices[2]?.voiceId ?? '' } } });
	},
	'voices-empty': () => at('voices'),
	'voices-make': () => {
		const window = at('voices');
		window.parts.voiceForm.open('en');
		return window;
	},
	history: () => reading(null, { conversations: conversations() }),
	'history-empty': () => reading(null),
	'history-reading': () => reading('a', { conversations: conversations() }),
	'history-recording': () => recorded([{ startMs: 0, lengthMs: 36_000, name: 'talk.wav', address: sound() }]),
	'history-recording-moved': () =>
		recorded([{ startMs: 0, lengthMs: null, name: 'Lisbon, project start.wav', address: 'recordings/a/1' }]),
	'keep-asks-failed': () => {
		const window = withCaptions(createFakeWindow({ history: { undecided: 1 } }));
		window.conversation.show({ phase: 'failed', problem: { kind: 'service-unreachable', cause: '' } });
		return window;
	},
	'keep-asks': () => withCaptions(createFakeWindow({ history: { undecided: 1 } })),
	'history-asks': () =>
		withCaptions(createFakeWindow({ history: { undecided: 1, offer: conversations()[1]?.row ?? null } })),
} as const satisfies Record<string, () => FakeWindow>;

export type WindowState = keyof typeof windowStates;

const noKey = { present: false, source: 'none', lastFour: '' } as const;

const sandbox: FakeMain = {
	account: { service: 'sandbox', sandbox: 'running' },
	key: noKey,
};

/** Whose computer interprets; nothing is installed. */
const local: FakeMain = {
	account: { service: 'local', sandbox: 'running' },
	key: noKey,
	settings: { speak: 'en', hear: ['pt'], voiceOf: 'pt' },
	models: { models: modelEntries() },
};

/** As where the packages of the interpreter are not installed with the app. */
function withInterpreter(others: Parameters<typeof modelEntries>[1] = {}) {
	const { models } = modelsFor({ platform: 'linux', arch: 'x64' }, () => {
		throw new Error('not installed');
	});
	return modelEntries(others['interpreter'] ? 'waiting' : 'available', others, models);
}

/** One of each state. */
function someModels() {
	return modelEntries('available', {
		'silero-v5': { state: 'installed' },
		'whisper-base': { state: 'installed' },
		'whisper-tiny.en': { state: 'downloading', doneBytes: 61_000_000, bytesPerS: 4_200_000 },
		'mozilla-en-pt': { state: 'waiting' },
		'mozilla-pt-en': { state: 'paused', doneBytes: 9_000_000 },
		'mozilla-de-en': { state: 'broken', problem: { kind: 'storage-failed', what: 'mozilla-de-en' } },
	});
}

const live = {
	phase: 'live',
	liveSinceMs: 0,
	interpretedMs: 187_000,
	countingSinceMs: performance.now(),
} as const;

/** I hold my button and speak. */
const myTurn = {
	cues: { me: 'speak', partner: 'wait-other' },
	pressed: { me: 'held', partner: 'no' },
} as const;

/** Two people, two sentences each. */
function facing(
	settings: FakeMain['settings'],
	turns: Parameters<FakeWindow['turns']['show']>[0],
	main: FakeMain = {},
): FakeWindow {
	const window = createFakeWindow({ ...main, settings: { mode: 'face', ...settings } });
	window.conversation.show({ ...live, delayMs: 1830 });
	window.turns.show(turns);
	const { speak, hear } = window.parts.settings.store.getState().values;
	// Before the first snapshot, the settings that the test gave.
	const mine = settings?.speak ?? speak;
	const theirs = (settings?.hear ?? hear)[0] ?? 'es';
	const text = (language: string, row: (typeof said)[number]) =>
		row[['en', 'es', 'ar', 'ja'].indexOf(language.slice(0, 2))] ?? row[0];
	for (const [index, row] of said.entries()) {
		const isMine = index % 2 === 0;
		const [from, to] = isMine ? [mine, theirs] : [theirs, mine];
		const line = captionRow(index, [from, text(from, row)], [[to, text(to, row)]], index < said.length - 1);
		window.conversation.putRow(isMine ? line : { ...line, leg: 'incoming' });
	}
	return window;
}

function shown(main: FakeMain, view: Parameters<FakeWindow['conversation']['show']>[0]): FakeWindow {
	const window = createFakeWindow(main);
	window.conversation.show(view);
	return window;
}

/** Both directions live, what was said of both sides. */
function meeting(incoming: Parameters<FakeWindow['conversation']['show']>[0] = {}): FakeWindow {
	const window = createFakeWindow({
		settings: { mode: 'meeting' },
		callOutput: { to: 'call', output: { id: 'o3', label: 'Cable' }, microphoneLabel: 'Cable microphone' },
	});
	const { legs, conversation } = window;
	legs.names.setState(['outgoing', 'incoming'], true);
	conversation.show(live);
	legs.outgoing.conversation.show({ ...live, delayMs: 1830, travel: { route: 'webrtc', fellBack: null } });
	const fellBack = { kind: 'room-unreachable', reason: '' } as const;
	const travel = { route: 'websocket', fellBack } as const;
	legs.incoming.conversation.show({ ...live, delayMs: 3100, travel, ...incoming });
	legs.incoming.muteVoice(true);
	conversation.captions.show(['outgoing', 'incoming']);
	for (const [index, [en, es]] of said.entries()) {
		const mine = index % 2 === 0;
		const row = mine
			? captionRow(index, ['en', en], [['es', es]])
			: { ...captionRow(index, ['es', es], [['en-us', en]]), leg: 'incoming' as const };
		conversation.putRow(row);
	}
	return window;
}

/** One of each state. */
function typedTexts(): FakeWindow {
	const window = createFakeWindow({ settings: { mode: 'type', typedLanguage: 'es' } });
	const { typing } = window.parts;
	const low = { language: 'es', voiceId: 'default_low' };
	for (const text of [
		'Buenas tardes. Hoy no puedo hablar, así que escribo y esta voz lo dice por mí.',
		'¿Me oyen bien?',
		'Perdón, esto no.',
		'Me gustaría cambiar la cita del jueves al viernes por la mañana, si todavía queda un hueco libre.',
		'Gracias.',
	])
		typing.say(text, low);
	const [stream] = window.speaking;
	stream?.tell({ type: 'opened' });
	stream?.tell({ type: 'played', id: 't1' });
	stream?.tell({
		type: 'failed',
		id: 't3',
		partly: false,
		problem: { kind: 'task-refused', field: 'text', detail: 'text: not spoken here' },
	});
	typing.cancel('t4');
	stream?.tell({ type: 'sounding', id: 't5' });
	typing.say('שלום', { language: 'he', voiceId: 'default_low' });
	return window;
}

function settings(section: SettingsSection): FakeWindow {
	const corrections = [
		{ language: 'en', wrong: 'Anna', right: 'Ana' },
		{ language: 'ar', wrong: 'سامي', right: 'سمير' },
	];
	const apiUrl = 'https://api.example.com';
	const main: FakeMain = {
		settings: { apiUrl, theme: 'system', captionSize: 26, corrections },
		origins: { apiUrl: 'variable', captionSize: 'setting', logLevel: 'option' },
	};
	const window = at('settings', main);
	window.parts.navigation.showSection(section);
	return window;
}

function conversations() {
	const from = Date.UTC(2026, 10, 20, 9, 30);
	const rows = said.map(([en, es, ar], n): [string, string, string, string] =>
		n % 2 === 0 ? ['en', en, 'es', es] : ['ar', ar, 'es', es],
	);
	return [
		kept('a', from, [...rows, ...rows, ...rows], { title: 'Lisbon: project start' }),
		kept('b', from - 4_000_000, rows.slice(1), { state: 'cut-off', endedAt: null }),
		kept('c', from - 90_000_000, rows.slice(2), { state: 'undecided', lengthMs: 4_000_000 }),
	];
}

/** A conversation that is read, with its recordings. */
function recorded(recordings: readonly HistoryRecording[]): FakeWindow {
	return reading('a', { conversations: conversations().map((one) => ({ ...one, recordings })) });
}

function sound(): string {
	return URL.createObjectURL(new Blob([encodeWav(new Float32Array(36 * 8000), 8000)], { type: 'audio/wav' }));
}

function severalGlossaries(): Glossary[] {
	const hot = { kind: 'asr_hot', source: 'de', target: 'de' } as const;
	const misheard = { kind: 'asr', source: 'ar', target: 'ar' } as const;
	const names = { kind: 'translation', source: 'en', target: 'es' } as const;
	return [
		{ ...names, id: 'names', name: 'Product names', enabled: true, entries: 214 },
		{ ...hot, id: 'hot', name: 'Board and colleagues', enabled: false, entries: 1 },
		{ ...misheard, id: 'asr', name: 'Misheard', enabled: true, entries: 12 },
	];
}

function sessions() {
	const now = Date.now();
	const times = (createdMs: number, updatedMs: number, expiresMs: number) => ({
		createdAt: now + createdMs,
		updatedAt: now + updatedMs,
		expiresAt: now + expiresMs,
	});
	const unknown = { createdAt: null, updatedAt: null, expiresAt: null };
	return [
		{ handle: 'a', label: '3f9c21', owner: 'this-conversation', ...times(-190_000, -20_000, 410_000) },
		{ handle: 'b', label: 'b07e44', owner: 'foreign', ...times(-4_000_000, -600_000, 95_000) },
		{ handle: 'c', label: '91d0aa', owner: 'probably-ours', ...unknown },
	] as const;
}

const said: readonly (readonly [en: string, es: string, ar: string, ja: string])[] = [
	[
		'Good morning, everyone, and thank you for joining at such short notice.',
		'Buenos días a todos y gracias por conectarse con tan poca antelación.',
		'صباح الخير جميعًا، وشكرًا لانضمامكم في هذا الوقت القصير.',
		'皆さん、おはようございます。急なお知らせにもかかわらずご参加いただきありがとうございます。',
	],
	[
		'I would like to begin with the results of the third quarter.',
		'Me gustaría empezar con los resultados del tercer trimestre.',
		'أود أن أبدأ بنتائج الربع الثالث.',
		'まず第三四半期の結果からお話しします。',
	],
	[
		'Revenue grew by 14%, mostly thanks to the new office in Osaka.',
		'Los ingresos crecieron un 14 %, sobre todo gracias a la nueva oficina de Osaka.',
		'نمت الإيرادات بنسبة 14٪، ويعود ذلك أساسًا إلى المكتب الجديد في أوساكا.',
		'収益は14%増加しました。主に大阪の新しいオフィスのおかげです。',
	],
	[
		'Are there any questions before we move on?',
		'¿Hay alguna pregunta antes de continuar?',
		'هل هناك أي أسئلة قبل أن نكمل؟',
		'先に進む前に、ご質問はありますか。',
	],
];

/** A talk with its last sentence still open. */
function withCaptions(window: FakeWindow, languages: readonly ('es' | 'ar' | 'ja')[] = ['es']): FakeWindow {
	const translations = ([, es, ar, ja]: (typeof said)[number]) =>
		languages.map((language) => [language, { es, ar, ja }[language]] as const);
	for (const [index, row] of said.entries()) {
		window.conversation.putRow(captionRow(index, ['en', row[0]], translations(row)));
	}
	window.conversation.putRow(
		captionRow(
			said.length,
			['en', 'Yes, please, the lady in the'],
			languages.map(
				(language) =>
					[
						language,
						{ es: 'Sí, por favor, la señora de la', ar: 'نعم، تفضلي، السيدة في', ja: 'はい、どうぞ、' }[
							language
						],
					] as const,
			),
			false,
		),
	);
	return window;
}
