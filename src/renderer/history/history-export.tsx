import { useEffect, useEffectEvent, useState } from 'react';
import { ExportDialog } from '#renderer/captions/export-dialog.tsx';
import type { Host } from '#renderer/host.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import type { Segment } from '#shared/captions/segment.ts';
import type { Output } from '#shared/host/contract.ts';
import {
	exportedSegments,
	type HistoryCaption,
	type HistoryRow,
	PAGE_AT_MOST,
} from '#shared/host/history.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

export interface HistoryExportProps {
	/** The conversation to save; null: the dialog is closed. */
	readonly row: HistoryRow | null;
	readonly onClose: () => void;
	/** Called when the history could not be read, so that the error is shown in view, not behind the list. */
	readonly onUnread: (problem: Problem) => void;
}

/** The dialog that saves a kept conversation; it opens once the whole conversation is loaded. */
export function HistoryExport({ row, onClose, onUnread }: HistoryExportProps) {
	const { t } = useTranslation();
	const { host } = useParts();
	const [segments, setSegments] = useState<readonly Segment[] | null>(null);
	const unread = useEffectEvent(onUnread);
	const id = row?.id ?? null;

	useEffect(() => {
		let gone = false;
		setSegments(null);
		if (id === null) return;
		void readAll(host, id).then((read) => {
			if (gone) return;
			if (read.ok) setSegments(exportedSegments(read.value));
			else unread(read.error);
		});
		return () => {
			gone = true;
		};
	}, [host, id]);

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

/** Reads every caption of a conversation, in chronological order. */
async function readAll(host: Host, id: string): Promise<Result<readonly HistoryCaption[], Problem>> {
	const all: HistoryCaption[] = [];
	let after: string | null = null;
	do {
		const page: Result<Output<'history.read'>, Problem> = await host.ask('history.read', {
			id,
			after,
			limit: PAGE_AT_MOST,
		});
		if (!page.ok) return page;
		all.push(...page.value.captions);
		after = page.value.next;
	} while (after !== null);
	return ok(all);
}
