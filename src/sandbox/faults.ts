import { err, ok, type Result } from '#shared/lib/result.ts';

/**
 * What a fault does, and what the number in `NAME:NUMBER` means; a fault without one takes no number. `times`: the
 * fault ends after that many requests of a caller.
 */
type FaultRow = readonly [does: string, number?: 'times' | 'ms' | 'count'];

/**
 * Every fault, by the component that implements it. Written `NAME`, `NAME:NUMBER`, and for REST also
 * `NAME@OPERATION` or `NAME@OPERATION:NUMBER`, where the operation is create, list, get, delete or extend, for voices
 * clone, voice, voices, delete-voice or builtin, for glossaries create-glossary, glossaries, glossary,
 * change-glossary, delete-glossary or upload-glossary (else all).
 */
export const faultTable = {
	// REST
	'401': ['key refused', 'times'],
	'402': ['payment required', 'times'],
	'403': ['a right is missing', 'times'],
	'404': ['not found', 'times'],
	'409': ['conflict', 'times'],
	'422': ['request refused as invalid', 'times'],
	'429': ['too many requests, no Retry-After', 'times'],
	'500': ['server error', 'times'],
	'502': ['bad gateway, HTML body', 'times'],
	'503': ['unavailable, no Retry-After', 'times'],
	'504': ['gateway time-out, HTML body', 'times'],
	slow: ['answers late: 3 s, or the number', 'ms'],
	hang: ['takes the request, does nothing, never answers', 'times'],
	'hang-after': ['does what was asked, never answers', 'times'],
	'drop-connection': ['closes the connection without a word', 'times'],
	'cut-body': ['does what was asked, cuts the body half way', 'times'],
	drip: ['sends the body one byte a second and never ends', 'times'],
	'403-credit': ['no balance, error_code 100050', 'times'],
	'403-limit': ['parallel sessions used up, error_code 100060', 'times'],
	'422-many': ['several errors in one refusal, each of its own field', 'times'],
	'429-after': ['too many requests, Retry-After: 2', 'times'],
	'429-date': ['too many requests, Retry-After as a date 3 s ahead', 'times'],
	'429-day': ['too many requests, Retry-After: 86400', 'times'],
	'429-garbage': ['too many requests, Retry-After: soon', 'times'],
	'503-after': ['unavailable, Retry-After: 1', 'times'],
	'500-after': ['does what was asked, then says 500', 'times'],
	'error-text': ['old error shape {error: text} with 400', 'times'],
	'malformed-json': ['a body that is not JSON', 'times'],
	html: ['an HTML page with the right status', 'times'],
	'empty-body': ['no body with the right status', 'times'],
	bom: ['a byte order mark before the JSON', 'times'],
	'huge-body': ['a body of 200 MB', 'times'],
	'deep-body': ['JSON nested 100 000 deep', 'times'],
	'wrong-types': ['null and numbers where text belongs', 'times'],
	'not-ok': ['ok: false with a status of success', 'times'],
	'extra-fields': ['fields nobody documented, an unknown intent, older extras'],
	'publisher-array': ['create answers publisher as an array, as older deployments'],
	'status-200-create': ['create answers 200, delete and extend 200 with a body'],
	'list-sessions': ['list answers {data: {sessions: […]}}'],
	'sessions-null': ['list answers {sessions: null}'],
	'bare-array': ['list answers an array'],
	'no-token': ['list leaves next_page_token out'],
	'null-token': ['list answers next_page_token: null'],
	'repeat-token': ['list answers the same next_page_token for ever'],
	'endless-list': ['list always has one more page'],
	'duplicate-ids': ['list repeats every session'],
	'bad-times': ['expires_at is not a time'],
	redirect: ['302 to another origin (the same port on localhost)', 'times'],
	'redirect-loop': ['307 to itself', 'times'],
	'clock-skew': ['the service clock (Date header and all times) is an hour ahead'],
	// Sessions
	'hostile-ids': ['session ids with dots, slashes, query characters, token-shaped'],
	'forgets-sessions': ['list is empty; get, delete and extend answer 404'],
	'expires-soon': ['sessions live 3 s, or the number', 'ms'],
	'expires-joined': ['a joined session ends after 60 s, or the number, and cannot be extended', 'ms'],
	'limit-1': ['only one session at a time'],
	'bad-webrtc-url': ['webrtc_url points where nobody listens'],
	'private-webrtc-url': ['webrtc_url points into a private network'],
	// The interpreter
	'ignore-first-set-task': ['loses the first set_task, or that many', 'count'],
	'slow-task': ['the task runs after 3 s, or the number', 'ms'],
	'never-ready': ['set_task has no effect and get_task says NOT_FOUND'],
	'refuse-task': ['every set_task gets VALIDATION_ERROR'],
	'refuse-speakers-voice': ['a set_task whose voice follows the speaker gets VALIDATION_ERROR'],
	'refuse-changes': ['every set_task but the first gets VALIDATION_ERROR'],
	'no-voice': ['texts only, nothing is spoken'],
	'late-audio-after-flush': ['a dropped sentence speaks on for a moment'],
	'error-storm': ['1 000 errors a second while the task runs'],
	'unknown-messages': ['message types and fields nobody knows'],
	'garbage-data': ['data of wrong shapes: null, arrays, numbers, empty and hostile ids'],
	'double-encoded': ['data arrives as a JSON string'],
	'duplicate-messages': ['every final message twice, a partial after the final'],
	'voice-not-found': ['VOICE_NOT_FOUND for every target'],
	'count-together': ['set_task and get_task share one rate limit'],
	'no-timeout': ['no SERVICE_TIMEOUT when no audio comes'],
	'no-end-of-stream': ['end_task is never answered and nothing closes'],
	'error-as-msg': ['errors carry msg instead of desc'],
	// The room
	'double-track': ['two tracks for every target'],
	'agent-late': ['the translator joins 5 s late, or the number', 'ms'],
	'agent-never': ['the translator never joins'],
	'agent-leaves': ['the translator leaves once, 5 s after the client came, or the number', 'ms'],
	'room-refuse': ['the room answers 401 to every token'],
	'room-hang': ['the room takes the socket and never says a word'],
	'room-no-answer': ['the room never answers an SDP offer'],
	'no-pong': ['the room answers no ping'],
	'signal-drop': ['the signalling socket drops once, media goes on'],
	'resume-refused': ['a reconnect cannot resume, only join afresh'],
	'leave-reconnect': [
		'the room asks once to join afresh, 5 s after the client came, or the number, and goes on meanwhile',
		'ms',
	],
	'data-garbage': ['data packets that are no messages'],
	// Glossaries and the account
	'no-glossaries': ['the glossary endpoints are not there (404)'],
	'no-balance': ['the credit of the account is not told (404)'],
	'credit-falls': ['the credit of the account is 1.5 less with each answer'],
	'no-glossary-table': ['the table of a glossary is not given back (404)'],
	'glossary-unchanged': ['switching a glossary on or off is taken and has no effect'],
	'refuse-glossaries': ['a set_task that says which glossaries apply gets VALIDATION_ERROR'],
	// Sockets
	'upgrade-301': [
		'sockets: the upgrade is refused, moved to another origin (the same port on localhost)',
		'times',
	],
	'upgrade-400': ['sockets: the upgrade is refused, bad request', 'times'],
	'upgrade-401': ['sockets: the upgrade is refused, credential refused', 'times'],
	'upgrade-402': ['sockets: the upgrade is refused, payment required', 'times'],
	'upgrade-403': ['sockets: the upgrade is refused, credential or right refused', 'times'],
	'upgrade-404': ['sockets: the upgrade is refused, not found', 'times'],
	'upgrade-409': ['sockets: the upgrade is refused, conflict', 'times'],
	'upgrade-429': ['sockets: the upgrade is refused, too many requests, Retry-After: 1', 'times'],
	'upgrade-503': ['sockets: the upgrade is refused, unavailable, Retry-After: 1', 'times'],
	'upgrade-hang': ['sockets: the upgrade is never answered', 'times'],
	'bare-1008': ['sockets: closed at once as by the connection limit', 'times'],
	'close-1000': ['sockets: closed 2 s after the first audio or text, as at the end', 'times'],
	'close-1001': ['sockets: closed 2 s after the first audio or text, going away', 'times'],
	'close-1002': ['sockets: closed 2 s after the first audio or text, protocol error', 'times'],
	'close-1003': ['sockets: closed 2 s after the first audio or text, unsupported data', 'times'],
	'close-1007': ['sockets: closed 2 s after the first audio or text, bad text', 'times'],
	'close-1008': ['sockets: closed 2 s after the first audio or text, policy', 'times'],
	'close-1009': ['sockets: closed 2 s after the first audio or text, too large', 'times'],
	'close-1011': ['sockets: closed 2 s after the first audio or text, server error', 'times'],
	'close-1012': ['sockets: closed 2 s after the first audio or text, restart', 'times'],
	'close-1013': ['sockets: closed 2 s after the first audio or text, try later', 'times'],
	'close-4000': ['sockets: closed 2 s after the first audio or text, of its own', 'times'],
	'close-4001': ['sockets: closed 2 s after the first audio or text, of its own, unauthorized', 'times'],
	'close-4003': ['sockets: closed 2 s after the first audio or text, of its own, forbidden', 'times'],
	'close-4999': ['sockets: closed 2 s after the first audio or text, of its own', 'times'],
	'socket-1006': ['sockets: TCP drops 2 s after the first audio or text', 'times'],
	'half-open': ['sockets: from then on nothing is read, no ping answered', 'times'],
	'no-close': ['sockets: the closing handshake is never finished'],
	'slow-reader': ['sockets: reads 40 ms, rests 2 s'],
	'huge-frame': ['sockets: one frame of 50 MB', 'times'],
	'binary-frames': ['sockets: JSON arrives in binary frames'],
	'garbage-frames': ['sockets: frames that are no messages'],
	'warn-too-fast': ['sockets: AUDIO_STREAM_TOO_FAST every 2 s'],
	'warn-too-slow': ['sockets: AUDIO_STREAM_TOO_SLOW every 2 s'],
	'warn-stalled': ['sockets: AUDIO_STREAM_STALLED every 2 s'],
	'out-of-order': ['socket audio: chunks swapped in pairs'],
	'duplicate-chunk': ['socket audio: every second chunk twice'],
	'missing-chunk': ['socket audio: every third chunk is missing'],
	'no-last-chunk': ['socket audio: last_chunk is never said'],
	'wrong-rate': ['socket audio: at 16 kHz instead of 24'],
	'odd-bytes': ['socket audio: every second chunk has half a sample at its end'],
	'bad-base64': ['socket audio: every second chunk is not base64'],
	'zlib-bomb': ['socket audio: every second chunk inflates to 64 MB'],
	'fast-output': ['socket audio: a sentence at once'],
	'slow-output': ['socket audio: at half of real time'],
	'stalled-output': ['socket audio: 3 s of nothing after each third chunk'],
	'placeholder-voice': ['texts are spoken as where espeak-ng is missing'],
	'no-mp3': ['text to speech: as where ffmpeg is missing'],
	'no-fin': ['speech to text: finalize is obeyed, but never answered with its marker'],
	'lone-fin': ['speech to text: the marker of finalize comes after the last text'],
	'late-fin': ['speech to text: finalize is obeyed 4 s late'],
	'only-finalize': ['speech to text: silence makes no text final, only finalize does'],
	'finalize-error': ['speech to text: finalize is refused, VALIDATION_ERROR'],
	'finalize-closes': ['speech to text: finalize ends the connection, 1003', 'times'],
	'repeated-finals': ['speech to text: a finished text comes again, in parts, changed and empty'],
	'empty-segments': ['speech to text: empty texts, also in place of the final one'],
	'interleaved-chunks': ['text to speech: pieces of all texts that wait, in turn'],
	'cut-text': ['text to speech: a text ends in the middle, without last_chunk', 'times'],
	'tts-unavailable': ['text to speech: SERVICE_UNAVAILABLE for a text', 'times'],
	// Voices
	'voice-token-only': ['the voice endpoints refuse the API key, and take the voice token'],
	'ascii-names': ['names of voices may hold ASCII letters only'],
	'upload-expired': ['pre-signed addresses are expired when given', 'times'],
	'upload-500': ['the upload ends with 500', 'times'],
	'upload-503': ['the upload ends with 503 SlowDown', 'times'],
	'upload-403': ['the upload is refused', 'times'],
	'upload-cut': ['the connection breaks in the middle of the upload', 'times'],
	'upload-hang': ['the upload is taken and never answered', 'times'],
	'upload-slow': ['the upload is taken slowly: 200 ms a piece, or the number', 'ms'],
	'upload-error-body': ['the upload answers 200 with an S3 error in its body', 'times'],
	'upload-200': ['the upload answers 200 instead of 204'],
	'upload-201': ['the upload answers 201 with a page of XML'],
	'upload-odd-form': ['form_data holds a number, and a field that is null'],
	'voice-pending': ['a voice is ready after 1.5 s, or the number', 'ms'],
	'voice-fails': ['processing ends with failed and its reasons'],
	'voice-warns': ['processing ends with warnings'],
	'voice-stuck': ['processing never ends'],
	'voice-odd-status': ['processing has a status that nobody knows'],
	'no-voice-status': ['the status of a voice cannot be asked (404)'],
	'two-samples': ['the answer names a second upload, for a sample nobody sent, first'],
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
	const [, meaning]: FaultRow = faultTable[name];
	const number = match?.[3] === undefined ? null : Number(match[3]);
	if (number !== null && meaning === undefined) return err(`fault "${name}" takes no number`);
	return ok({
		name,
		operation: match?.[2] ?? null,
		number,
		left: meaning === 'times' ? number : null,
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
