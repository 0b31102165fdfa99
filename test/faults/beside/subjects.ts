import type { Page } from 'playwright-core';
import { openBenchBrowser } from '#test/bench/browser.ts';
import { button, captionsRegion, longMicrophone, until } from '#test/support/app-steps.ts';
import { launch } from '#test/support/launch.ts';
import { installWatch } from './watch.ts';

/** A client under test, as its user sees it. */
export interface Subject {
	readonly page: Page;
	/** Asks for a conversation and waits for nothing. */
	begin(): Promise<void>;
	/** `ended`: it says so itself, whatever the reason. */
	state(): Promise<'busy' | 'live' | 'ended'>;
	/** What it reports of problems: on the screen, or to the program that uses it. */
	told(): Promise<string>;
	/** Grows with every text of the interpreter. */
	texts(): Promise<number>;
	/** Asks for the end and waits for nothing. */
	end(): Promise<void>;
	close(): Promise<void>;
}

/** Where its service is. */
export interface Place {
	readonly api: string;
	readonly s2s: string;
	readonly key: string;
}

export type SubjectName = 'ours' | 'vendor';

const LIMIT_MS = 60_000;
/** Phases in which nothing is under way. */
const OVER = ['Ready', 'Stopped by a problem', 'Not ready'];

/** The built app, by mouse. */
export async function openOurs({ api, s2s, key }: Place): Promise<Subject> {
	const app = await launch({
		microphone: longMicrophone(),
		probe: false,
		env: { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key, DRAGOMAN_S2S_URL: s2s },
		settings: { interfaceLanguage: 'en', speak: 'en', hear: ['es'], voiceOf: 'es' },
	});
	const { page } = app;
	await page.addInitScript(installWatch);
	await page.reload();
	await until(
		'the app',
		() => page.evaluate<boolean>('Boolean(window.__watch && document.querySelector("main"))'),
		LIMIT_MS,
	).catch(async (failure: unknown) => {
		await app.close();
		throw failure;
	});
	const phase = async () => (await page.getByTestId('phase').textContent()) ?? '';
	return {
		page,
		async begin() {
			await button(page, 'Start').click();
		},
		async state() {
			const words = await phase();
			if (OVER.some((each) => words.includes(each))) return 'ended';
			return words.includes('Live') ? 'live' : 'busy';
		},
		async told() {
			const said = await page.locator('[role=alert], [role=status]').allInnerTexts();
			return [await phase(), ...said].join(' | ');
		},
		texts: async () => ((await captionsRegion(page).textContent()) ?? '').length,
		async end() {
			await page.keyboard.press('Control+Enter');
		},
		async close() {
			await app.close();
		},
	};
}

const PAGE = `<script type="module">
import * as sdk from '/lib.js';
const seen = { texts: 0, told: [], state: 'busy' };
let client;
window.begin = (api, key) => {
  client = new sdk.PalabraClient({
    auth: { userToken: key }, apiBaseUrl: api, translateFrom: 'en', translateTo: 'es', intent: 'api',
    handleOriginalTrack: async () => (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks()[0],
  });
  for (const event of [sdk.EVENT_TRANSCRIPTION_RECEIVED, sdk.EVENT_TRANSLATION_RECEIVED, sdk.EVENT_PARTIAL_TRANSCRIPTION_RECEIVED])
    client.on(event, (text) => { if (text) seen.texts += 1; });
  client.on(sdk.EVENT_ERROR_RECEIVED, (error) => { if (error && seen.told.length < 100) seen.told.push(JSON.stringify(error)); });
  client.on(sdk.EVENT_CONNECTION_STATE_CHANGED, (state) => seen.told.push('connection ' + state));
  client.on(sdk.EVENT_ROOM_DISCONNECTED, () => { seen.told.push('room disconnected'); seen.state = 'ended'; });
  client.startTranslation().then(
    () => { seen.state = 'live'; void client.startPlayback(); },
    (error) => { seen.state = 'ended'; seen.told.push('refused: ' + String(error?.message ?? error)); },
  );
};
window.seen = () => seen;
window.end = () => { void client.stopTranslation().catch((error) => seen.told.push('not stopped: ' + error)); };
window.ready = true;
</script>`;

/** Opens the vendor's SDK again and again, each time in a page of its own. */
export async function openVendors(): Promise<{
	open(place: Place): Promise<Subject>;
	close(): Promise<void>;
}> {
	const browser = await openBenchBrowser({ microphone: longMicrophone(), pages: { vendor: PAGE } });
	return {
		async open({ api, key }) {
			const page = await browser.open('vendor', installWatch);
			const seen = () =>
				page.evaluate<{ texts: number; told: string[]; state: 'busy' | 'live' | 'ended' }>('window.seen()');
			return {
				page,
				async begin() {
					await page.bringToFront();
					await page.evaluate(`window.begin(${JSON.stringify(api)}, ${JSON.stringify(key)})`);
				},
				state: async () => (await seen()).state,
				told: async () => (await seen()).told.join(' | '),
				texts: async () => (await seen()).texts,
				async end() {
					await page.evaluate('window.end()');
				},
				close: () => page.close(),
			};
		},
		close: browser.close,
	};
}
