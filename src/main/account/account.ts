import type { EventEmitter } from 'node:events';
import { z } from 'zod';
import { type Product, PUBLIC_REST_BASE, socketAddress } from '#main/service/addresses.ts';
import type { AccountStatus } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { INTERPRETER } from '#shared/models/choose-models.ts';
import type { Problem } from '#shared/problem.ts';
import { isFree, type SettingOrigin, type Settings } from '#shared/settings/schema.ts';
import { type Addresses, type BoundSecret, createBoundSecret, type SecretKeeper } from './secrets.ts';

type Service = Settings['service'];
type Keychain = AccountStatus['key']['keychain'];

export interface AccountParts {
	readonly settings: {
		values(): Settings;
		snapshot(): { readonly origins: Readonly<Record<string, SettingOrigin>> };
		write(patch: Readonly<Record<string, unknown>>): unknown;
	};
	readonly secrets: SecretKeeper & { keychain(): Promise<Keychain> };
	readonly sandbox: SandboxRunner;
	/** Asks the service at `baseUrl` with a call that costs nothing. */
	checkKey(key: string, baseUrl: string): Promise<Result<void, Problem>>;
	/** True while a conversation runs. */
	isBusy(): boolean;
	/** Ends the conversation and all sessions of the current account; called before another replaces it. */
	beforeChange(): Promise<void>;
	/** `DRAGOMAN_API_KEY`. */
	readonly keyOfVariable: string | undefined;
	/** `DRAGOMAN_VOICE_TOKEN`. */
	readonly voiceTokenOfVariable?: string | undefined;
	readonly publicApiUrl: string;
	readonly publicSockets: Readonly<Record<'s2s' | 'stt' | 'tts', string>>;
	readonly log: Logger;
}

/** Where a sandbox can be reached: REST base, key, and sockets if it has any. */
export interface SandboxPlace {
	readonly api: string;
	readonly key: string;
	readonly s2s?: string | undefined;
	readonly stt?: string | undefined;
	readonly tts?: string | undefined;
	readonly voiceToken?: string | undefined;
}

export interface SandboxRunner {
	/** Resolves when the interpreter answers. While it runs, further calls return the same addresses. */
	start(interpreter: 'script' | 'local'): Promise<Result<SandboxPlace, Problem>>;
	/** Resolves when the process has ended; does nothing if none runs. */
	stop(): Promise<void>;
	/** Calls back when the interpreter exits unexpectedly. Returns an unsubscribe function. */
	onGone(heard: () => void): Cancel;
}

/** The credentials, and the service that they are for. Nothing else in this program holds the key. */
export type Account = ReturnType<typeof createAccount>;

export function createAccount(parts: AccountParts) {
	const listeners = createListeners<[status: AccountStatus]>();
	let revision = 1;
	let keychain: Keychain = 'missing';
	let changing = false;
	let own: SandboxPlace | null = null;
	let sandbox: AccountStatus['sandbox'] = 'off';
	let starting: Promise<Result<void, Problem>> | null = null;
	let turn: Promise<unknown> = Promise.resolve();
	/** True after one automatic restart of the local interpreter; another needs the user to choose it again. */
	let revived = false;
	/** Number of key checks begun; an outdated one has no effect. */
	let checks = 0;

	const service = (): Service => parts.settings.values().service;
	const serviceUrl = () => parts.settings.values().apiUrl || parts.publicApiUrl;

	/** True if an option or variable names the address of a sandbox: another process runs it. */
	function sandboxIsElsewhere(): boolean {
		const origin = parts.settings.snapshot().origins.apiUrl;
		return service() === 'sandbox' && (origin === 'option' || origin === 'variable');
	}

	function addresses(): Addresses {
		const { s2sUrl, sttUrl, ttsUrl } = parts.settings.values();
		return { api: serviceUrl(), s2s: s2sUrl, stt: sttUrl, tts: ttsUrl };
	}

	const bind = (name: 'api-key' | 'voice-token', variable: string | undefined): BoundSecret =>
		createBoundSecret({
			name,
			variable: variable || undefined,
			store: parts.secrets,
			addresses,
			isWrittenHere: (it) =>
				parts.settings.snapshot().origins[`${it}Url`] === 'setting' &&
				parts.settings.values()[`${it}Url`] !== '',
			publicApiUrl: parts.publicApiUrl,
			publicSockets: parts.publicSockets,
		});
	const apiKey = bind('api-key', parts.keyOfVariable);
	const voice = bind('voice-token', parts.voiceTokenOfVariable);

	const usesOwnSandbox = () => isFree(service()) && !sandboxIsElsewhere();
	const baseUrl = (): string => (usesOwnSandbox() ? (own?.api ?? '') : serviceUrl());
	const key = (): string | null => (usesOwnSandbox() ? (own?.key ?? null) : apiKey.inForce().secret);

	function socketsNamed(): Readonly<Record<'s2s' | 'stt' | 'tts', string>> {
		if (usesOwnSandbox()) return { s2s: own?.s2s ?? '', stt: own?.stt ?? '', tts: own?.tts ?? '' };
		const { api: _, ...named } = addresses();
		return named;
	}

	function socketRefusal(socket: 's2s' | 'stt' | 'tts'): Problem | null {
		if (usesOwnSandbox() || apiKey.fits(socket)) return null;
		return { kind: 'key-elsewhere', host: hostOf(addresses()[socket]) };
	}

	/** With a REST base other than the public one, the user must name a socket. */
	function hasSpeechSocket(): boolean {
		const [base, known] = [baseUrl(), parts.publicApiUrl].map((url) => URL.parse(url)?.origin);
		return socketsNamed().s2s !== '' || (base !== undefined && base === known);
	}

	function status(): AccountStatus {
		return {
			revision,
			service: service(),
			apiUrl: baseUrl(),
			key: {
				...shown(apiKey),
				keychain,
				elsewhere: apiKey.isElsewhere(),
			},
			voiceToken: shown(voice),
			speechSocket: hasSpeechSocket(),
			sandbox: sandboxIsElsewhere() ? 'running' : sandbox,
		};
	}

	function changed(): AccountStatus {
		revision += 1;
		const now = status();
		listeners.tell(now);
		return now;
	}

	function startSandbox(chosen: Service): Promise<Result<void, Problem>> {
		starting ??= (async () => {
			sandbox = 'starting';
			changed();
			const started = await parts.sandbox.start(chosen === 'local' ? 'local' : 'script');
			own = started.ok ? started.value : null;
			sandbox = started.ok ? 'running' : 'failed';
			changed();
			if (!started.ok) starting = null;
			return started.ok ? ok() : started;
		})();
		return starting;
	}

	async function stopSandbox(): Promise<void> {
		await starting;
		starting = null;
		await parts.sandbox.stop();
		own = null;
		sandbox = 'off';
	}

	/** Changes of the account run one after the other: each sees the outcome of the previous one. */
	function inTurn<Value>(change: () => Promise<Value>): Promise<Value> {
		const done = turn.then(change, change);
		turn = done;
		return done;
	}

	/** Everything begun with the current account ends first; nothing starts until the new account is active. */
	async function leaving<Value>(change: () => Promise<Value>): Promise<Value> {
		changing = true;
		try {
			await parts.beforeChange();
			return await change();
		} finally {
			changing = false;
		}
	}

	const removeGone = parts.sandbox.onGone(() => {
		parts.log.warn('sandbox ended by itself');
		own = null;
		starting = null;
		sandbox = 'failed';
		changed();
		if (service() !== 'local' || revived) return;
		// A crash of the models' native code costs a sentence, not the conversation: it reconnects.
		revived = true;
		void startSandbox('local');
	});

	/**
	 * Checks whether a change of account is possible; null = it is. Gives up if a conversation has begun
	 * meanwhile, because the change would end it. The user has agreed to end one that ran when the change was
	 * requested (`wasBusy`).
	 */
	async function obstacleTo(
		prepare: () => Promise<Result<void, Problem>>,
		wasBusy: boolean,
	): Promise<Problem | null> {
		const prepared = await prepare();
		if (!prepared.ok) return prepared.error;
		if (wasBusy || !parts.isBusy()) return null;
		parts.log.info('account not changed: a conversation has begun');
		return { kind: 'cancelled' };
	}

	/** The check runs outside the queue: it may take long, and a switch to the sandbox must not wait for it. */
	async function setKey(
		secret: string,
		keep: 'keychain' | 'session',
	): Promise<Result<AccountStatus, Problem>> {
		const trimmed = secret.trim();
		if (trimmed === '') return err<Problem>({ kind: 'api-key-missing' });
		const given = (): string => `${service()} ${serviceUrl()} ${checks}`;
		checks += 1;
		const before = given();
		const obstacle = await obstacleTo(() => parts.checkKey(trimmed, serviceUrl()), parts.isBusy());
		if (obstacle) return err(obstacle);
		return inTurn(async () => {
			// Another service, address or key has been chosen since.
			if (given() !== before) return err<Problem>({ kind: 'cancelled' });
			await leaving(async () => {
				await apiKey.set(trimmed, keep);
				parts.settings.write({ service: 'service' });
				if (service() === 'service') await stopSandbox();
			});
			parts.log.info('api key accepted');
			return ok(changed());
		});
	}

	async function choose(next: 'service' | 'sandbox' | 'local', wasBusy: boolean) {
		if (next === service() && (next === 'service' || sandbox === 'running')) return ok(status());
		revived = false;
		// The sandbox and the local interpreter never run at the same time: the other one has to end first.
		const isReplaced = isFree(service()) && isFree(next) && next !== service();
		if (isFree(next) && !isReplaced && !sandboxIsElsewhere()) {
			const obstacle = await obstacleTo(() => startSandbox(next), wasBusy || service() === next);
			if (obstacle?.kind === 'cancelled') {
				await stopSandbox();
				changed();
			}
			if (obstacle) return err(obstacle);
		}
		await leaving(async () => {
			if (isReplaced) await stopSandbox();
			parts.settings.write({ service: next });
			if (service() === 'service') await stopSandbox();
		});
		parts.log.info('service chosen', { service: service() });
		changed();
		const started = isReplaced && usesOwnSandbox() ? await startSandbox(next) : ok();
		return started.ok ? ok(status()) : started;
	}

	return {
		/** Reads the keychain and starts the sandbox when it is chosen. */
		async open(): Promise<void> {
			keychain = await parts.secrets.keychain();
			await Promise.all([apiKey.open(), voice.open()]);
			if (usesOwnSandbox()) void startSandbox(service());
			changed();
		},
		status,
		listen: listeners.listen,
		baseUrl,
		key,
		/** Bearer token for the voice endpoints: the key, unless a separate token was entered. */
		voiceToken: (): string | null =>
			usesOwnSandbox() ? (own?.voiceToken ?? own?.key ?? null) : (voice.inForce().secret ?? key()),
		/** True if the service is the sandbox or the local interpreter that we started on this computer. */
		isOwnSandbox: usesOwnSandbox,
		/** Socket addresses named by the sandbox, by options or variables, or in the settings; empty = none. */
		socketsNamed,
		/** Why the key may not be sent to the named socket; null = it may be sent, or no socket was named. */
		socketRefusal,
		/** Can a session be requested? Waits for a starting sandbox; returns a problem while the account changes. */
		async ready(): Promise<Result<void, Problem>> {
			if (changing) return err({ kind: 'account-changed' });
			if (usesOwnSandbox()) return startSandbox(service());
			if (service() !== 'unset' && key() !== null) return ok();
			const isElsewhere = service() !== 'unset' && apiKey.isElsewhere();
			return err(
				isElsewhere ? { kind: 'key-elsewhere', host: hostOf(serviceUrl()) } : { kind: 'api-key-missing' },
			);
		},
		setKey,
		forgetKey: (): Promise<Result<AccountStatus, Problem>> =>
			inTurn(async () => {
				const forgotten = await leaving(() => apiKey.forget());
				return forgotten.ok ? ok(changed()) : forgotten;
			}),
		/** Not checked: no call that takes this token is free. */
		setVoiceToken: (token: string, keep: 'keychain' | 'session'): Promise<Result<AccountStatus, Problem>> =>
			inTurn(async () => {
				if (token.trim() !== '') await voice.set(token.trim(), keep);
				return ok(changed());
			}),
		forgetVoiceToken: (): Promise<Result<AccountStatus, Problem>> =>
			inTurn(async () => {
				const forgotten = await voice.forget();
				return forgotten.ok ? ok(changed()) : forgotten;
			}),
		choose(next: 'service' | 'sandbox' | 'local'): Promise<Result<AccountStatus, Problem>> {
			const wasBusy = parts.isBusy();
			return inTurn(() => choose(next, wasBusy));
		},
		/** Runs `write`, which changes the addresses, after everything begun at the current ones has ended. */
		readdress: <Value>(write: () => Value): Promise<Value> =>
			inTurn(async () => {
				const written = await leaving(async () => write());
				changed();
				return written;
			}),
		/** The secrets that a log must never contain. */
		secrets: (): readonly string[] => [
			...[...apiKey.values(), ...voice.values()],
			...[own?.key, own?.voiceToken].filter((it) => typeof it === 'string'),
		],
		async close(): Promise<void> {
			removeGone();
			await stopSandbox();
		},
	};
}

/** A socket's address may still hold its placeholder. */
function hostOf(address: string): string {
	return URL.parse(address.replaceAll(/[{}]/g, ''))?.host ?? '';
}

/** The part of a secret that may be shown. */
function shown(bound: BoundSecret) {
	const { secret, source } = bound.inForce();
	const lastFour = secret !== null && secret.length >= 12 ? secret.slice(-4) : '';
	return { present: secret !== null, lastFour, source };
}

type SocketAccount = Pick<Account, 'baseUrl' | 'socketsNamed' | 'socketRefusal'>;

/** The address of a socket for this account, or `key-elsewhere`. Never use another socket instead. */
export function socketOf(account: SocketAccount, product: Product): Result<string, Problem> {
	const refusal = account.socketRefusal(product);
	if (refusal) return err(refusal);
	return socketAddress(product, {
		restBase: account.baseUrl(),
		publicBase: PUBLIC_REST_BASE,
		named: account.socketsNamed(),
	});
}

/** The sandbox reads its clips and binds a port, which takes a second on a slow machine. */
const START_LIMIT_MS = 15_000;

const Optional = z.string().optional();
const FirstLine = z.object({
	api: z.string(),
	key: z.string(),
	s2s: Optional,
	stt: Optional,
	tts: Optional,
	voice_token: Optional,
	damaged: Optional,
});

/** Parses the address of a sandbox or the local interpreter: the first line that its process writes. */
export function placeOf(
	child: Pick<EventEmitter, 'once'> & {
		readonly stdout: { on(event: 'data', heard: (chunk: Buffer) => void): unknown } | null;
	},
	clock: Clock,
): Promise<Result<SandboxPlace, Problem>> {
	return new Promise((done) => {
		const fail = (reason: string) => done(err({ kind: 'sandbox-failed', reason }));
		const cancel = clock.after(START_LIMIT_MS, () => fail('did not answer in time'));
		let text = '';
		child.stdout?.on('data', (chunk) => {
			if (text.includes('\n')) return;
			text += chunk.toString('utf8');
			if (!text.includes('\n')) return;
			cancel();
			try {
				const { voice_token, damaged, ...place } = FirstLine.parse(JSON.parse(text.split('\n')[0] ?? ''));
				if (damaged) done(err({ kind: 'model-damaged', model: INTERPRETER, file: damaged }));
				else done(ok({ ...place, voiceToken: voice_token }));
			} catch {
				fail('its first line could not be read');
			}
		});
		child.once('exit', (code) => {
			cancel();
			fail(`ended with status ${code}`);
		});
	});
}
