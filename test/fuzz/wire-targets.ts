import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { readTable } from '#main/glossaries/glossary-table.ts';
import { readJsonBody } from '#main/service/http.ts';
import {
	readCreatedId,
	readOpenedSession,
	readSession,
	readSessionPage,
} from '#main/service/session-client.ts';
import { judgeUpload } from '#main/service/upload.ts';
import { samplesReader } from '#main/streaming/speech-to-speech.ts';
import { decodeBase64, encodeBase64 } from '#shared/lib/base64.ts';
import { parseRetryAfter } from '#shared/lib/http-dates.ts';
import { Problem } from '#shared/problem.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { readVoiceRecord } from '#shared/protocol/cloned-voice-record.ts';
import { decodeClientMessage } from '#shared/protocol/decode-client-message.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import { type Asked, problemOfAnswer } from '#shared/protocol/envelope.ts';
import { readGlossary, readGlossaryPage } from '#shared/protocol/glossary.ts';
import { parseJson } from '#shared/protocol/json.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { decodeSttMessage } from '#shared/protocol/speech-to-text.ts';
import { decodeTtsMessage } from '#shared/protocol/text-to-speech.ts';
import { must, type Sample, sampleOf, type Target } from './mutate.ts';

interface WireSample {
	readonly wire: unknown;
	readonly direction?: string;
}

function wire(file: string): readonly Sample[] {
	const path = join(import.meta.dirname, '..', 'wire', `${file}.json`);
	const samples = JSON.parse(readFileSync(path, 'utf8')) as readonly WireSample[];
	return samples.flatMap(({ wire: sent }) => {
		const text = typeof sent === 'string' ? sent : (JSON.stringify(sent) ?? 'null');
		const sample = sampleOf(text);
		return sample.values.length > 0 ? [sample] : [];
	});
}

const encoder = new TextEncoder();
const server = wire('server-messages');
const rest = [...wire('sessions'), ...wire('rest-errors')];
const ASKED: readonly Asked[] = [
	'create-session',
	'list-sessions',
	'clone-voice',
	'delete-session',
	'open-socket',
];
const STATUSES = [200, 400, 401, 402, 403, 404, 409, 422, 429, 500, 503];

/** What every message promises, whatever it was made of (`decode-anything.test.ts` says the rest). */
function checkMessage(message: ServerMessage): void {
	must(typeof message.type === 'string', 'a message has a type');
	if (message.type === 'transcript') {
		must(
			message.transcriptionId !== '' && !(message.transcriptionId in Object.prototype),
			'an id of its own',
		);
		must(message.text.length <= 65_536 && message.text.isWellFormed(), 'a text that can be shown');
	}
	if (message.type === 'error' || message.type === 'warning')
		must(message.text.length <= 300, 'a short text');
	if (message.type === 'unknown') must(message.name.length <= 64, 'a short name');
}

const packed: Pick<Task, 'output_stream'> = {
	output_stream: { content_type: 'audio', target: { type: 'ws', format: 'zlib_pcm_s16le' } },
} as Task;
const readPlain = samplesReader(null);
const readPacked = samplesReader(packed as Task);
const sound = new Uint8Array(15_360).map((_, at) => (at * 31) & 0xff);

const voice = {
	ok: true,
	data: {
		voice_id: 'v_1',
		name: 'Mine',
		processing_status: 'created',
		utc_created_at: '2026-01-01T00:00:00Z',
		lang_code: 'en',
		has_external_voice: false,
		samples: [{ item_id: 's1', url: 'https://store.example/b', form_data: { key: 'a', policy: 'cG9s' } }],
		processing_result: { warnings: ['too quiet'], errors: [{ detail: 'too short' }] },
	},
};

const TBX =
	'<tbx><conceptEntry><langSec xml:lang="en"><termSec><term>a</term></termSec></langSec><langSec xml:lang="es"><termSec><term>b</term></termSec></langSec></conceptEntry></tbx>';
const glossary = {
	glossary_id: 'g-1',
	name: 'Names',
	glossary_type: 'translation',
	source_lang: 'en',
	target_lang: 'es',
	is_enabled: true,
	entries_count: 3,
};

export const wireTargets: readonly Target[] = [
	{
		name: 'data channel',
		reads: ['src/shared/protocol/decode-server-message.ts', 'service-error.ts'],
		samples: server,
		weight: 6,
		feed: (text) => checkMessage(decodeServerMessage(encoder.encode(text))),
	},
	{
		name: 'socket, speech to speech',
		kind: 'message',
		reads: ['src/shared/protocol/decode-server-message.ts', 'output-audio.ts'],
		samples: server,
		weight: 6,
		feed: (text) => checkMessage(decodeServerMessage(text)),
	},
	{
		name: 'socket, speech to text',
		kind: 'message',
		reads: ['src/shared/protocol/speech-to-text.ts'],
		samples: wire('speech-to-text'),
		weight: 3,
		feed(text) {
			const message = decodeSttMessage(text);
			if (message.type === 'text')
				must(
					message.text.isWellFormed() && (message.id !== '' || (message.finalized && message.text === '')),
					'a text that can be shown',
				);
		},
	},
	{
		name: 'socket, text to speech',
		reads: ['src/shared/protocol/text-to-speech.ts'],
		samples: wire('text-to-speech'),
		weight: 3,
		feed(text) {
			const message = decodeTtsMessage(text);
			must(message.type !== 'audio' || typeof message.audio === 'string', 'sound is text');
		},
	},
	{
		name: 'sound in messages',
		reads: ['src/shared/sound/pcm.ts', 'src/main/streaming/speech-to-speech.ts'],
		samples: [sound, deflateSync(sound)].map((bytes) => sampleOf(JSON.stringify(encodeBase64(bytes)))),
		weight: 0.5,
		feed(text) {
			const bytes = decodeBase64(text.slice(1, -1));
			for (const read of [readPlain, readPacked])
				must((read(bytes)?.length ?? 0) <= 2_097_152, 'sound of a bounded size');
		},
	},
	{
		name: 'commands',
		reads: ['src/shared/protocol/decode-client-message.ts', 'tidy-task.ts'],
		samples: wire('client-messages'),
		weight: 1,
		feed(text) {
			const read = decodeClientMessage(text);
			must(read.ok || typeof read.error.code === 'string', 'a command or a fault');
		},
	},
	{
		name: 'REST, sessions',
		kind: 'answer',
		reads: [
			'src/shared/protocol/session.ts',
			'src/main/service/session-client.ts',
			'values.ts',
			'envelope.ts',
		],
		samples: rest,
		weight: 3,
		feed(text) {
			const json = parseJson(text);
			const body = json.ok ? json.value : text;
			const id = readCreatedId(body);
			must(id === null || (id !== '.' && id !== '..'), 'an id is no step out of a path');
			readOpenedSession(body);
			readSession(body);
			for (const session of readSessionPage(body)?.sessions ?? [])
				must(session.id !== '', 'a session has an id');
			const status = STATUSES[text.length % STATUSES.length] ?? 500;
			const problem = problemOfAnswer(status, body, ASKED[text.length % ASKED.length] ?? 'create-session');
			must(Problem.safeParse(problem).success, 'a problem of the list');
		},
	},
	{
		name: 'REST, bodies',
		kind: 'answer',
		reads: ['src/main/service/http.ts'],
		samples: rest,
		weight: 0.1,
		async feed(text) {
			const read = await readJsonBody(new Response(text));
			must(read.type !== 'unreadable' || read.why.length < 40, 'a reason of our own');
		},
	},
	{
		name: 'REST, cloned voices',
		kind: 'answer',
		reads: ['src/shared/protocol/cloned-voice.ts'],
		samples: [sampleOf(JSON.stringify(voice))],
		weight: 2,
		feed(text) {
			const json = parseJson(text);
			const read = readVoiceRecord(json.ok ? json.value : text);
			must(!read.ok || read.value.uploads.length <= 16, 'as many uploads as a request has');
		},
	},
	{
		name: 'REST, glossaries',
		kind: 'answer',
		reads: ['src/shared/protocol/glossary.ts'],
		samples: [
			sampleOf(JSON.stringify({ ok: true, data: { items: [glossary, glossary], next: 'abc' } })),
			sampleOf(JSON.stringify({ ok: true, data: glossary })),
		],
		feed(text) {
			const json = parseJson(text);
			const body = json.ok ? json.value : text;
			const alone = readGlossary(body);
			for (const { id } of [...(readGlossaryPage(body)?.glossaries ?? []), ...(alone ? [alone] : [])])
				must(id !== '' && !/^\.{1,2}$/.test(id), 'an id is no step out of a path');
		},
	},
	{
		name: 'tables of glossaries',
		reads: ['src/main/glossaries/glossary-table.ts'],
		samples: [
			sampleOf(JSON.stringify('train,tren\n"a ""b""",c\n')),
			sampleOf(JSON.stringify('x;y\r\nz;w')),
			sampleOf(JSON.stringify(TBX)),
		],
		feed(text) {
			const table = text.replaceAll('\\n', '\n').replaceAll('\\"', '"');
			const read = readTable(table, { kind: 'translation', source: 'en', target: 'es' });
			const lines = read.ok ? [] : read.error.lines;
			if (!read.ok) must(lines.length > 0 && lines.length <= 20, 'some faults, and not too many');
			else
				must(
					read.value.every((row) => row.length === 2 && !row.includes('')),
					'rows of two full cells',
				);
		},
	},
	{
		name: 'storage answers and headers',
		reads: ['src/main/service/upload.ts', 'src/shared/lib/http-dates.ts'],
		samples: [
			sampleOf('{"errors":[{"detail":"Policy expired","error_code":"AccessDenied"}]}'),
			sampleOf('"<Error><Code>EntityTooLarge</Code><Message>Too large</Message></Error>"'),
			sampleOf('"Wed, 21 Oct 2026 07:28:00 GMT"'),
			sampleOf('"120"'),
		],
		feed(text) {
			const bare = text.startsWith('"') ? text.slice(1, -1) : text;
			judgeUpload(STATUSES[text.length % STATUSES.length] ?? 200, bare);
			const waits = parseRetryAfter(bare, 1_800_000_000_000);
			must(waits === null || (Number.isFinite(waits) && waits >= 0), 'a time to wait');
		},
	},
];
