import type { Account } from '#main/account/account.ts';
import type { RoutingAnswers } from '#main/calls/routing.ts';
import type { SystemSoundAnswers } from '#main/calls/system-sound.ts';
import { readCorrections } from '#main/captions/corrections-table.ts';
import { minutesDocument } from '#main/captions/minutes.ts';
import type { DiagnosisAnswers } from '#main/diagnosis/diagnosis.ts';
import type { Glossaries } from '#main/glossaries/glossaries.ts';
import type { Guests } from '#main/guests/guests.ts';
import type { History } from '#main/history/history.ts';
import type { Models } from '#main/models/models.ts';
import type { OverlayAnswers } from '#main/overlay/overlay.ts';
import type { RecordingAnswers } from '#main/recording/recording.ts';
import type { SettingsStore } from '#main/settings/settings.ts';
import type { VoiceAnswers } from '#main/voices/cloned-voices.ts';
import type { Finding } from '#shared/diagnosis/checks.ts';
import {
	type AppInfo,
	type Balance,
	type Input,
	type Output,
	type PhaseReport,
	type RequestName,
	requests,
	type SessionGrant,
	type SessionPage,
	type ShellState,
	type SweepReport,
} from '#shared/host/contract.ts';
import type { StreamOpening } from '#shared/host/streams.ts';
import { type Logger, longSecrets, redactKnown } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

type Answer<Name extends RequestName> = [Output<Name>] extends [undefined]
	? Result<void, Problem>
	: Result<Output<Name>, Problem>;

/** One handler per request: leaving one out, or answering with another shape, does not compile. */
export type Handlers = {
	readonly [Name in RequestName]: (input: Input<Name>) => Promise<Answer<Name>>;
};

/** This app's sessions, as the window may use them. */
export interface Sessions {
	prepare(): Promise<Result<void, Problem>>;
	open(): Promise<Result<SessionGrant, Problem>>;
	joined(handle: string): Promise<Result<void, Problem>>;
	close(handle: string): Promise<Result<void, Problem>>;
	page(after: string | null): Promise<Result<SessionPage, Problem>>;
	extend(handle: string, ttlS: number): Promise<Result<{ expiresAt: number | null }, Problem>>;
	end(handle: string): Promise<Result<void, Problem>>;
	sweep(): Promise<Result<SweepReport, Problem>>;
}

/** The sockets that the window may open through us. */
export interface StreamSockets {
	open(opening: StreamOpening): Promise<Result<void, Problem>>;
	close(stream: string): Promise<void>;
}

export interface HostParts {
	readonly account: Account;
	readonly settings: SettingsStore;
	readonly balance: () => Promise<Result<Balance, Problem>>;
	readonly sessions: Sessions;
	readonly streams: StreamSockets;
	readonly history: Pick<History, 'answers'>;
	readonly voices: { readonly answers: VoiceAnswers };
	readonly glossaries: Glossaries;
	readonly routing: { readonly answers: RoutingAnswers };
	readonly diagnosis: { readonly answers: DiagnosisAnswers };
	readonly systemSound: { readonly answers: SystemSoundAnswers };
	readonly recordings: { readonly answers: RecordingAnswers };
	readonly overlay: { readonly answers: OverlayAnswers };
	readonly guests: Pick<Guests, 'answers' | 'show'>;
	readonly models: Pick<Models, 'answers'>;
	readonly shell: {
		info(): AppInfo;
		/** Null when the user closed the dialog; otherwise where it was saved. */
		saveFile(suggestedName: string, content: string | Uint8Array): Promise<Result<string | null, Problem>>;
		showInFolder(path: string): void;
		/** Opens the page; false if the system has none. */
		openMicrophonePrivacy(): Promise<boolean>;
		openSoundPrivacy(): Promise<boolean>;
		openServiceSite(page: 'keys' | 'prices'): Promise<boolean>;
		phase(phase: PhaseReport, muted: boolean): void;
		keepDisplayAwake(on: boolean): void;
		state(): ShellState;
		/** Called when the page can be used. */
		usable(): void;
		restart(): void;
		closeReady(): void;
		/** `found`: the window's own findings. */
		report(found: readonly Finding[]): string;
	};
	readonly log: Logger;
}

/** Settings that determine where the account's key is sent. */
const ADDRESSES = ['apiUrl', 's2sUrl', 'sttUrl', 'ttsUrl'] as const;

function createHandlers(parts: HostParts): Handlers {
	const { account, settings, sessions, streams, history, voices, routing, overlay, shell, log } = parts;
	/** Sessions need an account first; the keeper does the rest. */
	async function withAccount<Value>(
		run: () => Promise<Result<Value, Problem>>,
	): Promise<Result<Value, Problem>> {
		const ready = await account.ready();
		return ready.ok ? run() : ready;
	}

	/** Only these files are shown in their folders: a page that was taken over must not open others. */
	const savedPaths = new Set<string>();
	async function remembering<Failure>(
		saving: Promise<Result<string | null, Failure>>,
	): Promise<Result<string | null, Failure>> {
		const saved = await saving;
		if (saved.ok && saved.value !== null) savedPaths.add(saved.value);
		return saved;
	}

	return {
		'app.info': async () => ok(shell.info()),
		'settings.read': async () => ok(settings.snapshot()),
		'settings.write': async (patch) => {
			// Only the account may change the service: sessions of the old one must end first.
			const { service: _, ...rest } = patch;
			const values: Readonly<Record<string, unknown>> = settings.values();
			const moves = ADDRESSES.some((name) => name in rest && rest[name] !== values[name]);
			return ok(moves ? await account.readdress(() => settings.write(rest)) : settings.write(rest));
		},
		'account.read': async () => ok(account.status()),
		'account.set-key': ({ key, keep }) => account.setKey(key, keep),
		'account.forget-key': () => account.forgetKey(),
		'account.set-voice-token': ({ token, keep }) => account.setVoiceToken(token, keep),
		'account.forget-voice-token': () => account.forgetVoiceToken(),
		'account.balance': () => withAccount(parts.balance),
		'account.choose': ({ service }) => account.choose(service),
		'session.prepare': () => withAccount(() => sessions.prepare()),
		'session.open': () => withAccount(() => sessions.open()),
		'session.joined': ({ handle }) => sessions.joined(handle),
		'session.close': ({ handle }) => sessions.close(handle),
		'session.list': ({ after }) => withAccount(() => sessions.page(after)),
		'session.extend': ({ handle, ttlS }) => sessions.extend(handle, ttlS),
		'session.sweep': () => withAccount(() => sessions.sweep()),
		'session.end': ({ handle }) => sessions.end(handle),
		'stream.open': (opening) => withAccount(() => streams.open(opening)),
		'stream.close': async ({ stream }) => ok(await streams.close(stream)),
		'conversation.phase': async ({ phase, muted }) => ok(shell.phase(phase, muted)),
		'display.keep-awake': async ({ on }) => ok(shell.keepDisplayAwake(on)),
		'shell.state': async () => ok(shell.state()),
		'file.save-document': async ({ suggestedName, text }) =>
			remembering(shell.saveFile(suggestedName, await minutesDocument(text))),
		'file.save-text': ({ suggestedName, text }) => remembering(shell.saveFile(suggestedName, text)),
		async 'file.show-saved'({ path }) {
			const isOurs = savedPaths.has(path);
			if (isOurs) shell.showInFolder(path);
			return ok(isOurs);
		},
		'system.open-microphone-privacy': async () => ok(await shell.openMicrophonePrivacy()),
		'system.open-service-site': async ({ page }) => ok(await shell.openServiceSite(page)),
		'system.open-sound-privacy': async () => ok(await shell.openSoundPrivacy()),
		'log.write': async ({ level, message, facts }) =>
			ok(log[level](message, { ...Object.fromEntries(facts ?? []), from: 'window' })),
		...history.answers,
		...voices.answers,
		'corrections.read': async ({ table }) => readCorrections(table),
		...parts.glossaries.answers,
		...routing.answers,
		...parts.systemSound.answers,
		...parts.recordings.answers,
		'recording.begin': (input) => remembering(parts.recordings.answers['recording.begin'](input)),
		...overlay.answers,
		'overlay.show': (frame) => {
			parts.guests.show(frame);
			return overlay.answers['overlay.show'](frame);
		},
		...parts.guests.answers,
		...parts.diagnosis.answers,
		...parts.models.answers,
		'diagnostics.report': async (found) => ok(shell.report(found ?? [])),
		'app.usable': async () => ok(shell.usable()),
		'app.restart': async () => ok(shell.restart()),
		'app.close-ready': async () => ok(shell.closeReady()),
	};
}

function isRequest(name: string): name is RequestName {
	return Object.hasOwn(requests, name);
}

/** Answers the window's requests: input is parsed before anything is done, and nothing thrown reaches the page. */
export function createHost(
	parts: HostParts,
): (name: string, input: unknown) => Promise<Result<unknown, Problem>> {
	const answer = answerWith(createHandlers(parts), parts.log);
	return async (name, input) => {
		const given = await answer(name, input);
		const secrets = parts.account.secrets();
		// The last safeguard for every answer. Skip short secrets: they may occur by chance in a transcript.
		return given.ok
			? ok(redactKnown(given.value, longSecrets(secrets)))
			: err(redactKnown(given.error, secrets));
	};
}

/** Reduces an answer to the fields that the contract defines: nothing else leaves this process. */
function promised(name: RequestName, answer: Result<unknown, Problem>): Result<unknown, Problem> {
	if (!answer.ok) return answer;
	const value = requests[name].output.safeParse(answer.value);
	return value.success ? ok(value.data) : err({ kind: 'bug', where: `host.${name}: answer` });
}

/** Like `createHost`, with handlers of any kind. */
export function answerWith(
	handlers: Handlers,
	log: Logger,
): (name: string, input: unknown) => Promise<Result<unknown, Problem>> {
	return async (name, input) => {
		if (!isRequest(name)) return err({ kind: 'bug', where: 'host: unknown request' });
		// JSON has no undefined: a request without input may arrive with null.
		const parsed = requests[name].input.safeParse(input ?? undefined);
		if (!parsed.success) return err({ kind: 'bug', where: `host.${name}: input` });
		try {
			const handler = handlers[name] as (given: unknown) => Promise<Result<unknown, Problem>>;
			return promised(name, await handler(parsed.data));
		} catch (failure) {
			log.error('request failed', { name, failure: String(failure) });
			return err({ kind: 'bug', where: `host.${name}` });
		}
	};
}
