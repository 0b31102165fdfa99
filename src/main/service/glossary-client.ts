import { randomBytes } from 'node:crypto';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { type Asked, problemOfOdd, saidBy } from '#shared/protocol/envelope.ts';
import {
	type GlossaryKind,
	type GlossaryRecord,
	readGlossary,
	readGlossaryPage,
} from '#shared/protocol/glossary.ts';
import { checkRestBase } from '#shared/service-address.ts';
import {
	createHttp,
	type HttpAnswer,
	type HttpFailure,
	type HttpParts,
	type HttpRequest,
	isUnknownThere,
} from './http.ts';

const PAGE_SIZE = 50;
/** Reading the list stops at a repeated token, or after this many pages. */
const MOST_PAGES = 20;

interface NewGlossary {
	readonly name: string;
	readonly kind: GlossaryKind;
	/** Language codes; both are the same except for `translation`. */
	readonly source: string;
	readonly target: string;
	/** The table as `csvOf` gives it, and how many rows it has. */
	readonly csv: string;
	readonly entries: number;
	/** True if it applies to conversations. Default true. */
	readonly enabled?: boolean;
}

/** Why no glossary was created. `left`: one without rows remains. `maybe`: no answer, one may exist. */
interface AddFailure {
	readonly problem: Problem;
	readonly made: 'no' | 'maybe';
	readonly left: string | null;
}

type Call = Omit<HttpRequest, 'signal'> & { readonly what: Asked };
type Ask = (call: Call, signal?: AbortSignal) => Promise<Result<HttpAnswer, HttpFailure>>;

export type GlossaryClient = ReturnType<typeof createGlossaryClient>;

export function createGlossaryClient(
	parts: HttpParts & {
		readonly baseUrl: () => string;
		readonly key: () => string | null;
	},
) {
	const http = createHttp(parts);
	return {
		/** The current account; a problem if there is no key or the base is not one that we call. */
		account(): Result<GlossaryAccount, Problem> {
			const key = parts.key() ?? '';
			if (key === '') return err({ kind: 'api-key-missing' });
			const base = parts.baseUrl().replace(/\/+$/, '');
			const refusal = checkRestBase(base);
			if (refusal) return err(refusal);
			return ok(createAccount((call, signal) => http.request({ base, key }, { ...call, signal })));
		},
	};
}

const pathOf = (id: string) => `/saas/glossary/${encodeURIComponent(id)}`;

export type GlossaryAccount = ReturnType<typeof createAccount>;

/** The glossaries of one account (protocol 8); `glossaries-unavailable` if the service does not offer any. */
function createAccount(ask: Ask) {
	async function list(signal?: AbortSignal): Promise<Result<readonly GlossaryRecord[], Problem>> {
		const found = new Map<string, GlossaryRecord>();
		const seen = new Set<string>();
		let token = '';
		for (let page = 0; page < MOST_PAGES && !seen.has(token); page += 1) {
			seen.add(token);
			// A token excludes every other parameter (protocol 7.3).
			const query = token === '' ? `page_size=${PAGE_SIZE}` : `token=${encodeURIComponent(token)}`;
			const path = `/saas/glossaries?${query}`;
			const call = { method: 'GET', path, what: 'list-glossaries', repeat: 'safe', expects: 'json' } as const;
			const answer = await ask(call, signal);
			if (!answer.ok)
				return err(isUnknownThere(answer.error) ? { kind: 'glossaries-unavailable' } : answer.error.problem);
			const read = readGlossaryPage(answer.value.body);
			if (!read) return err(problemOfOdd('list-glossaries', answer.value.body));
			for (const one of read.glossaries) found.set(one.id, found.get(one.id) ?? one);
			token = read.next;
			if (token === '') break;
		}
		return ok([...found.values()]);
	}

	/** The problem of a call about one glossary. After "not found", checks whether the service has glossaries at all. */
	async function problemOf(failure: HttpFailure, signal?: AbortSignal): Promise<Problem> {
		if (!isUnknownThere(failure)) return failure.problem;
		const all = await list(signal);
		if (!all.ok && all.error.kind === 'glossaries-unavailable') return all.error;
		return { kind: 'not-found', what: 'glossary', ...saidBy(failure.problem) };
	}

	async function read(id: string, signal?: AbortSignal): Promise<Result<GlossaryRecord, Problem>> {
		const call = {
			method: 'GET',
			path: pathOf(id),
			what: 'read-glossary',
			repeat: 'safe',
			expects: 'json',
		} as const;
		const answer = await ask(call, signal);
		if (!answer.ok) return err(await problemOf(answer.error, signal));
		const glossary = readGlossary(answer.value.body);
		return glossary ? ok(glossary) : err(problemOfOdd('read-glossary', answer.value.body));
	}

	async function table(id: string, signal?: AbortSignal): Promise<Result<string | null, Problem>> {
		const call = {
			method: 'GET',
			path: `${pathOf(id)}/upload`,
			what: 'read-glossary-table',
			repeat: 'safe',
			expects: 'text',
		} as const;
		const answer = await ask(call, signal);
		if (answer.ok) return ok(typeof answer.value.body === 'string' ? answer.value.body : null);
		return isUnknownThere(answer.error) ? ok(null) : err(answer.error.problem);
	}

	async function remove(id: string, signal?: AbortSignal): Promise<Result<'deleted' | 'absent', Problem>> {
		const call = {
			method: 'DELETE',
			path: pathOf(id),
			what: 'delete-glossary',
			repeat: 'safe',
			expects: 'nothing',
		} as const;
		const answer = await ask(call, signal);
		if (answer.ok) return ok('deleted');
		const isGone = answer.error.status === 404 || answer.error.status === 410;
		return isGone ? ok('absent') : err(answer.error.problem);
	}

	async function create(
		glossary: NewGlossary,
		signal?: AbortSignal,
	): Promise<Result<GlossaryRecord, AddFailure>> {
		const answer = await ask(
			{
				method: 'POST',
				path: '/saas/glossary',
				body: { data: { ...documentOf(glossary), is_enabled: glossary.enabled ?? true } },
				what: 'create-glossary',
				repeat: 'unprocessed',
				expects: 'json',
			},
			signal,
		);
		if (!answer.ok) {
			const { problem, acted } = answer.error;
			const isUnknown = isUnknownThere(answer.error);
			const made = acted === 'no' ? ('no' as const) : ('maybe' as const);
			return err({ problem: isUnknown ? { kind: 'glossaries-unavailable' } : problem, made, left: null });
		}
		const record = readGlossary(answer.value.body);
		if (record) return ok(record);
		return err({ problem: problemOfOdd('create-glossary', answer.value.body), made: 'maybe', left: null });
	}

	/** Uploads the rows; allowed once for each glossary. The part's type must be exact (protocol 8). */
	async function upload(id: string, csv: string, signal?: AbortSignal): Promise<Result<void, Problem>> {
		const boundary = `dragoman-${randomBytes(18).toString('hex')}`;
		const head = `--${boundary}\r\nContent-Disposition: form-data; name="glossary"; filename="glossary.csv"\r\nContent-Type: text/csv\r\n\r\n`;
		const bytes = new TextEncoder().encode(`${head}${csv}\r\n--${boundary}--\r\n`);
		const answer = await ask(
			{
				method: 'POST',
				path: `${pathOf(id)}/upload`,
				form: { contentType: `multipart/form-data; boundary=${boundary}`, bytes },
				what: 'upload-glossary',
				repeat: 'unprocessed',
				expects: 'nothing',
			},
			signal,
		);
		return answer.ok ? ok() : err(answer.error.problem);
	}

	return {
		list,
		/** `not-found` when the service does not know it. */
		read,
		/** The table of a glossary, as CSV; null if not returned: nothing promises that it is (protocol 8). */
		table,
		/** Removes it; afterwards it is gone: deleted by us, or absent already. */
		remove,
		/** Creates a glossary and sends its rows; if these are refused, the glossary is deleted again. */
		async add(glossary: NewGlossary, signal?: AbortSignal): Promise<Result<GlossaryRecord, AddFailure>> {
			const created = await create(glossary, signal);
			if (!created.ok) return created;
			const { id, name } = created.value;
			const sent = await upload(id, glossary.csv, signal);
			// The answer to the creation came before the rows were there.
			if (sent.ok) return ok({ ...created.value, name: name || glossary.name, entries: glossary.entries });
			// Without rows the glossary is useless and its name taken: remove it even if the caller has left.
			const removed = await remove(id);
			return err({ problem: sent.error, made: 'no', left: removed.ok ? null : id });
		},
		/** Resolves with the glossary as the service then has it. */
		async setEnabled(
			glossary: GlossaryRecord,
			enabled: boolean,
			signal?: AbortSignal,
		): Promise<Result<GlossaryRecord, Problem>> {
			const { id, name, kind, source, target } = glossary;
			// The specification does not say which fields are optional, so send all of them.
			const body = { data: { ...documentOf({ name, kind, source, target }), is_enabled: enabled } };
			const path = pathOf(id);
			const call = {
				method: 'POST',
				path,
				body,
				what: 'change-glossary',
				repeat: 'safe',
				expects: 'nothing',
			} as const;
			const answer = await ask(call, signal);
			if (!answer.ok) return err(await problemOf(answer.error, signal));
			const now = await read(id, signal);
			if (!now.ok || now.value.enabled === enabled || now.value.enabled === null) return now;
			return err({ kind: 'unexpected-answer', what: 'change-glossary: it is as before' });
		},
	};
}

function documentOf({ name, kind, source, target }: Record<'name' | 'kind' | 'source' | 'target', string>) {
	return { name, glossary_type: kind, source_lang: source, target_lang: target };
}
