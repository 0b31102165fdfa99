import { afterEach, expect, test } from 'vitest';
import { createAudioEngine } from '#renderer/sound/context.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok } from '#shared/lib/result.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { modelEntries } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createTone, endMixers } from '#test/support/mixer-rig.ts';
import { keepUnsent } from './keep-unsent.ts';
import { createUnsent } from './unsent-speech.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
	await endMixers();
});

const later = (ms: number) => new Promise((done) => setTimeout(done, ms));
const PER_MS = 24;
/** Longer than anything that a test says. */
const LONG_MS = 20_000;

/**
 * A direction whose source is a tone. The conversation's time is the test's, the sound's is real; so much of the former
 * passes in `begin` that everything is young enough to be kept.
 */
async function createRig(main: FakeMain = {}) {
	const clock = createManualClock();
	const engine = createAudioEngine({ clock: systemClock, log: silentLogger });
	ends.push(() => engine.close());
	const tone = createTone();
	tone.loud(0.5);
	tone.pitch(100);
	let isOpen = false;
	let seam = 0;
	const source: Microphone = {
		async open() {
			isOpen = true;
			return ok(tone.track);
		},
		setMuted(muted) {
			tone.track.enabled = !muted;
		},
		close() {
			isOpen = false;
		},
		listen: () => () => {},
		device: '',
		async apply() {},
	};
	const shown = createFakeWindow({
		clock,
		account: { service: 'service', sandbox: 'off' },
		key: { present: true, source: 'keychain', lastFour: '1234' },
		models: { models: modelEntries('installed') },
		...main,
		settings: { speak: 'en', hear: ['pt'], voiceOf: 'pt', ...main.settings },
	});
	await shown.ready;
	await shown.parts.models.load();
	const unsent = createUnsent(source, engine);
	const other = createUnsent({ ...source, close() {} }, engine);
	const end = keepUnsent(shown.parts, { outgoing: unsent, incoming: other });
	ends.push(async () => end());
	const { conversation } = shown.legs.outgoing;
	const { takeOver } = shown.parts.models;
	const moves = (isMoving: boolean) => takeOver.setState({ isMoving });
	return {
		clock,
		unsent,
		shown,
		moves,
		show: conversation.show,
		conversation,
		isOpen: () => isOpen,
		/** Where what was kept ends in what was taken, samples. */
		seam: () => seam,
		/** The conversation is live, and the tone has been heard for so long. */
		async begin(ms: number) {
			await unsent.microphone.open();
			conversation.show({ phase: 'live', liveSinceMs: 0 });
			// The worklet has to be there first.
			await later(500);
			clock.advance(LONG_MS);
			await later(ms);
		},
		lose: () => conversation.show({ phase: 'reconnecting', liveSinceMs: 0 }),
		/** As going on here does it. */
		async move() {
			moves(true);
			unsent.microphone.close();
			conversation.show({ phase: 'idle' });
			await shown.parts.account.choose('local');
		},
		/** What the next conversation gets: the sound of the first `ms` after it has begun, too; null = nothing kept. */
		async taken(ms = 200) {
			const kept = unsent.take();
			if (!kept) return null;
			const { port1, port2 } = new MessageChannel();
			const frames: Int16Array[] = [];
			port1.onmessage = ({ data }) => void frames.push(data as Int16Array);
			const capture = kept.createCapture({ engine, clock, lost() {} });
			const opened = await unsent.microphone.open();
			if (opened.ok) capture.setTrack(opened.value);
			conversation.show({ phase: 'preparing' });
			moves(false);
			capture.sendTo(port2);
			await later(ms);
			capture.close();
			port1.close();
			const live = frames.findIndex(({ length }) => length === 20 * PER_MS);
			seam = frames.slice(0, live).reduce((sum, { length }) => sum + length, 0);
			return Int16Array.from(frames.flatMap((frame) => [...frame]));
		},
	};
}

/** Ms of sound and of silence, in pieces of 20 ms. */
function lengths(samples: Int16Array | null) {
	let loud = 0;
	let silent = 0;
	const piece = 20 * PER_MS;
	for (let at = 0; samples && at + piece <= samples.length; at += piece) {
		if (samples.subarray(at, at + piece).some((sample) => Math.abs(sample) > 1000)) loud += 20;
		else silent += 20;
	}
	return { loud, silent };
}

test('what was said while the service was gone comes first, then what is said, without a gap and nothing twice', async () => {
	const rig = await createRig();
	await rig.begin(500);
	rig.lose();
	await later(700);
	await rig.move();
	expect(rig.isOpen()).toBe(true);
	// The models are being loaded.
	await later(300);
	const samples = await rig.taken(500);
	const { loud, silent } = lengths(samples);
	expect(loud).toBeGreaterThan(1900);
	expect(silent).toBeLessThan(500);
	// A tone of 100 Hz at half of full scale changes by 430 from one sample to the next; a jump would be larger.
	const seam = rig.seam();
	let jump = 0;
	for (let at = seam - 40 * PER_MS; samples && at < seam + 40 * PER_MS; at += 1)
		jump = Math.max(jump, Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0)));
	expect([jump > 300, jump < 600]).toEqual([true, true]);
});

test('what the service has heard is not heard again: only a second before its last text, and when that was is known', async () => {
	const rig = await createRig();
	await rig.begin(1500);
	rig.conversation.putRow(captionRow(1, ['en', 'Good morning.'], []));
	rig.clock.advance(200);
	rig.lose();
	await rig.move();
	const before = rig.clock.now();
	const { loud, silent } = lengths(await rig.taken());
	expect(loud + silent).toBeGreaterThan(1150);
	expect(loud + silent).toBeLessThan(1700);
	expect(rig.unsent.fromMs()).toBe(before - 1200);
	// The next socket gets nothing old.
	expect([rig.unsent.take(), rig.unsent.fromMs()]).toEqual([null, null]);
});

test('what was said while muted or in a pause is silence', async () => {
	const rig = await createRig();
	await rig.begin(300);
	rig.unsent.microphone.setMuted(true);
	await later(600);
	rig.unsent.microphone.setMuted(false);
	await later(300);
	rig.show({ phase: 'live', liveSinceMs: 0, paused: true });
	await later(600);
	rig.show({ phase: 'live', liveSinceMs: 0 });
	await later(300);
	rig.lose();
	await rig.move();
	const { loud, silent } = lengths(await rig.taken());
	expect(silent).toBeGreaterThan(1100);
	expect(loud).toBeGreaterThan(800);
	expect(loud).toBeLessThan(2000);
});

test('who is muted when this computer takes over is not heard before they say so', async () => {
	const rig = await createRig();
	await rig.begin(300);
	rig.unsent.microphone.setMuted(true);
	rig.lose();
	await rig.move();
	// As a released key opens the microphone when no conversation runs.
	rig.unsent.microphone.setMuted(false);
	await later(1000);
	const { loud, silent } = lengths(await rig.taken());
	expect(silent).toBeGreaterThan(900);
	expect(loud).toBeLessThan(1000);
});

test('Stop closes the microphone at once and leaves nothing', async () => {
	const rig = await createRig();
	await rig.begin(100);
	rig.lose();
	rig.unsent.microphone.close();
	expect(rig.isOpen()).toBe(false);
	rig.show({ phase: 'idle' });
	await rig.shown.parts.account.choose('local');
	expect(rig.unsent.take()).toBeNull();
});

test('a microphone that nobody goes on with is closed, and what was kept is gone', async () => {
	const rig = await createRig();
	await rig.begin(100);
	rig.lose();
	await rig.move();
	expect(rig.isOpen()).toBe(true);
	rig.moves(false);
	expect([rig.isOpen(), rig.unsent.take()]).toEqual([false, null]);
});

test('it is kept when this computer cannot be chosen, until the service is back', async () => {
	const rig = await createRig();
	const marks: (number | undefined)[] = [];
	await rig.begin(300);
	rig.lose();
	rig.moves(true);
	rig.unsent.microphone.close();
	rig.unsent.lost((_, toMs) => marks.push(toMs), false);
	marks.length = 0;
	rig.show({ phase: 'idle' });
	// Nothing was chosen; the service is tried again.
	await rig.unsent.microphone.open();
	rig.show({ phase: 'preparing' });
	rig.moves(false);
	expect(rig.unsent.take()).toBeNull();
	rig.show({ phase: 'failed' });
	await rig.move();
	expect(lengths(await rig.taken()).loud).toBeGreaterThan(200);
	// From then on it is not lost.
	expect(marks).toEqual([expect.any(Number)]);
	const other = await createRig();
	await other.begin(100);
	other.lose();
	other.moves(true);
	other.unsent.lost((_, toMs) => marks.push(toMs), false);
	marks.length = 1;
	other.show({ phase: 'preparing' });
	other.moves(false);
	expect(marks).toHaveLength(1);
	other.show({ phase: 'live', liveSinceMs: 0 });
	expect(marks.slice(1)).toEqual([undefined]);
});

test('after a failure the microphone is off, and what was said before can be heard here for half a minute', async () => {
	const rig = await createRig();
	await rig.begin(300);
	rig.unsent.microphone.close();
	rig.show({ phase: 'failed' });
	expect(rig.isOpen()).toBe(false);
	rig.clock.advance(29_000);
	rig.moves(true);
	await rig.shown.parts.account.choose('local');
	const { loud } = lengths(await rig.taken());
	expect(loud).toBeGreaterThan(200);
	const other = await createRig();
	await other.begin(100);
	other.show({ phase: 'failed' });
	other.clock.advance(30_000);
	await other.shown.parts.account.choose('local');
	expect(other.unsent.take()).toBeNull();
});

test('what was lost before a failure is marked up to what is kept, and the rest where it is not interpreted here', async () => {
	for (const then of ['here', 'service', 'never'] as const) {
		const rig = await createRig();
		const marked: (readonly [number, number])[] = [];
		const untilMs = () => rig.clock.now();
		/** The last `ms` were lost. */
		const lose = (ms: number, wasOff: boolean) => {
			const [lostMs, endMs] = [untilMs() - ms, untilMs()];
			rig.unsent.lost((fromMs = lostMs, toMs = endMs) => {
				if (Math.min(endMs, toMs) > Math.max(lostMs, fromMs))
					marked.push([Math.max(lostMs, fromMs), Math.min(endMs, toMs)]);
			}, wasOff);
		};
		await rig.begin(300);
		rig.clock.advance(40_000);
		const failedMs = rig.clock.now();
		lose(40_000, false);
		rig.unsent.microphone.close();
		rig.show({ phase: 'failed' });
		expect(marked).toEqual([[failedMs - 40_000, failedMs - 30_000]]);
		rig.clock.advance(9000);
		if (then === 'never') rig.clock.advance(21_000);
		else {
			rig.moves(then === 'here');
			if (then === 'here') await rig.shown.parts.account.choose('local');
			rig.moves(false);
			await rig.unsent.microphone.open();
			rig.show({ phase: 'reconnecting', liveSinceMs: 0 });
			lose(9000, true);
			expect(marked).toHaveLength(1);
			if (then === 'here') rig.unsent.take();
			else rig.show({ phase: 'live', liveSinceMs: 0 });
		}
		const off = [failedMs, failedMs + 9000];
		const rest = [failedMs - 30_000, then === 'here' ? failedMs - 21_000 : failedMs];
		expect([then, marked.slice(1)]).toEqual([then, then === 'never' ? [rest] : [rest, off]]);
	}
});

test('what may still be interpreted here is marked when the service hears more, but not on the way here', async () => {
	const rig = await createRig();
	const marked: (number | undefined)[] = [];
	await rig.begin(100);
	expect(rig.unsent.keeps()).toBe(true);
	const lose = () => rig.unsent.lost((_, toMs) => void marked.push(toMs), false);
	// Up to what is kept, at once.
	lose();
	expect(marked).toEqual([expect.any(Number)]);
	rig.unsent.settle();
	expect(marked).toEqual([expect.any(Number), undefined]);
	marked.length = 0;
	lose();
	rig.moves(true);
	rig.unsent.settle();
	expect(marked).toHaveLength(1);
});

test.each<[string, FakeMain]>([
	['the models are missing', { models: { models: modelEntries('available') } }],
	['an option chose the service', { origins: { service: 'option' } }],
	['the sandbox interprets', { account: { service: 'sandbox', sandbox: 'running' } }],
])('nothing is kept where %s', async (_, main) => {
	const rig = await createRig(main);
	await rig.begin(0);
	rig.lose();
	await rig.move();
	expect([rig.unsent.take(), rig.isOpen()]).toEqual([null, false]);
});
