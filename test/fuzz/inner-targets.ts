import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createBoundSecret } from '#main/account/secrets.ts';
import { parseSinkInputs } from '#main/calls/sound-recorder.ts';
import { parseInfo, parseModules } from '#main/calls/sound-server.ts';
import { readCorrections } from '#main/captions/corrections-table.ts';
import { captionOf, storedRowOf } from '#main/history/history-store.ts';
import { answerWith, type Handlers } from '#main/host.ts';
import { findCookie, isCombinationDown, packetLength, readMapping, readSetup } from '#main/keys/x11.ts';
import { checkMediaAddress, parseAllowedHosts } from '#main/service/addresses.ts';
import { type LedgerEntry, ledgerFormat } from '#main/sessions/ledger.ts';
import { readOptions } from '#main/settings/settings.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { StoredVoice, voicesFormat } from '#main/voices/voices-file.ts';
import { createHost } from '#renderer/host.ts';
import { createCorrect, wordsIn } from '#shared/captions/apply-corrections.ts';
import { LONGEST_CORRECTION } from '#shared/captions/corrections.ts';
import { compareFacts } from '#shared/facts/compare-facts.ts';
import { findFacts } from '#shared/facts/find-facts.ts';
import { type AnnouncementName, announcements, type RequestName, requests } from '#shared/host/contract.ts';
import {
	ControlDown,
	ControlUp,
	PortsNote,
	SpeakDown,
	SpeakUp,
	StreamOpening,
	unpackMessage,
} from '#shared/host/streams.ts';
import { type Combination, parseCombination } from '#shared/keys/combination.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import { Problem } from '#shared/problem.ts';
import { checkRestBase } from '#shared/service-address.ts';
import { readProxyAddress } from '#shared/settings/proxy.ts';
import { defaultSettings, Settings } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { must, type Sample, sampleOf, type Target } from './mutate.ts';

/** Undefined if it is no JSON: then there is nothing to pass on. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
/** The content of a JSON string, or of nearly one. */
function unquoted(text: string): string {
	const value = parsed(text);
	return typeof value === 'string' ? value : text;
}
const COMBINATION: Combination = { modifiers: ['Mod'], key: 'F8' };
const samplesOf = (values: readonly unknown[]): readonly Sample[] =>
	values.flatMap((value) => (value === undefined ? [] : [sampleOf(JSON.stringify(value))]));

const names = Object.keys(requests) as RequestName[];
/**
 * Each call includes its channel name, so that a corrupted name is tried as well; some have a field that is not in the
 * contract.
 */
const calls = names
	.flatMap((name) => examplesOf(requests[name].input).map((input) => ({ name, input })))
	.flatMap((call) => [
		call,
		...(call.input instanceof Object ? [{ ...call, input: { ...call.input, more: 1 } }] : []),
	]);
const answers = names.flatMap((name) => examplesOf(requests[name].output).map((value) => ({ name, value })));
const told = Object.entries(announcements).flatMap(([name, schema]) =>
	examplesOf(schema).map((value) => ({ name, value })),
);

let reached: { readonly name: string; readonly input: unknown } | null = null;
const handlers = new Proxy({} as Handlers, {
	get: (_, name: string) => async (input: unknown) => {
		reached = { name, input };
		return ok();
	},
});
const answer = answerWith(handlers, silentLogger);
const isRequest = (name: unknown): name is RequestName =>
	typeof name === 'string' && Object.hasOwn(requests, name);
const isAnnouncement = (name: unknown): name is AnnouncementName =>
	typeof name === 'string' && Object.hasOwn(announcements, name);

/** What main answers, and what the window listens with. */
let answered: unknown;
let announce: (payload: unknown) => void = () => {};
const host = createHost({
	ask: async () => answered,
	listen(_name, heard) {
		announce = heard;
		return () => {};
	},
});

const ports = { ControlUp, ControlDown, SpeakUp, SpeakDown, PortsNote, StreamOpening };
const portNames = Object.keys(ports) as (keyof typeof ports)[];

const entry: LedgerEntry = {
	intent: 'i-1',
	account: 'abc',
	state: 'open' as const,
	id: 'u1.0a1b',
	owner: 'p-1',
	createdWall: 1_800_000_000_000,
	createdServer: 1_800_000_000_000,
	expiresAt: 1_800_000_600_000,
	lostAt: null,
};
const ledger = ledgerFormat.format({
	salt: 'pepper-and-salt',
	entries: [entry, { ...entry, intent: 'i-2', id: null }],
});
const [storedVoice] = examplesOf(StoredVoice) as [StoredVoice];
const register = voicesFormat.format({ salt: 'pepper-and-salt', entries: [storedVoice] });

const clock = createManualClock();
let folder = '';
function settingsOf(text: string) {
	folder ||= mkdtempSync(join(tmpdir(), 'dragoman-fuzz-'));
	writeFileSync(join(folder, 'settings.json'), text);
	return openSettingsFile(folder, clock).stored();
}

const row = { name: 'n', title: '', preview: '', started_at: 1, ended_at: null, length_ms: 5, captions: 2 };
const caption = {
	key: 'k',
	row: 'r',
	part: '0',
	kind: 'source',
	language: 'en',
	text: 'x',
	start_ms: 0,
	end_ms: 9,
	final: 1,
	mark: '',
};

export const innerTargets: readonly Target[] = [
	{
		name: 'calls of the window',
		reads: ['src/main/host.ts', 'src/shared/host/*.ts'],
		samples: samplesOf(calls),
		weight: 3,
		async feed(text) {
			const call = parsed(text) as { name?: unknown; input?: unknown } | null | undefined;
			if (typeof call?.name !== 'string') return;
			reached = null;
			const result = await answer(call.name, call.input);
			if (reached === null)
				return must(!result.ok && result.error.kind === 'bug', 'refused without a handler');
			must(isRequest(call.name), 'only what is in the contract is handled');
			const said = requests[call.name as RequestName].input.safeParse(call.input ?? undefined);
			const wanted = { name: call.name, input: said.success ? said.data : 'refused' };
			must(isDeepStrictEqual(reached, wanted), 'a handler is given what the contract has');
		},
	},
	{
		name: 'answers and announcements',
		reads: ['src/renderer/host.ts', 'src/shared/host/contract.ts'],
		samples: samplesOf([...answers, ...told]),
		weight: 2,
		async feed(text) {
			const said = parsed(text) as { name?: unknown; value?: unknown } | null | undefined;
			const { name, value } = said ?? {};
			if (isRequest(name)) {
				for (answered of [value, { ok: true, value }, { ok: false, error: value }]) {
					const got: Result<unknown, unknown> = await host.ask(name, undefined as never);
					const fits = got.ok
						? requests[name].output.safeParse(got.value).success
						: Problem.safeParse(got.error).success;
					must(fits, 'an answer is one of the contract, or our own bug');
				}
			}
			if (isAnnouncement(name)) {
				const heard: unknown[] = [];
				host.listen(name, (payload) => heard.push(payload));
				announce(value);
				must(
					heard.length === Number(announcements[name].safeParse(value).success),
					'heard only when it fits',
				);
			}
		},
	},
	{
		name: 'ports of streams',
		reads: ['src/shared/host/streams.ts', 'src/shared/host/streams.ts'],
		samples: samplesOf(portNames.flatMap((name) => examplesOf(ports[name]))),
		weight: 2,
		feed(text) {
			const value = parsed(text);
			for (const name of portNames) ports[name].safeParse(value);
			const down = ControlDown.safeParse(value);
			if (down.success && down.data.type === 'message') unpackMessage(down.data.message);
		},
	},
	{
		name: 'ledger',
		reads: ['src/main/sessions/ledger.ts'],
		samples: [sampleOf(ledger)],
		feed(text) {
			const read = ledgerFormat.parse(text);
			if (read.type === 'newer') return;
			for (const one of read.content?.entries ?? []) must(one.intent !== '', 'an entry has an intent');
		},
	},
	{
		name: 'register of voices',
		reads: ['src/main/voices/voices-file.ts'],
		samples: [sampleOf(register)],
		feed(text) {
			const read = voicesFormat.parse(text);
			if (read.type === 'newer') return;
			for (const one of read.content?.entries ?? []) must(one.handle !== '', 'a voice has a handle');
		},
	},
	{
		name: 'settings',
		reads: ['src/shared/settings/schema.ts'],
		samples: samplesOf([defaultSettings, ...examplesOf(Settings)]),
		weight: 0.5,
		feed(text) {
			Settings.safeParse(parsed(text));
		},
	},
	{
		name: 'file of settings',
		reads: ['src/main/settings/settings-file.ts'],
		samples: samplesOf([{ ...defaultSettings, version: 1 }]),
		weight: 0.05,
		// It is written and read.
		feed(text) {
			const stored = settingsOf(text);
			must(Settings.safeParse({ ...defaultSettings, ...stored }).success, 'what is kept is valid');
		},
		close() {
			if (folder) rmSync(folder, { recursive: true, force: true });
			folder = '';
		},
	},
	{
		name: 'stored key',
		reads: ['src/main/account/secrets.ts'],
		samples: samplesOf([{ secret: 'k', given: { api: 'https://api.example', s2s: '', stt: '', tts: '' } }]),
		weight: 0.5,
		async feed(text) {
			const secret = createBoundSecret({
				name: 'api-key',
				variable: undefined,
				publicApiUrl: 'https://api.example',
				publicSockets: { s2s: 'wss://api.example/', stt: '', tts: '' },
				store: { read: async () => text, write: async () => ok(), remove: async () => ok() },
				addresses: () => ({ api: 'https://other.example', s2s: 'wss://other.example/', stt: '', tts: '' }),
				isWrittenHere: () => true,
			});
			await secret.open();
			secret.isElsewhere();
			secret.fits('s2s');
			const { secret: used } = secret.inForce();
			must(used === null || text.includes('other.example'), 'a key goes nowhere it was not given for');
		},
	},
	{
		name: 'rows of the history',
		reads: ['src/main/history/history-store.ts'],
		samples: samplesOf([row, caption]),
		weight: 0.5,
		feed(text) {
			const value = parsed(text);
			if (typeof value !== 'object' || value === null) return;
			// The file knows no other values than these.
			const columns = Object.fromEntries(
				Object.entries(value).map(([name, one]) => [
					name,
					typeof one === 'object' ? null : (one as string | number),
				]),
			) as Record<string, string | number | null>;
			must(typeof captionOf(columns).text === 'string', 'a caption has a text');
			must(Array.isArray(storedRowOf(columns).sources), 'a row has languages');
		},
	},
	{
		name: 'table of corrections',
		reads: ['src/main/captions/corrections-table.ts', 'src/shared/captions/apply-corrections.ts'],
		samples: samplesOf([
			'language,wrong,right\nen,Jon,John\n',
			'ar;"a ""b""";c\r\nde-AT;Müler;Müller',
			'ja\t山田\t山本',
			'en,,John',
		]),
		weight: 0.5,
		feed(text) {
			const read = readCorrections(unquoted(text));
			if (!read.ok) return must(read.error.lines.length > 0, 'what is refused is named by its line');
			const correct = createCorrect(read.value);
			for (const { language, wrong, right } of read.value) {
				must(wrong !== '' && right !== '' && right.length <= LONGEST_CORRECTION, 'words on both sides');
				correct(`${wrong} ${right}`, language);
			}
		},
	},
	{
		name: 'sentences: words, facts, corrections',
		reads: ['src/shared/facts/find-facts.ts', 'src/shared/captions/apply-corrections.ts'],
		samples: samplesOf([
			'On 3 May at half past two 1,234.50 € or 14 % for a.b@example.com, +49 30 1234567, www.example.com/x',
			'Am 3. Mai um 14:30 Uhr 1.234,50 Euro, vierzehn Prozent, LH455',
			'في الثالث من مايو الساعة ٢٫٣٠ ١٤٪',
			'五月三日午後二時半に一万二千円と十四パーセント',
		]),
		feed(text) {
			const sentence = unquoted(text);
			for (const language of ['en', 'de', 'ar', 'ja'] as const) {
				const facts = findFacts(sentence, language);
				if (facts) {
					const { said } = compareFacts(facts, facts);
					must(
						said.every(({ verdict }) => verdict === 'same'),
						'a sentence says what it says',
					);
				}
			}
			must(!wordsIn(sentence.slice(0, 1000), 'en').includes(''), 'a word has letters');
			createCorrect([{ language: 'en', wrong: 'a.b*(c', right: '$&' }])(sentence.slice(0, 1000), 'en');
		},
	},
	{
		name: 'keyboard of an X server',
		reads: ['src/main/keys/x11.ts'],
		samples: samplesOf([
			'\u0001\u0002\u0000\u0000\u0003\u0000\u0000\u0000'.padEnd(60, '\u0000ÿã'),
			'\u0001\u0000\u0000\u0004here\u0000\u00010\u0000\u0012MIT-MAGIC-COOKIE-1\u0000\u0002xy',
		]),
		weight: 0.5,
		feed(text) {
			const bytes = Buffer.from(unquoted(text), 'latin1');
			readSetup(bytes);
			findCookie(bytes, '0', 'here');
			// The connection passes on a reply only once its first 32 bytes are there.
			const reply = Buffer.concat([bytes, Buffer.alloc(32)]);
			must(packetLength(reply) >= 32, 'a packet goes forward');
			const places = readMapping(reply, bytes[0] ?? 8);
			must(!isCombinationDown(COMBINATION, places, () => false), 'no key down is no combination down');
		},
	},
	{
		name: 'command line, addresses, keys, programs',
		reads: ['src/main/settings/settings.ts', 'src/main/service/addresses.ts', 'src/shared/settings/proxy.ts']
			.concat(['src/shared/keys/combination.ts', 'src/main/calls/sound-server.ts'])
			.concat(['src/main/calls/sound-recorder.ts']),
		samples: samplesOf([
			'--api-url=https://api.example:8443/x?y',
			'wss://media.example/livekit/',
			'*.example.com, media.example',
			'http://proxy.example:3128',
			'Mod+Shift+K',
			'536870913\tmodule-null-sink\tsink_name=x',
			[{ index: 1, corked: false, properties: { 'application.name': 'x', 'application.process.id': '77' } }],
		]),
		feed(text) {
			const bare = text.startsWith('"') ? text.slice(1, -1) : text;
			readOptions([bare, bare.slice(1)]);
			checkRestBase(bare);
			checkMediaAddress(bare, 'https://api.example', parseAllowedHosts(bare));
			readProxyAddress(bare);
			parseCombination(bare);
			parseInfo(bare);
			parseModules(bare);
			for (const input of parseSinkInputs(text) ?? []) must(input.index >= 0, 'a stream has an index');
		},
	},
];

/** As much of a schema as is needed to make a value that fits it. */
interface Definition {
	readonly type: string;
	readonly shape?: Readonly<Record<string, Schema>>;
	readonly element?: Schema;
	readonly innerType?: Schema;
	readonly valueType?: Schema;
	readonly options?: readonly Schema[];
	readonly items?: readonly Schema[];
	readonly entries?: Readonly<Record<string, string>>;
	readonly values?: readonly unknown[];
	readonly in?: Schema;
	readonly getter?: () => Schema;
	readonly checks?: readonly { readonly _zod: { readonly def: Readonly<Record<string, unknown>> } }[];
}
interface Schema {
	readonly _zod: { readonly def: unknown };
}

/**
 * Values that a zod schema accepts, built from its parts: one for each alternative of a union, otherwise one. Not
 * every constraint is respected (patterns are not), so a few of them may still be refused.
 */
function examplesOf(schema: Schema): readonly unknown[] {
	const def = schema._zod.def as Definition;
	if (def.type === 'union') return (def.options ?? []).flatMap(examplesOf);
	if (def.type === 'nullable' || def.type === 'optional') {
		const empty = def.type === 'nullable' ? null : undefined;
		return [...(def.innerType ? examplesOf(def.innerType).slice(0, 2) : []), empty];
	}
	return [exampleOf(def)];
}

function first(schema: Schema | undefined): unknown {
	return schema ? examplesOf(schema)[0] : null;
}

function exampleOf(def: Definition): unknown {
	switch (def.type) {
		case 'object': {
			const fields = Object.entries(def.shape ?? {}).map(([name, field]) => [name, first(field)] as const);
			return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
		}
		case 'array':
			return [first(def.element), first(def.element)];
		case 'tuple':
			return (def.items ?? []).map(first);
		case 'record':
			return { es: first(def.valueType) };
		case 'string':
			return 'x'.repeat(limitOf(def, 'minimum') || 3);
		case 'number':
			return limitOf(def, 'value') || 1;
		case 'boolean':
			return true;
		case 'literal':
			return def.values?.[0];
		case 'enum':
			return Object.values(def.entries ?? {})[0];
		case 'default':
		case 'catch':
		case 'readonly':
			return first(def.innerType);
		case 'lazy':
			return first(def.getter?.());
		case 'pipe':
			return first(def.in);
		default:
			return undefined;
	}
}

function limitOf(def: Definition, name: string): number {
	const found = (def.checks ?? [])
		.map(({ _zod }) => _zod.def[name])
		.find((limit) => typeof limit === 'number');
	return typeof found === 'number' ? found : 0;
}
