import { basename, join, parse } from 'node:path';
import { app, type BrowserWindow, dialog, type MessageBoxOptions, type OpenDialogOptions } from 'electron';
import type { CloseAnswer, CloseQuestion } from '#main/app/lifecycle.ts';
import type { Words } from '#main/app/words.ts';
import { type FolderRefusal, writeWhole } from '#main/lib/files.ts';
import { fileStem } from '#shared/lib/file-name.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** The file name alone, valid on every system: the window cannot choose the folder. */
function safeName(suggested: string): string {
	const { name, ext } = parse(suggested.replaceAll('\\', '/'));
	return `${fileStem(name) || 'dragoman'}${ext.replace(/[^\w.]/g, '_').slice(0, 20) || '.txt'}`;
}

/** Asks where to save a file. Null if the user closed the dialog. */
export async function choosePlace(
	window: BrowserWindow | null,
	suggestedName: string,
): Promise<string | null> {
	const name = safeName(suggestedName);
	const options = { defaultPath: join(app.getPath('downloads'), name) };
	// Tests cannot answer a native dialog: they name the folder in a variable.
	const folder = app.isPackaged ? undefined : process.env.DRAGOMAN_SAVE_FOLDER;
	if (folder) return join(folder, name);
	const chosen = await (window ? dialog.showSaveDialog(window, options) : dialog.showSaveDialog(options));
	return chosen.canceled || !chosen.filePath ? null : chosen.filePath;
}

/** Asks where to save a file, and saves it. Null when the user closed the dialog. */
export async function saveFile(
	window: BrowserWindow | null,
	suggestedName: string,
	content: string | Uint8Array,
): Promise<Result<string | null, Problem>> {
	const place = await choosePlace(window, suggestedName);
	if (place === null) return ok(null);
	try {
		await writeWhole(place, content);
		return ok(place);
	} catch {
		return err({ kind: 'storage-failed', what: basename(place) });
	}
}

/** Asks for a file with one of these endings. Null when the user closed the dialog. */
export async function chooseFile(
	window: BrowserWindow | null,
	words: { readonly choose: string; readonly files: string },
	endings: readonly string[],
): Promise<string | null> {
	// Tests cannot answer a native dialog: they name the file in a variable.
	const named = app.isPackaged ? undefined : process.env.DRAGOMAN_OPEN_FILE;
	if (named) return named;
	const options: OpenDialogOptions = {
		title: words.choose,
		properties: ['openFile'],
		filters: [{ name: words.files, extensions: [...endings] }],
	};
	const chosen = await (window ? dialog.showOpenDialog(window, options) : dialog.showOpenDialog(options));
	return chosen.canceled ? null : (chosen.filePaths[0] ?? null);
}

/** Asks whether a running conversation ends with its window. Closing the question counts as cancel. */
export async function askToClose(
	window: BrowserWindow | null,
	{ what, canKeep }: CloseQuestion,
	words: Words['close'],
): Promise<{ answer: CloseAnswer; always: boolean }> {
	const answers: readonly CloseAnswer[] = canKeep ? ['stop', 'keep', 'cancel'] : ['stop', 'cancel'];
	const labels = { stop: what === 'quit' ? words.quit : words.stop, keep: words.keep, cancel: words.cancel };
	const options: MessageBoxOptions = {
		type: 'question',
		title: words.title,
		message: words.title,
		detail: canKeep ? `${words.text} ${words.keepText}` : words.text,
		buttons: answers.map((answer) => labels[answer]),
		defaultId: answers.length - 1,
		cancelId: answers.length - 1,
		checkboxLabel: words.always,
		noLink: true,
	};
	const shown = window?.isVisible() ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options);
	const { response, checkboxChecked } = await shown;
	return { answer: answers[response] ?? 'cancel', always: checkboxChecked };
}

/** Longest address to show in full, so that the dialog fits the screen. */
const SHOWN_ADDRESS = 200;

/** Asks whether to open a page in the browser. Closing the question, or Enter, pressed by habit, means no. */
export async function askToOpen(
	window: BrowserWindow | null,
	address: string,
	words: Words['outside'],
): Promise<boolean> {
	const options: MessageBoxOptions = {
		type: 'question',
		title: words.title,
		message: words.title,
		// Show it in the form in which it is sent, so that it cannot look like another host's.
		detail: (URL.parse(address)?.href ?? '').slice(0, SHOWN_ADDRESS),
		buttons: [words.open, words.cancel],
		defaultId: 1,
		cancelId: 1,
		noLink: true,
	};
	const shown = window?.isVisible() ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options);
	return (await shown).response === 0;
}

/** Offers safe mode after failed starts. Closing the question starts normally. */
export async function askForSafeMode(words: Words['safeMode']): Promise<boolean> {
	const { response } = await dialog.showMessageBox({
		type: 'warning',
		title: words.title,
		message: words.title,
		detail: words.text,
		buttons: [words.normal, words.safe],
		defaultId: 1,
		cancelId: 0,
		noLink: true,
	});
	return response === 1;
}

/** Reports that the window crashed too often, or that the system does not allow its sandbox. */
export function showFailure(words: { readonly title: string; readonly text: string }): void {
	dialog.showErrorBox(words.title, words.text);
}

/** Explains why the data folder is refused; the app then does not start. */
export function showFolderRefusal(words: Words['folder'], refusal: FolderRefusal, folder: string): void {
	dialog.showErrorBox(words.title, `${words[refusal]}\n\n${folder}`);
}

/** Asks about an unresponsive page; closes as "wait" once the page responds again. */
export async function askAboutHang(
	window: BrowserWindow | null,
	words: { readonly title: string; readonly text: string; readonly wait: string; readonly reload: string },
	signal: AbortSignal,
): Promise<'wait' | 'reload'> {
	const options: MessageBoxOptions = {
		type: 'warning',
		title: words.title,
		message: words.title,
		detail: words.text,
		buttons: [words.wait, words.reload],
		defaultId: 0,
		cancelId: 0,
		noLink: true,
		signal,
	};
	// Without a window macOS blocks all of main until the user answers, and the signal does not close the dialog.
	const asked = window?.isVisible() ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options);
	return (await asked).response === 1 ? 'reload' : 'wait';
}
