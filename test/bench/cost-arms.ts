import { type AddressInfo, connect, createServer } from 'node:net';
import type { Page } from 'playwright-core';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { button, longMicrophone, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { openBenchBrowser } from './bench-browser.ts';
import { installCostProbe, type PageCost } from './cost-page.ts';
import { childrenOf } from './process-tree.ts';
import { sessionForPage } from './session-for-page.ts';

/** Ending takes a moment, unless the machine is busy. */
const END_LIMIT_MS = 120_000;

/** A program whose cost is measured. */
export interface CostArm {
	/** The first of its processes. */
	readonly pid: number;
	readonly page: Page;
	begin(): Promise<void>;
	end(): Promise<void>;
	cost(): Promise<PageCost>;
	close(): Promise<unknown>;
}

declare global {
	interface Window {
		readonly __cost: () => Promise<PageCost>;
		/** Only the bare page: sends a command, as the app does. */
		readonly say: (message: object) => Promise<void>;
	}
}

const cost = (page: Page) => page.evaluate(() => window.__cost());

/** The built app; `transport` pins how it travels. `s2s`: where its socket goes. */
export async function openOurs(
	sandbox: Sandbox,
	transport: 'webrtc' | 'websocket',
	s2s: string,
): Promise<CostArm> {
	const { api, key } = sandbox.addresses;
	const app = await launch({
		microphone: longMicrophone(),
		probe: false,
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key, DRAGOMAN_S2S_URL: s2s },
		settings: { speak: 'en', hear: ['es'], voiceOf: 'es', transport },
	});
	const { page } = app;
	await page.addInitScript(installCostProbe);
	await page.reload();
	await until('the window', () =>
		page.evaluate(() => '__cost' in window && document.querySelector('main') !== null),
	);
	await untilPhase(page, 'Ready');
	return {
		pid: app.main.pid ?? 0,
		page,
		async begin() {
			await button(page, 'Start').click();
			await untilPhase(page, 'Live').catch(async () => {
				const said = await page.getByTestId('phase').textContent();
				throw new Error(`${transport}: no conversation, but: ${said}\n${app.log()}`);
			});
			// The pointer must not rest on Start, which would have a session made.
			await page.mouse.move(3, 3);
		},
		async end() {
			// Start appears where Pause was.
			await page.mouse.move(3, 3);
			await page.keyboard.press('Control+Enter');
			// The tail is not measured; a paused conversation has none to cut short.
			if (await button(page, 'Stop now').isVisible()) await page.keyboard.press('Control+Enter');
			await untilPhase(page, 'Ready', END_LIMIT_MS);
			await page.mouse.move(3, 3);
			await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
			await until('no session open', () => sandbox.openSessions().length === 0);
		},
		cost: () => cost(page),
		close: () => app.close(),
	};
}

/** A page in which livekit-client alone holds a call: `begin(url, token)`, `end()`. */
export const BARE = `<script type="module">
import { Room } from '/livekit.mjs';
let room, track;
window.begin = async (url, token) => {
  track = (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
  room = new Room();
  room.on('trackSubscribed', (voice) => document.body.append(voice.attach()));
  await room.connect(url, token);
  await room.localParticipant.publishTrack(track, {
    source: 'microphone', dtx: false, red: false, audioPreset: { maxBitrate: 32000 },
  });
};
window.end = async () => {
  await room.disconnect();
  track.stop();
  document.body.replaceChildren();
};
window.say = (message) =>
  room.localParticipant.publishData(new TextEncoder().encode(JSON.stringify(message)), { reliable: true });
window.isOut = () => room?.state === 'disconnected';
window.ready = true;
</script>`;

/** livekit-client alone in a page: what a call costs at least. */
export async function openBare(sandbox: Sandbox): Promise<CostArm> {
	const before = new Set(childrenOf(process.pid));
	const browser = await openBenchBrowser({ microphone: longMicrophone(), pages: { bare: BARE } });
	const [pid = 0] = childrenOf(process.pid).filter((child) => !before.has(child));
	const page = await browser.open('bare', installCostProbe);
	let leave = async () => {};
	return {
		pid,
		page,
		async begin() {
			const session = await sessionForPage(sandbox.addresses);
			leave = session.end;
			await page.evaluate(session.begin);
		},
		async end() {
			await page.evaluate('window.end()');
			await leave();
			await until('no session open', () => sandbox.openSessions().length === 0);
		},
		cost: () => cost(page),
		close: () => browser.close(),
	};
}

/** A relay that counts what goes to `address` (ws://host:port/…). */
export async function countingWay(address: string) {
	const url = new URL(address);
	const { hostname, port } = url;
	let bytes = 0;
	const server = createServer((near) => {
		const far = connect(Number(port), hostname);
		near.on('data', (piece) => {
			bytes += piece.length;
		});
		for (const end of [near, far]) end.on('error', () => end.destroy());
		near.on('close', () => far.destroy());
		far.on('close', () => near.destroy());
		near.pipe(far).pipe(near);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	url.hostname = '127.0.0.1';
	url.port = String((server.address() as AddressInfo).port);
	return { address: url.href, bytes: () => bytes, close: () => void server.close() };
}
