import { useLayoutEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { factsOf, list, size } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { problemWords } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button, ButtonRow } from '#renderer/ui/button.tsx';
import type { ModelEntry } from '#shared/host/models.ts';
import type { Problem } from '#shared/problem.ts';
import { ModelProgress } from './model-progress.tsx';
import styles from './models.module.css';
import { bytesOf, isOnItsWay, partWords, useModels } from './use-models.ts';

/** Lists the models that the chosen languages still need, with a button to download them. Shown below Start. */
export function MissingModels({ missing }: { readonly missing: readonly ModelEntry[] }) {
	const { t, i18n } = useTranslation();
	const { models: mirror } = useParts();
	const locale = i18n.language;
	const free = useStore(mirror.store, ({ freeBytes }) => freeBytes);
	const { problem: refusal, ...acts } = useModels();
	const whole = useWhole(missing);
	const box = useStartAfter();
	const isComing = missing.some(isOnItsWay);
	const isHalted = !isComing && missing.some(({ state }) => state === 'paused');
	const problem = refusal ?? (isComing ? null : missing.find((model) => model.problem)?.problem);
	const words = list(
		missing.map((model) => partWords(model, t, locale)),
		locale,
	);
	const licences = [...new Set(missing.flatMap(({ licence }) => licence.split(', ')))].filter(
		(licence) => licence !== '',
	);
	const bytes = missing.reduce((sum, model) => sum + Math.max(0, model.bytes - model.doneBytes), 0);
	const isFull = !isComing && free !== null && free < bytes;

	return (
		<div
			ref={box}
			className={styles.missing}
			data-missing={isComing ? 'coming' : isHalted ? 'paused' : 'not'}
		>
			<div className={styles.words}>
				<p id="start-reason" role="status">
					{t(`models.${isComing ? 'getting' : stateWords(isHalted, problem)}`, { parts: words })}
				</p>
				{isComing || isHalted ? (
					<ModelProgress models={whole} />
				) : (
					<p className={styles.facts}>
						{factsOf([
							isolate(size(bytesOf(missing), locale)),
							licences.length > 0
								? t('models.licence', { licence: list(licences.map(isolate), locale) })
								: '',
						])}
					</p>
				)}
				{problem && (
					<p className={styles.problem} role="alert">
						{problemWords(problem, t, locale)}
					</p>
				)}
				{isFull && (
					<p className={styles.problem} role="alert">
						{t('models.room', { size: isolate(size(bytes, locale)), free: isolate(size(free, locale)) })}
					</p>
				)}
			</div>
			<ButtonRow>
				{isComing ? (
					<Button onPress={() => void acts.pause(missing)}>{t('models.pause')}</Button>
				) : (
					<Button look="primary" isDisabled={isFull} onPress={() => void acts.add(missing)}>
						{problem && problem.kind !== 'model-damaged'
							? t('recovery.retry')
							: isHalted
								? t('models.resume')
								: t('models.downloadSize', { size: isolate(size(bytes, locale)) })}
					</Button>
				)}
				{(isComing || isHalted) && (
					<Button look="quiet" onPress={() => void acts.cancel(missing)}>
						{t('app.cancel')}
					</Button>
				)}
			</ButtonRow>
		</div>
	);
}

/** A download that failed was not paused by the user. */
function stateWords(isHalted: boolean, problem: Problem | null | undefined): 'halted' | 'need' {
	return isHalted && !problem ? 'halted' : 'need';
}

/**
 * All models that were missing when the download began, so that progress does not jump back when one is
 * installed.
 */
function useWhole(missing: readonly ModelEntry[]): readonly ModelEntry[] {
	const { models: mirror } = useParts();
	const all = useStore(mirror.store, ({ models }) => models);
	const begun = useRef<readonly string[]>([]);
	const isBegun = missing.some((model) => model.state !== 'available');
	const ids = missing.map(({ id }) => id);
	// Other languages start another download.
	if (!isBegun || !ids.every((id) => begun.current.includes(id))) begun.current = ids;
	return all.filter(({ id }) => begun.current.includes(id));
}

/** The pressed button disappears after the download, so focus moves to Start. */
function useStartAfter() {
	const box = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const shown = box.current;
		return () => {
			if (!shown?.contains(document.activeElement)) return;
			queueMicrotask(() =>
				document.querySelector<HTMLElement>('button[aria-describedby~="start-reason"]')?.focus(),
			);
		};
	}, []);
	return box;
}
