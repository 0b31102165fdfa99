import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { captionsWithoutRoom, cutElements } from '#test/looks/judge.ts';
import { allWords } from '#test/support/all-words.ts';
import { captionRow } from '#test/support/fake-conversation.ts';
import { createFakeWindow, type FakeWindow } from '#test/support/fake-window.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';
import { windowStates } from '#test/support/window-states.ts';

const role = page.getByRole.bind(page);
const row = (name: RegExp) =>
	role('list', { name: 'Both directions' }).getByRole('listitem').filter({ hasText: name });

async function show(): Promise<FakeWindow> {
	const shown = windowStates.meeting();
	await renderWindow(shown);
	return shown;
}

test('each direction says how it stands, how it travels, how far it is behind', async () => {
	await show();
	const mine = row(/^You to them/);
	await expect.element(mine).toMatchTextContent(/English. → .Español · Spanish.*1.8 sec.*Live/);
	await expect.element(mine.getByText('Over WebSocket')).not.toBeInTheDocument();
	const theirs = row(/^Them to you/);
	await expect
		.element(theirs)
		.toMatchTextContent(/Español · Spanish. → .English.*3.1 sec.*Live.*Over WebSocket/);
});

test('on this computer a direction does not say how it travels, because there is no other way', async () => {
	const shown = await show();
	const travel = row(/^Them to you/).getByText('Over WebSocket');
	await expect.element(travel).toBeVisible();
	await shown.parts.account.choose('local');
	await expect.element(travel).not.toBeInTheDocument();
});

test('a language that is detected stands at their direction, and one press says that it is another', async () => {
	const shown = windowStates['meeting-detecting']();
	await renderWindow(shown);
	const values = () => shown.parts.settings.store.getState().values;
	const corrected = () => shown.legs.theirs.store.getState().corrected;
	const theirs = row(/^Them to you/);
	await expect.element(role('button', { name: 'Detect their language', pressed: true })).toBeVisible();
	expect(values()).toMatchObject({ hear: ['es'], voiceOf: 'es' });
	const chip = theirs.getByRole('button', { name: /^Detected: .Español · Spanish/ });
	await chip.click();
	await expect
		.poll(() =>
			role('menuitem')
				.elements()
				.map(({ textContent }) => textContent),
		)
		.toEqual(['Português · Portuguese', 'Français · French']);
	expect(await axeFindings()).toEqual([]);
	await role('menuitem', { name: 'Français · French' }).click();
	expect(corrected()).toBe('fr');
	await theirs.getByRole('button', { name: /^They speak .Français/ }).click();
	await role('menuitem', { name: 'Detect again' }).click();
	expect(corrected()).toBeNull();
	await expect.element(role('menu')).not.toBeInTheDocument();
	// Its key, usable without looking: the next candidate in turn, and the one after it.
	await userEvent.keyboard('l');
	await expect.poll(corrected).toBe('pt');
	await userEvent.keyboard('l');
	await expect.poll(corrected).toBe('fr');
	await role('button', { name: 'Detect their language' }).click();
	expect(values()).toMatchObject({ listenDetect: false, hear: ['es'] });
	await expect.element(theirs).toMatchTextContent(/Español · Spanish. → .English/);
	await userEvent.keyboard('l');
	expect(corrected()).toBe('fr');
});

test('whose voice still speaks, and whose turn it is then, stands at its direction', async () => {
	const shown = await show();
	const mine = row(/^You to them/);
	const theirs = row(/^Them to you/);
	await expect.element(page.getByText(/[Ss]till speaking|turn/)).not.toBeInTheDocument();
	const set = (signs: object) => shown.parts.turnSigns.setState(signs);
	set({ outgoing: 'still', incoming: 'turn' });
	await expect.element(mine.getByText('Still speaking')).toBeVisible();
	await expect.element(theirs.getByText('Your turn')).toBeVisible();
	// The state reads as before, and none of it is announced into somebody's sentence.
	await expect.element(role('status', { name: 'State: You to them' })).toHaveTextContent('Live');
	set({ outgoing: 'turn', incoming: 'still' });
	await expect.element(mine.getByText('Their turn')).toBeVisible();
	await expect.element(theirs.getByText('Still speaking')).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	set({ outgoing: 'none', incoming: 'none' });
	await expect.element(page.getByText(/[Ss]till speaking|turn/)).not.toBeInTheDocument();
});

test('each switch shows what it is for in words that its name holds, and no two have the same icon', async () => {
	await show();
	const names = [
		['Mute me', 'Mute me'],
		['Voice', 'Mute the voice in the call'],
		['Mute the call', 'Mute the call'],
		['Voice', 'Mute the voice in your headphones'],
	] as const;
	const drawn = new Set<string>();
	for (const [words, name] of names) {
		const control = role('button', { name, exact: true });
		await expect.element(control).toHaveTextContent(words);
		expect(name.toLowerCase()).toContain(words.toLowerCase());
		drawn.add(control.element().querySelector('path')?.getAttribute('d') ?? '');
	}
	expect(drawn.size).toBe(names.length);
	await expect.element(row(/^You to them/)).toMatchTextContent(/into your call’s microphone/);
	await expect.element(row(/^Them to you/)).toMatchTextContent(/from the call into your headphones/);
});

test('both sides share one list, with aligned columns and the speaker beside each row', async () => {
	await show();
	await expect.element(page.getByText(/^Revenue grew by 14%/)).toBeVisible();
	const left = (text: RegExp) => page.getByText(text).element().getBoundingClientRect().left;
	expect(left(/^Revenue grew by 14%/)).toBe(left(/^Me gustaría empezar/));
	expect(left(/^Los ingresos crecieron/)).toBe(left(/^I would like to begin/));
	const said = page.getByText(/^Me gustaría empezar/).element();
	const mark = said.closest('[data-side]')?.querySelector('[data-side]');
	expect(mark?.getBoundingClientRect().right).toBeLessThanOrEqual(said.getBoundingClientRect().left);
});

test('my microphone, their sound and each voice are muted apart, by their names', async () => {
	const shown = await show();
	await role('button', { name: 'Mute me' }).click();
	await role('button', { name: 'Mute the call' }).click();
	await role('button', { name: 'Mute the voice in the call' }).click();
	expect(shown.legs.outgoing.conversation.calls).toEqual([['setMuted', true]]);
	expect(shown.legs.incoming.conversation.calls).toEqual([['setMuted', true]]);
	expect(shown.legs.outgoing.calls).toEqual([['muteVoice', true]]);
	await expect
		.element(role('button', { name: 'Mute the voice in your headphones' }))
		.toHaveAttribute('aria-pressed', 'true');
});

test('the keyboard reaches the switches of both rows in order', async () => {
	await show();
	(role('button', { name: 'Mute me' }).element() as HTMLElement).focus();
	const reached: (string | null)[] = [];
	for (let presses = 0; presses < 4; presses++) {
		reached.push(
			document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? null,
		);
		await userEvent.tab();
	}
	expect(reached).toEqual(['Mute me', 'Mute the voice in the call', 'Back to WebRTC', 'Mute the call']);
});

test('a direction that stopped says why and can be tried again, while the other is live', async () => {
	const shown = windowStates['meeting-one-leg']();
	await renderWindow(shown);
	await expect
		.element(role('alert'))
		.toMatchTextContent(/^The direction “Them to you” has stopped; the other continues/);
	await role('button', { name: 'Try again' }).click();
	expect(shown.legs.incoming.calls.at(-1)).toEqual(['again']);
	await expect.element(page.getByTestId('phase')).toHaveTextContent('Live');
});

test('a direction that ended by itself can be tried again as well, and one that paused can go on', async () => {
	const shown = windowStates['meeting-one-leg']();
	await renderWindow(shown);
	const { incoming } = shown.legs;
	incoming.conversation.show({ phase: 'idle' });
	await expect.element(role('alert')).toMatchTextContent(/^The direction “Them to you” has stopped/);
	await role('button', { name: 'Try again' }).click();
	expect(incoming.calls.at(-1)).toEqual(['again']);
	incoming.conversation.show({ phase: 'live', liveSinceMs: 0, paused: true });
	await role('button', { name: 'Resume' }).click();
	expect(incoming.conversation.calls.at(-1)).toEqual(['resume']);
});

test('a typed sentence waits for my own direction, whatever the other does', async () => {
	const shown = await show();
	shown.legs.outgoing.conversation.show({ phase: 'live', liveSinceMs: 0, paused: true });
	await role('button', { name: 'Type instead of speaking' }).click();
	await page.getByRole('textbox', { name: 'Type instead of speaking…' }).fill('Good morning');
	await expect.element(role('button', { name: 'Speak this' })).toBeDisabled();
	await expect.element(page.getByText('Available while the conversation is live.').first()).toBeVisible();
});

test('a plan without a second session says that this way needs two, and leads to what is open', async () => {
	await renderWindow(windowStates['meeting-limit']());
	await expect.element(role('alert')).toMatchTextContent(/This mode needs 2 sessions at once/);
	await role('button', { name: 'Show open sessions' }).click();
	await expect.element(page.getByText(/Sessions needed for a conversation: 2/)).toBeVisible();
});

test('what was said shows whose it is, by word and place, only where there are two sides', async () => {
	const shown = await show();
	const last = page.getByText('Are there any questions before we move on?');
	const side = last.element().closest('[data-side]');
	expect(side?.getAttribute('data-side')).toBe('theirs');
	expect(side?.textContent).toContain('Them');
	// For those who cannot see the position: the row and its buttons name their speaker.
	const theirs = role('group', { name: 'Them' }).last();
	await expect.element(theirs).toMatchTextContent(/Are there any questions before we move on\?/);
	await expect
		.element(theirs.getByRole('button', { name: 'Copy this caption' }))
		.toHaveAccessibleDescription(/^Them ./);
	shown.conversation.putRow({ ...captionRow(9, ['es', 'Adiós.'], [['en-us', 'Goodbye.']]), leg: 'incoming' });
	await expect.element(role('log')).toMatchTextContent('Them: Goodbye.');
	shown.conversation.captions.store.setState({ sided: false });
	await expect.element(page.getByText('Them', { exact: true })).not.toBeInTheDocument();
});

test('one direction alone has no rows and keeps its own controls', async () => {
	const shown = createFakeWindow();
	await renderWindow(shown);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(role('button', { name: 'Mute microphone' })).toBeVisible();
	await expect.element(role('list', { name: 'Both directions' })).not.toBeInTheDocument();
});

test('on a telephone’s height the captions keep their lines, and nothing lies over anything', async () => {
	await renderWindow(windowStates.meeting(), 360, 640);
	await expect.element(role('button', { name: 'Catch up' })).toBeVisible();
	const captions = role('region', { name: 'Captions', exact: true }).element();
	const list = await role('list', { name: 'Both directions' }).findElement();
	// Three lines.
	expect(captions.getBoundingClientRect().height).toBeGreaterThanOrEqual(150);
	const asked = page.getByText(/chosen as the microphone/);
	await expect.element(asked).toBeVisible();
	const notice = asked.element().getBoundingClientRect();
	expect(captions.getBoundingClientRect().bottom).toBeLessThanOrEqual(notice.top);
	expect(notice.top).toBeLessThanOrEqual(list.getBoundingClientRect().top);
	const stop = role('button', { name: 'Stop', exact: true }).element().getBoundingClientRect();
	const next = role('button', { name: 'Catch up' }).element().getBoundingClientRect();
	expect(stop.bottom).toBeLessThanOrEqual(640);
	expect(stop.right).toBeLessThanOrEqual(next.left);
});

test('nothing runs out at 320 px, and axe finds nothing', async () => {
	await renderWindow(windowStates['meeting-one-leg'](), 320, 700);
	expect(document.documentElement.scrollWidth).toBe(320);
	expect(await axeFindings()).toEqual([]);
});

test('a call that is not listened to is no muted microphone', async () => {
	const shown = await show();
	shown.legs.incoming.conversation.show({ phase: 'live', muted: true });
	await expect.element(row(/^Them to you/)).toMatchTextContent(/Live, not listening to the call/);
	shown.legs.outgoing.conversation.show({ phase: 'live', muted: true });
	await expect.element(row(/^You to them/)).toMatchTextContent(/Live, microphone muted/);
});

test('that nothing plays stands in the line of the call, in a word, and not above the captions as well', async () => {
	const shown = await show();
	shown.parts.systemSound.zeros.setState({ zeros: true });
	await expect.element(row(/^Them to you/)).toMatchTextContent(/Nothing is playing/);
	expect(page.getByText(/Nothing is playing/).elements()).toHaveLength(1);
	expect(await axeFindings()).toEqual([]);
});

test.each([
	{ width: 420, height: 700, lines: 1 },
	{ width: 640, height: 400, lines: 2 },
])(
	'at $width × $height a direction takes $lines line(s), and three of captions are in sight',
	async ({ width, height, lines }) => {
		const shown = windowStates.meeting();
		await renderWindow(shown, width, height);
		const travel = { route: 'webrtc', fellBack: null } as const;
		shown.legs.incoming.conversation.show({ phase: 'live', delayMs: 3100, travel });
		shown.parts.systemSound.zeros.setState({ zeros: true });
		await expect.element(page.getByText(/Nothing is playing/)).toBeVisible();
		await expect.element(page.getByText('Over WebSocket')).not.toBeInTheDocument();
		for (const one of role('list', { name: 'Both directions' }).getByRole('listitem').elements())
			expect(one.getBoundingClientRect().height).toBeLessThanOrEqual(lines * 46);
		expect(captionsWithoutRoom(document.body)).toEqual([]);
	},
);

test.each(['es', 'ar', 'fr', 'de', 'ja'] as const)(
	'a direction takes one line at 420 × 700 in %s',
	async (language) => {
		const shown = windowStates.meeting();
		const words = await allWords(language);
		await renderWindow(shown, 420, 700, words);
		const travel = { route: 'webrtc', fellBack: null } as const;
		shown.legs.incoming.conversation.show({ phase: 'live', delayMs: 7200, travel });
		shown.parts.systemSound.zeros.setState({ zeros: true });
		const rows = role('list', { name: words.shown.getState().t('legs.title') });
		await expect.element(rows.getByText(words.shown.getState().t('legs.nothingPlaying'))).toBeVisible();
		for (const one of rows.getByRole('listitem').elements())
			expect(one.getBoundingClientRect().height).toBeLessThanOrEqual(46);
		expect(captionsWithoutRoom(document.body)).toEqual([]);
	},
);

test.each(['en', 'de', 'ar'] as const)(
	'in a low window the way back to WebRTC is a sign with a name, in sight whatever else a direction says: %s',
	async (language) => {
		const words = await allWords(language);
		for (const state of ['meeting', 'meeting-turns', 'meeting-detecting'] as const) {
			const shown = windowStates[state]();
			await renderWindow(shown, 640, 400, words);
			const back = role('button', { name: words.shown.getState().t('travel.back') });
			await expect.element(back).toBeVisible();
			expect(cutElements(document.body)).toEqual([]);
			expect(captionsWithoutRoom(document.body)).toEqual([]);
			await back.click();
			expect(shown.legs.incoming.conversation.calls).toContainEqual(['backToWebrtc']);
		}
	},
);
