import { resolve } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { HostBridge } from '#shared/host/contract.ts';
import { askedFirst, TELL } from '#shared/host/names.ts';
import { recordedElectron as electron } from '#test/support/recorded-electron.ts';

vi.mock('electron', async () => (await import('#test/support/recorded-electron.ts')).recordedElectron.module);

/** The requests to main, in order; each answer contains its number. */
let asked: string[];
let refuses: boolean;
let pages = 0;

beforeEach(() => {
	asked = [];
	refuses = false;
	vi.unstubAllGlobals();
	electron.renderer.removeAllListeners();
	electron.invoke = async (_channel, name) => {
		asked.push(String(name));
		if (refuses) throw new Error('not allowed');
		return `${String(name)} ${asked.length}`;
	};
});

async function page(): Promise<HostBridge> {
	pages += 1;
	await import(`${resolve('src/preload/index.ts')}?page=${pages}`);
	return electron.exposed.get('dragoman') as HostBridge;
}

test('what every page asks first is asked before the page does, and answered once by that', async () => {
	const bridge = await page();
	expect(asked).toEqual(askedFirst);
	expect(await bridge.ask('settings.read', undefined)).toBe('settings.read 2');
	expect(asked).toHaveLength(3);
	expect(await bridge.ask('settings.read', undefined)).toBe('settings.read 4');
});

test('what main tells in between makes the answers old', async () => {
	const bridge = await page();
	electron.renderer.emit(TELL, {}, 'settings.changed', {});
	expect(await bridge.ask('settings.read', undefined)).toBe('settings.read 4');
	expect(await bridge.ask('account.read', undefined)).toBe('account.read 5');
});

test('what was refused then is asked again', async () => {
	refuses = true;
	const bridge = await page();
	await Promise.resolve();
	refuses = false;
	expect(await bridge.ask('app.info', undefined)).toBe('app.info 4');
});

test('the captions over other windows, which may ask none of it, ask nothing', async () => {
	vi.stubGlobal('location', { pathname: '/overlay/index.html' });
	await page();
	expect(asked).toEqual([]);
});
