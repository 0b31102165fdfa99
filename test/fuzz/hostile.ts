import { deflateSync } from 'node:zlib';
import { encodeBase64 } from '#shared/lib/base64.ts';
import type { Target } from './target.ts';

/** The largest input that is read at all. */
const SIZE = 1_000_000;
const fill = (piece: string, size = SIZE) => piece.repeat(Math.floor(size / piece.length));
const list = (piece: string, size = SIZE) => `[${fill(`${piece},`, size)}0]`;
const fields = (name: (at: number) => string, count: number) =>
	`{${Array.from({ length: count }, (_, at) => `${JSON.stringify(name(at))}:0`).join()}}`;

type Kind = NonNullable<Target['kind']>;

/** The places where a message or an answer may hold a value: for any, and for a text alone. */
const places: Readonly<Record<Kind, { any: readonly Place[]; text: readonly Place[] }>> = {
	message: {
		any: [
			(value) => `{"message_type":"partial_transcription","data":{"transcription":{"segments":${value}}}}`,
			(value) => `{"message_type":"pipeline_timings","data":{"transcription_id":"t","timings":${value}}}`,
		],
		text: [(value) => `{"message_type":"error","data":{"code":"X","desc":${value}}}`],
	},
	answer: {
		any: [
			(value) => `{"data":${value},"next_page_token":""}`,
			(value) => `{"data":{"voice_id":"v","samples":${value}}}`,
		],
		text: [(value) => `{"errors":[{"detail":${value}}]}`],
	},
};
type Place = (value: string) => string;

const session = '{"id":"a.b.c","created_at":"2026-01-01T00:00:00Z","expires_at":"2026-01-01T00:10:00Z"}';
/** Texts that slow down vulnerable regular expressions. */
const bombs = ['<a', '< a="', '\t\n', 'eyJh.eyJ.', 'Bearer ', 'https://a.b/?key=', '/../', '\ud800'];

const anything: readonly (readonly [name: string, value: string])[] = [
	['empty objects', list('{}')],
	['as many lists as are read', list('[]', 149_000)],
	['as many objects as are read', list('{"a":0}', 199_000)],
	['numbers', list('0')],
	['short texts', list('"é"')],
	['many fields', fields((at) => `k${at}`, 80_000)],
	['as many fields as are read', fields((at) => `k${at}`, 24_990)],
	['numbered fields far apart', fields((at) => String(at * 40_000), 24_990)],
	['nested a hundred thousand deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
	['one long text', `"${fill('é', 900_000)}"`],
	['a list of sessions', `[${fill(`${session},`, 700_000)}${session}]`],
];

const texts = bombs.map(
	(piece) => [`text of ${JSON.stringify(piece)}`, JSON.stringify(fill(piece, 100_000))] as const,
);

/** Inputs made to be expensive, by name (faults 16, 118). */
export function hostileTo(kind: Kind): readonly (readonly [name: string, text: string])[] {
	const { any, text } = places[kind];
	const all = [
		...anything.map((one) => [...one, any] as const),
		...texts.map((one) => [...one, text] as const),
	];
	return all.flatMap(([name, value, where]) =>
		where.map((place, at) => [`${name} (${at})`, place(value)] as const),
	);
}

/** Sixty megabytes in sixty kilobytes, as the text that a message carries. */
export const bomb = JSON.stringify(encodeBase64(deflateSync(new Uint8Array(64_000_000))));
