import { field, parseJson } from '#shared/protocol/json.ts';
import type { StoredVoice } from './voice-store.ts';

const SIZE = { min: 1, max: 50, usual: 20 } as const;

/** What a token stands for. `last` is the number of the last voice on the page before. */
interface Place {
	readonly sort: 'asc' | 'desc';
	readonly size: number;
	readonly last: number | null;
}

/** A page with the service's field names, except for the voices on it. */
interface Page {
	readonly voices: readonly StoredVoice[];
	readonly page_size: number;
	readonly count: number;
	/** The token of the next page; null on the last. */
	readonly next: string | null;
}

interface Refused {
	readonly status: number;
	readonly says: string;
}

/** One page of the voices (protocol 7.3). Whatever voices come or go meanwhile, none is listed twice. */
export function pageOf(query: URLSearchParams, all: readonly StoredVoice[]): Page | Refused {
	const place = placeOf(query);
	if ('says' in place) return place;
	const { sort, size, last } = place;
	const sign = sort === 'asc' ? 1 : -1;
	const left = all
		.filter(({ number }) => last === null || (number - last) * sign > 0)
		.sort((one, other) => (one.number - other.number) * sign);
	const voices = left.slice(0, size);
	const end = voices.at(-1);
	const next = end && left.length > size ? tokenOf({ sort, size, last: end.number }) : null;
	return { voices, page_size: size, count: all.length, next };
}

function placeOf(query: URLSearchParams): Place | Refused {
	const token = query.get('token');
	if (token !== null) {
		if (query.has('sort') || query.has('page_size'))
			return { status: 400, says: 'query: sort and page_size are not allowed together with token' };
		return readToken(token) ?? { status: 400, says: 'query.token: not a token of this list' };
	}
	const sort = query.get('sort') ?? 'desc';
	if (sort !== 'asc' && sort !== 'desc') return { status: 422, says: 'query.sort: should be asc or desc' };
	const size = Number(query.get('page_size') ?? SIZE.usual);
	if (!isSize(size)) return { status: 422, says: `query.page_size: should be ${SIZE.min} to ${SIZE.max}` };
	return { sort, size, last: null };
}

function isSize(value: unknown): value is number {
	return Number.isInteger(value) && Number(value) >= SIZE.min && Number(value) <= SIZE.max;
}

function tokenOf(place: Place): string {
	return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readToken(token: string): Place | null {
	const read = parseJson(Buffer.from(token, 'base64url').toString('utf8'));
	if (!read.ok) return null;
	const [sort, size, last] = ['sort', 'size', 'last'].map((name) => field(read.value, name));
	if ((sort !== 'asc' && sort !== 'desc') || !isSize(size) || typeof last !== 'number') return null;
	return { sort, size, last };
}
