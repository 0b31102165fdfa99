import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#shared/lib/clock.ts';
import { SESSION } from './api/sessions.ts';
import { type Faults, parseFault } from './faults.ts';

/** The claims of a publisher token with a verified signature. */
export interface TokenClaims {
	readonly room: string;
	readonly identity: string;
	readonly sessionId: string;
}

/** The longest possible life of a session, so that no token expires before its session (protocol 10). */
const TOKEN_LIFE_S = SESSION.ttlS.max;

export type Accounts = ReturnType<typeof createAccounts>;

/** `liveKit` signs tokens for a real deployment; if absent, the sandbox uses its own keys. */
export function createAccounts(parts: {
	clock: Clock;
	faults: Faults;
	key?: string | undefined;
	liveKit?: { readonly key: string; readonly secret: string } | undefined;
}) {
	const { clock, faults } = parts;
	const key = parts.key ?? `sandbox_${randomBytes(12).toString('hex')}`;
	const signer = parts.liveKit ?? { key: 'sandbox', secret: randomBytes(32).toString('hex') };
	/** Callers whose faults have been read. */
	const known = new Set<string>();

	function sign(head: string): string {
		return createHmac('sha256', signer.secret).update(head).digest('base64url');
	}

	function token(claims: Record<string, unknown>): string {
		const nowS = Math.floor(clock.wall() / 1000);
		// `nbf` lies a minute in the past, because the reader's clock may be behind ours.
		const all = {
			iss: signer.key,
			nbf: nowS - 60,
			iat: nowS,
			exp: nowS + TOKEN_LIFE_S,
			jti: randomUUID(),
			...claims,
		};
		const head = [{ alg: 'HS256', typ: 'JWT' }, all]
			.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
			.join('.');
		return `${head}.${sign(head)}`;
	}

	const voiceToken = token({ sub: 'sandbox', scope: 'voice' });

	function callerBy(secret: string, sent: string): string | null {
		if (sent === secret) return sent;
		// A key `K+NAME` (several: `K+NAME+NAME`) switches on faults for this caller only.
		if (!sent.startsWith(`${secret}+`)) return null;
		if (known.has(sent)) return sent;
		const specs = sent
			.slice(secret.length + 1)
			.split('+')
			.map(parseFault);
		const read = specs.flatMap((spec) => (spec.ok ? [spec.value] : []));
		if (read.length < specs.length) return null;
		known.add(sent);
		faults.assign(sent, read);
		return sent;
	}

	return {
		/** The API key for clients. */
		key,
		/** Bearer token for the voice endpoints; they accept the key as well. */
		voiceToken,
		/** The caller that owns a key (the key as sent, including faults), or null. */
		caller: (sent: string): string | null => callerBy(key, sent),
		/**
		 * Like `caller`, for the voice endpoints: accepts the token or the key, each possibly followed by faults.
		 */
		voiceCaller(sent: string): string | null {
			const byToken = callerBy(voiceToken, sent);
			if (byToken !== null) return byToken;
			const byKey = callerBy(key, sent);
			return byKey !== null && faults.of(byKey).has('voice-token-only') ? null : byKey;
		},
		/** A LiveKit access token (HS256) for one room and session. */
		publisherToken: ({ room, identity, sessionId }: TokenClaims): string =>
			token({
				sub: identity,
				name: identity,
				session_id: sessionId,
				video: { room, roomJoin: true, canPublish: true, canSubscribe: true, canPublishData: true },
			}),
		/** Checks only signature and age, not whether the session still exists. */
		readToken(sent: string): TokenClaims | null {
			const [header, body, signature] = sent.split('.');
			if (!header || !body || !signature) return null;
			const expected = Buffer.from(sign(`${header}.${body}`));
			const given = Buffer.from(signature);
			if (expected.length !== given.length || !timingSafeEqual(expected, given)) return null;
			const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
			if (typeof claims.exp !== 'number' || claims.exp * 1000 < clock.wall()) return null;
			const { sub, session_id: sessionId, video } = claims;
			if (typeof sub !== 'string' || typeof sessionId !== 'string' || typeof video?.room !== 'string')
				return null;
			return { room: video.room, identity: sub, sessionId };
		},
	};
}
