import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { Button } from '#renderer/ui/button.tsx';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { Select } from '#renderer/ui/select.tsx';
import { seconds } from '#renderer/window/format.ts';
import { isolate } from '#renderer/window/i18n.ts';
import { languageName } from '#renderer/window/languages.ts';
import { useParts } from '#renderer/window/parts.ts';
import { ProblemNotice } from '#renderer/window/problem-notice.tsx';
import type { Problem } from '#shared/problem.ts';
import { type CaptionFormat, captionFile, captionTracks, formats, oneTrackOnly } from './caption-files.ts';
import styles from './captions-region.module.css';

type Outcome = { readonly path: string } | { readonly problem: Problem } | null;

/** The button and the small dialog behind it: which format, which language, then the system's own dialog. */
export function SaveCaptions({ rows }: { readonly rows: number }) {
	const { t, i18n } = useTranslation();
	const { conversation, host, navigation } = useParts();
	const isOpen = useStore(navigation.store, (view) => view.saving) && rows > 0;
	const [format, setFormat] = useState<CaptionFormat>('srt');
	const [wanted, setWanted] = useState('');
	const [outcome, setOutcome] = useState<Outcome>(null);
	const tracks = isOpen ? captionTracks(conversation.captions.finals()) : [];
	const track =
		tracks.find(({ id }) => id === wanted) ?? tracks.find(({ kind }) => kind === 'translation') ?? tracks[0];

	function close(): void {
		navigation.showSave(false);
		setOutcome(null);
	}

	async function save(): Promise<void> {
		if (!track) return;
		const finals = conversation.captions.finals();
		const lostWords = (ms: number) => `[${t('captions.lost', { seconds: seconds(ms, i18n.language) })}]`;
		const file = captionFile(finals, format, track, t('captions.fileName'), lostWords);
		const saved = await host.ask('file.save-text', file);
		if (!saved.ok) setOutcome({ problem: saved.error });
		else if (saved.value !== null) setOutcome({ path: saved.value });
	}

	return (
		<>
			<Button look="quiet" isDisabled={rows === 0} onPress={() => navigation.showSave(true)}>
				<Icon name="save" />
				{t('captions.save')}
			</Button>
			<Dialog
				title={t('captions.save')}
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
				<div className={styles.form}>
					<Select
						label={t('captions.format')}
						options={formats.map((value) => ({ value, label: t(`captions.saveAs.${value}`) }))}
						value={format}
						onChange={setFormat}
					/>
					{oneTrackOnly(format) && track && (
						<Segmented
							label={t('languages.title')}
							options={tracks.map(({ id, language }) => ({
								value: id,
								label: languageName(language, i18n.language).local,
							}))}
							value={track.id}
							onChange={setWanted}
						/>
					)}
					{tracks.length === 0 && <p>{t('captions.noneFinal')}</p>}
					{outcome && 'path' in outcome && (
						<p role="status">{t('captions.saved', { path: isolate(outcome.path) })}</p>
					)}
					{outcome && 'problem' in outcome && <ProblemNotice problem={outcome.problem} />}
				</div>
			</Dialog>
		</>
	);
}
