import type { Duplex } from 'node:stream';
import { refusal } from '#sandbox/answer.ts';
import type { FaultSet } from '#sandbox/faults.ts';

const PHRASES: Readonly<Record<number, string>> = {
	301: 'Moved Permanently',
	400: 'Bad Request',
	401: 'Unauthorized',
	402: 'Payment Required',
	403: 'Forbidden',
	404: 'Not Found',
	409: 'Conflict',
	429: 'Too Many Requests',
	503: 'Service Unavailable',
};

/** Why an upgrade is refused. */
export interface Refusal {
	readonly status: number;
	readonly detail: string;
	readonly errorCode?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

/** Answers an upgrade with a status and the REST error envelope, and ends the connection. */
export function refuseUpgrade(socket: Duplex, path: string, refused: Refusal): void {
	const { status, detail, errorCode, headers = {} } = refused;
	const answer = refusal(status, detail, path, errorCode === undefined ? {} : { errorCode });
	const body = Buffer.from(JSON.stringify(answer.body));
	const all = {
		'Content-Type': 'application/json',
		'Content-Length': String(body.length),
		Connection: 'close',
		...headers,
	};
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
	const head = [`HTTP/1.1 ${status} ${PHRASES[status] ?? 'Refused'}`, ...lines, '', ''].join('\r\n');
	socket.end(Buffer.concat([Buffer.from(head), body]));
}

/** The refusal a fault asks for, or null. `elsewhere` is an address of another origin. */
export function refusedOnPurpose(faults: FaultSet, elsewhere: string): Refusal | null {
	const detail = 'Refused on purpose';
	for (const status of [400, 401, 402, 403, 404, 409, 429, 503] as const) {
		if (faults.take(`upgrade-${status}`)) {
			return { status, detail, headers: status === 429 || status === 503 ? { 'Retry-After': '1' } : {} };
		}
	}
	if (faults.take('upgrade-301')) return { status: 301, detail, headers: { Location: elsewhere } };
	return null;
}
