import type { Page } from 'playwright-core';
import type { Sandbox } from '#sandbox/sandbox.ts';
import { button, until, untilPhase } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { openBenchBrowser } from './bench-browser.ts';
import { BLOCKS } from './ear-blocks.ts';
import { installEarTap } from './ear-tap.ts';
import { sessionForPage } from './session-for-page.ts';

/** A client that can make a call. */
export interface EarArm {
	/** Begins a call, the taps armed; resolves when the voice plays. */
	begin(): Promise<Page>;
	end(): Promise<void>;
}

export interface EarArms {
	readonly arms: Readonly<Record<string, EarArm>>;
	close(): Promise<unknown>;
}

export interface EarParts {
	readonly sandbox: Sandbox;
	/** WAV of chirps. */
	readonly microphone: string;
}

const LIMIT_MS = 60_000;

async function hears(page: Page): Promise<void> {
	await until('a voice that plays', () => page.evaluate<boolean>('window.__ear.hears()'), LIMIT_MS);
}

/** The built app, as it is, by mouse. */
export async function launchOurEars(
	{ sandbox, microphone }: EarParts,
	settings: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly arm: EarArm; close(): Promise<unknown> }> {
	const { api, key, s2s } = sandbox.addresses;
	const app = await launch({
		microphone,
		probe: false,
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key, DRAGOMAN_S2S_URL: s2s },
		settings: { speak: 'en', hear: ['es'], voiceOf: 'es', ...settings },
	});
	const { page } = app;
	await page.addInitScript(installEarTap);
	await page.reload();
	// Polled from outside: the page's policy forbids Playwright's polling, which evaluates code in the page.
	const there = () => page.evaluate<boolean>('Boolean(window.__ear && document.querySelector("main"))');
	await until('the app and its taps', there, LIMIT_MS).catch(async (failure: unknown) => {
		await app.close();
		throw failure;
	});
	return {
		arm: {
			async begin() {
				await untilPhase(page, 'Ready');
				await page.evaluate('window.__ear.arm()');
				await button(page, 'Start').click();
				await hears(page);
				return page;
			},
			async end() {
				await page.keyboard.press('Control+Enter');
				// The tail is not measured.
				await page.keyboard.press('Control+Enter');
				await untilPhase(page, 'Ready');
				await page.mouse.move(3, 3);
				await page.evaluate('document.activeElement?.blur?.()');
				await until('no session open', () => sandbox.openSessions().length === 0);
			},
		},
		close: () => app.close(),
	};
}

const BARE = `<script type="module">
import { Room } from '/livekit.mjs';
let room;
let track;
window.begin = async (url, token) => {
  await window.__ear.arm();
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
window.ready = true;
</script>`;

const VENDOR = `<script type="module">
import { PalabraClient } from '/lib.js';
let client;
let track;
window.begin = async (api, key) => {
  // As the SDK would make it, but with the taps' sample rate.
  const context = new AudioContext({ sampleRate: 48000 });
  await window.__ear.arm(context);
  client = new PalabraClient({
    auth: { userToken: key }, apiBaseUrl: api, translateFrom: 'en', translateTo: 'es', intent: 'api', audioContext: context,
    handleOriginalTrack: async () => {
      track = (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
      return track;
    },
  });
  await client.startTranslation();
  await client.startPlayback();
};
window.end = async () => {
  await client.stopTranslation();
  track?.stop();
};
window.ready = true;
</script>`;

const ANCHORS = `<script type="module">
const open = async () => (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0];
let end = () => {};
window.loopback = async () => {
  await window.__ear.arm();
  const track = await open();
  const [from, to] = [new RTCPeerConnection(), new RTCPeerConnection()];
  from.onicecandidate = ({ candidate }) => to.addIceCandidate(candidate);
  to.onicecandidate = ({ candidate }) => from.addIceCandidate(candidate);
  const element = new Audio();
  to.ontrack = ({ track: voice }) => { element.srcObject = new MediaStream([voice]); void element.play(); };
  from.addTrack(track, new MediaStream([track]));
  await from.setLocalDescription();
  await to.setRemoteDescription(from.localDescription);
  await to.setLocalDescription();
  await from.setRemoteDescription(to.localDescription);
  end = () => { track.stop(); from.close(); to.close(); element.srcObject = null; };
};
window.end = () => end();
window.ready = true;
</script>`;

/** What the app is measured against, in a browser of its own; `vendor` only where its SDK is installed. */
export async function openOtherEars({ sandbox, microphone }: EarParts, vendor: boolean): Promise<EarArms> {
	const pages = { bare: BARE, blocks: BLOCKS, anchors: ANCHORS, ...(vendor ? { vendor: VENDOR } : {}) };
	const browser = await openBenchBrowser({ microphone, pages });
	const { api, key } = sandbox.addresses;
	const open = async (name: string) => await browser.open(name, installEarTap);
	const [anchors, bare, blocks] = [await open('anchors'), await open('bare'), await open('blocks')];
	const vendorPage = vendor ? await open('vendor') : null;

	function inPage(page: Page, begin: string | (() => Promise<string>), after = async () => {}): EarArm {
		return {
			async begin() {
				// Chromium plays and captures for the page in front.
				await page.bringToFront();
				await page.evaluate(typeof begin === 'string' ? begin : await begin());
				await hears(page);
				return page;
			},
			async end() {
				await page.evaluate('window.end()');
				await after();
				await until('no session open', () => sandbox.openSessions().length === 0);
			},
		};
	}

	/** A page that is given a session that was made for it. */
	function inSession(page: Page): EarArm {
		let leave = async () => {};
		const join = async () => {
			const session = await sessionForPage({ api, key });
			leave = session.end;
			return session.begin;
		};
		return inPage(page, join, () => leave());
	}
	return {
		arms: {
			loopback: inPage(anchors, 'window.loopback()'),
			bare: inSession(bare),
			blocks: inSession(blocks),
			...(vendorPage
				? { vendor: inPage(vendorPage, `window.begin(${JSON.stringify(api)}, ${JSON.stringify(key)})`) }
				: {}),
		},
		close: () => browser.close(),
	};
}
