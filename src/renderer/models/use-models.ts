import { useState } from 'react';
import { factsOf, fromTo, list, size } from '#renderer/i18n/format.ts';
import { isolate, type TFunction } from '#renderer/i18n/i18n.ts';
import { useParts } from '#renderer/shell/parts.ts';
import type { ModelEntry } from '#shared/host/models.ts';
import { languageName } from '#shared/i18n/language-names.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** The actions on models, and why the last one failed. */
export interface ModelActs {
	readonly problem: Problem | null;
	dismiss(): void;
	/** Starts or continues the download. */
	add(models: readonly ModelEntry[]): Promise<boolean>;
	pause(models: readonly ModelEntry[]): Promise<boolean>;
	cancel(models: readonly ModelEntry[]): Promise<boolean>;
	remove(model: ModelEntry): Promise<boolean>;
}

export function useModels(): ModelActs {
	const { host } = useParts();
	const [problem, setProblem] = useState<Problem | null>(null);

	async function run(asked: readonly Promise<Result<unknown, Problem>>[]): Promise<boolean> {
		const failed = (await Promise.all(asked)).find((answer) => !answer.ok);
		setProblem(failed && !failed.ok ? failed.error : null);
		return !failed;
	}

	return {
		problem,
		dismiss: () => setProblem(null),
		add: (models) => run([host.ask('models.add', { ids: models.map(({ id }) => id) })]),
		pause: (models) => run(models.filter(isOnItsWay).map(({ id }) => host.ask('models.pause', { id }))),
		cancel: (models) =>
			run(
				models
					.filter((model) => isOnItsWay(model) || model.state === 'paused')
					.map(({ id }) => host.ask('models.cancel', { id })),
			),
		remove: ({ id }) => run([host.ask('models.remove', { ids: [id] })]),
	};
}

/** If there are more languages, only their number is shown. */
export const MOST_NAMED = 3;

/** `Portuguese`, `English → Portuguese`, `99 languages`; empty for a model that knows no language. */
export function languagesOf({ role, languages }: ModelEntry, t: TFunction, locale: string): string {
	const names = languageNames(languages, locale);
	const [from, to] = names;
	if (role === 'translator' && from && to) return fromTo(from, to, locale);
	if (names.length > MOST_NAMED) return t('models.languages', { count: names.length });
	return names.length === 0 ? '' : list(names.map(isolate), locale);
}

/** Names of languages in the interface language, in the given order. */
export function languageNames(codes: readonly string[], locale: string): readonly string[] {
	return codes.map((code) => languageName(code, locale).local);
}

/** `translation (English → Portuguese)`, for a sentence. */
export function partWords(model: ModelEntry, t: TFunction, locale: string): string {
	return t(`models.part.${model.role}`, { languages: languagesOf(model, t, locale) });
}

/** `Translation · English → Portuguese` */
export function modelTitle(model: ModelEntry, t: TFunction, locale: string): string {
	return factsOf([t(`models.role.${model.role}`), languagesOf(model, t, locale)]);
}

/** A name that distinguishes a model from others for the same languages, for buttons and dialogs. */
export function modelName(model: ModelEntry, t: TFunction, locale: string): string {
	return factsOf([modelTitle(model, t, locale), isolate(model.id)]);
}

/** `mozilla-en-pt · 37 MB · Quality: COMET 0.890 · Licence: MPL-2.0` */
export function factWords({ id, bytes, quality, licence }: ModelEntry, t: TFunction, locale: string): string {
	return factsOf([
		isolate(id),
		isolate(size(bytes, locale)),
		quality && t('models.quality', { quality: isolate(quality) }),
		licence && t('models.licence', { licence: isolate(licence) }),
	]);
}

export const bytesOf = (models: readonly ModelEntry[]) => models.reduce((sum, { bytes }) => sum + bytes, 0);

/** True while the model is being downloaded, or waits for that. */
export function isOnItsWay({ state }: ModelEntry): boolean {
	return state === 'waiting' || state === 'downloading' || state === 'checking';
}
