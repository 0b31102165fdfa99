import { expect, test, vi } from 'vitest';

const sent: unknown[][] = [];
vi.mock('electron', () => ({
	app: {},
	ipcMain: {},
	protocol: {},
	screen: {},
	BrowserWindow: {
		getAllWindows: () => [
			{
				isDestroyed: () => false,
				webContents: { id: 1, send: (...args: unknown[]) => void sent.push(args) },
			},
		],
	},
}));
const { createElectronIpc } = await import('./electron-ipc.ts');

test('no announcement repeats a secret, and a word is none', () => {
	const ipc = createElectronIpc(() => ['mossy-lantern-key', 'lost']);
	const problem = { kind: 'session-lost', cause: 'lost: mossy-lantern-key' } as const;
	ipc.announce('session.lost', { handle: 'h', problem });
	const clean = { kind: 'session-lost', cause: 'lost: [redacted]' };
	expect(sent.map(([, ...rest]) => rest)).toEqual([['session.lost', { handle: 'h', problem: clean }]]);
});
