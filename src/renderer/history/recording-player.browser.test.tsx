import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { HistoryRecording } from '#shared/host/history.ts';
import { ok } from '#shared/lib/result.ts';
import { encodeWav } from '#shared/sound/wav.ts';
import { kept } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const button = (name: string | RegExp) => page.getByRole('button', { name });
const slider = () => page.getByRole('slider', { name: 'Position in the recording' });
/** The time of a caption, which plays from there. */
const from = (time: string) => button(new RegExp(`^Play from \\W?${time}\\W?$`));
/** Something said every three seconds. */
const said = kept(
	'a',
	Date.UTC(2026, 4, 4, 12),
	Array.from({ length: 10 }, (_, n) => ['en', `said ${n}`, 'es', `dicho ${n}`] as const),
);

let played: MockInstance<HTMLMediaElement['play']>;
beforeEach(() => {
	played = vi.spyOn(HTMLMediaElement.prototype, 'play');
});
afterEach(() => vi.restoreAllMocks());
/** The players that were started. */
const elements = () => [...new Set(played.mock.contexts)] as HTMLMediaElement[];

function recording(fields: Partial<HistoryRecording> = {}): HistoryRecording {
	const { lengthMs = 12_000 } = fields;
	const wav = encodeWav(new Float32Array(((lengthMs ?? 0) / 1000) * 8000), 8000);
	const address = URL.createObjectURL(new Blob([wav], { type: 'audio/wav' }));
	return { startMs: 0, lengthMs, name: 'talk.wav', address, ...fields };
}

async function read(recordings: readonly HistoryRecording[], main: FakeMain = {}) {
	const shown = createFakeWindow({ conversations: [{ ...said, recordings }], ...main });
	shown.parts.navigation.read('a');
	return renderWindow(shown);
}

/** Where the player is, s, and the end. */
function times(): readonly number[] {
	const texts = slider().element().getAttribute('aria-valuetext') ?? '';
	return [...texts.matchAll(/(\d+):(\d\d)/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
}
const marked = () => document.querySelector('[data-played="true"]')?.textContent?.match(/said \d/)?.[0];

test('plays from the beginning, is paused, and says where it is', async () => {
	await read([recording()]);
	await expect.element(button('Play')).toBeVisible();
	expect(times()).toEqual([0, 12]);
	expect([marked(), elements()]).toEqual([undefined, []]);
	expect(await axeFindings()).toEqual([]);
	await button('Play').click();
	await expect.element(button('Pause')).toBeVisible();
	await expect.poll(() => times()[0], { timeout: 5000 }).toBeGreaterThan(0);
	expect(marked()).toBe('said 0');
	await button('Pause').click();
	await expect.element(button('Play')).toBeVisible();
	expect(elements().map(({ paused }) => paused)).toEqual([true]);
});

test('a caption’s time plays from there by mouse and keyboard, and what is played is marked', async () => {
	await read([recording()]);
	await from('0:06').click();
	await expect.poll(marked).toBe('said 2');
	expect(document.querySelector('[aria-current="time"]')?.textContent).toContain('dicho 2');
	expect(times()[0]).toBeGreaterThanOrEqual(5);
	expect(await axeFindings()).toEqual([]);
	for (const [key, time, text] of [
		['{Enter}', '0:03', 'said 1'],
		[' ', '0:09', 'said 3'],
	] as const) {
		(from(time).element() as HTMLElement).focus();
		await userEvent.keyboard(key);
		await expect.poll(marked).toBe(text);
	}
	await expect.element(button('Pause')).toBeVisible();
	// It was recorded for twelve seconds.
	expect(from('0:12').query()).toBeNull();
});

test('the slider is moved with the keyboard, and Play begins there, again after the end', async () => {
	await read([recording()]);
	await expect.element(slider()).toBeVisible();
	(slider().element() as HTMLElement).focus();
	await userEvent.keyboard('{ArrowRight}{ArrowRight}');
	expect(times()[0]).toBe(2);
	expect(elements()).toEqual([]);
	await button('Play').click();
	await expect.poll(() => times()[0], { timeout: 5000 }).toBeGreaterThan(2);
	(slider().element() as HTMLElement).focus();
	await userEvent.keyboard('{End}');
	await expect.element(button('Play')).toBeVisible();
	expect(times()).toEqual([12, 12]);
	await button('Play').click();
	await expect.element(button('Pause')).toBeVisible();
	expect(times()[0]).toBeLessThan(3);
});

test('several recordings are played as one, each at its captions', async () => {
	await read([
		recording({ startMs: 3900, lengthMs: 3100 }),
		recording({ startMs: 20_000, lengthMs: 5000, name: 'rest.wav' }),
	]);
	await expect.element(button('Play')).toBeVisible();
	expect(times()).toEqual([0, 8]);
	expect(
		button(/^Play from/)
			.elements()
			.map((one) => one.textContent),
	).toEqual(['0:03', '0:06', '0:21', '0:24']);
	await from('0:06').click();
	await expect.poll(marked).toBe('said 2');
	// The first ends, and the second goes on.
	await expect.poll(marked, { timeout: 5000 }).toBe('said 6');
	await expect.poll(marked, { timeout: 5000 }).toBe('said 7');
	(slider().element() as HTMLElement).focus();
	await userEvent.keyboard('{End}');
	await expect.element(button('Play')).toBeVisible();
	await button('Play').click();
	await expect.poll(marked).toBe('said 1');
});

test('says which file is gone, and does not offer to play it', async () => {
	await read([recording({ lengthMs: null, name: 'lost & gone.wav' })], { info: { shell: 'stand-in' } });
	await expect
		.element(page.getByText(/lost & gone\.wav.* cannot be played: the file was moved/))
		.toBeVisible();
	expect([button(/^Play/).query(), slider().query()]).toEqual([null, null]);
	// A browser has no dialog that could ask for it.
	expect(button('Find the file…').query()).toBeNull();
});

test('asks for a file that was moved, says why a choice is refused, and plays the right one', async () => {
	const answers: HistoryRecording[] = [recording({ lengthMs: null })];
	const chosen = ['cancelled', 'no-recording', 'taken', 'found'] as const;
	let asked = 0;
	const shown = await read([], {
		answers: {
			'history.recordings': () => ok([...answers]),
			'history.find-recording': () => ok(chosen[asked++] ?? 'cancelled'),
		},
	});
	const find = button('Find the file…');
	for (const words of [
		/talk\.wav.* was moved/,
		/is not a WAV recording\. Choose/,
		/another recording.* Choose/,
	]) {
		await expect.element(find).toBeVisible();
		(find.element() as HTMLElement).focus();
		await userEvent.keyboard('{Enter}');
		await expect.element(page.getByText(words)).toBeVisible();
	}
	expect(await axeFindings()).toEqual([]);
	answers[0] = recording({ name: 'moved.wav' });
	await userEvent.keyboard('{Enter}');
	await expect.element(button('Play')).toHaveFocus();
	expect(find.query()).toBeNull();
	const { address } = answers[0];
	expect(shown.asked).toContainEqual(['history.find-recording', { id: 'a', address: expect.any(String) }]);
	await userEvent.keyboard('{Enter}');
	await expect.poll(() => elements()[0]?.src).toBe(address);
});

test('says so when the file goes while the conversation is read', async () => {
	const answers: HistoryRecording[] = [recording()];
	await read([], { answers: { 'history.recordings': () => ok([...answers]) } });
	await expect.element(button('Play')).toBeVisible();
	URL.revokeObjectURL(answers[0]?.address ?? '');
	answers[0] = recording({ lengthMs: null });
	await button('Play').click();
	await expect.element(page.getByText(/talk\.wav.* cannot be played: the file was moved/)).toBeVisible();
});

test('says so when the file can no longer be read while it is played', async () => {
	await read([recording()]);
	await button('Play').click();
	await expect.element(button('Pause')).toBeVisible();
	elements()[0]?.dispatchEvent(new Event('error'));
	await expect.element(page.getByText(/talk\.wav.* cannot be played\./)).toBeVisible();
});

test('says so when a file that is there cannot be played', async () => {
	await read([recording({ address: URL.createObjectURL(new Blob(['no sound'])) })]);
	await button('Play').click();
	await expect.element(page.getByText(/talk\.wav.* cannot be played\./)).toBeVisible();
	await expect.element(button('Play')).toBeVisible();
});

test('stops when a conversation begins and cannot be played beside it; stops when the page is left', async () => {
	const shown = await read([recording({ lengthMs: 60_000 })]);
	await button('Play').click();
	await expect.element(button('Pause')).toBeVisible();
	shown.conversation.show({ phase: 'live' });
	await expect.element(button('Play')).toBeDisabled();
	await expect.element(page.getByText('Not while a conversation runs.')).toBeVisible();
	expect(from('0:03').query()).toBeNull();
	expect(elements().map(({ paused }) => paused)).toEqual([true]);
	shown.conversation.show({ phase: 'idle' });
	await from('0:03').click();
	await expect.element(button('Pause')).toBeVisible();
	await expect.poll(() => elements().map(({ paused }) => paused)).toEqual([false]);
	await button('All conversations').or(button('Back')).first().click();
	await expect.poll(() => elements().map(({ paused }) => paused)).toEqual([true]);
});

test('plays on the chosen loudspeaker, as loud as a voice, and silences typed texts', async () => {
	const sink = vi.spyOn(HTMLMediaElement.prototype, 'setSinkId').mockResolvedValue();
	const settings = { output: { id: 'o2', label: 'Jabra Evolve2 65' }, voiceVolume: 0.5 };
	const shown = await read([recording()], { settings });
	const silence = vi.spyOn(shown.parts.typing, 'silence');
	await button('Play').click();
	await expect.poll(() => elements().map(({ volume }) => volume)).toEqual([0.5]);
	expect([sink.mock.calls, silence.mock.calls.length]).toEqual([[['o2']], 1]);
	await from('0:03').click();
	expect(silence).toHaveBeenCalledTimes(2);
});
