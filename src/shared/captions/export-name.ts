import { fileStem } from '#shared/lib/file-name.ts';
import { type ExportOptions, fileEnding, hasOneTrack } from './export-formats.ts';

/** The file name: `name` as a person entered it, made valid on every system. */
export function exportName(
	name: string,
	{ format, track, aligned, others = [] }: Omit<ExportOptions, 'words'>,
): string {
	const isWhole = others.length > 0 || (aligned && track.kind !== 'source');
	const middle = !hasOneTrack(format) || isWhole ? '' : `.${track.language}`;
	return `${fileStem(name) || 'dragoman'}${middle}.${fileEnding(format)}`;
}

/** The proposed name of a conversation, with its start in Unix ms; null = not known. */
export function datedName(name: string, startedAt: number | null): string {
	return startedAt === null ? name : `${name} ${fileDate(startedAt)}`;
}

/** Unix ms as part of a file's name, the same in every language, so that files sort by it: `2026-11-28 14.05`. */
export function fileDate(unixMs: number): string {
	return new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short' })
		.format(unixMs)
		.replace(':', '.');
}
