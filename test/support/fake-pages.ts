import type { HistoryCaption, HistoryRecording, HistoryRow } from '#shared/host/history.ts';
import type { ModelEntry } from '#shared/host/models.ts';
import type { VoiceEntry, VoiceSample } from '#shared/host/voices.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import { type Model, models } from '#shared/models/manifest.ts';
import type { Problem } from '#shared/problem.ts';

/** A conversation that the fake main process keeps. */
export interface KeptConversation {
	readonly row: HistoryRow;
	readonly captions: readonly HistoryCaption[];
	readonly recordings?: readonly HistoryRecording[];
}

/** `[source language, text, target language, text]` for each thing said; three seconds each. */
export function kept(
	id: string,
	startedAt: number,
	said: readonly (readonly [string, string, string, string])[],
	row: Partial<HistoryRow> = {},
): KeptConversation {
	const captions = said.flatMap(([from, text, to, told], n): HistoryCaption[] => {
		const place = {
			row: `t${n}`,
			part: '0',
			startMs: n * 3000,
			endMs: n * 3000 + 2500,
			final: true,
			mark: '',
		};
		return [
			{ ...place, key: `s${n}`, kind: 'source', language: from, text },
			{ ...place, key: `t${n}`, kind: 'translation', language: to, text: told },
		];
	});
	const languages = (at: 0 | 2) => [...new Set(said.map((one) => one[at]))];
	return {
		captions,
		row: {
			id,
			title: '',
			mode: 'solo',
			preview: said[0]?.[1] ?? '',
			startedAt,
			endedAt: startedAt + said.length * 3000,
			lengthMs: said.length * 3000,
			lines: said.length,
			state: 'kept',
			sources: languages(0),
			targets: languages(2),
			...row,
		},
	};
}

/** Main's answers about conversations, with renaming and deleting. */
export function historyAnswers(
	given: readonly KeptConversation[],
): Record<string, (input: never) => Result<unknown, Problem>> {
	let all = [...given];
	const deleted = new Set<string>();
	const there = () => all.filter(({ row }) => !deleted.has(row.id));
	const find = (id: string) => all.find(({ row }) => row.id === id);
	const missing = err({ kind: 'not-found', what: 'conversation' } as const);
	const rowOf = (id: string) => {
		const found = find(id);
		return found ? ok(found.row) : missing;
	};
	const slice = <Item>(items: readonly Item[], { after, limit }: { after: string | null; limit: number }) => {
		const skip = Number(after ?? 0);
		return [
			items.slice(skip, skip + limit),
			skip + limit < items.length ? String(skip + limit) : null,
		] as const;
	};

	return {
		'history.list': (page: { after: string | null; limit: number }) => {
			const [rows, next] = slice(
				there().map(({ row }) => row),
				page,
			);
			return ok({ rows, next });
		},
		'history.search': (page: { query: string; after: string | null; limit: number }) => {
			const found = there().flatMap(({ row, captions }) => {
				const places = captions.filter(({ text }) => text.toLowerCase().includes(page.query.toLowerCase()));
				return places.length > 0
					? [{ row, hits: new Set(places.map((place) => place.row)).size, first: places[0] ?? null }]
					: [];
			});
			const [hits, next] = slice(found, page);
			return ok({ hits, next });
		},
		'history.read': (page: { id: string; after: string | null; limit: number }) => {
			const found = find(page.id);
			if (!found) return missing;
			const [captions, next] = slice(found.captions, page);
			return ok({ row: found.row, captions, next });
		},
		'history.recordings': ({ id }: { id: string }) => ok(find(id)?.recordings ?? []),
		'history.find-recording': () => ok('cancelled'),
		'history.rename': ({ id, title }: { id: string; title: string }) => {
			all = all.map((one) => (one.row.id === id ? { ...one, row: { ...one.row, title } } : one));
			return rowOf(id);
		},
		'history.delete': ({ id }: { id: string }) => {
			deleted.add(id);
			return ok();
		},
		'history.undelete': ({ id }: { id: string }) => {
			deleted.delete(id);
			return rowOf(id);
		},
		'history.recover': ({ id }: { id: string }) => {
			all = all.map((one) => (one.row.id === id ? { ...one, row: { ...one.row, state: 'kept' } } : one));
			return rowOf(id);
		},
		'history.erase': () => {
			all = [];
			return ok();
		},
	};
}

/** A voice that is ready, made from a recording; whatever differs is given. */
export function voiceEntry(given: Partial<VoiceEntry> = {}): VoiceEntry {
	return {
		handle: 'v1',
		voiceId: '7d3f0c5e-58a1-4a0e-9c5d-0a7c1f1b2e01',
		name: 'Ana (home)',
		description: '',
		language: 'es',
		labels: { gender: 'female', ageGroup: '', mood: 'calm' },
		attributes: ['warm'],
		denoise: false,
		normalise: false,
		skipExternal: false,
		madeAt: Date.UTC(2026, 10, 20, 9, 30),
		sample: { name: 'Recording.wav', bytes: 1_488_044, durationMs: 31_000, recorded: true },
		consent: { at: Date.UTC(2026, 10, 20, 9, 29), wording: '1' },
		status: 'ready',
		active: false,
		upload: null,
		renewed: false,
		takingLong: false,
		problem: null,
		canRetry: false,
		warnings: [],
		errors: [],
		...given,
	};
}

export const voiceSample: VoiceSample = {
	sample: 's1',
	name: 'me reading.mp3',
	bytes: 640_000,
	mimeType: 'audio/mpeg',
	durationMs: 40_000,
};

/** One of each state a person meets. */
export function severalVoices(): VoiceEntry[] {
	return [
		voiceEntry({
			handle: 'v2',
			voiceId: null,
			name: 'Ana, tired',
			status: 'uploading',
			active: true,
			upload: { sentBytes: 610_000, totalBytes: 1_488_044, bytesPerS: 310_000, secondsLeft: 3 },
		}),
		voiceEntry({
			handle: 'v3',
			voiceId: 'b3',
			name: 'جدّي',
			language: 'ar',
			status: 'pending',
			active: true,
			takingLong: true,
		}),
		voiceEntry({ warnings: ['The sample is shorter than recommended.'] }),
		voiceEntry({
			handle: 'v4',
			voiceId: 'b4',
			name: 'Street',
			status: 'failed',
			canRetry: true,
			errors: ['More than one speaker was found in the sample.'],
		}),
		voiceEntry({
			handle: 'v5',
			name: 'Refused',
			voiceId: null,
			status: 'created',
			canRetry: true,
			problem: { kind: 'voice-token-rejected', status: 401 },
		}),
	];
}

/** Every model that can be had, in one state but for those named. */
export function modelEntries(
	state: ModelEntry['state'] = 'available',
	others: Readonly<Record<string, Partial<ModelEntry>>> = {},
	list: readonly Model[] = models,
): ModelEntry[] {
	return list.map(({ id, role, languages, licence, quality, files }) => ({
		id,
		role,
		languages: [...languages],
		licence,
		quality,
		state,
		bytes: files.reduce((sum, file) => sum + file.bytes, 0),
		doneBytes: 0,
		bytesPerS: null,
		problem: null,
		...others[id],
	}));
}
