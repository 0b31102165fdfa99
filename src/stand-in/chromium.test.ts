import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { chromiumFlags, findChromium, quietly, unpackNpmChromium } from './chromium.ts';
import { type SandboxGround, sandboxFlags } from './program.ts';

test('a browser that is named but cannot be run is an error, not a reason to take another', async () => {
	await expect(findChromium({ env: { DRAGOMAN_CHROMIUM: '/nowhere/chromium' } })).rejects.toThrow('/nowhere');
});

test('features that the command line turns off are added to ours, in one list: a browser uses only the last', () => {
	const flags = quietly(['--disable-features=One', '--lang=de', '--disable-features=Three']);
	const lists = flags.filter((flag) => flag.startsWith('--disable-features='));
	expect(lists).toHaveLength(1);
	expect(lists[0]).toMatch(/^--disable-features=.*Translate.*,One,Three$/);
	expect(flags).toContain('--lang=de');
});

test('a browser installed on the machine is found through the PATH', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'dragoman-path-'));
	const executablePath = join(folder, 'google-chrome-stable');
	symlinkSync(process.execPath, executablePath);
	const found = await findChromium({ env: { PATH: folder } });
	rmSync(folder, { recursive: true });
	expect(found).toEqual({ executablePath, env: {}, kind: 'installed', headed: true });
});

const here = process.platform === 'linux' && process.arch === 'x64';
test.runIf(here)(
	"npm's Chromium, unpacked twice at once, draws text and carries audio between two peers",
	async () => {
		const cache = mkdtempSync(join(tmpdir(), 'dragoman-cache-'));
		const env = { ...process.env, XDG_CACHE_HOME: cache };
		const [one, two] = await Promise.all([unpackNpmChromium(env), unpackNpmChromium(env)]);
		expect(one).toEqual(two);
		if (!one) throw new Error('the npm package is missing');
		expect(statSync(join(one.executablePath, '..')).mode & 0o077).toBe(0);
		expect(readdirSync(join(cache, 'dragoman')).filter((name) => name.includes('.part-'))).toEqual([]);

		const browser = await chromium.launch({
			executablePath: one.executablePath,
			args: [...chromiumFlags],
			ignoreDefaultArgs: ['--mute-audio'],
			env: { ...process.env, ...one.env } as Record<string, string>,
		});
		try {
			const page = await browser.newPage({ viewport: { width: 300, height: 80 } });
			await page.setContent('<p id="t" style="font: 40px sans-serif">Dragoman</p>');
			const drawn = await page.screenshot();
			await page.setContent('<p></p>');
			expect(drawn.length).toBeGreaterThan((await page.screenshot()).length + 500);
			const peak = await page.evaluate(async () => {
				const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];
				a.onicecandidate = (event) => void b.addIceCandidate(event.candidate ?? undefined);
				b.onicecandidate = (event) => void a.addIceCandidate(event.candidate ?? undefined);
				const context = new AudioContext();
				const tone = context.createOscillator();
				const source = context.createMediaStreamDestination();
				tone.connect(source);
				tone.start();
				for (const track of source.stream.getTracks()) a.addTrack(track, source.stream);
				const arrived = new Promise<MediaStream>((done) => {
					b.ontrack = (event) => done(event.streams[0] ?? new MediaStream([event.track]));
				});
				await a.setLocalDescription();
				if (a.localDescription) await b.setRemoteDescription(a.localDescription);
				await b.setLocalDescription();
				if (b.localDescription) await a.setRemoteDescription(b.localDescription);
				const stream = await arrived;
				const element = new Audio();
				element.srcObject = stream;
				element.muted = true;
				await element.play();
				const meter = context.createAnalyser();
				context.createMediaStreamSource(stream).connect(meter);
				const samples = new Float32Array(meter.fftSize);
				const end = performance.now() + 5000;
				let loudest = 0;
				while (loudest < 0.5 && performance.now() < end) {
					await new Promise((done) => setTimeout(done, 50));
					meter.getFloatTimeDomainData(samples);
					loudest = Math.max(loudest, ...samples);
				}
				return loudest;
			});
			expect(peak).toBeGreaterThan(0.5);
		} finally {
			await browser.close();
			rmSync(cache, { recursive: true, force: true });
		}
	},
	60_000,
);

const ground: SandboxGround = {
	platform: 'linux',
	isRoot: false,
	hasUserNamespaces: () => true,
	hasHelper: () => false,
};

test.each<[string, Partial<SandboxGround>, boolean]>([
	['on Linux with user namespaces', {}, true],
	['without them, with the helper', { hasUserNamespaces: () => false, hasHelper: () => true }, true],
	['without either', { hasUserNamespaces: () => false }, false],
	['as root', { isRoot: true, hasHelper: () => true }, false],
	['on macOS', { platform: 'darwin', hasUserNamespaces: () => false }, true],
	['on Windows', { platform: 'win32', hasUserNamespaces: () => false }, true],
])('the browser keeps its sandbox wherever it can have it: %s', (_where, differs, keeps) => {
	expect(sandboxFlags('/usr/bin/chromium', { ...ground, ...differs })).toEqual(keeps ? [] : ['--no-sandbox']);
});
