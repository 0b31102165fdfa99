import { useState } from 'react';
import { dayAndTime, factsOf, gapLength, list } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { ProblemNotice } from '#renderer/problems/problem-notice.tsx';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import form from '#renderer/ui/form.module.css';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { Select } from '#renderer/ui/select.tsx';
import {
	type CaptionFormat,
	captionFile,
	captionFormats,
	hasOneTrack,
	isDocument,
	isPage,
	writable,
} from '#shared/captions/export-formats.ts';
import { datedName, exportName } from '#shared/captions/export-name.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { besideOf, type CaptionTrack, captionTracks, mayAlign, othersOf } from '#shared/captions/tracks.ts';
import { languageLabel } from '#shared/i18n/language-names.ts';
import type { Problem } from '#shared/problem.ts';
import { isRightToLeft } from '#shared/protocol/languages.ts';
import styles from './export-dialog.module.css';

type Outcome = { readonly path: string } | { readonly problem: Problem } | null;
type Layout = 'one' | 'both' | 'all';

export interface ExportDialogProps {
	readonly title: string;
	/** Subject of the file, used in its name. */
	readonly name: string;
	/** When the conversation began, Unix ms; null = not known. */
	readonly startedAt: number | null;
	readonly isOpen: boolean;
	readonly onClose: () => void;
	/** Returns the segments that will not change any more; called when the dialog opens and again when it saves. */
	readonly segments: () => readonly Segment[];
}

/** Asks for the format, the language, and whether to include the source; then opens the system's save dialog. */
export function ExportDialog({ title, name, startedAt, isOpen, onClose, segments }: ExportDialogProps) {
	const { t, i18n } = useTranslation();
	const { host, settings } = useParts();
	const checksFacts = useSetting('checkFacts');
	const last = useSetting('saveAs');
	const [picked, setPicked] = useState<CaptionFormat | null>(null);
	const format = picked ?? known(last);
	const [wanted, setWanted] = useState('');
	const [chosen, setChosen] = useState<Layout | null>(null);
	const [outcome, setOutcome] = useState<Outcome>(null);
	const tracks = isOpen ? captionTracks(writable(segments(), format)) : [];
	const track =
		tracks.find(({ id }) => id === wanted) ?? tracks.find(({ kind }) => kind === 'translation') ?? tracks[0];
	const alignable = track !== undefined && mayAlign(track, tracks);
	const others = track ? othersOf(track, tracks) : [];
	const most = others.length > 0 ? 'all' : 'both';
	const isAll = isForAll(format, others.length > 0, wanted !== '');
	const wish = chosen ?? (isAll ? most : 'one');
	const layout = wish === 'all' || (wish === 'both' && !alignable) ? most : wish;

	const isOne = hasOneTrack(format);
	const what = track && {
		format,
		track,
		aligned: alignable && layout !== 'one',
		others: layout === 'all' ? others.map((one) => ({ track: one, head: nameOf(one) })) : [],
	};
	const suggestedName = what ? exportName(datedName(name, startedAt), what) : '';

	function nameOf({ language }: CaptionTrack): string {
		return languageLabel(language, i18n.language);
	}

	function close(): void {
		onClose();
		setOutcome(null);
	}

	/** Changes a choice, and clears the now outdated report of the last saved file. */
	function choose(set: () => void): void {
		set();
		setOutcome(null);
	}

	async function save(): Promise<void> {
		if (!track || !what) return;
		const beside = besideOf(track, tracks);
		const names = tracks.map(nameOf);
		const words = {
			title: name,
			about: factsOf([
				startedAt === null ? '' : dayAndTime(startedAt, i18n.language),
				list(names, i18n.language),
			]),
			locale: i18n.language,
			direction: isRightToLeft(i18n.language) ? ('rtl' as const) : ('ltr' as const),
			time: t('captions.time'),
			who: t('captions.who'),
			speaker: { outgoing: t('legs.mine'), incoming: t('legs.theirs') },
			said: beside ? nameOf(beside) : t('captions.original'),
			track: alignable || layout === 'one' ? nameOf(track) : list(names, i18n.language),
			doubt: t('facts.inFile'),
			lost: (ms: number) => `[${t('captions.lost', { seconds: gapLength(ms, i18n.language) })}]`,
			cutOff: t('captions.cutOff'),
		};
		const inDoubt = checksFacts && (await import('#shared/facts/find-facts.ts')).doubtsOf;
		const options = { ...what, words, ...(inDoubt && { inDoubt }) };
		const text = [...captionFile(segments(), options)].join('');
		const save = isDocument(format) ? 'file.save-document' : 'file.save-text';
		const saved = await host.ask(save, { suggestedName, text });
		if (!saved.ok) return setOutcome({ problem: saved.error });
		if (saved.value === null) return;
		setOutcome({ path: saved.value });
		void settings.write({ saveAs: format });
	}

	return (
		<Dialog
			title={title}
			closeLabel={t('app.close')}
			isOpen={isOpen}
			onClose={close}
			actions={
				<>
					<Button onPress={close}>{t('app.close')}</Button>
					<Button look="primary" isDisabled={!track} onPress={() => void save()}>
						{t('captions.save')}
					</Button>
				</>
			}
		>
			<div className={form.form}>
				<Select
					label={t('captions.format')}
					options={captionFormats.map((value) => ({ value, label: t(`captions.saveAs.${value}`) }))}
					value={format}
					onChange={(next) => choose(() => setPicked(next))}
				/>
				{track && (
					<div className={isOne ? undefined : styles.absent}>
						<Segmented
							label={t('voices.language')}
							options={tracks.map(({ id, language }) => ({
								value: id,
								label: languageLabel(language, i18n.language),
							}))}
							value={track.id}
							onChange={(next) => choose(() => setWanted(next))}
						/>
					</div>
				)}
				{tracks.length > 1 && (
					<div className={isOne && (alignable || others.length > 0) ? undefined : styles.absent}>
						<Segmented<Layout>
							label={t('captions.layout')}
							options={[
								{ value: 'one', label: t('captions.layoutOne') },
								...(alignable ? [{ value: 'both', label: t('captions.layoutBoth') } as const] : []),
								...(most === 'all' ? [{ value: most, label: t('languages.all') } as const] : []),
							]}
							value={layout}
							onChange={(next) => choose(() => setChosen(next))}
						/>
					</div>
				)}
				<OutcomeView outcome={outcome} suggestedName={suggestedName} />
			</div>
		</Dialog>
	);
}

/** The last format used; `text` if the setting contains the format of a later version. */
function known(last: string): CaptionFormat {
	return captionFormats.find((format) => format === last) ?? 'text';
}

/**
 * Whether to include all languages. Minutes are for everybody; so is text, or a file of several languages, unless the
 * user picked one.
 */
function isForAll(format: CaptionFormat, isSeveral: boolean, isPicked: boolean): boolean {
	return isPage(format) || ((format === 'text' || isSeveral) && !isPicked);
}

/** Shows the proposed name, where the file was saved, or why saving failed. */
function OutcomeView(props: { readonly outcome: Outcome; readonly suggestedName: string }) {
	const { t } = useTranslation();
	const { host } = useParts();
	const { outcome, suggestedName } = props;
	return (
		<div className={styles.outcome}>
			{suggestedName === '' && <p>{t('captions.noneFinal')}</p>}
			{outcome === null && <bdi className={styles.name}>{suggestedName}</bdi>}
			{outcome && 'path' in outcome && (
				<>
					<p role="status">{t('captions.saved', { path: isolate(outcome.path) })}</p>
					<Button onPress={() => void host.ask('file.show-saved', { path: outcome.path })}>
						{t('captions.showInFolder')}
					</Button>
				</>
			)}
			{outcome && 'problem' in outcome && <ProblemNotice problem={outcome.problem} />}
		</div>
	);
}
