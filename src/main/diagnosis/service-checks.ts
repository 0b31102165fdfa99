import { connect, type TLSSocket } from 'node:tls';
import { fine, type Outcome, skipped, trouble, warning } from '#shared/diagnosis/finding.ts';
import type { Check } from '#shared/diagnosis/run-checks.ts';
import type { Problem } from '#shared/problem.ts';
import { problemOfNetwork } from '#shared/unreachable.ts';
import type { DiagnosisParts } from './parts.ts';

const LIMIT_MS = 10_000;
/** Certificates and tokens are judged by the clock; a skew of a minute is tolerated everywhere. */
const MOST_SKEW_MS = 60_000;
const SOON_DAYS = 7;
const DAY_MS = 86_400_000;
/** Nothing of the service was reached. */
const AWAY: ReadonlySet<Problem['kind']> = new Set([
	'service-unreachable',
	'timed-out',
	'proxy-refused',
	'proxy-login',
	'not-the-service',
]);

/** The service's REST interface, the way there, and the key. */
export function serviceChecks(parts: DiagnosisParts): readonly Check[] {
	/** Heard by `service`, judged by `clock`. */
	let skewMs: number | null = null;
	let isAway = false;
	return [
		{
			name: 'proxy',
			limitMs: LIMIT_MS,
			async run() {
				const proxy = await parts.proxyOf(parts.base());
				if (proxy === 'unusable') return warning('proxyUnusable');
				return proxy === '' ? fine('proxyNone') : fine('proxyUsed', { proxy });
			},
		},
		{
			name: 'service',
			limitMs: LIMIT_MS,
			async run(signal) {
				const answer = await parts.probe(signal);
				isAway = !answer.ok && AWAY.has(answer.error.kind);
				if (!answer.ok) return trouble(answer.error);
				skewMs = answer.value.skewMs;
				return fine('serviceAnswers', { host: hostOf(parts.base()), ms: answer.value.ms });
			},
		},
		{ name: 'clock', needs: ['service'], limitMs: LIMIT_MS, run: async () => judgeClock(skewMs) },
		{
			name: 'certificate',
			after: ['proxy', 'service'],
			limitMs: LIMIT_MS,
			async run(signal) {
				const url = URL.parse(parts.base());
				if (url?.protocol !== 'https:') return skipped('certificateOpen');
				if ((await parts.proxyOf(parts.base())) !== '') return skipped('certificateBehindProxy');
				// It would fail for the same reason. A service that was refused for its certificate does not count as away.
				if (isAway) return skipped('waitsFor', { check: 'service' });
				return lookAtCertificate(url, parts.clock.wall(), signal);
			},
		},
		{
			name: 'key',
			limitMs: LIMIT_MS,
			async run() {
				const key = parts.key();
				return key.ok ? fine('keyHere', key.value) : trouble(key.error);
			},
		},
		{
			name: 'account',
			needs: ['service', 'key'],
			limitMs: 20_000,
			async run(signal) {
				const started = parts.clock.now();
				const checked = await parts.checkKey(signal);
				if (!checked.ok) return trouble(checked.error);
				return fine('keyAccepted', { ms: Math.round(parts.clock.now() - started) });
			},
		},
	];
}

function judgeClock(skewMs: number | null): Outcome {
	if (skewMs === null) return skipped('clockUnknown');
	const seconds = Math.round(Math.abs(skewMs) / 1000);
	if (Math.abs(skewMs) <= MOST_SKEW_MS) return fine('clockRight', { seconds });
	return warning('clockWrong', { minutes: Math.round(seconds / 60) });
}

/** Completes the TLS handshake and sends nothing; an untrusted certificate ends the handshake. */
function lookAtCertificate(url: URL, now: number, signal: AbortSignal): Promise<Outcome> {
	return new Promise((done) => {
		const host = url.hostname.replace(/^\[|\]$/g, '');
		const socket = connect({
			host,
			port: url.port === '' ? 443 : Number(url.port),
			servername: host,
			rejectUnauthorized: true,
		});
		const end = (outcome: Outcome): void => {
			socket.destroy();
			done(outcome);
		};
		signal.addEventListener('abort', () => end(skipped('cancelled')), { once: true });
		socket.on('error', (failure: NodeJS.ErrnoException) =>
			end(trouble(problemOfNetwork(failure.code ?? 'connection failed', url.href))),
		);
		socket.once('secureConnect', () => end(judgeCertificate(socket, now)));
	});
}

function judgeCertificate(socket: TLSSocket, now: number): Outcome {
	const certificate = socket.getPeerX509Certificate();
	const issuer = /(?:^|\n)O=([^\n]+)/.exec(certificate?.issuer ?? '')?.[1] ?? '?';
	const days = Math.floor(((certificate?.validToDate.getTime() ?? now) - now) / DAY_MS);
	return days < SOON_DAYS
		? warning('certificateSoon', { issuer: issuer.slice(0, 100), days })
		: fine('certificateFine', { issuer: issuer.slice(0, 100), days });
}

export function hostOf(address: string): string {
	return URL.parse(address.replaceAll(/[{}]/g, ''))?.host ?? '';
}
