import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { SPEAKERS_VOICE } from '#shared/conversation/choices.ts';
import type { VoiceList } from '#shared/host/voices.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { emptyDraft } from '#shared/voices/draft.ts';
import { severalVoices, voiceEntry, voiceSample } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const text = (words: string | RegExp) => page.getByText(words);

async function open(main: FakeMain = {}, width = 1000) {
	const shown = createFakeWindow(main);
	shown.parts.navigation.go('voices');
	await renderWindow(shown, width);
	return { ...shown, last: (name: string) => shown.asked.findLast(([one]) => one === name)?.[1] };
}

const list = (voices: VoiceList['voices'], revision = 2): VoiceList => ({
	revision,
	voices,
	builtIn: ['default_low', 'default_high'],
	credential: 'api-key',
	problem: null,
});

test('the page is reached from the first one, and says what to do when there is no voice yet', async () => {
	await renderWindow(createFakeWindow());
	await button('Voices').click();
	await expect.element(text(/No voices yet/)).toBeVisible();
	await button('Make a voice').click();
	await expect.element(text(/One person, no noise or music/)).toBeVisible();
});

test('each voice says how it stands, and follows what main says', async () => {
	const shown = await open({ voices: { voices: severalVoices() } });
	await expect.element(text('The sample is being sent')).toBeVisible();
	await expect.element(page.getByRole('progressbar')).toHaveAttribute('value', '610000');
	await expect.element(text(/610 kB.* of .*1\.5 MB.* · .*310 kB\/s.* · about .*3 sec.* left/)).toBeVisible();
	await expect.element(text(/takes longer than usual/)).toBeVisible();
	await expect.element(text('More than one speaker was found in the sample.')).toBeVisible();
	await expect.element(text('The sample is shorter than recommended.')).toBeVisible();
	shown.announce('voice.changed', list([voiceEntry({ status: 'failed', errors: ['No speech was found.'] })]));
	await expect.element(text('No speech was found.')).toBeVisible();
	shown.announce('voice.changed', list([voiceEntry()], 1));
	await expect.element(text('No speech was found.')).toBeVisible();
});

test('says nothing of the account’s credential where the demo has its own', async () => {
	const shown = await open({ voices: { credential: 'voice-token' } });
	await expect.element(text('Voices are managed with your voice token.')).toBeVisible();
	const { status } = shown.parts.account.store.getState();
	shown.announce('account.changed', { ...status, revision: status.revision + 1, service: 'sandbox' });
	await expect.element(text('Voices are managed with your voice token.')).not.toBeInTheDocument();
});

test('a refused token is named, and leads to where it is entered', async () => {
	await open({ voices: { voices: severalVoices() } });
	await expect.element(page.getByText(/does not accept the token for voices/)).toBeVisible();
	await button('Enter the key').click();
	await expect.element(page.getByRole('dialog').getByLabelText('Voice token')).toHaveFocus();
});

test('cancels a running voice, resumes a stopped one, and asks the service on request', async () => {
	const shown = await open({ voices: { voices: severalVoices() } });
	await button(/^Cancel .Ana, tired/).click();
	expect(shown.last('voice.cancel')).toEqual({ handle: 'v2' });
	await button(/^Check now/).click();
	expect(shown.last('voice.refresh')).toEqual({ handle: 'v3' });
	await button(/^Try again: .Street/).click();
	expect(shown.last('voice.retry')).toEqual({ handle: 'v4' });
});

test('a ready voice is used for the language that is heard, or for any other', async () => {
	const { parts } = await open({
		voices: { voices: [voiceEntry()] },
		settings: { hear: ['es', 'fr'], voiceOf: 'es' },
	});
	const used = () => parts.settings.store.getState().values.voices;
	const details = document.querySelector('li summary');
	expect(details?.getBoundingClientRect().height).toBeGreaterThanOrEqual(24);
	await button(/^Use for .Español · Spanish.: .Ana \(home\)/).click();
	const { voiceId } = voiceEntry();
	await expect.poll(used).toEqual({ es: voiceId });
	await expect.element(text(/^Used for .Español · Spanish/)).toBeVisible();
	await button(/French/).click();
	await page.getByRole('option', { name: /Ana/ }).click();
	await expect.poll(used).toEqual({ es: voiceId, fr: voiceId });
});

test('the sentence is written in its language and direction', async () => {
	await open({ voices: { voices: [voiceEntry({ language: 'de' })] } });
	const field = page.getByLabelText(/^Say this in/);
	await expect.element(field).toHaveAttribute('lang', 'de');
	await expect.element(field).toHaveAttribute('dir', 'ltr');
});

test('a sentence is said in it', async () => {
	const { speaking, parts } = await open({ voices: { voices: [voiceEntry()] } });
	await button('Say it').click();
	await expect.poll(() => speaking.length).toBe(1);
	expect(parts.typing.store.getState().texts[0]).toMatchObject({
		language: 'es',
		voiceId: voiceEntry().voiceId,
		text: 'Esta mañana crucé el viejo mercado antes de que abrieran las tiendas.',
	});
});

test('forgetting can be taken back for a while; then it is done, and no language uses it any more', async () => {
	const clock = createManualClock();
	const { last, parts } = await open({
		clock,
		voices: { voices: [voiceEntry()] },
		settings: { voices: { es: voiceEntry().voiceId ?? '', fr: 'default_high' } },
	});
	const forget = async () => {
		await button(/^Forget/).click();
		await page.getByRole('alertdialog').getByRole('button', { name: 'Forget', exact: true }).click();
	};
	await forget();
	await expect.element(text(/No voices yet/)).toBeVisible();
	await button('Undo').click();
	await clock.run(60_000);
	await expect.element(page.getByRole('heading', { name: 'Ana (home)' })).toBeVisible();
	expect(last('voice.forget')).toBeUndefined();
	await forget();
	await expect.element(button('Undo')).toBeVisible();
	await clock.run(11_000);
	await expect.poll(() => last('voice.forget')).toEqual({ handle: 'v1', atService: false });
	await expect.poll(() => parts.settings.store.getState().values.voices).toEqual({ fr: 'default_high' });
});

test('what is said of another voice leaves the way back to the forgotten one', async () => {
	const clock = createManualClock();
	const other = voiceEntry({ handle: 'v9', voiceId: 'other', name: 'Ben' });
	const { last } = await open({ clock, voices: { voices: [voiceEntry(), other] } });
	await button(/^Forget.*Ana/).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Forget', exact: true }).click();
	await button(/^Use for .*Ben/).click();
	await expect.element(text(/^Used for/)).toBeVisible();
	await button('Undo').click();
	await clock.run(60_000);
	await expect.element(page.getByRole('heading', { name: 'Ana (home)' })).toBeVisible();
	expect(last('voice.forget')).toBeUndefined();
});

test('Ctrl+Z undoes the newest first: a name given, then the voice forgotten before', async () => {
	const clock = createManualClock();
	const other = voiceEntry({ handle: 'v9', voiceId: 'other', name: 'Ben' });
	const { last } = await open({ clock, voices: { voices: [voiceEntry(), other] } });
	await button(/^Forget.*Ana/).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Forget', exact: true }).click();
	await button(/^Rename.*Ben/).click();
	await page.getByLabelText('Name').fill('Benjamin');
	await userEvent.keyboard('{Enter}');
	await expect.poll(() => page.getByRole('button', { name: 'Undo' }).elements().length).toBe(2);
	// In a field the keys are the field's own.
	await expect.element(page.getByLabelText('Name')).not.toBeInTheDocument();
	await userEvent.keyboard('{Control>}z{/Control}');
	await expect.poll(() => last('voice.rename')).toEqual({ handle: 'v9', name: 'Ben' });
	expect(page.getByRole('heading', { name: 'Ana (home)' }).query()).toBeNull();
	await userEvent.keyboard('{Control>}z{/Control}');
	await expect.element(page.getByRole('heading', { name: 'Ana (home)' })).toBeVisible();
	await clock.run(60_000);
	expect(last('voice.forget')).toBeUndefined();
});

test('deleting at the service says first that it cannot be undone, and says when it could not be done', async () => {
	const { last } = await open({
		voices: { voices: [voiceEntry()] },
		answers: { 'voice.forget': () => err({ kind: 'service-unreachable', cause: 'offline' }) },
	});
	await button(/^Forget/).click();
	await text('Delete it at the service too').click();
	await expect.element(text(/cannot be undone/)).toBeVisible();
	await button('Delete').click();
	expect(last('voice.forget')).toEqual({ handle: 'v1', atService: true });
	await expect.element(page.getByRole('alert')).toBeVisible();
	await expect.element(page.getByRole('heading', { name: 'Ana (home)' })).toBeVisible();
});

test('it is renamed under the rules of a name, and back', async () => {
	const { last } = await open({ voices: { voices: [voiceEntry()] } });
	await button(/^Rename/).click();
	await page.getByLabelText('Name').fill('A!');
	await userEvent.keyboard('{Enter}');
	await expect.element(text(/at least 3 characters/)).toBeVisible();
	await page.getByLabelText('Name').fill('Ana at work');
	await userEvent.keyboard('{Enter}');
	await expect.poll(() => last('voice.rename')).toEqual({ handle: 'v1', name: 'Ana at work' });
	await button('Undo').click();
	await expect.poll(() => last('voice.rename')).toEqual({ handle: 'v1', name: 'Ana (home)' });
});

test('what is wrong is said at the fields, the first has the keyboard, and nothing is sent', async () => {
	const { last } = await open({ settings: { speak: 'auto' } });
	await button('Make a voice').click();
	await button('Make the voice').click();
	await expect.element(page.getByLabelText('Name')).toHaveFocus();
	for (const words of [
		/Give the voice a name/,
		/language of the sample\./,
		/Choose a file or/,
		/only be copied with consent/,
	])
		await expect.element(text(words)).toBeVisible();
	expect(last('voice.make')).toBeUndefined();
	await page.getByLabelText('Name').fill('Ana');
	await expect.element(text(/Give the voice a name/)).not.toBeInTheDocument();
	expect(await axeFindings()).toEqual([]);
});

test('a voice is made of a file, with everything that was said of it; it outlives leaving the page', async () => {
	const { last, parts } = await open({
		settings: { speak: 'es' },
		answers: {
			'voice.choose-file': () => ok(voiceSample),
			'voice.make': () => ok(voiceEntry({ status: 'created', active: true, voiceId: null })),
		},
	});
	await button('Make a voice').click();
	await page.getByLabelText('Name').fill('Ana (home)');
	await text('Choose a file').first().click();
	await button('Choose an audio or video file…').click();
	await expect.element(text(/me reading\.mp3/)).toBeVisible();
	await text('More details (optional)').click();
	await page.getByLabelText('Attributes').fill('warm, near ,');
	await text('Remove noise').click();
	parts.navigation.go('live');
	await expect.element(text('Remove noise')).not.toBeInTheDocument();
	parts.navigation.go('voices');
	await expect.element(text(/me reading\.mp3/)).toBeVisible();
	await text(/The voice in this sample is mine/).click();
	await button('Make the voice').click();
	const draft = { ...emptyDraft, name: 'Ana (home)', language: 'es', attributes: ['warm', 'near'] };
	await expect
		.poll(() => last('voice.make'))
		.toEqual({ sample: 's1', draft: { ...draft, denoise: true, consent: '1' } });
	await expect.element(text(/is being made/)).toBeVisible();
	await button('Make a voice').click();
	await expect.element(page.getByLabelText('Name')).toHaveValue('');
});

test('a refusal is shown at the field it names, with the code, and nothing is lost', async () => {
	const { parts } = await open({
		settings: { speak: 'es' },
		answers: {
			'voice.make': () =>
				err({ kind: 'voice-refused', status: 422, field: 'data.name', detail: 'ASCII only', code: '1042' }),
		},
	});
	parts.voiceForm.open('es');
	parts.voiceForm.change({ name: 'Añita', consent: '1' });
	parts.voiceForm.setSample(voiceSample);
	await button('Make the voice').click();
	await expect.element(text(/ASCII only.* Code for support: .?1042/)).toBeVisible();
	await expect.element(page.getByLabelText('Name')).toHaveFocus();
	await expect.element(page.getByLabelText('Name')).toHaveValue('Añita');
	await expect.element(text(/me reading\.mp3/)).toBeVisible();
});

test('each of several errors is shown at its own field, what is about none above the button', async () => {
	const errors = [
		{ detail: 'Name taken', field: 'body.data.name', code: '11' },
		{ detail: 'No Latin', field: 'data.samples[0].lang_code', code: '12' },
		{ title: 'Account refused', detail: 'Too many voices', code: '13', instance: '/saas/voice/clone#3' },
	];
	const refusal = {
		kind: 'voice-refused',
		status: 422,
		field: 'body.data.name',
		detail: 'Name taken',
	} as const;
	const { parts } = await open({
		settings: { speak: 'es' },
		answers: { 'voice.make': () => err({ ...refusal, code: '11', errors }) },
	});
	parts.voiceForm.open('es');
	parts.voiceForm.change({ name: 'Ana', consent: '1' });
	parts.voiceForm.setSample(voiceSample);
	await button('Make the voice').click();
	await expect.element(page.getByLabelText('Name')).toHaveAccessibleDescription(/Name taken.*11/);
	await expect.element(page.getByLabelText('Name')).toHaveFocus();
	const at = (field: string) => document.querySelector(`[data-field=${field}]`)?.textContent;
	expect(at('language')).toMatch(/No Latin.*12/);
	const notice = document.querySelector('[data-problem=voice-refused]');
	expect(notice?.textContent).toMatch(/Too many voices.*13/);
	expect(notice?.textContent).not.toMatch(/Name taken|No Latin/);
	await text('Details').click();
	await expect.element(text('Account refused')).toBeVisible();
	await expect.element(text(/saas\/voice\/clone#3/)).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	// A changed field is no longer marked; the others are.
	await page.getByLabelText('Name').fill('Ana Maria');
	await expect.poll(() => at('name')).not.toMatch(/Name taken/);
	expect(at('language')).toMatch(/No Latin/);
});

test('a failure that is about no field is said above the button, and the same can be sent again', async () => {
	const { parts } = await open({
		answers: { 'voice.make': () => err({ kind: 'api-key-rejected', status: 401 }) },
	});
	parts.voiceForm.open('es');
	parts.voiceForm.change({ name: 'Ana', consent: '1' });
	parts.voiceForm.setSample(voiceSample);
	await button('Make the voice').click();
	await expect.element(text(/does not accept this API key/)).toBeVisible();
	await expect.element(button('Make the voice')).toBeEnabled();
});

/** The form was sent, and the service takes its time. */
async function sending(answer: Result<unknown, Problem>) {
	const { promise, resolve } = Promise.withResolvers<void>();
	const shown = await open({ answers: { 'voice.make': () => promise.then(() => answer) } });
	const { voiceForm } = shown.parts;
	voiceForm.open('es');
	voiceForm.change({ name: 'Ana', consent: '1' });
	voiceForm.setSample(voiceSample);
	await button('Make the voice').click();
	await expect.element(button('Sending the details…')).toBeDisabled();
	return { ...shown, answer: resolve };
}

test('a refusal that comes when the form is closed is said in the list, and once more in the form', async () => {
	const { answer } = await sending(err({ kind: 'api-key-rejected', status: 401 }));
	await button('Later').click();
	answer();
	await expect.element(text(/does not accept this API key/)).toBeVisible();
	await button('Make a voice').click();
	await expect.element(page.getByLabelText('Name')).toHaveValue('Ana');
	await expect.element(text(/does not accept this API key/)).toBeVisible();
	await page.getByLabelText('Name').fill('Ana Maria');
	await button('Later').click();
	await expect.element(text(/does not accept this API key/)).not.toBeInTheDocument();
});

test('whoever comes back before the answer cannot send it twice', async () => {
	const { answer, parts, asked } = await sending(err({ kind: 'api-key-rejected', status: 401 }));
	parts.navigation.go('live');
	await expect.element(page.getByLabelText('Name')).not.toBeInTheDocument();
	parts.navigation.go('voices');
	await expect.element(button('Sending the details…')).toBeDisabled();
	answer();
	await expect.element(button('Make the voice')).toBeEnabled();
	await expect.element(text(/does not accept this API key/)).toBeVisible();
	expect(asked.filter(([name]) => name === 'voice.make')).toHaveLength(1);
});

test('a sample chosen while the voice is being made is let go', async () => {
	const { answer, parts, last, announce } = await sending(
		ok(voiceEntry({ status: 'created', voiceId: null })),
	);
	parts.voiceForm.setSample({ ...voiceSample, sample: 's2', name: 'second.wav' });
	answer();
	await expect.element(text(/is being made/)).toBeVisible();
	announce('voice.changed', list([voiceEntry({ status: 'pending', voiceId: null })], 3));
	await expect.element(text(/is being made/)).toBeVisible();
	announce('voice.changed', list([voiceEntry()], 4));
	await expect.element(text(/is being made/)).not.toBeInTheDocument();
	expect(last('voice.discard-sample')).toEqual({ sample: 's2' });
	expect(parts.voiceForm.store.getState()).toMatchObject({ shown: false, sample: null });
});

test('another sample takes the place of the first, which is let go', async () => {
	const { parts, last } = await open({
		answers: { 'voice.choose-file': () => ok({ ...voiceSample, sample: 's2', name: 'second.wav' }) },
	});
	parts.voiceForm.open('es');
	parts.voiceForm.setSample(voiceSample);
	await button('Another sample').click();
	await button('Keep the one I have').click();
	await button('Another sample').click();
	await text('Choose a file').first().click();
	await button('Choose an audio or video file…').click();
	await expect.element(text(/second\.wav/)).toBeVisible();
	expect(last('voice.discard-sample')).toEqual({ sample: 's1' });
});

test.each(['en', 'es', 'ar'] as const)(
	'has nothing that axe finds wrong, narrow, in %s',
	async (language) => {
		const { parts } = await open(
			{ settings: { interfaceLanguage: language }, voices: { voices: severalVoices() } },
			320,
		);
		await expect.element(text('Street')).toBeInTheDocument();
		expect(await axeFindings()).toEqual([]);
		expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
		parts.voiceForm.open('es');
		await expect.poll(() => document.querySelectorAll('form').length).toBe(1);
		expect(await axeFindings()).toEqual([]);
		expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
	},
);

test('who leaves while recording lets the microphone go', async () => {
	const { parts } = await open();
	const signals: AbortSignal[] = [];
	const { record } = parts.sound;
	Object.assign(parts.sound, {
		record(options: Parameters<typeof record>[0]) {
			signals.push(options.signal);
			return record(options);
		},
	});
	parts.voiceForm.open('en');
	await button('Record').click();
	await expect.element(button('Stop recording')).toBeVisible();
	expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
	parts.navigation.go('live');
	await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('a deletion at the service that was thought better of is not asked of the next voice', async () => {
	const other = voiceEntry({ handle: 'v9', voiceId: 'other', name: 'Ben' });
	await open({ voices: { voices: [voiceEntry(), other] } });
	await button(/^Forget.*Ana/).click();
	await text('Delete it at the service too').click();
	const dialog = page.getByRole('alertdialog');
	await dialog.getByRole('button', { name: 'Cancel' }).click();
	await button(/^Forget.*Ben/).click();
	await expect.element(dialog.getByRole('checkbox')).not.toBeChecked();
});

test('no voice is tried while a conversation runs, and why is said', async () => {
	const { conversation, speaking } = await open({ voices: { voices: [voiceEntry()] } });
	await expect.element(button('Say it')).toBeEnabled();
	conversation.show({ phase: 'live', liveSinceMs: 0 });
	await expect.element(button('Say it')).toBeDisabled();
	await expect.element(text('Not while a conversation runs.')).toBeVisible();
	conversation.show({ phase: 'failed' });
	await expect.element(button('Say it')).toBeEnabled();
	expect(speaking).toEqual([]);
});

test('no voice is imitated before everybody has agreed', async () => {
	const { parts } = await open({ settings: { hear: ['fr'], voiceOf: 'fr' } });
	const used = () => parts.settings.store.getState().values.voices;
	const dialog = page.getByRole('alertdialog', { name: 'Imitate the speaker’s voice?' });
	async function choose(): Promise<void> {
		await button(/French/).click();
		await page.getByRole('option', { name: /^Like the speaker/ }).click();
		await expect.element(dialog).toBeVisible();
	}
	await choose();
	expect(used()).toEqual({});
	await dialog.getByRole('button', { name: 'Cancel' }).click();
	await expect.element(dialog).not.toBeInTheDocument();
	expect(used()).toEqual({});
	await choose();
	await dialog.getByRole('button', { name: 'Everybody agrees' }).click();
	await expect.poll(used).toEqual({ fr: SPEAKERS_VOICE.like });
});

test('a voice that is used for one language leaves the others theirs', async () => {
	const { parts } = await open({
		voices: { voices: [voiceEntry()] },
		settings: { hear: ['es'], voiceOf: 'es', voices: { fr: 'default_high' } },
	});
	await button(/^Use for .Español · Spanish.: .Ana \(home\)/).click();
	const { voiceId } = voiceEntry();
	await expect
		.poll(() => parts.settings.store.getState().values.voices)
		.toEqual({ fr: 'default_high', es: voiceId });
});

test('a voice that could not be deleted still speaks its languages', async () => {
	const voices = { es: voiceEntry().voiceId ?? '' };
	const { parts } = await open({
		voices: { voices: [voiceEntry()] },
		settings: { voices },
		answers: { 'voice.forget': () => err({ kind: 'service-unreachable', cause: 'offline' }) },
	});
	await button(/^Forget/).click();
	await text('Delete it at the service too').click();
	await button('Delete').click();
	await expect.element(page.getByRole('alert')).toBeVisible();
	expect(parts.settings.store.getState().values.voices).toEqual(voices);
});

test('a deletion at the service that was done is not asked of the next voice', async () => {
	const other = voiceEntry({ handle: 'v9', voiceId: 'other', name: 'Ben' });
	const { last } = await open({ voices: { voices: [voiceEntry(), other] } });
	await button(/^Forget.*Ana/).click();
	await text('Delete it at the service too').click();
	const dialog = page.getByRole('alertdialog');
	await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
	await expect.poll(() => last('voice.forget')).toEqual({ handle: 'v1', atService: true });
	await expect.element(dialog).not.toBeInTheDocument();
	await button(/^Forget.*Ben/).click();
	await expect.element(dialog.getByRole('checkbox')).not.toBeChecked();
});
