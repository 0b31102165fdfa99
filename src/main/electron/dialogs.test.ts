import { expect, test, vi } from 'vitest';
import { err } from '#shared/lib/result.ts';

vi.mock('electron', () => ({
	app: { isPackaged: true, getPath: () => '/' },
	dialog: { showSaveDialog: async () => ({ canceled: false, filePath: '/no-such-folder/here/talk.srt' }) },
}));
const { saveFile } = await import('./dialogs.ts');

test('a file that cannot be written is not told as saved', async () => {
	expect(await saveFile(null, 'talk.srt', 'x')).toEqual(err({ kind: 'storage-failed', what: 'talk.srt' }));
});
