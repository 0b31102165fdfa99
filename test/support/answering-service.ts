import type { HttpParts } from '#main/service/http.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

export const BASE = 'https://api.example.com';

/** A status, JSON with 200, both, a network that fails, or no answer ever. */
export type Reply =
	| number
	| { readonly status?: number; readonly json?: unknown; readonly text?: string }
	| Error
	| 'hang';

export interface AskedOfService {
	/** `GET /path?query`, below `BASE`. */
	readonly line: string;
	readonly at: number;
	readonly headers: Readonly<Record<string, string>>;
	/** As text; empty without one. */
	readonly body: string;
}

export interface AnsweringService extends HttpParts {
	readonly clock: ManualClock;
	readonly asked: readonly AskedOfService[];
	/** `line` of each. */
	readonly lines: () => readonly string[];
	/** The result of the promise within this time. */
	over<Value>(ms: number, promise: Promise<Value>): Promise<Value>;
}

/** Answers requests as it is told, in turn, the last for all that follow; no network, and time that stands still. */
export function createAnsweringService(...replies: readonly Reply[]): AnsweringService {
	const clock = createManualClock();
	const asked: AskedOfService[] = [];
	const fetch: typeof globalThis.fetch = async (address, init = {}) => {
		const reply = replies[Math.min(asked.length, replies.length - 1)] ?? 200;
		asked.push({
			line: `${init.method} ${String(address).replace(BASE, '')}`,
			at: clock.now(),
			headers: Object.fromEntries(new Headers(init.headers)),
			body: init.body ? await new Response(init.body).text() : '',
		});
		if (reply instanceof Error) throw reply;
		if (reply === 'hang')
			return await new Promise((_, reject) => {
				init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
			});
		if (typeof reply === 'number') return new Response(null, { status: reply });
		const { status = 200, json, text } = reply;
		return text === undefined ? Response.json(json, { status }) : new Response(text, { status });
	};
	return {
		fetch,
		clock,
		random: () => 0.5,
		log: silentLogger,
		asked,
		lines: () => asked.map(({ line }) => line),
		async over(ms, promise) {
			for (let passed = 0; passed < ms; passed += 250) {
				// The platform reads bodies in turns of its own.
				await new Promise((done) => setImmediate(done));
				await clock.run(Math.min(250, ms - passed));
			}
			return await promise;
		},
	};
}
