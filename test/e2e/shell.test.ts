import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Launched, launch, needsElectron } from '#test/support/launch.ts';

/* What only the real shell can show. Elsewhere these are listed as not run. */

describe.skipIf(needsElectron('the app’s own scheme, the window’s sandbox'))('the Electron shell', () => {
	let app: Launched;
	beforeAll(async () => {
		app = await launch({ settings: { version: 1, service: 'sandbox' } });
	});
	afterAll(async () => {
		await app?.close();
	});

	it('serves the window from its own scheme, as a secure context', async () => {
		expect(app.page.url()).toMatch(/^app:\/\/dragoman\//);
		expect(await app.page.evaluate(() => isSecureContext)).toBe(true);
	});

	it('keeps Node and Electron out of the page', async () => {
		const reachable = await app.page.evaluate(() =>
			['process', 'require', 'module', 'Buffer', 'ipcRenderer'].filter((name) => name in window),
		);
		expect(reachable).toEqual([]);
	});

	it('refuses what the page must not have', async () => {
		const camera = await app.page.evaluate(() =>
			navigator.mediaDevices.getUserMedia({ video: true }).then(
				() => 'granted',
				(failure: Error) => failure.name,
			),
		);
		expect(camera).toBe('NotAllowedError');
	});
});
