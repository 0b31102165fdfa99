import type { ServerResponse } from 'node:http';
import type { Answer } from '#sandbox/answer.ts';
import type { Scope } from '#shared/lib/scope.ts';
import { type AnyRequest, isRawBody } from './wrong-answers.ts';

/** What `huge-body` sends. */
const HUGE_BODY = 200_000_000;
const SLOW_MS = 3000;
const DRIP_MS = 1000;

/** When an answer comes, and how: late, cut off, dripping, never. What it says is up to `wrong-answers.ts`. */
export interface AnswerTiming {
	/** Before the request is looked at. */
	wait(request: AnyRequest): Promise<void>;
	/** Does a fault keep the request from being handled and answered at all? */
	staysAway(res: ServerResponse, request: AnyRequest): boolean;
	/** Sends the answer, once the request has been carried out. */
	deliver(res: ServerResponse, answer: Answer, request: AnyRequest): Promise<void>;
}

/** `scope` ends what is still being delayed or dripped. */
export function createAnswerTiming(scope: Scope): AnswerTiming {
	function pause(ms: number): Promise<void> {
		return new Promise((done) => scope.after(ms, done));
	}

	async function drip(res: ServerResponse, answer: Answer): Promise<void> {
		res.writeHead(answer.status === 204 ? 200 : answer.status, { 'Content-Type': 'application/json' });
		while (!res.destroyed && !scope.closed) {
			res.write(' ');
			await pause(DRIP_MS);
		}
	}

	return {
		async wait({ faults, operation }) {
			if (faults.has('slow', operation)) await pause(faults.number('slow', SLOW_MS));
		},
		staysAway(res, { faults, operation }) {
			if (faults.take('hang', operation)) return true;
			if (!faults.take('drop-connection', operation)) return false;
			res.destroy();
			return true;
		},
		async deliver(res, answer, { faults, operation }) {
			const hit = (name: 'hang-after' | 'cut-body' | 'drip' | 'huge-body') => faults.take(name, operation);
			if (hit('hang-after')) return;
			if (hit('cut-body')) return cut(res, answer);
			if (hit('drip')) return drip(res, answer);
			if (hit('huge-body')) return flood(res, answer);
			send(res, answer);
		},
	};
}

function bytes(answer: Answer): { body: Buffer; type: string } {
	if (answer.body === undefined) return { body: Buffer.alloc(0), type: '' };
	if (isRawBody(answer.body)) return { body: Buffer.from(answer.body.raw), type: answer.body.type };
	return { body: Buffer.from(JSON.stringify(answer.body)), type: 'application/json' };
}

export function send(res: ServerResponse, answer: Answer): void {
	if (res.destroyed) return;
	const { body, type } = bytes(answer);
	const length = answer.status === 204 ? {} : { 'Content-Length': String(body.length) };
	res.writeHead(answer.status, { ...answer.headers, ...(type ? { 'Content-Type': type } : {}), ...length });
	res.end(answer.status === 204 ? undefined : body);
}

function cut(res: ServerResponse, answer: Answer): void {
	const { body, type } = bytes(answer);
	res.writeHead(answer.status === 204 ? 200 : answer.status, {
		'Content-Type': type || 'application/json',
		'Content-Length': String(body.length + 10),
	});
	res.write(body.subarray(0, body.length >> 1), () => res.destroy());
}

async function flood(res: ServerResponse, answer: Answer): Promise<void> {
	res.writeHead(answer.status === 204 ? 200 : answer.status, { 'Content-Type': 'application/json' });
	const chunk = Buffer.alloc(1_000_000, ' ');
	for (let sent = 0; sent < HUGE_BODY && !res.destroyed; sent += chunk.length) {
		if (!res.write(chunk)) await new Promise((ready) => res.once('drain', ready).once('close', ready));
	}
	res.end();
}
