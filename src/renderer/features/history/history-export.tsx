import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ExportDialog } from '#renderer/window/components/export-dialog.tsx';
import { useParts } from '#renderer/window/parts.ts';
import type { Segment } from '#shared/captions/segment.ts';
import { exportedSegments } from '#shared/history/segment-of.ts';
import type { HistoryRow } from '#shared/host/history.ts';
import type { Problem } from '#shared/problem.ts';
import { readAll } from './read-all.ts';

export interface HistoryExportProps {
	/** Null: closed. */
	readonly row: HistoryRow | null;
	readonly onClose: () => void;
	/** It could not be read; reported where the user is looking, not behind the list. */
	readonly onUnread: (problem: Problem) => void;
}

/** The dialog that saves a kept conversation; it opens when all of it has been read. */
export function HistoryExport({ row, onClose, onUnread }: HistoryExportProps) {
	const { t } = useTranslation();
	const { host } = useParts();
	const [segments, setSegments] = useState<readonly Segment[] | null>(null);
	const unread = useEffectEvent(onUnread);
	const id = row?.id ?? null;
	const startedAt = row?.startedAt ?? 0;

	useEffect(() => {
		let gone = false;
		setSegments(null);
		if (id === null) return;
		void readAll(host, id).then((read) => {
			if (gone) return;
			if (read.ok) setSegments(exportedSegments(read.value, startedAt));
			else unread(read.error);
		});
		return () => {
			gone = true;
		};
	}, [host, id, startedAt]);

	return (
		<ExportDialog
			title={t('history.export')}
			name={row ? row.title || t('captions.fileName') : ''}
			startedAt={row?.startedAt ?? null}
			isOpen={row !== null && segments !== null}
			onClose={onClose}
			segments={() => segments ?? []}
		/>
	);
}
