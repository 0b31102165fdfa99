import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { treeOf } from '#test/support/canary.ts';
import { type Launched, launch, needsElectron } from '#test/support/launch.ts';

/*
 * What only the real shell can show. Elsewhere these are listed as not run. Numbers are those of Electron's security
 * checklist; what can be asserted without its binary is in test/contract/electron-checklist.test.ts.
 */

describe.skipIf(needsElectron('the app’s own scheme, the window’s sandbox'))('the Electron shell', () => {
	let app: Launched;
	beforeAll(async () => {
		app = await launch({ settings: { version: 1, service: 'sandbox' } });
	});
	afterAll(async () => {
		await app?.close();
	});

	it('1, 18: serves the window from its own scheme, as a secure context', async () => {
		expect(app.page.url()).toMatch(/^app:\/\/dragoman\//);
		expect(await app.page.evaluate(() => isSecureContext)).toBe(true);
	});

	it('2, 3, 20: keeps Node and Electron out of the page, and its own side of the bridge', async () => {
		const reachable = await app.page.evaluate(() =>
			['process', 'require', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer', 'webFrame'].filter(
				(name) => name in window,
			),
		);
		expect(reachable).toEqual([]);
		// In another world: what the page does to its own objects is not felt there.
		const answered = await app.page.evaluate(() => {
			Array.prototype.push = () => 0;
			JSON.parse = () => ({});
			const { dragoman } = window as unknown as { dragoman: { ask(name: string): Promise<unknown> } };
			return dragoman.ask('app.info').then((answer) => String((answer as { ok: boolean }).ok));
		});
		expect(answered).toBe('true');
		await app.page.reload();
	});

	it.skipIf(process.platform !== 'linux' || process.getuid?.() === 0)(
		'4: runs the page in a sandbox of the system',
		() => {
			const pages = treeOf(app.main.pid ?? 0).filter(({ commandLine }) =>
				commandLine.includes('--type=renderer'),
			);
			expect(pages.length).toBeGreaterThan(0);
			for (const { commandLine, pid } of pages) {
				expect(commandLine).not.toContain('--no-sandbox');
				// Its system calls are filtered (2), or it may not gain rights.
				expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/Seccomp:\s+2|NoNewPrivs:\s+1/);
			}
		},
	);

	it('5: refuses what the page must not have', async () => {
		const refused = await app.page.evaluate(async () => {
			const name = (work: Promise<unknown>) =>
				work.then(
					() => 'granted',
					(failure: Error) => failure.name,
				);
			return {
				camera: await name(navigator.mediaDevices.getUserMedia({ video: true })),
				screen: await name(navigator.mediaDevices.getDisplayMedia({ video: true, audio: true })),
				clipboard: await name(navigator.clipboard.readText()),
				midi: await name(navigator.requestMIDIAccess({ sysex: true })),
				place: await name(
					new Promise((done, fail) =>
						navigator.geolocation.getCurrentPosition(done, () =>
							fail(new DOMException('', 'NotAllowedError')),
						),
					),
				),
				notifications: await Notification.requestPermission(),
			};
		});
		expect(refused).toMatchObject({
			camera: 'NotAllowedError',
			clipboard: 'NotAllowedError',
			notifications: 'denied',
		});
		for (const [what, outcome] of Object.entries(refused))
			expect([what, outcome]).not.toEqual([what, 'granted']);
	});

	it('6, 7, 8: holds the page to its policy, for what it runs and whom it asks', async () => {
		const refused = await app.page.evaluate(async () => {
			const seen: string[] = [];
			document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
				seen.push(effectiveDirective),
			);
			const script = document.createElement('script');
			script.setAttribute('src', 'https://evil.example/x.js');
			document.head.append(script);
			const image = new Image();
			image.src = 'http://evil.example/x.png';
			let evaluated = 'run';
			try {
				// biome-ignore lint/security/noGlobalEval: it must be refused.
				globalThis.eval('1');
			} catch {
				evaluated = 'refused';
			}
			const asked = await fetch('https://evil.example/').then(
				() => 'reached',
				() => 'refused',
			);
			await new Promise((done) => setTimeout(done, 200));
			return { seen, evaluated, asked };
		});
		expect(refused.evaluated).toBe('refused');
		expect(refused.asked).toBe('refused');
		expect(refused.seen).toEqual(expect.arrayContaining(['script-src-elem', 'img-src']));
	});

	it('11, 12: knows no webview', async () => {
		const kind = await app.page.evaluate(() => {
			const view = document.createElement('webview');
			return [
				view instanceof HTMLUnknownElement || !('getWebContentsId' in view),
				'executeJavaScript' in view,
			];
		});
		expect(kind).toEqual([true, false]);
	});

	it('13, 14: goes nowhere, by a link, a script, a refresh or what is dropped on it, and opens nothing', async () => {
		const before = app.page.url();
		const pages = app.page.context().pages().length;
		await app.page.evaluate(() => {
			const link = document.createElement('a');
			link.href = 'https://evil.example/';
			document.body.append(link);
			link.click();
			link.target = '_blank';
			link.click();
			window.open('https://evil.example/');
			window.open('about:blank');
			const refresh = document.createElement('meta');
			refresh.httpEquiv = 'refresh';
			refresh.content = '0;url=https://evil.example/';
			document.head.append(refresh);
			const dropped = new DataTransfer();
			dropped.items.add('file:///etc/passwd', 'text/uri-list');
			document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true }));
			location.assign('https://evil.example/');
		});
		await app.page.waitForTimeout(1000);
		expect(app.page.url()).toBe(before);
		expect(app.page.context().pages()).toHaveLength(pages);
	});

	it('17: answers nobody but the top frame of its own page', async () => {
		const inFrame = await app.page.evaluate(async () => {
			const frame = document.createElement('iframe');
			document.body.append(frame);
			return 'dragoman' in (frame.contentWindow ?? {});
		});
		expect(inFrame).toBe(false);
	});
});
