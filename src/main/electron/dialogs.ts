import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { app, type BrowserWindow, dialog } from 'electron';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** The name alone: a window cannot choose the folder. */
function safeName(suggested: string): string {
	return basename(suggested.replaceAll('\\', '/')).replace(/[^\p{L}\p{N} ._-]/gu, '_') || 'dragoman.txt';
}

/** Asks where, and saves. Null when the user closed the dialog. */
export async function saveText(
	window: BrowserWindow | null,
	suggestedName: string,
	text: string,
): Promise<Result<string | null, Problem>> {
	const options = { defaultPath: join(app.getPath('downloads'), safeName(suggestedName)) };
	const chosen = await (window ? dialog.showSaveDialog(window, options) : dialog.showSaveDialog(options));
	if (chosen.canceled || !chosen.filePath) return ok(null);
	try {
		await writeFile(chosen.filePath, text);
		return ok(chosen.filePath);
	} catch {
		return err({ kind: 'storage-failed', what: basename(chosen.filePath) });
	}
}

export function showWindowFailure(words: { readonly title: string; readonly text: string }): void {
	dialog.showErrorBox(words.title, words.text);
}
