import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { wordsFor } from '#main/app/words.ts';
import { err, ok } from '#shared/lib/result.ts';

interface Asked {
	readonly buttons: readonly string[];
	readonly defaultId: number;
	readonly cancelId: number;
	readonly signal?: AbortSignal;
}
const asked: Asked[] = [];
/** The button that the person presses. */
let pressed = 0;
/** Where the person saves. */
let filePath = '';
vi.mock('electron', () => ({
	app: { isPackaged: true, getPath: () => '/' },
	dialog: {
		showSaveDialog: async () => ({ canceled: false, filePath }),
		async showMessageBox(options: Asked) {
			asked.push(options);
			return { response: pressed, checkboxChecked: false };
		},
	},
}));
const { askAboutHang, askToOpen, saveFile } = await import('./dialogs.ts');

const { hang, outside } = wordsFor('en', []);
beforeEach(() => {
	asked.length = 0;
});

test('a file that cannot be written is not told as saved', async () => {
	filePath = '/no-such-folder/here/talk.srt';
	expect(await saveFile(null, 'talk.srt', 'x')).toEqual(err({ kind: 'storage-failed', what: 'talk.srt' }));
});

test('the file that is replaced stays as it was until the new one is whole', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-dialogs-'));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	filePath = join(folder, 'talk.srt');
	writeFileSync(filePath, 'old');
	async function* cutOff() {
		yield 'new';
		throw new Error('the disk is full');
	}
	expect(await saveFile(null, 'talk.srt', cutOff() as never)).toMatchObject({ ok: false });
	expect([readFileSync(filePath, 'utf8'), readdirSync(folder)]).toEqual(['old', ['talk.srt']]);
	expect(await saveFile(null, 'talk.srt', 'new')).toEqual(ok(filePath));
	expect([readFileSync(filePath, 'utf8'), readdirSync(folder)]).toEqual(['new', ['talk.srt']]);
});

test('only Reload ends a page that does not answer; Enter, Esc and Wait do not, and the question can be taken back', async () => {
	const { signal } = new AbortController();
	pressed = 0;
	expect(await askAboutHang(null, hang, signal)).toBe('wait');
	pressed = 1;
	expect(await askAboutHang(null, hang, signal)).toBe('reload');
	for (const { buttons, defaultId, cancelId, signal: given } of asked) {
		expect(buttons).toEqual([hang.wait, hang.reload]);
		expect([buttons[defaultId], buttons[cancelId]]).toEqual([hang.wait, hang.wait]);
		expect(given).toBe(signal);
	}
});

test('Enter by habit opens no page', async () => {
	pressed = 1;
	expect(await askToOpen(null, 'https://docs.palabra.ai/keys', outside)).toBe(false);
	expect(asked.map(({ buttons, defaultId }) => buttons[defaultId])).toEqual([outside.cancel]);
});
