import type { VoiceAccount, VoiceClient } from '#main/service/voice-client.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { VoiceRecord, VoiceStatus } from '#shared/protocol/voice.ts';

/** A service of voices in memory, without time of its own. */
export interface PretendVoices extends VoiceClient {
	/** By id; a test may put some there. */
	readonly voices: Map<string, { status: VoiceStatus; hasSample: boolean }>;
	/** Status questions so far. */
	readonly questions: () => number;
	/** What the next status questions are answered with, in turn; the last goes on. */
	answers: (VoiceStatus | Problem)[];
	/** What the next uploads end with; empty = all is well. */
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
