import { resolve } from 'node:path';
import { type Context, type ServiceContext, withService } from '#main/cli/context.ts';
import type { Line } from '#main/cli/line.ts';
import { createTransferProgress, isoTime, localTime, table } from '#main/cli/output.ts';
import { detailLines, problemDocument, wordsOf } from '#main/cli/problems.ts';
import { createCloning } from '#main/voices/cloning.ts';
import { createMediaLength, readSample } from '#main/voices/samples.ts';
import { LONG_MS, nextQuestionMs, recordedFields } from '#main/voices/status-polling.ts';
import { amendedVoice, type StoredVoice } from '#main/voices/voices-file.ts';
import { EXIT, type ExitStatus, exitStatusOf } from '#shared/exit-status.ts';
import en from '#shared/i18n/en.json' with { type: 'json' };
import { pause } from '#shared/lib/clock.ts';
import type { VoiceRecord } from '#shared/protocol/cloned-voice-record.ts';
import {
	CONSENT_WORDING,
	checkVoiceDraft,
	emptyDraft,
	sampleHint,
	type VoiceDraft,
} from '#shared/voices/draft.ts';

interface CloneAsked {
	readonly file: string;
	/** All fields except the consent, which this command asks for. */
	readonly draft: VoiceDraft;
	/** True if the consent option was given. */
	readonly hasConsent: boolean;
	readonly wait: boolean;
}

export async function cloneVoice(context: Context, line: Line): Promise<ExitStatus> {
	const draft = draftOf(line);
	if (typeof draft === 'string') return context.output.usage(draft);
	const hasConsent = line.has('i-have-consent');
	if (!hasConsent && context.confirm === null)
		return context.output.usage("Nobody's voice is copied without consent: add --i-have-consent.");
	const asked = { file: line.argument, draft, hasConsent, wait: line.has('wait') };
	return withService((service) => clone(service, asked))(context, line);
}

/** The draft, or an error message about the command line. */
function draftOf(line: Line): VoiceDraft | string {
	const [name, language] = [line.text('name'), line.text('lang').toLowerCase()];
	if (name === '') return '--name is missing.';
	if (language === '') return '--lang is missing.';
	const labels = { ...emptyDraft.labels };
	for (const pair of line.all('label')) {
		const [, key, value] = /^([a-z_]+)=(.+)$/s.exec(pair.trim()) ?? [];
		if (value === undefined) return '--label needs k=v, such as gender=female.';
		if (key === 'gender' || key === 'mood') labels[key] = value;
		else if (key === 'age_group') labels.ageGroup = value;
		else return `There is no label "${key}": gender, age_group or mood.`;
	}
	return {
		...emptyDraft,
		name,
		language,
		description: line.text('description'),
		labels,
		attributes: [...line.all('attribute')],
		denoise: line.has('denoise'),
		normalise: line.has('normalize'),
		skipExternal: line.has('skip-external'),
	};
}

async function clone(context: ServiceContext, asked: CloneAsked): Promise<ExitStatus> {
	const { clock, output, signal } = context;
	const lengthOf = createMediaLength(clock);
	// Store the full path: a later attempt, possibly by the app, may run in another folder.
	const sample = await readSample({ path: resolve(asked.file), recorded: false, lengthOf });
	if (!sample.ok) return context.output.problem(sample.error);
	const draft = { ...asked.draft, consent: CONSENT_WORDING };
	const fields = checkVoiceDraft(draft, sample.value);
	const ofSample = fields.find(({ field }) => field === 'sample');
	if (ofSample) {
		const reason = wordsOf({ kind: 'voice-invalid', fields: [ofSample] });
		return context.output.problem({ kind: 'file-unreadable', file: asked.file, reason });
	}
	if (fields.length > 0) return context.output.problem({ kind: 'voice-invalid', fields: [...fields] });
	const hint = sampleHint(sample.value);
	if (hint) output.note(en.voices.sampleHint[hint]);
	if (!asked.hasConsent && !(await isConsentGiven(context)))
		return signal.aborted
			? output.problem({ kind: 'cancelled' })
			: output.refusal('declined', 'Nothing was sent.');
	if (signal.aborted) return output.problem({ kind: 'cancelled' });

	const upload = createTransferProgress(output, 'Sending');
	const watched: { handle: string | null } = { handle: null };
	const cloning = createCloning({
		...context,
		api: context.voices,
		isPassing: () => false,
		removeRecording: async () => {},
		changed() {
			const progress = watched.handle === null ? null : cloning.progress(watched.handle);
			if (progress) upload.show(progress);
		},
		finished() {},
	});
	const begun = await cloning.begin(draft, sample.value, clock.wall());
	if (!begun.ok) return context.output.problem(begun.error);
	const { handle } = begun.value;
	watched.handle = handle;
	const stop = () => void cloning.cancel(handle, { kind: 'cancelled' });
	signal.addEventListener('abort', stop, { once: true });
	if (signal.aborted) stop();
	else output.note(`Voice ${begun.value.voiceId ?? '(not named)'} is created; its sample is being sent.`);
	const status = await goOn(context, asked, handle, cloning);
	signal.removeEventListener('abort', stop);
	return status;
}

type Cloning = ReturnType<typeof createCloning>;

async function goOn(
	context: ServiceContext,
	asked: CloneAsked,
	handle: string,
	cloning: Cloning,
): Promise<ExitStatus> {
	const { register, clock, output, signal } = context;
	const current = async () => {
		const voices = await register.read();
		return voices.ok ? voices.value.find((voice) => voice.handle === handle) : undefined;
	};
	let told = '';
	// Cloning ends when the voice has its final status; poll its entry until then.
	const ended = { yes: false };
	const idle = cloning.idle(handle).then(() => {
		ended.yes = true;
	});
	for (;;) {
		const voice = await current();
		if (!voice) return context.output.problem({ kind: 'not-found', what: 'voice' });
		if (voice.status !== told && voice.sentAt !== null) {
			output.note(statusWords(voice.status));
			told = voice.status;
		}
		const isSent = voice.sentAt !== null;
		const isLong = clock.wall() - (voice.sentAt ?? Number.POSITIVE_INFINITY) >= LONG_MS;
		if (ended.yes || isLong || (isSent && !asked.wait)) {
			await cloning.cancel(handle, null);
			const isFinal = voice.problem !== null || voice.status === 'ready' || voice.status === 'failed';
			if (isFinal || !asked.wait || !isLong) return report(context, voice);
			output.note('It is taking long; ask again later with "voices status".');
			return output.problem({ kind: 'timed-out', what: 'read-voice', afterMs: LONG_MS });
		}
		await Promise.race([idle, pause(clock, LOOK_MS, signal)]);
		if (signal.aborted) await idle;
	}
}

const LOOK_MS = 250;

async function isConsentGiven({ confirm }: ServiceContext): Promise<boolean> {
	if (!confirm) return false;
	return confirm(en.voices.consent);
}

/** The voice as it is now, and the exit status that belongs to it. */
function report({ output }: ServiceContext, voice: StoredVoice): ExitStatus {
	const { problem } = voice;
	const lines = table([
		['voice', voice.voiceId ?? 'not named'],
		['name', voice.name],
		['status', voice.status],
		...voice.warnings.map((text) => ['warning', text]),
		...voice.errors.map((text) => ['error', text]),
		...(problem ? [['problem', wordsOf(problem)], ...detailLines(problem).map((line) => ['', line])] : []),
	]);
	output.result(documentOf(voice), lines);
	if (problem) return exitStatusOf(problem);
	return voice.status === 'failed' ? EXIT.failed : EXIT.done;
}

export async function voiceStatus(context: ServiceContext, line: Line): Promise<ExitStatus> {
	const { voices: client, clock, output, signal } = context;
	const account = client.account();
	if (!account.ok) return context.output.problem(account.error);
	const begun = clock.now();
	let told = '';
	for (let question = 0; ; question += 1) {
		const read = await account.value.read(line.argument, signal);
		if (!read.ok) return context.output.problem(read.error);
		const record = read.value;
		await note(context, record);
		const isFinal = record.status === 'ready' || record.status === 'failed';
		if (isFinal || !line.has('wait')) return reportRecord(context, record);
		if (record.status !== told) output.note(statusWords(record.status));
		told = record.status;
		const delayMs = nextQuestionMs(question, 0, context.random) ?? LONG_MS;
		if (clock.now() - begun + delayMs > LONG_MS) {
			return context.output.problem({ kind: 'timed-out', what: 'read-voice', afterMs: LONG_MS });
		}
		if (!(await pause(clock, delayMs, signal))) return output.problem({ kind: 'cancelled' });
	}
}

/** Saves the service's status of one of our voices in the register, as the app does. */
async function note({ register }: ServiceContext, record: VoiceRecord): Promise<void> {
	const voices = await register.read();
	const own = voices.ok ? voices.value.find((voice) => voice.voiceId === record.voiceId) : undefined;
	// If our sample was never sent, the service's record does not describe our voice.
	if (own?.sentAt === null || own === undefined) return;
	await register.change((all) => amendedVoice(all, own.handle, recordedFields(record, own)));
}

function reportRecord({ output }: ServiceContext, record: VoiceRecord): ExitStatus {
	const { voiceId, name, status, language, warnings, errors, createdAt } = record;
	const lines = table([
		['voice', voiceId],
		['name', name],
		['language', language],
		['status', status],
		['made', localTime(createdAt)],
		...warnings.map((text) => ['warning', text]),
		...errors.map((text) => ['error', text]),
	]);
	const document = {
		voice_id: voiceId,
		name,
		language,
		status,
		made_at: isoTime(createdAt),
		warnings,
		errors,
	};
	output.result(document, lines);
	return status === 'failed' ? EXIT.failed : EXIT.done;
}

export async function listVoices(context: ServiceContext): Promise<ExitStatus> {
	const { voices: client, register, output } = context;
	const account = client.account();
	if (!account.ok) return context.output.problem(account.error);
	const [voices, salt] = [await register.read(), await register.salt()];
	if (!voices.ok) return context.output.problem(voices.error);
	if (!salt.ok) return context.output.problem(salt.error);
	const hash = account.value.hash(salt.value);
	const own = voices.value.filter((voice) => voice.account === hash).sort((a, b) => b.madeAt - a.madeAt);
	const rows = own.map((voice) => [
		voice.voiceId ?? 'not named',
		voice.name,
		voice.language,
		voice.problem && voice.status !== 'ready' ? `${voice.status} (${voice.problem.kind})` : voice.status,
		localTime(voice.madeAt),
	]);
	const head = ['VOICE', 'NAME', 'LANGUAGE', 'STATUS', 'MADE'];
	const lines =
		rows.length === 0 ? ['No voices were made on this computer with this key.'] : table([head, ...rows]);
	output.result({ voices: own.map(documentOf) }, lines);
	// The service has no list of voices to request, so a wrong key looks like one that has no voices.
	if (rows.length === 0)
		output.note(
			'Only what this computer made is listed. The service was not asked: a wrong key lists nothing, too.',
		);
	const keptAs = register.brokenFile();
	if (keptAs !== null) output.note(wordsOf({ kind: 'voices-unreadable', keptAs }));
	return EXIT.done;
}

function documentOf(voice: StoredVoice): unknown {
	const { problem } = voice;
	return {
		voice_id: voice.voiceId,
		name: voice.name,
		language: voice.language,
		status: voice.status,
		made_at: isoTime(voice.madeAt),
		sent_at: isoTime(voice.sentAt),
		warnings: voice.warnings,
		errors: voice.errors,
		problem: problem && problemDocument(problem, wordsOf(problem), exitStatusOf(problem)),
	};
}

function statusWords(status: string): string {
	return STATUS_WORDS.get(status) ?? `Its status is ${status}.`;
}

const STATUS_WORDS = new Map(
	Object.entries({
		created: 'The service waits for its sample.',
		pending: 'The sample is there; the service makes the voice.',
		ready: 'The voice is ready.',
		failed: 'The service could not make the voice.',
	}),
);
