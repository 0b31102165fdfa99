import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createVoiceClient, type VoiceAccount, type VoiceClient } from '#main/service/voice-client.ts';
import { type ClonedVoices, createClonedVoices } from '#main/voices/cloned-voices.ts';
import { wavLength } from '#main/voices/samples.ts';
import { createVoicesFile, type StoredVoice, type VoicesFile } from '#main/voices/voices-file.ts';
import type { Sandbox } from '#sandbox/sandbox.ts';
import type { VoiceEntry, VoiceList } from '#shared/host/voices.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { VoiceStatus } from '#shared/protocol/cloned-voice.ts';
import type { VoiceRecord } from '#shared/protocol/cloned-voice-record.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { CONSENT_WORDING, emptyDraft, type VoiceDraft } from '#shared/voices/draft.ts';
import { eventually } from './eventually.ts';

export const draft: VoiceDraft = {
	...emptyDraft,
	name: 'Ana (home)',
	language: 'es',
	labels: { gender: 'female', ageGroup: '', mood: 'calm' },
	attributes: ['warm'],
	denoise: true,
	consent: CONSENT_WORDING,
};

/** A file of `seconds` of sound; 16 kHz. */
export function writeSample(folder: string, name = 'me.wav', seconds = 6): string {
	const path = join(folder, name);
	writeFileSync(path, encodeWav(new Float32Array(16_000 * seconds), 16_000));
	return path;
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'dragoman-voices-'));

interface VoiceRigParts {
	readonly api: string;
	readonly key: string;
	/** Default the key. */
	readonly token?: string;
	readonly clock: Clock;
	readonly folder: string;
	readonly log: Logger;
	/** The file that the dialog returns. */
	readonly file: string;
}

export interface VoiceRig extends ClonedVoices {
	readonly finished: readonly VoiceEntry[];
	/** Every list announced. */
	readonly heard: readonly VoiceList[];
	/** Chooses the file and makes a voice of it. */
	make(draft: VoiceDraft): ReturnType<ClonedVoices['answers']['voice.make']>;
	/** Resolves to the only entry once it passes `claim`. */
	entry(claim: (entry: VoiceEntry) => void): Promise<VoiceEntry>;
}

/** Cloned voices as the app has them, at a real service. */
export function createVoiceRig(parts: VoiceRigParts): VoiceRig {
	const { clock, folder, key, log } = parts;
	const finished: VoiceEntry[] = [];
	const heard: VoiceList[] = [];
	const voices = createClonedVoices({
		register: createVoicesFile({ folder, clock, log }),
		api: createVoiceClient({
			fetch,
			clock,
			random: () => 0.5,
			log,
			baseUrl: () => parts.api,
			key: () => key,
			voiceToken: () => parts.token ?? key,
			allowedHosts: () => [],
		}),
		clock,
		random: () => 0.5,
		log,
		folder: join(folder, 'voice-samples'),
		lengthOf: (_, file) => wavLength(file),
		isPassing: () => false,
		ready: async () => ok(),
		chooseFile: async () => parts.file,
		finished: (voice) => void finished.push(voice),
	});
	voices.listen((list) => void heard.push(list));
	return {
		...voices,
		finished,
		heard,
		async make(wanted) {
			const chosen = await voices.answers['voice.choose-file'](undefined);
			if (!chosen.ok) return chosen;
			return voices.answers['voice.make']({ draft: wanted, sample: chosen.value?.sample ?? '' });
		},
		async entry(claim) {
			let seen: VoiceEntry | undefined;
			const ask = async () => {
				const list = await voices.answers['voice.list'](undefined);
				if (!list.ok) throw new Error(list.error.kind);
				seen = list.value.voices[0];
				if (!seen) throw new Error('there is no voice');
				return seen;
			};
			await eventually(ask, claim);
			if (!seen) throw new Error('there is no voice');
			return seen;
		},
	};
}

export const sample = { filename: 'me.wav', mime_type: 'audio/wav', lang_code: 'en', item_id: 'item-1' };
export const valid = { name: 'My voice', samples: [sample] };

export interface Reply {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: the wire, looked at as it is
	readonly body: any;
}

interface Descriptor {
	readonly url: string;
	readonly form_data: Readonly<Record<string, string>>;
}

/** The voice endpoints as a plain client sees them, without any code of the app. */
export interface VoiceWire {
	/** `faults` are the caller's own (`K+NAME`). */
	ask(
		method: string,
		path: string,
		options?: { faults?: string; json?: unknown; bearer?: string; type?: string },
	): Promise<Reply>;
	clone(data?: unknown, faults?: string): Promise<Reply>;
	/** A voice that has no sample yet; the descriptor is the last of those given. */
	cloned(faults?: string): Promise<{ id: string; descriptor: Descriptor }>;
	/** Every field, then what `change` adds: a small file of its own accord. */
	upload(
		descriptor: Descriptor,
		change?: (form: FormData) => void,
		headers?: Record<string, string>,
		signal?: AbortSignal,
	): Promise<{ status: number; text: string }>;
	statusOf(id: string): Promise<string>;
	/** The id of a voice that can be spoken with. */
	readyVoice(): Promise<string>;
}

export function createVoiceWire(sandbox: Sandbox): VoiceWire {
	const { api, key } = sandbox.addresses;

	const wire: VoiceWire = {
		async ask(method, path, { faults, json, bearer, type = 'application/json' } = {}) {
			const answer = await fetch(`${api}${path}`, {
				method,
				headers: {
					Authorization: `Bearer ${bearer ?? (faults ? `${key}+${faults}` : key)}`,
					'Content-Type': type,
				},
				...(json === undefined ? {} : { body: JSON.stringify(json) }),
			});
			const text = await answer.text();
			return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
		},
		clone: (data = valid, faults = '') =>
			wire.ask('POST', '/saas/voice/clone', { json: { data }, ...(faults ? { faults } : {}) }),
		async cloned(faults) {
			const { status, body } = await wire.clone(valid, faults);
			expect(status).toBe(200);
			return { id: body.data.voice_id, descriptor: body.data.samples.at(-1) };
		},
		async upload({ url, form_data }, change = addFile, headers = {}, signal) {
			const form = new FormData();
			for (const [name, value] of Object.entries(form_data)) form.append(name, value);
			change(form);
			const answer = await fetch(url, {
				method: 'POST',
				body: form,
				headers,
				...(signal && { signal }),
			});
			return { status: answer.status, text: await answer.text() };
		},
		async statusOf(id) {
			return (await wire.ask('GET', `/saas/voice/m/${id}`)).body.data.processing_status;
		},
		async readyVoice() {
			const { id, descriptor } = await wire.cloned('voice-pending:1');
			await wire.upload(descriptor);
			await eventually(
				() => wire.statusOf(id),
				(status) => expect(status).toBe('ready'),
				10_000,
			);
			return id;
		},
	};
	return wire;
}

function addFile(form: FormData): void {
	form.append('file', new Blob(['RIFF....WAVE']), 'me.wav');
}

/** A service of voices in memory, without time of its own. */
export interface PretendVoices extends VoiceClient {
	/** By id; a test may put some there. */
	readonly voices: Map<string, { status: VoiceStatus; hasSample: boolean }>;
	/** Status questions so far. */
	readonly questions: () => number;
	/** The answers to the next status requests, in turn; the last repeats. */
	answers: (VoiceStatus | Problem)[];
	/** How the next uploads fail; empty = they succeed. */
	uploads: Problem[];
	/** What the next descriptions end with. */
	descriptions: { readonly problem: Problem; readonly made: 'no' | 'maybe' }[];
}

export function createPretendVoices(
	/** Called before and after everything the service does. */
	pass: (when: 'before' | 'after') => Promise<void> = async () => {},
): PretendVoices {
	const voices = new Map<string, { status: VoiceStatus; hasSample: boolean }>();
	let questions = 0;

	async function passing<Value>(work: () => Value): Promise<Value> {
		await pass('before');
		const value = work();
		await pass('after');
		return value;
	}

	const record = (voiceId: string, status: VoiceStatus, itemId: string | null): VoiceRecord => ({
		voiceId,
		name: 'Ana',
		status,
		createdAt: 1,
		language: 'es',
		hasExternalVoice: null,
		uploads: itemId === null ? [] : [{ itemId, url: `https://up.example/${voiceId}`, fields: [] }],
		warnings: [],
		errors: [],
	});

	const account: VoiceAccount = {
		hash: (salt) => `account-${salt}`,
		clone: (request) =>
			passing(() => {
				const failure = pretend.descriptions.shift();
				if (failure) return err(failure);
				const voiceId = `voice-${voices.size + 1}`;
				voices.set(voiceId, { status: 'created', hasSample: false });
				return ok(record(voiceId, 'created', request.data.samples[0]?.item_id ?? null));
			}),
		read: (voiceId) =>
			passing((): Result<VoiceRecord, Problem> => {
				questions += 1;
				const voice = voices.get(voiceId);
				if (!voice) return err({ kind: 'not-found', what: 'read-voice' });
				const [answer] = pretend.answers.length > 1 ? pretend.answers.splice(0, 1) : pretend.answers;
				if (answer !== undefined && typeof answer !== 'string') return err(answer);
				if (answer !== undefined && voice.hasSample) voice.status = answer;
				return ok(record(voiceId, voice.status, null));
			}),
		remove: async (voiceId) => ok(void voices.delete(voiceId)),
		upload: ({ url }, { signal, progress, file }) =>
			passing((): Result<void, Problem> => {
				if (signal.aborted) return err({ kind: 'cancelled' });
				const failure = pretend.uploads.shift();
				if (failure) return err(failure);
				progress(file.bytes);
				const voice = voices.get(url.replace('https://up.example/', ''));
				if (voice) Object.assign(voice, { status: 'pending', hasSample: true });
				return ok();
			}),
	};

	const pretend: PretendVoices = {
		voices,
		questions: () => questions,
		answers: [],
		uploads: [],
		descriptions: [],
		account: () => ok(account),
		credential: () => 'api-key',
	};
	return pretend;
}

/** A voice that was just described, its sample in `/tmp/me.wav`. */
export function storedVoice(handle: string, fields: Partial<StoredVoice> = {}): StoredVoice {
	return {
		handle,
		account: 'account',
		voiceId: `voice-${handle}`,
		name: 'Ana',
		description: '',
		language: 'es',
		labels: { gender: '', ageGroup: '', mood: '' },
		attributes: [],
		denoise: false,
		normalise: false,
		skipExternal: false,
		madeAt: 1,
		sample: {
			name: 'me.wav',
			bytes: 100_000,
			durationMs: 30_000,
			mimeType: 'audio/wav',
			recorded: false,
			path: '/tmp/me.wav',
			modifiedMs: 1,
		},
		consent: { at: 1, wording: '1' },
		status: 'created',
		sentAt: null,
		owner: null,
		passing: false,
		renewed: false,
		problem: null,
		warnings: [],
		errors: [],
		...fields,
	};
}

export interface MemoryRegister extends VoicesFile {
	readonly voices: () => readonly StoredVoice[];
}

/** A register that forgets; `alive` names other processes that still run. */
export function createMemoryRegister(
	first: readonly StoredVoice[] = [],
	alive: ReadonlySet<string> = new Set(),
): MemoryRegister {
	let voices = first;
	return {
		owner: 'this-process',
		salt: async () => ok('salt'),
		read: async () => ok(voices),
		async change(edit) {
			voices = edit(voices);
			return ok(voices);
		},
		isInUse: (owner) => owner === 'this-process' || alive.has(owner),
		brokenFile: () => null,
		close() {},
		voices: () => voices,
	};
}
