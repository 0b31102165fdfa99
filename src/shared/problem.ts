import { z } from 'zod/mini';

const text = z.string();
const ms = z.number();

export const DRAFT_FIELDS = [
	'sample',
	'name',
	'language',
	'description',
	'labels',
	'attributes',
	'consent',
] as const;

/** A fault of a form field. Texts: `voices.invalid.<field>.<reason>` in the catalogues. */
export const FieldProblem = z.lazy(() =>
	z.object({
		field: z.enum(DRAFT_FIELDS),
		reason: z.enum([
			'missing',
			'too-short',
			'too-long',
			'characters',
			'unknown',
			'type',
			'too-large',
			'empty',
		]),
	}),
);
export type FieldProblem = z.infer<typeof FieldProblem>;

/** One error record of the service (specification 7): plain text without secrets, 300 characters a field. */
export const ServiceErrorRecord = z.lazy(() =>
	z.object({
		title: z.optional(text),
		detail: z.optional(text),
		/** `error_code`. */
		code: z.optional(text),
		status: z.optional(z.number()),
		/** URI of the kind of error. */
		type: z.optional(text),
		/** URI of this occurrence of the error. */
		instance: z.optional(text),
		/** Path of the refused field, as the service names it. */
		field: z.optional(text),
	}),
);
export type ServiceErrorRecord = z.infer<typeof ServiceErrorRecord>;

/** The service's reasons for a refusal: the code of the first record, for support, and all records. */
const said = { code: z.optional(text), errors: z.optional(z.array(ServiceErrorRecord)) };

/** A fault in a line of a table; line 0 is the table as a whole. Texts: `table.fault.<reason>` in the catalogues. */
export const TableFault = z.lazy(() =>
	z.object({
		line: z.number(),
		reason: z.enum([
			'one-column',
			'two-columns',
			'empty',
			'too-long',
			'repeated',
			'quotes',
			'nothing',
			'too-large',
			'tbx',
			'three-columns',
			'language',
			'too-long-words',
			'too-many',
		]),
	}),
);
export type TableFault = z.infer<typeof TableFault>;

/** Every problem of a user, as facts without text. The catalogues have text and next step (`problem.<kind>`). */
export const Problem = z.lazy(() =>
	z.discriminatedUnion('kind', [
		/** No API key is known and the sandbox was not chosen. */
		z.object({ kind: z.literal('api-key-missing') }),
		/** A key exists, but it was given for other addresses than this one. */
		z.object({ kind: z.literal('key-elsewhere'), host: text }),
		/** The request began with an account other than the one in force now. */
		z.object({ kind: z.literal('account-changed') }),
		/** The service refused the key (401, or 403 on a socket upgrade). */
		z.object({ kind: z.literal('api-key-rejected'), status: z.number(), ...said }),
		/** A character that no key contains, such as `U+200B`; `position` counts from 1. Nothing was sent. */
		z.object({ kind: z.literal('key-characters'), character: text, position: z.number() }),
		/** A 403, but not for key, credit or limit; `detail` is the service's text, at most 300 characters. */
		z.object({ kind: z.literal('forbidden'), detail: text, ...said }),
		z.object({ kind: z.literal('no-credit'), detail: text, ...said }),
		/** The plan's parallel sessions are used up. */
		z.object({ kind: z.literal('session-limit'), detail: text, ...said }),
		/** No connection at all: DNS, refused, offline. `host` is host and port, if known. */
		z.object({ kind: z.literal('service-unreachable'), cause: text, host: z.optional(text) }),
		/** The server's certificate is not trusted by this computer; nothing was sent. */
		z.object({ kind: z.literal('certificate-untrusted'), cause: text }),
		/** The proxy refused the connection; `cause` is its status, or a network error code. */
		z.object({ kind: z.literal('proxy-refused'), cause: text }),
		/** The proxy requires a name and a password (407). */
		z.object({ kind: z.literal('proxy-login') }),
		/** A web page or a redirect arrived instead of an answer: from a network's login page or filter. */
		z.object({ kind: z.literal('not-the-service'), status: z.number() }),
		/** The service answered with a failure that no other kind describes. */
		z.object({ kind: z.literal('service-failed'), status: z.number(), detail: text, ...said }),
		/** The answer does not have the form that the protocol promises. */
		z.object({ kind: z.literal('unexpected-answer'), what: text, ...said }),
		z.object({ kind: z.literal('rate-limited'), retryAfterMs: ms, ...said }),
		z.object({ kind: z.literal('timed-out'), what: text, afterMs: ms }),
		/** `name` is the requested item, as a person typed it. */
		z.object({ kind: z.literal('not-found'), what: text, name: z.optional(text), ...said }),
		z.object({ kind: z.literal('cancelled') }),
		/** A session may have been created although no answer arrived; the list shows it. */
		z.object({ kind: z.literal('session-uncertain') }),
		/** The session ended, or somebody deleted it. */
		z.object({ kind: z.literal('session-lost'), cause: text }),
		/** The service does not accept the task: `field` is the path it named, if any. */
		z.object({ kind: z.literal('task-refused'), field: text, detail: text, ...said }),
		/** Connected, but the task was not confirmed in time. */
		z.object({ kind: z.literal('interpreter-silent'), afterMs: ms }),
		z.object({ kind: z.literal('room-refused'), reason: text, ...said }),
		z.object({ kind: z.literal('room-unreachable'), reason: text }),
		/** `final`: another connection would end in the same way. */
		z.object({ kind: z.literal('connection-lost'), reason: text, final: z.optional(z.boolean()) }),
		/** Another client took over our place in the room. */
		z.object({ kind: z.literal('opened-elsewhere') }),
		/** The service returned an address to which we do not connect. */
		z.object({ kind: z.literal('address-refused'), host: text }),
		/** The port belongs to another kind of service: browsers, `fetch` or our own check refuse it. */
		z.object({ kind: z.literal('port-refused'), host: text, port: z.number() }),
		/** The service is not the public one and no address is set for this socket. */
		z.object({ kind: z.literal('socket-off'), socket: z.enum(['s2s', 'stt', 'tts']) }),
		/** A file given by the user is missing or invalid. `reason` is a short English clause. */
		z.object({ kind: z.literal('file-unreadable'), file: text, reason: text }),
		z.object({ kind: z.literal('microphone-denied') }),
		z.object({ kind: z.literal('microphone-missing') }),
		z.object({ kind: z.literal('microphone-busy'), device: text }),
		z.object({ kind: z.literal('microphone-failed'), device: text, reason: text }),
		z.object({ kind: z.literal('output-missing'), device: text }),
		z.object({ kind: z.literal('output-blocked') }),
		/** A program that communicates with the sound server is not installed. */
		z.object({ kind: z.literal('sound-tool-missing'), program: text }),
		/** No sound server answers; `reason` is the tool's message, may be empty. */
		z.object({ kind: z.literal('sound-server-away'), reason: text }),
		/** The sound server refused; `reason` is its message. */
		z.object({ kind: z.literal('virtual-microphone-failed'), reason: text }),
		/** A virtual microphone cannot be created on this system; an audio cable is needed. */
		z.object({ kind: z.literal('virtual-microphone-unsupported') }),
		/** A program that records the sound of other programs is not installed. */
		z.object({ kind: z.literal('recorder-missing'), program: text }),
		/** The computer's sound cannot be captured now; `reason` names the component that failed. */
		z.object({ kind: z.literal('system-sound-failed'), reason: text }),
		z.object({ kind: z.literal('system-sound-unsupported') }),
		z.object({ kind: z.literal('system-sound-denied') }),
		z.object({ kind: z.literal('language-missing') }),
		/**
		 * In a mode that translates both ways, the spoken language is set to be detected or cannot be a target.
		 */
		z.object({ kind: z.literal('language-one-way') }),
		/** Source and target are the same language. */
		z.object({ kind: z.literal('languages-same'), language: text }),
		/** Captions-only mode has fewer languages (protocol 6.4). */
		z.object({ kind: z.literal('language-not-transcribed'), language: text }),
		z.object({ kind: z.literal('settings-unreadable'), keptAs: text }),
		z.object({ kind: z.literal('storage-failed'), what: text }),
		/** The history could not be read; the file was kept under this name. */
		z.object({ kind: z.literal('history-unreadable'), keptAs: text }),
		/** Another program has the history's file open. */
		z.object({ kind: z.literal('history-busy') }),
		/** The voice endpoints refused the separate voice token. */
		z.object({ kind: z.literal('voice-token-rejected'), status: z.number(), ...said }),
		/** Our own check of a voice's form failed. */
		z.object({ kind: z.literal('voice-invalid'), fields: z.array(FieldProblem) }),
		/** The service refuses the details of the voice; `field` is the path it named, if any. */
		z.object({
			kind: z.literal('voice-refused'),
			status: z.number(),
			field: text,
			detail: text,
			...said,
		}),
		/** The program exited while a voice was described (`request`) or its sample sent (`upload`). */
		z.object({ kind: z.literal('voice-interrupted'), stage: z.enum(['request', 'upload']) }),
		/** No answer to the description of a voice: the voice may have been created. */
		z.object({ kind: z.literal('voice-uncertain') }),
		/** The address for an upload expired repeatedly. */
		z.object({ kind: z.literal('upload-expired') }),
		/** The storage refused the sample. */
		z.object({ kind: z.literal('upload-refused'), status: z.number(), detail: text, ...said }),
		/** The list of voices could not be read; the file was kept under this name. */
		z.object({ kind: z.literal('voices-unreadable'), keptAs: text }),
		/** The service does not offer glossaries, or not to this account. */
		z.object({ kind: z.literal('glossaries-unavailable') }),
		/** The service does not report the account's balance. */
		z.object({ kind: z.literal('balance-unavailable') }),
		/** An unreadable table; `more` faults are not listed. */
		z.object({ kind: z.literal('table-invalid'), lines: z.array(TableFault), more: z.number() }),
		/** No operating-system keychain: the key can only be kept until the program exits. */
		z.object({ kind: z.literal('keychain-missing') }),
		/** `local`: the local interpreter failed, which runs in place of the sandbox. */
		z.object({ kind: z.literal('sandbox-failed'), reason: text, local: z.optional(z.boolean()) }),
		/** The downloaded or copied file differs from the published one, so it was deleted. */
		z.object({ kind: z.literal('model-altered'), model: text, file: text }),
		/** A file of an installed model is missing or has another size. */
		z.object({ kind: z.literal('model-damaged'), model: text, file: text }),
		/** A conversation or another program is using the model. */
		z.object({ kind: z.literal('model-in-use'), model: text }),
		/** Sizes in millions of bytes. */
		z.object({ kind: z.literal('disk-full'), neededMb: z.number(), freeMb: z.number() }),
		/** The local interpreter needs models for this pair, such as `en-pt`, that are not installed. */
		z.object({ kind: z.literal('models-missing'), pair: text }),
		/** A bug of ours; `where` helps support. */
		z.object({ kind: z.literal('bug'), where: text }),
	]),
);
export type Problem = z.infer<typeof Problem>;
export type ProblemKind = Problem['kind'];
export type ProblemOf<Kind extends ProblemKind> = Extract<Problem, { kind: Kind }>;

/** The records that a sentence with detail and code does not fully cover; may be empty. */
export function furtherErrors(problem: Problem): readonly ServiceErrorRecord[] {
	const errors = errorsOf(problem);
	const [only, second] = errors;
	if (!only || second) return errors;
	const { detail = '', ...more } = only;
	const isSaid = detail === '' || ('detail' in problem && problem.detail === detail);
	return isSaid && !more.title && !more.type && !more.instance && !more.field ? [] : errors;
}

/** Details for support: the records, or code and original text if there are none. */
export function detailsOf(problem: Problem): readonly ServiceErrorRecord[] {
	const errors = errorsOf(problem);
	if (errors.length > 0) return errors;
	const { detail, cause, reason, where, field, code }: RawWords & Problem = problem;
	const raw = detail || cause || reason || where;
	const record = { ...(raw && { detail: raw }), ...(field && { field }), ...(code && { code }) };
	return Object.keys(record).length === 0 ? [] : [record];
}

interface RawWords {
	readonly detail?: string;
	readonly cause?: string;
	readonly reason?: string;
	readonly where?: string;
	readonly field?: string;
	readonly code?: string | undefined;
}

/** Every record of the service behind a problem; may be empty. */
export function errorsOf(problem: Problem): readonly ServiceErrorRecord[] {
	return ('errors' in problem && problem.errors) || [];
}

/** The one next step offered with a problem; the window implements each. */
export type Recovery =
	| 'retry'
	| 'open-key'
	| 'open-sessions'
	| 'open-microphone'
	| 'open-output'
	| 'open-call-route'
	| 'open-languages'
	| 'open-settings'
	| 'open-system-privacy'
	| 'check-network'
	| 'use-sandbox'
	| 'copy-report'
	| 'none';

/** A new kind does not compile until it has a next step. Its text is `problem.<kind>` in the catalogues. */
export const recoveryOf: { readonly [Kind in ProblemKind]: Recovery } = {
	'api-key-missing': 'open-key',
	'key-elsewhere': 'open-key',
	'account-changed': 'retry',
	'api-key-rejected': 'open-key',
	'key-characters': 'open-key',
	forbidden: 'open-key',
	'no-credit': 'open-settings',
	'session-limit': 'open-sessions',
	'service-unreachable': 'check-network',
	'certificate-untrusted': 'check-network',
	'proxy-refused': 'check-network',
	'proxy-login': 'check-network',
	'not-the-service': 'check-network',
	'service-failed': 'retry',
	'unexpected-answer': 'copy-report',
	'rate-limited': 'retry',
	'timed-out': 'retry',
	'not-found': 'none',
	cancelled: 'none',
	'session-uncertain': 'retry',
	'session-lost': 'retry',
	'task-refused': 'open-languages',
	'interpreter-silent': 'retry',
	'room-refused': 'retry',
	'room-unreachable': 'check-network',
	'connection-lost': 'retry',
	'opened-elsewhere': 'retry',
	'address-refused': 'open-settings',
	'port-refused': 'open-settings',
	'socket-off': 'open-settings',
	'file-unreadable': 'none',
	'microphone-denied': 'open-system-privacy',
	'microphone-missing': 'open-microphone',
	'microphone-busy': 'open-microphone',
	'microphone-failed': 'open-microphone',
	'output-missing': 'open-output',
	'output-blocked': 'retry',
	'sound-tool-missing': 'open-call-route',
	'sound-server-away': 'open-call-route',
	'virtual-microphone-failed': 'open-call-route',
	'virtual-microphone-unsupported': 'open-call-route',
	'recorder-missing': 'retry',
	'system-sound-failed': 'retry',
	'system-sound-unsupported': 'none',
	'system-sound-denied': 'open-system-privacy',
	'language-missing': 'open-languages',
	'language-one-way': 'open-languages',
	'languages-same': 'open-languages',
	'language-not-transcribed': 'open-languages',
	'settings-unreadable': 'open-settings',
	'storage-failed': 'copy-report',
	'history-unreadable': 'none',
	'history-busy': 'retry',
	'voice-token-rejected': 'open-key',
	'voice-invalid': 'none',
	'voice-refused': 'none',
	'voice-interrupted': 'retry',
	'voice-uncertain': 'retry',
	'upload-expired': 'retry',
	'upload-refused': 'retry',
	'voices-unreadable': 'none',
	'glossaries-unavailable': 'none',
	'balance-unavailable': 'none',
	'table-invalid': 'none',
	'keychain-missing': 'open-settings',
	'sandbox-failed': 'retry',
	'models-missing': 'open-settings',
	'model-altered': 'retry',
	'model-damaged': 'retry',
	'model-in-use': 'none',
	'disk-full': 'none',
	bug: 'copy-report',
};

/** The names that OpenSSL, Node and Chromium use for an untrusted certificate. */
const CERTIFICATE =
	/^(CERT_|ERR_CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_|SELF_SIGNED_CERT_|HOSTNAME_MISMATCH|INVALID_CA|UNABLE_TO_(VERIFY|GET_ISSUER|DECODE_ISSUER)_)/;

/** Error codes of a proxy that refused the connection: Chromium's, Node's, and ours (`PROXY_403`). */
const PROXY =
	/^(PROXY_\d{3}|ERR_(PROXY_\w+|TUNNEL_CONNECTION_FAILED|NO_SUPPORTED_PROXIES|SOCKS_CONNECTION_\w+))$/;
const PROXY_LOGIN = /^ERR_(UNEXPECTED_PROXY_AUTH|PROXY_AUTH_\w+)$/;

/**
 * No connection at all; `cause` is a code such as `ECONNREFUSED`. Keeps host and port only: the rest may hold a
 * key.
 */
export function problemOfNetwork(cause: string, address = ''): Problem {
	if (cause === 'PROXY_407' || PROXY_LOGIN.test(cause)) return { kind: 'proxy-login' };
	if (PROXY.test(cause)) return { kind: 'proxy-refused', cause: cause.replace(/^PROXY_/, '') };
	if (CERTIFICATE.test(cause)) return { kind: 'certificate-untrusted', cause };
	const host = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#@]+)/i.exec(address)?.[1] ?? '';
	return { kind: 'service-unreachable', cause, ...(host === '' ? {} : { host }) };
}
