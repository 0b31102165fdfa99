import { afterEach, beforeEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { OverlayFrame } from '#shared/overlay/frames.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { composeWindow } from '#test/support/composed-window.ts';

/*
 * The window as `main.tsx` builds it: what its parts do together, the second time as well. All tests use the same window,
 * one after the other, so each of them also follows other conversations.
 */

const LIMIT = { timeout: 15_000 };
const button = (name: string) => page.getByRole('button', { name, exact: true });
const text = (words: string) => page.getByText(words, { exact: false }).first();
const shows = (words: string) => expect.element(text(words), LIMIT).toBeVisible();
const hides = (words: string) => expect.element(text(words), LIMIT).not.toBeInTheDocument();
const phase = (words: string) => expect.element(page.getByTestId('phase'), LIMIT).toHaveTextContent(words);
const later = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Quieter than speech, louder than a microphone that is dead. */
const ROOM_NOISE = 0.002;
const SPEECH = 0.5;
/** The quietest sample that counts as sound. */
const SOUND = 0.1;

const { setup, service, ...others } = defaultSettings;
const usual: Partial<Settings> = {
	...others,
	transport: 'websocket',
	interfaceLanguage: 'en',
	history: 'erase',
};
const shown = await composeWindow(usual);

beforeEach(async () => {
	shown.speak(ROOM_NOISE);
	await shown.set(usual);
});

/** A test that failed in the middle of a conversation leaves neither that nor a mute to the next one. */
afterEach(async () => {
	for (const one of document.querySelectorAll<HTMLElement>('[aria-pressed="true"]')) one.click();
	for (const name of ['Stop', 'Stop now']) {
		(button(name).query() as HTMLElement | null)?.click();
		await later(250);
	}
	await shown.skip(60_000);
});

async function start(settings: Partial<Settings>): Promise<void> {
	await shown.set(settings);
	await button('Start').click();
	await phase('Live');
}

async function stop(): Promise<void> {
	await button('Stop').click();
	await phase('Ready');
	// For this long, a press of Start counts as a second press of Stop.
	await shown.skip(2000);
}

/** Calls `say`, then waits until its voice is heard and has ended. */
async function hears(say: () => void): Promise<void> {
	expect(shown.heard(500)).toBeLessThan(SOUND);
	const sinceMs = performance.now();
	say();
	await expect.poll(() => shown.heard(performance.now() - sinceMs), LIMIT).toBeGreaterThan(SOUND);
	await expect.poll(() => shown.heard(500), LIMIT).toBeLessThan(SOUND);
}

/** I say a sentence, which is translated and, for `voiceMs`, spoken. */
const says = (id: string, voiceMs = 0) =>
	shown.stream('es').say(id, { en: `Said ${id}.`, es: `Dicho ${id}.` }, voiceMs);

test('speech during a lost room is marked as lost, and is not sent later', {
	timeout: 60_000,
}, async () => {
	await start({ transport: 'auto' });
	await later(2000);
	const opened = shown.opened();
	shown.speak(SPEECH);
	await shown.endRoom();
	await phase('Reconnecting');
	await later(1200);
	await phase('Live');
	await shows('Nothing was interpreted for');
	// Longer than it takes to open one.
	await later(3000);
	expect(shown.opened()).toBe(opened);
	await stop();
});

test('a voice that does not come is missed where one is wanted, and never in “Captions only”', {
	timeout: 60_000,
}, async () => {
	const missed = 'The translation comes as text, but no voice comes with it.';
	for (const mode of ['solo', 'captions', 'captions', 'solo'] as const) {
		await start({ mode });
		says(`unvoiced in ${mode}`);
		await shows(`Dicho unvoiced in ${mode}.`);
		await shown.skip(8000);
		// Stages are judged once a second.
		await later(1500);
		if (mode === 'solo') await shows(missed);
		else await hides(missed);
		await stop();
	}
});

test('who speaks into a muted microphone is told, each time; who mutes the call and lets it go on is not', {
	timeout: 60_000,
}, async () => {
	const muted = 'You are speaking, but the microphone is muted.';
	await start({ mode: 'meeting' });
	shown.others(4000);
	await expect.poll(() => shown.stream('en').captured(500), LIMIT).toBeGreaterThan(SOUND);
	await button('Mute the call').click();
	await later(1500);
	await hides(muted);
	for (let time = 0; time < 2; time += 1) {
		await page.getByRole('button', { name: 'Mute me' }).first().click();
		shown.speak(SPEECH);
		await shows(muted);
		await page.getByRole('button', { name: 'Unmute' }).first().click();
		await hides(muted);
		shown.speak(ROOM_NOISE);
	}
	await stop();
});

test('R replays what they said although their voice is muted, in the next meeting as well', {
	timeout: 90_000,
}, async () => {
	const replaying = 'Playing it again. The live voice waits.';
	for (const id of ['r1', 'r2']) {
		await start({ mode: 'meeting' });
		// The voice is kept from a second after the start, and what is kept begins with a whole sentence.
		await later(1500);
		for (const sentence of [`${id}-first`, id]) {
			const texts = { es: `Dicho ${sentence}.`, en: `Said ${sentence}.` };
			await hears(() => shown.stream('en').say(sentence, texts, 1000));
		}
		await button('Mute the voice in your headphones').click();
		await userEvent.keyboard('r');
		await shows(replaying);
		await hides(replaying);
		await hides('There is nothing to replay.');
		await button('Mute the voice in your headphones').click();
		await stop();
	}
});

test('push to talk sends what is said while the key is held, in this conversation and the next', {
	timeout: 60_000,
}, async () => {
	shown.speak(SPEECH);
	for (let conversation = 0; conversation < 2; conversation += 1) {
		await start({ talk: 'push-to-talk' });
		const { captured } = shown.stream();
		for (let press = 0; press < 2; press += 1) {
			await later(500);
			expect(captured(200)).toBeLessThan(SOUND);
			shown.announce('talk.held', { down: true });
			await expect.poll(() => captured(200), LIMIT).toBeGreaterThan(SOUND);
			shown.announce('talk.held', { down: false });
			await expect.poll(() => captured(200), LIMIT).toBeLessThan(SOUND);
		}
		await stop();
	}
});

test('guests get corrected captions for as long as they are shared, the second time as well', {
	timeout: 60_000,
}, async () => {
	const frames = () =>
		shown.asked.flatMap(([name, frame]) => (name === 'overlay.show' ? [frame as OverlayFrame] : []));
	const texts = () =>
		frames()
			.at(-1)
			?.rows.flatMap(({ pieces }) => pieces.map((piece) => piece.text)) ?? [];
	await start({ corrections: [{ language: 'en', wrong: 'Said', right: 'Put' }] });
	for (const revision of [10, 20]) {
		const addresses = ['http://10.0.0.5:1/a/'];
		shown.announce('guests.changed', { revision, sharing: true, addresses, guests: 0, listening: [] });
		says(`g${revision}`);
		await expect.poll(texts, LIMIT).toContain(`Put g${revision}.`);
		shown.announce('guests.changed', {
			revision: revision + 1,
			sharing: false,
			addresses: [],
			guests: 0,
			listening: [],
		});
		await later(300);
		const before = frames().length;
		says(`h${revision}`);
		await shows(`Put h${revision}.`);
		await later(300);
		expect(frames()).toHaveLength(before);
	}
	await stop();
});
