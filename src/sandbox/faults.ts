import { err, ok, type Result } from '#shared/lib/result.ts';

/** Faults of voices; included in the table below. */
const voiceFaults = {
	'voice-token-only': {
		by: 'voice',
		does: 'the voice endpoints refuse the API key, and take the voice token',
	},
	'ascii-names': { by: 'voice', does: 'names of voices may hold ASCII letters only' },
	'upload-expired': { by: 'voice', does: 'pre-signed addresses are expired when given', number: 'times' },
	'upload-500': { by: 'voice', does: 'the upload ends with 500', number: 'times' },
	'upload-503': { by: 'voice', does: 'the upload ends with 503 SlowDown', number: 'times' },
	'upload-403': { by: 'voice', does: 'the upload is refused', number: 'times' },
	'upload-cut': { by: 'voice', does: 'the connection breaks in the middle of the upload', number: 'times' },
	'upload-hang': { by: 'voice', does: 'the upload is taken and never answered', number: 'times' },
	'upload-slow': {
		by: 'voice',
		does: 'the upload is taken slowly: 200 ms a piece, or the number',
		number: 'ms',
	},
	'upload-error-body': {
		by: 'voice',
		does: 'the upload answers 200 with an S3 error in its body',
		number: 'times',
	},
	'upload-200': { by: 'voice', does: 'the upload answers 200 instead of 204' },
	'upload-201': { by: 'voice', does: 'the upload answers 201 with a page of XML' },
	'upload-odd-form': { by: 'voice', does: 'form_data holds a number, and a field that is null' },
	'voice-pending': { by: 'voice', does: 'a voice is ready after 1.5 s, or the number', number: 'ms' },
	'voice-fails': { by: 'voice', does: 'processing ends with failed and its reasons' },
	'voice-warns': { by: 'voice', does: 'processing ends with warnings' },
	'voice-stuck': { by: 'voice', does: 'processing never ends' },
	'voice-odd-status': { by: 'voice', does: 'processing has a status that nobody knows' },
	'no-voice-status': { by: 'voice', does: 'the status of a voice cannot be asked (404)' },
	'two-samples': { by: 'voice', does: 'the answer names a second upload, for a sample nobody sent, first' },
} as const;

/** Faults of the sockets; included in the table below. */
const socketFaults = {
	'upgrade-301': {
		by: 'socket',
		does: 'sockets: the upgrade is refused, moved to another origin (the same port on localhost)',
		number: 'times',
	},
	'upgrade-400': { by: 'socket', does: 'sockets: the upgrade is refused, bad request', number: 'times' },
	'upgrade-401': {
		by: 'socket',
		does: 'sockets: the upgrade is refused, credential refused',
		number: 'times',
	},
	'upgrade-402': { by: 'socket', does: 'sockets: the upgrade is refused, payment required', number: 'times' },
	'upgrade-403': {
		by: 'socket',
		does: 'sockets: the upgrade is refused, credential or right refused',
		number: 'times',
	},
	'upgrade-404': { by: 'socket', does: 'sockets: the upgrade is refused, not found', number: 'times' },
	'upgrade-409': { by: 'socket', does: 'sockets: the upgrade is refused, conflict', number: 'times' },
	'upgrade-429': {
		by: 'socket',
		does: 'sockets: the upgrade is refused, too many requests, Retry-After: 1',
		number: 'times',
	},
	'upgrade-503': {
		by: 'socket',
		does: 'sockets: the upgrade is refused, unavailable, Retry-After: 1',
		number: 'times',
	},
	'upgrade-hang': { by: 'socket', does: 'sockets: the upgrade is never answered', number: 'times' },
	'bare-1008': { by: 'socket', does: 'sockets: closed at once as by the connection limit', number: 'times' },
	'close-1000': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, as at the end',
		number: 'times',
	},
	'close-1001': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, going away',
		number: 'times',
	},
	'close-1002': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, protocol error',
		number: 'times',
	},
	'close-1003': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, unsupported data',
		number: 'times',
	},
	'close-1007': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, bad text',
		number: 'times',
	},
	'close-1008': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, policy',
		number: 'times',
	},
	'close-1009': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, too large',
		number: 'times',
	},
	'close-1011': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, server error',
		number: 'times',
	},
	'close-1012': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, restart',
		number: 'times',
	},
	'close-1013': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, try later',
		number: 'times',
	},
	'close-4000': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, of its own',
		number: 'times',
	},
	'close-4001': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, of its own, unauthorized',
		number: 'times',
	},
	'close-4003': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, of its own, forbidden',
		number: 'times',
	},
	'close-4999': {
		by: 'socket',
		does: 'sockets: closed 2 s after the first audio or text, of its own',
		number: 'times',
	},
	'socket-1006': {
		by: 'socket',
		does: 'sockets: TCP drops 2 s after the first audio or text',
		number: 'times',
	},
	'half-open': {
		by: 'socket',
		does: 'sockets: from then on nothing is read, no ping answered',
		number: 'times',
	},
	'no-close': { by: 'socket', does: 'sockets: the closing handshake is never finished' },
	'slow-reader': { by: 'socket', does: 'sockets: reads 40 ms, rests 2 s' },
	'huge-frame': { by: 'socket', does: 'sockets: one frame of 50 MB', number: 'times' },
	'binary-frames': { by: 'socket', does: 'sockets: JSON arrives in binary frames' },
	'garbage-frames': { by: 'socket', does: 'sockets: frames that are no messages' },
	'warn-too-fast': { by: 'socket', does: 'sockets: AUDIO_STREAM_TOO_FAST every 2 s' },
	'warn-too-slow': { by: 'socket', does: 'sockets: AUDIO_STREAM_TOO_SLOW every 2 s' },
	'warn-stalled': { by: 'socket', does: 'sockets: AUDIO_STREAM_STALLED every 2 s' },
	'out-of-order': { by: 'socket', does: 'socket audio: chunks swapped in pairs' },
	'duplicate-chunk': { by: 'socket', does: 'socket audio: every second chunk twice' },
	'missing-chunk': { by: 'socket', does: 'socket audio: every third chunk is missing' },
	'no-last-chunk': { by: 'socket', does: 'socket audio: last_chunk is never said' },
	'wrong-rate': { by: 'socket', does: 'socket audio: at 16 kHz instead of 24' },
	'odd-bytes': { by: 'socket', does: 'socket audio: every second chunk has half a sample at its end' },
	'bad-base64': { by: 'socket', does: 'socket audio: every second chunk is not base64' },
	'zlib-bomb': { by: 'socket', does: 'socket audio: every second chunk inflates to 64 MB' },
	'fast-output': { by: 'socket', does: 'socket audio: a sentence at once' },
	'slow-output': { by: 'socket', does: 'socket audio: at half of real time' },
	'stalled-output': { by: 'socket', does: 'socket audio: 3 s of nothing after each third chunk' },
	'placeholder-voice': { by: 'socket', does: 'texts are spoken as where espeak-ng is missing' },
	'no-mp3': { by: 'socket', does: 'text to speech: as where ffmpeg is missing' },
	'no-fin': { by: 'socket', does: 'speech to text: finalize is obeyed, but never answered with its marker' },
	'lone-fin': { by: 'socket', does: 'speech to text: the marker of finalize comes after the last text' },
	'late-fin': { by: 'socket', does: 'speech to text: finalize is obeyed 4 s late' },
	'only-finalize': { by: 'socket', does: 'speech to text: silence makes no text final, only finalize does' },
	'finalize-error': { by: 'socket', does: 'speech to text: finalize is refused, VALIDATION_ERROR' },
	'finalize-closes': {
		by: 'socket',
		does: 'speech to text: finalize ends the connection, 1003',
		number: 'times',
	},
	'repeated-finals': {
		by: 'socket',
		does: 'speech to text: a finished text comes again, in parts, changed and empty',
	},
	'empty-segments': { by: 'socket', does: 'speech to text: empty texts, also in place of the final one' },
	'interleaved-chunks': { by: 'socket', does: 'text to speech: pieces of all texts that wait, in turn' },
	'cut-text': {
		by: 'socket',
		does: 'text to speech: a text ends in the middle, without last_chunk',
		number: 'times',
	},
	'tts-unavailable': {
		by: 'socket',
		does: 'text to speech: SERVICE_UNAVAILABLE for a text',
		number: 'times',
	},
} as const;

/** Faults of glossaries and the account; included in the table below. */
const glossaryFaults = {
	'no-glossaries': { by: 'glossary', does: 'the glossary endpoints are not there (404)' },
	'no-balance': { by: 'glossary', does: 'the credit of the account is not told (404)' },
	'credit-falls': { by: 'glossary', does: 'the credit of the account is 1.5 less with each answer' },
	'no-glossary-table': { by: 'glossary', does: 'the table of a glossary is not given back (404)' },
	'glossary-unchanged': { by: 'glossary', does: 'switching a glossary on or off is taken and has no effect' },
	'refuse-glossaries': {
		by: 'glossary',
		does: 'a set_task that says which glossaries apply gets VALIDATION_ERROR',
	},
} as const;

interface FaultRow {
	/** The component that implements the fault. */
	readonly by: 'rest' | 'session' | 'interpreter' | 'room' | 'socket' | 'voice' | 'glossary';
	readonly does: string;
	/** The meaning of the number in `NAME:NUMBER`; a fault without `number` takes none. */
	readonly number?: 'times' | 'ms' | 'count';
}

/**
 * Every fault. Written `NAME`, `NAME:NUMBER`, and for REST also `NAME@OPERATION` or `NAME@OPERATION:NUMBER`,
 * where the operation is create, list, get, delete or extend, for voices clone, voice, voices, delete-voice or
 * builtin, for glossaries create-glossary, glossaries, glossary, change-glossary, delete-glossary or
 * upload-glossary (else all). A number of `times` limits the fault to that many requests of a caller.
 */
export const faultTable = {
	slow: { by: 'rest', does: 'answers late: 3 s, or the number', number: 'ms' },
	hang: { by: 'rest', does: 'takes the request, does nothing, never answers', number: 'times' },
	'hang-after': { by: 'rest', does: 'does what was asked, never answers', number: 'times' },
	'drop-connection': { by: 'rest', does: 'closes the connection without a word', number: 'times' },
	'cut-body': { by: 'rest', does: 'does what was asked, cuts the body half way', number: 'times' },
	drip: { by: 'rest', does: 'sends the body one byte a second and never ends', number: 'times' },
	'401': { by: 'rest', does: 'key refused', number: 'times' },
	'402': { by: 'rest', does: 'payment required', number: 'times' },
	'403': { by: 'rest', does: 'a right is missing', number: 'times' },
	'403-credit': { by: 'rest', does: 'no balance, error_code 100050', number: 'times' },
	'403-limit': { by: 'rest', does: 'parallel sessions used up, error_code 100060', number: 'times' },
	'404': { by: 'rest', does: 'not found', number: 'times' },
	'409': { by: 'rest', does: 'conflict', number: 'times' },
	'422-many': { by: 'rest', does: 'several errors in one refusal, each of its own field', number: 'times' },
	'422': { by: 'rest', does: 'request refused as invalid', number: 'times' },
	'429': { by: 'rest', does: 'too many requests, no Retry-After', number: 'times' },
	'429-after': { by: 'rest', does: 'too many requests, Retry-After: 2', number: 'times' },
	'429-date': { by: 'rest', does: 'too many requests, Retry-After as a date 3 s ahead', number: 'times' },
	'429-day': { by: 'rest', does: 'too many requests, Retry-After: 86400', number: 'times' },
	'429-garbage': { by: 'rest', does: 'too many requests, Retry-After: soon', number: 'times' },
	'500': { by: 'rest', does: 'server error', number: 'times' },
	'502': { by: 'rest', does: 'bad gateway, HTML body', number: 'times' },
	'503': { by: 'rest', does: 'unavailable, no Retry-After', number: 'times' },
	'503-after': { by: 'rest', does: 'unavailable, Retry-After: 1', number: 'times' },
	'504': { by: 'rest', does: 'gateway time-out, HTML body', number: 'times' },
	'500-after': { by: 'rest', does: 'does what was asked, then says 500', number: 'times' },
	'error-text': { by: 'rest', does: 'old error shape {error: text} with 400', number: 'times' },
	'malformed-json': { by: 'rest', does: 'a body that is not JSON', number: 'times' },
	html: { by: 'rest', does: 'an HTML page with the right status', number: 'times' },
	'empty-body': { by: 'rest', does: 'no body with the right status', number: 'times' },
	bom: { by: 'rest', does: 'a byte order mark before the JSON', number: 'times' },
	'huge-body': { by: 'rest', does: 'a body of 200 MB', number: 'times' },
	'deep-body': { by: 'rest', does: 'JSON nested 100 000 deep', number: 'times' },
	'wrong-types': { by: 'rest', does: 'null and numbers where text belongs', number: 'times' },
	'not-ok': { by: 'rest', does: 'ok: false with a status of success', number: 'times' },
	'extra-fields': { by: 'rest', does: 'fields nobody documented, an unknown intent, older extras' },
	'publisher-array': { by: 'rest', does: 'create answers publisher as an array, as older deployments' },
	'status-200-create': { by: 'rest', does: 'create answers 200, delete and extend 200 with a body' },
	'list-sessions': { by: 'rest', does: 'list answers {data: {sessions: […]}}' },
	'sessions-null': { by: 'rest', does: 'list answers {sessions: null}' },
	'bare-array': { by: 'rest', does: 'list answers an array' },
	'no-token': { by: 'rest', does: 'list leaves next_page_token out' },
	'null-token': { by: 'rest', does: 'list answers next_page_token: null' },
	'repeat-token': { by: 'rest', does: 'list answers the same next_page_token for ever' },
	'endless-list': { by: 'rest', does: 'list always has one more page' },
	'duplicate-ids': { by: 'rest', does: 'list repeats every session' },
	'bad-times': { by: 'rest', does: 'expires_at is not a time' },
	redirect: { by: 'rest', does: '302 to another origin (the same port on localhost)', number: 'times' },
	'redirect-loop': { by: 'rest', does: '307 to itself', number: 'times' },
	'clock-skew': { by: 'rest', does: 'the service clock (Date header and all times) is an hour ahead' },
	'hostile-ids': { by: 'session', does: 'session ids with dots, slashes, query characters, token-shaped' },
	'forgets-sessions': { by: 'session', does: 'list is empty; get, delete and extend answer 404' },
	'expires-soon': { by: 'session', does: 'sessions live 3 s, or the number', number: 'ms' },
	'expires-joined': {
		by: 'session',
		does: 'a joined session ends after 60 s, or the number, and cannot be extended',
		number: 'ms',
	},
	'limit-1': { by: 'session', does: 'only one session at a time' },
	'bad-webrtc-url': { by: 'session', does: 'webrtc_url points where nobody listens' },
	'private-webrtc-url': { by: 'session', does: 'webrtc_url points into a private network' },
	'ignore-first-set-task': {
		by: 'interpreter',
		does: 'loses the first set_task, or that many',
		number: 'count',
	},
	'slow-task': { by: 'interpreter', does: 'the task runs after 3 s, or the number', number: 'ms' },
	'never-ready': { by: 'interpreter', does: 'set_task has no effect and get_task says NOT_FOUND' },
	'refuse-task': { by: 'interpreter', does: 'every set_task gets VALIDATION_ERROR' },
	'refuse-speakers-voice': {
		by: 'interpreter',
		does: 'a set_task whose voice follows the speaker gets VALIDATION_ERROR',
	},
	'refuse-changes': { by: 'interpreter', does: 'every set_task but the first gets VALIDATION_ERROR' },
	'no-voice': { by: 'interpreter', does: 'texts only, nothing is spoken' },
	'late-audio-after-flush': { by: 'interpreter', does: 'a dropped sentence speaks on for a moment' },
	'error-storm': { by: 'interpreter', does: '1 000 errors a second while the task runs' },
	'unknown-messages': { by: 'interpreter', does: 'message types and fields nobody knows' },
	'garbage-data': {
		by: 'interpreter',
		does: 'data of wrong shapes: null, arrays, numbers, empty and hostile ids',
	},
	'double-encoded': { by: 'interpreter', does: 'data arrives as a JSON string' },
	'duplicate-messages': { by: 'interpreter', does: 'every final message twice, a partial after the final' },
	'voice-not-found': { by: 'interpreter', does: 'VOICE_NOT_FOUND for every target' },
	'count-together': { by: 'interpreter', does: 'set_task and get_task share one rate limit' },
	'no-timeout': { by: 'interpreter', does: 'no SERVICE_TIMEOUT when no audio comes' },
	'no-end-of-stream': { by: 'interpreter', does: 'end_task is never answered and nothing closes' },
	'error-as-msg': { by: 'interpreter', does: 'errors carry msg instead of desc' },
	'double-track': { by: 'room', does: 'two tracks for every target' },
	'agent-late': { by: 'room', does: 'the translator joins 5 s late, or the number', number: 'ms' },
	'agent-never': { by: 'room', does: 'the translator never joins' },
	'agent-leaves': {
		by: 'room',
		does: 'the translator leaves once, 5 s after the client came, or the number',
		number: 'ms',
	},
	'room-refuse': { by: 'room', does: 'the room answers 401 to every token' },
	'room-hang': { by: 'room', does: 'the room takes the socket and never says a word' },
	'room-no-answer': { by: 'room', does: 'the room never answers an SDP offer' },
	'no-pong': { by: 'room', does: 'the room answers no ping' },
	'signal-drop': { by: 'room', does: 'the signalling socket drops once, media goes on' },
	'resume-refused': { by: 'room', does: 'a reconnect cannot resume, only join afresh' },
	'leave-reconnect': {
		by: 'room',
		does: 'the room asks once to join afresh, 5 s after the client came, or the number, and goes on meanwhile',
		number: 'ms',
	},
	'data-garbage': { by: 'room', does: 'data packets that are no messages' },
	...glossaryFaults,
	...socketFaults,
	...voiceFaults,
} as const satisfies Record<string, FaultRow>;

export type FaultName = keyof typeof faultTable;

export function isFaultName(name: string): name is FaultName {
	return Object.hasOwn(faultTable, name);
}

/** The faults of one caller: its own and those switched on for everyone, read at each call. */
export interface FaultSet {
	/** `operation` selects REST faults written `NAME@OPERATION`. */
	has(name: FaultName, operation?: string): boolean;
	/** The number given with the fault, else `otherwise`. */
	number(name: FaultName, otherwise: number): number;
	/** Like `has`, but uses up one of its `times`. */
	take(name: FaultName, operation?: string): boolean;
}

export interface Faults extends FaultSet {
	/** Faults of one caller; a caller is a key or a session id. */
	of(caller: string): FaultSet;
	/** Assigns faults to a caller; `like` copies (and shares the counts of) another caller's faults. */
	assign(caller: string, specs: readonly FaultSpec[]): void;
	share(caller: string, like: string): void;
	/** Switches a fault for everyone. The table describes the format of `text`; unknown faults are refused. */
	set(text: string, on: boolean): Result<void, string>;
}

interface FaultSpec {
	readonly name: FaultName;
	readonly operation: string | null;
	readonly number: number | null;
	/** Remaining uses; null = unlimited. */
	left: number | null;
}

/** Reads `NAME@OPERATION:NUMBER`; the error is a sentence. */
export function parseFault(text: string): Result<FaultSpec, string> {
	const match = /^([\w-]+)(?:@([\w-]+))?(?::(\d+))?$/.exec(text);
	const name = match?.[1] ?? '';
	if (!isFaultName(name)) return err(`unknown fault "${text.slice(0, 60)}"`);
	const row: FaultRow = faultTable[name];
	const number = match?.[3] === undefined ? null : Number(match[3]);
	if (number !== null && row.number === undefined) return err(`fault "${name}" takes no number`);
	return ok({
		name,
		operation: match?.[2] ?? null,
		number,
		left: row.number === 'times' ? number : null,
	});
}

export function createFaults(): Faults {
	const everyone: FaultSpec[] = [];
	const own = new Map<string, readonly FaultSpec[]>();

	function find(specs: readonly FaultSpec[], name: FaultName, operation?: string): FaultSpec | undefined {
		return specs.find(
			(spec) =>
				spec.name === name && spec.left !== 0 && (spec.operation === null || spec.operation === operation),
		);
	}

	function view(specs: () => readonly FaultSpec[]): FaultSet {
		return {
			has: (name, operation) => find(specs(), name, operation) !== undefined,
			number: (name, otherwise) => specs().find((spec) => spec.name === name)?.number ?? otherwise,
			take(name, operation) {
				const spec = find(specs(), name, operation);
				if (spec?.left) spec.left -= 1;
				return spec !== undefined;
			},
		};
	}

	return {
		...view(() => everyone),
		of: (caller) => view(() => [...(own.get(caller) ?? []), ...everyone]),
		assign: (caller, specs) => own.set(caller, specs),
		share: (caller, like) => own.set(caller, own.get(like) ?? []),
		set(text, on) {
			const spec = parseFault(text);
			if (!spec.ok) return spec;
			const same = everyone.findIndex(
				({ name, operation }) => name === spec.value.name && operation === spec.value.operation,
			);
			if (same >= 0) everyone.splice(same, 1);
			if (on) everyone.push(spec.value);
			return ok();
		},
	};
}
