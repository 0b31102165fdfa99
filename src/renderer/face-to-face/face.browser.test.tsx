import { beforeEach, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Settings } from '#shared/settings/schema.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';
import { windowStates } from '#test/support/window-states.ts';

const mine = page.getByRole('region', { name: 'Your half' });
const theirs = page.getByRole('region', { name: 'Your partner’s half' });

// The browser captures only its own pointers, not those of a test.
beforeEach(() => {
	vi.spyOn(Element.prototype, 'setPointerCapture').mockImplementation(() => {});
	return () => vi.restoreAllMocks();
});

async function live(settings: Partial<Settings> = {}, width = 1000, height = 700): Promise<FakeWindow> {
	const shown = await renderWindow(
		createFakeWindow({ settings: { mode: 'face', ...settings } }),
		width,
		height,
	);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.turns.show({ cues: { me: 'ready', partner: 'ready' } });
	await expect.element(mine).toBeVisible();
	return shown;
}

/** The radio itself is out of sight; its label is what is pressed. */
function choose(name: string): void {
	(page.getByRole('radio', { name }).element() as HTMLElement).click();
}

function pointer(element: Element, type: string, pointerId: number, pointerType = 'touch'): void {
	const init = { pointerId, pointerType, button: 0, bubbles: true, isPrimary: true };
	element.dispatchEvent(new PointerEvent(type, init));
}

test('the mode is set up on the usual page, and only the two halves are there while it runs', async () => {
	const shown = await renderWindow(createFakeWindow());
	choose('Face to face');
	await expect.element(page.getByRole('combobox', { name: 'They speak' })).toBeVisible();
	await expect.element(page.getByRole('button', { name: 'Add a language' })).not.toBeInTheDocument();
	choose('Automatic');
	await expect.element(page.getByText(/tells the two languages apart\.$/)).toBeVisible();
	expect(shown.parts.settings.store.getState().values.faceTalk).toBe('automatic');
	await page.getByRole('button', { name: 'Start' }).click();
	expect(shown.conversation.calls.find(([name]) => name === 'start')?.[1]).toMatchObject({ bothWays: true });

	shown.conversation.show({ phase: 'preparing' });
	await expect.element(theirs).toBeVisible();
	await expect.element(page.getByRole('radio', { name: 'Face to face' })).not.toBeInTheDocument();
	shown.conversation.show({ phase: 'live' });
	await page.getByRole('button', { name: 'Stop' }).click();
	expect(shown.conversation.calls.at(-1)).toEqual(['stop']);
	shown.conversation.show({ phase: 'idle' });
	await expect.element(page.getByRole('radio', { name: 'Face to face' })).toBeChecked();
});

test('what was said in the conversation before is in neither half', async () => {
	const shown = await renderWindow(createFakeWindow({ settings: { mode: 'face' } }));
	shown.conversation.putRow(captionRow(0, ['en', 'Earlier words'], [['es', 'Palabras de antes']]));
	shown.conversation.captions.store.setState({ held: true });
	shown.conversation.show({ phase: 'preparing' });
	await expect.element(theirs).toBeVisible();
	const halves = () => `${mine.element().textContent} ${theirs.element().textContent}`;
	expect(halves()).not.toMatch(/Earlier words|Palabras de antes/);
	shown.conversation.captions.store.setState({ held: false });
	await expect.element(theirs.getByText('Palabras de antes').first()).toBeVisible();
});

test('each half speaks its person’s language; where there are no words, English, and it says so', async () => {
	await live({ hear: ['pt-br'], voiceOf: 'pt-br', interfaceLanguage: 'en' });
	await expect.element(theirs.getByText(/^Esta conversa está sendo traduzida por Dragoman\./)).toBeVisible();
	expect(
		theirs
			.getByRole('button', { name: /Segure ou toque/ })
			.element()
			.closest('[lang]'),
	).toHaveAttribute('lang', 'pt');
	await expect.element(mine.getByRole('button', { name: 'Hold or tap to speak' })).toBeVisible();
	await live({ hear: ['sw'], voiceOf: 'sw' });
	await expect.element(theirs.getByText('Kiswahili')).toBeVisible();
	expect(
		theirs
			.getByText(/^This conversation is being translated/)
			.element()
			.closest('[lang]'),
	).toHaveAttribute('lang', 'en');
});

test('the mark of one’s own words is a box of its own, so that Arabic letters do not join across it', async () => {
	const shown = await live({ speak: 'ar', hear: ['en-gb'], voiceOf: 'en-gb' });
	shown.conversation.putRow(captionRow(0, ['ar', 'نعم'], [['en-gb', 'Yes']]));
	const mark = mine.getByText('قلتَ', { exact: true });
	await expect.element(mark).toBeVisible();
	expect(getComputedStyle(mark.element()).display).toBe('inline-block');
	await expect.element(mine.getByText('قلتَ نعم')).toBeVisible();
});

test('a half in a language that is not loaded yet shows words, never the names of words', async () => {
	await live({ speak: 'en', hear: ['de'], voiceOf: 'de' });
	await expect.element(theirs).toMatchTextContent(/^(?!.*face\.half)/);
	await expect.element(theirs.getByText('Zum Sprechen halten oder antippen')).toBeVisible();
});

test('the keys of the halves stand in the list of all keys', async () => {
	const shown = await renderWindow(createFakeWindow());
	shown.parts.navigation.showShortcuts(true);
	const keys = page.getByRole('region', { name: 'Face to face' });
	await expect.element(keys).toMatchTextContent(/Talk, your half\s*F.*Talk, your partner’s half\s*J/);
});

test('the line about what is kept follows the setting, and goes when it is agreed to', async () => {
	await live({ history: 'keep', hear: ['ar'], voiceOf: 'ar' });
	await expect.element(theirs.getByText(/يُحفظ نصها على هذا الكمبيوتر/)).toBeVisible();
	expect(
		theirs
			.getByText(/يُحفظ نصها/)
			.element()
			.closest('[dir]'),
	).toHaveAttribute('dir', 'rtl');
	await theirs.getByRole('button', { name: 'أوافق' }).click();
	await expect.element(theirs.getByText(/يُحفظ نصها/)).not.toBeInTheDocument();
	// Not again when the window becomes narrow, and it stands elsewhere.
	await page.viewport(420, 700);
	await expect.poll(() => window.innerWidth).toBe(420);
	await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	expect(theirs.getByText(/يُحفظ نصها/).query()).toBeNull();
	await live({ history: 'erase' });
	await expect.element(theirs.getByText(/No se guarda nada\./)).toBeVisible();
});

test('tells the partner about a running recording, however the text is kept', async () => {
	const settings = { mode: 'face', history: 'erase' } as const;
	const shown = await renderWindow(createFakeWindow({ settings, recording: { state: 'recording' } }));
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(theirs.getByText(/Se está grabando su sonido\./)).toBeVisible();
	expect(theirs.getByText(/No se guarda nada/).query()).toBeNull();
});

test('each half has the other’s last sentence again, in its own words, and not while somebody speaks', async () => {
	const { conversation, replay, turns } = await live({ hear: ['de'], voiceOf: 'de' });
	const [myAgain, theirAgain] = [
		mine.getByRole('button', { name: 'Again' }),
		theirs.getByRole('button', { name: 'Noch einmal' }),
	];
	await expect.element(theirAgain).toBeDisabled();
	conversation.putRow(captionRow(0, ['en', 'Where is the station?'], [['de', 'Wo ist der Bahnhof?']]), 0);
	conversation.putRow(captionRow(1, ['de', 'Gleich da vorn.'], [['en', 'Just over there.']]), 1);
	conversation.putRow(captionRow(2, ['en', 'Thank you.'], [['de', 'Danke.']]), 2);
	replay.keep('t0', 't2');
	await expect.element(theirAgain).toBeEnabled();
	await expect.element(myAgain).toBeDisabled();
	replay.keep('t0', 't1', 't2');
	await theirAgain.click();
	await myAgain.click();
	expect(replay.asked).toEqual(['last t0 t2', 'last t1']);
	turns.show({ pressed: { me: 'held', partner: 'no' } });
	await expect.element(theirAgain).toBeDisabled();
	expect(await axeFindings()).toEqual([]);
});

test('a finger that slides off the button cuts nobody off; one that is lifted or cancelled lets go', async () => {
	const { turns } = await live();
	const button = mine.getByTestId('talk-me').element();
	pointer(button, 'pointerdown', 7);
	pointer(button, 'pointerleave', 7);
	pointer(button, 'pointerup', 8);
	expect(turns.calls).toEqual([['down', 'me']]);
	pointer(button, 'pointerup', 7);
	pointer(button, 'lostpointercapture', 7);
	expect(turns.calls).toEqual([
		['down', 'me'],
		['up', 'me'],
	]);
	pointer(button, 'pointerdown', 9);
	pointer(button, 'pointercancel', 9);
	expect(turns.calls.slice(2)).toEqual([
		['down', 'me'],
		['up', 'me'],
	]);
});

test('two fingers hold two buttons at once', async () => {
	const { turns } = await live();
	pointer(mine.getByTestId('talk-me').element(), 'pointerdown', 1);
	pointer(theirs.getByTestId('talk-partner').element(), 'pointerdown', 2);
	pointer(mine.getByTestId('talk-me').element(), 'pointerup', 1);
	expect(turns.calls).toEqual([
		['down', 'me'],
		['down', 'partner'],
		['up', 'me'],
	]);
});

test('a key per side is held, once however it repeats, and is let go with the keyboard', async () => {
	const { turns } = await live();
	await userEvent.keyboard('{f>3}');
	await userEvent.keyboard('{j>}{/f}{/j}');
	expect(turns.calls).toEqual([
		['down', 'me'],
		['down', 'partner'],
		['up', 'me'],
		['up', 'partner'],
	]);
	window.dispatchEvent(new Event('blur'));
	expect(turns.calls.at(-1)).toEqual(['letGo']);
	const before = turns.calls.length;
	await userEvent.keyboard('{Control>}f{/Control}');
	expect(turns.calls.slice(before).filter(([name]) => name === 'down')).toEqual([]);
});

test('the button in focus is held by Space and Enter, and a click without a pointer is a tap', async () => {
	const { turns } = await live();
	const button = theirs.getByTestId('talk-partner').element() as HTMLButtonElement;
	button.focus();
	await userEvent.keyboard('[Space>3]');
	expect(turns.calls).toEqual([['down', 'partner']]);
	await userEvent.keyboard('[/Space]');
	expect(turns.calls).toEqual([
		['down', 'partner'],
		['up', 'partner'],
	]);
	button.click();
	expect(turns.calls.slice(2)).toEqual([
		['down', 'partner'],
		['up', 'partner'],
	]);
});

test('a button held by a key is let go when the keyboard leaves it, and its key ends nobody else’s turn', async () => {
	const { turns } = await live();
	(page.getByTestId('talk-me').element() as HTMLButtonElement).focus();
	await userEvent.keyboard('[Space>]');
	(page.getByTestId('talk-partner').element() as HTMLButtonElement).focus();
	await userEvent.keyboard('[/Space]');
	expect(turns.calls).toEqual([
		['down', 'me'],
		['up', 'me'],
	]);
});

test('whose turn it is stands in words on both halves, and the button says when it was tapped', async () => {
	const { turns } = await live();
	turns.show({ cues: { me: 'speak', partner: 'wait-other' }, pressed: { me: 'tapped', partner: 'no' } });
	await expect.element(mine.getByRole('status').last()).toHaveTextContent('Speak now');
	await expect.element(theirs.getByRole('status')).toHaveTextContent('La otra persona está hablando');
	await expect.element(mine.getByRole('button', { name: 'Tap to finish', pressed: true })).toBeVisible();
	turns.show({ cues: { me: 'wait-voice', partner: 'wait-voice' }, pressed: { me: 'no', partner: 'no' } });
	await expect.element(theirs.getByRole('status')).toHaveTextContent('Espera: está hablando la traducción');
	turns.show({ cues: { me: 'ready', partner: 'your-turn' } });
	await expect.element(theirs.getByRole('status')).toHaveTextContent('Tu turno');
});

test('while it is not live a half says why', async () => {
	const { conversation, turns } = await live();
	turns.show({ cues: { me: 'off', partner: 'off' } });
	conversation.show({ phase: 'connecting' });
	await expect.element(theirs.getByRole('status')).toHaveTextContent('Un momento, preparando');
	conversation.show({ phase: 'reconnecting' });
	await expect.element(theirs.getByRole('status')).toHaveTextContent('Se está restableciendo la conexión');
	conversation.show({ phase: 'live', paused: true });
	await expect.element(mine.getByRole('status').last()).toHaveTextContent('Paused');
	await expect.element(mine.getByTestId('talk-me')).toHaveAttribute('aria-disabled', 'true');
	conversation.show({ phase: 'ending', tail: true });
	await page.getByRole('button', { name: 'Stop now' }).click();
	expect(conversation.calls.at(-1)).toEqual(['stopNow']);
});

test('a direction that has ended takes its button away and offers itself again, and the other goes on', async () => {
	const { conversation, legs, turns } = await live();
	legs.names.setState(['outgoing', 'incoming'], true);
	legs.outgoing.conversation.show({ phase: 'live' });
	legs.incoming.conversation.show({ phase: 'failed', problem: { kind: 'connection-lost', reason: '' } });
	conversation.show({ phase: 'live' });
	await expect.element(theirs.getByTestId('talk-partner')).toHaveAttribute('aria-disabled', 'true');
	await userEvent.keyboard('j');
	pointer(theirs.getByTestId('talk-partner').element(), 'pointerdown', 3);
	expect(turns.calls.filter(([name]) => name === 'down')).toEqual([]);
	await userEvent.keyboard('f');
	expect(turns.calls.filter(([name]) => name === 'down')).toEqual([['down', 'me']]);
	await page.getByRole('button', { name: 'Try again' }).click();
	expect(legs.incoming.calls).toEqual([['again']]);
});

test('a microphone that is muted is muted for both, and that is said with its way out', async () => {
	const { conversation } = await live();
	conversation.show({ phase: 'live', muted: true });
	await expect.element(page.getByText(/Live, microphone muted/)).toBeVisible();
	await page.getByRole('button', { name: 'Unmute' }).click();
	expect(conversation.calls.at(-1)).toEqual(['setMuted', false]);
	await expect.element(page.getByText(/Live, microphone muted/)).not.toBeInTheDocument();
});

test('the newest words of the other are the large ones, each in its own direction, and announced once final', async () => {
	const shown = await live({ hear: ['ar'], voiceOf: 'ar' });
	const log = () => theirs.element().querySelector('[role="log"]')?.textContent;
	shown.conversation.putRow(captionRow(0, ['en', 'Hello.'], [['ar', 'مرحبًا.']]), 0);
	shown.conversation.putRow(captionRow(1, ['en', 'How are'], [['ar', 'Ana كيف']], false), 1);
	const line = theirs.getByText('Ana كيف');
	await expect.element(line).toHaveAttribute('data-newest', 'true');
	await expect.element(line).toHaveAttribute('dir', 'rtl');
	await expect.element(line).toHaveAttribute('lang', 'ar');
	expect(log()).toBe('مرحبًا.');
	shown.conversation.putRow(captionRow(1, ['en', 'How are you?'], [['ar', 'كيف حالك؟']]), 1);
	await expect.poll(log).toBe('مرحبًا.كيف حالك؟');
	// One's own words are there to check, and not large.
	await expect.element(mine.getByText(/How are you\?$/)).toHaveAttribute('data-own', 'true');
	expect(mine.element().querySelector('[data-newest="true"]')).toBeNull();
	// Nor are they read aloud at the table.
	expect(mine.element().querySelector('[role="log"]')?.textContent).toBe('');
});

test('the partner’s half stands on its head or beside mine, as chosen on the way', async () => {
	const shown = await live();
	const turned = () => getComputedStyle(theirs.element()).transform;
	expect(turned()).toBe('matrix(-1, 0, 0, -1, 0, 0)');
	await page.getByRole('button', { name: /^Your partner’s half: Turned/ }).click();
	await expect.poll(turned).toBe('none');
	expect(shown.parts.settings.store.getState().values.faceLayout).toBe('beside');
	const [one, other] = [theirs.element().getBoundingClientRect(), mine.element().getBoundingClientRect()];
	expect([one.top, one.right <= other.left]).toEqual([other.top, true]);
});

test('the display is kept lit while the halves are shown, and no longer', async () => {
	const shown = await live();
	const asked = () => shown.asked.filter(([name]) => name === 'display.keep-awake').map(([, input]) => input);
	expect(asked().at(-1)).toEqual({ on: true });
	shown.conversation.show({ phase: 'idle' });
	await expect.poll(() => asked().at(-1)).toEqual({ on: false });
});

test('full screen is asked for and left by one button, and left with the conversation', async () => {
	let full: Element | null = null;
	const change = (next: Element | null) => {
		full = next;
		document.dispatchEvent(new Event('fullscreenchange'));
	};
	vi.spyOn(document, 'fullscreenElement', 'get').mockImplementation(() => full);
	vi.spyOn(document.documentElement, 'requestFullscreen').mockImplementation(async () =>
		change(document.body),
	);
	vi.spyOn(document, 'exitFullscreen').mockImplementation(async () => change(null));
	const shown = await live();
	await page.getByRole('button', { name: 'Full screen', exact: true }).click();
	await page.getByRole('button', { name: 'Leave full screen' }).click();
	expect(full).toBeNull();
	await page.getByRole('button', { name: 'Full screen', exact: true }).click();
	await expect.element(page.getByRole('button', { name: 'Leave full screen' })).toBeVisible();
	shown.conversation.show({ phase: 'idle' });
	await expect.poll(() => full).toBeNull();
});

test('the keyboard is with the halves when they appear', async () => {
	await live();
	expect(document.activeElement).toBe(page.getByRole('main').element());
});

test('the keyboard is on the page that follows when the conversation ends', async () => {
	const { conversation } = await live();
	(page.getByRole('button', { name: 'Stop' }).first().element() as HTMLElement).focus();
	conversation.show({ phase: 'idle' });
	await expect.poll(() => document.activeElement?.localName).toBe('h1');
});

test('a soft sound says whose turn it is, if it is wanted', async () => {
	for (const [faceCue, times] of [
		[true, 1],
		[false, 0],
	] as const) {
		const shown = createFakeWindow({ settings: { mode: 'face', faceCue } });
		let played = 0;
		const play = shown.parts.sound.play;
		Object.assign(shown.parts.sound, {
			play(...given: Parameters<typeof play>) {
				played++;
				return play(...given);
			},
		});
		await renderWindow(shown);
		shown.conversation.show({ phase: 'live' });
		await expect.element(mine).toBeVisible();
		shown.turns.show({ cues: { me: 'your-turn', partner: 'ready' } });
		shown.turns.show({ cues: { me: 'speak', partner: 'wait-other' } });
		expect(played).toBe(times);
	}
});

test('nothing is cut off and everything can be touched at 320 px, one half under the other', async () => {
	for (const faceLayout of ['turned', 'beside'] as const) {
		await live({ faceLayout }, 320, 640);
		expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
		for (const button of page.getByRole('button').elements()) {
			const { width, height, right } = button.getBoundingClientRect();
			expect([button.textContent, width >= 44, height >= 44, right <= 320]).toEqual([
				button.textContent,
				true,
				true,
				true,
			]);
		}
	}
});

test.each(['face-mine', 'face-turn', 'face-wait', 'face-setup'] as const)(
	'axe finds nothing in %s',
	async (name) => {
		await renderWindow(windowStates[name]());
		expect(await axeFindings()).toEqual([]);
	},
);

test('in the sandbox each half says in its own language that nothing is really translated', async () => {
	const shown = await renderWindow(
		createFakeWindow({
			settings: { mode: 'face', speak: 'en', hear: ['it'], voiceOf: 'it' },
			account: { service: 'sandbox' },
		}),
		1000,
		700,
	);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(mine.getByRole('note')).toHaveTextContent('Sandbox: nothing is really translated');
	await expect
		.element(theirs.getByRole('note'))
		.toHaveTextContent('Ambiente di prova: nulla viene tradotto davvero');
});

test('with a service no half has a mark', async () => {
	await live();
	expect(page.getByRole('note').elements()).toEqual([]);
});

test('the held button names what releasing it does', async () => {
	const shown = await live();
	shown.turns.show({ pressed: { me: 'held', partner: 'no' } });
	await expect.element(page.getByTestId('talk-me')).toMatchTextContent(/Release when done/);
	shown.turns.show({ pressed: { me: 'tapped', partner: 'no' } });
	await expect.element(page.getByTestId('talk-me')).toMatchTextContent(/Tap to finish/);
});

test('the newest sentence stays in sight when a half gets narrower, and the notice gives way to it', async () => {
	const shown = await live();
	shown.conversation.putRow(captionRow(0, ['en', 'Good morning.'], [['es', 'Buenos días, mucho gusto.']]));
	const text = '¿Ha tenido un buen viaje desde Barcelona?';
	shown.conversation.putRow(captionRow(1, ['en', 'Did you have a good trip?'], [['es', text]]));
	await expect.element(theirs.getByText(text).first()).toBeVisible();
	await page.viewport(420, 700);
	const below = () => {
		const line = theirs.element().querySelector<HTMLElement>('[data-newest="true"]');
		const region = line?.closest('[role="group"]');
		if (!line || !region) return Number.NaN;
		return line.offsetTop + line.offsetHeight - region.scrollTop - region.clientHeight;
	};
	await expect.poll(() => innerWidth).toBe(420);
	await expect.poll(below).toBeLessThanOrEqual(0);
	await expect.element(page.getByRole('button', { name: 'De acuerdo' })).toBeInTheDocument();
});

test('the keys are places on the keyboard, whatever is printed on them', async () => {
	const { turns } = await live();
	window.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyF', key: 'а' }));
	window.dispatchEvent(new KeyboardEvent('keyup', { code: 'KeyF', key: 'а' }));
	expect(turns.calls).toEqual([
		['down', 'me'],
		['up', 'me'],
	]);
});

test('a direction that is over without a reason takes its button away, too', async () => {
	const { conversation, legs, turns } = await live();
	legs.names.setState(['outgoing', 'incoming'], true);
	for (const one of [legs.outgoing.conversation, legs.incoming.conversation, conversation])
		one.show({ phase: 'live' });
	const button = theirs.getByTestId('talk-partner');
	await expect.element(button).toHaveAttribute('aria-disabled', 'false');
	legs.incoming.conversation.show({ phase: 'idle' });
	await expect.element(button).toHaveAttribute('aria-disabled', 'true');
	await userEvent.keyboard('j');
	expect(turns.calls.filter(([name]) => name === 'down')).toEqual([]);
	await page.getByRole('button', { name: 'Try again' }).click();
	expect(legs.incoming.calls).toEqual([['again']]);
});

test('nothing is played again while the partner speaks, either', async () => {
	const { conversation, replay, turns } = await live({ hear: ['de'], voiceOf: 'de' });
	const again = mine.getByRole('button', { name: 'Again' });
	conversation.putRow(captionRow(0, ['de', 'Gleich da vorn.'], [['en', 'Just over there.']]), 0);
	replay.keep('t0');
	await expect.element(again).toBeEnabled();
	for (const partner of ['held', 'tapped'] as const) {
		turns.show({ pressed: { me: 'no', partner } });
		await expect.element(again).toBeDisabled();
		turns.show({ pressed: { me: 'no', partner: 'no' } });
		await expect.element(again).toBeEnabled();
	}
});
