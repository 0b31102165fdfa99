import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ModelEntry, ModelsState } from '#shared/host/models.ts';
import { err, ok } from '#shared/lib/result.ts';
import { modelsFor } from '#shared/models/manifest.ts';
import { modelEntries } from '#test/support/fake-pages.ts';
import { createFakeWindow, type FakeMain, type FakeWindow } from '#test/support/fake-window.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { axeFindings, renderWindow } from '#test/support/render-window.tsx';

const none = { present: false, source: 'none', lastFour: '' } as const;
const start = page.getByRole('button', { name: 'Start', exact: true });
const needed = ['silero-v5', 'whisper-tiny.en', 'mozilla-en-pt'];
const voice = 'piper-pt_BR-faber-medium';

const local: FakeMain = {
	account: { service: 'local', sandbox: 'running' },
	key: none,
	settings: { speak: 'en', hear: ['pt'], voiceOf: 'pt' },
	models: { models: modelEntries() },
};

const here = (main: FakeMain = {}, width?: number, height?: number) =>
	renderWindow(createFakeWindow({ ...local, ...main }), width, height);

let revision = 1;
/** Main announces that these models have changed. */
function change(
	shown: FakeWindow,
	others: Readonly<Record<string, Partial<ModelEntry>>>,
	more: Partial<ModelsState> = {},
) {
	revision += 1;
	const { choice: _, failure: __, ...state } = shown.parts.models.store.getState();
	shown.announce('models.changed', {
		...state,
		revision,
		models: modelEntries('available', others),
		...more,
	});
}

const all = (state: Partial<ModelEntry>) => Object.fromEntries([...needed, voice].map((id) => [id, state]));
const asked = (shown: FakeWindow, name: string) => shown.asked.filter(([request]) => request === name);

async function settings(main: FakeMain = {}) {
	const shown = await here(main);
	shown.parts.navigation.go('settings', 'models');
	await expect.element(page.getByRole('heading', { name: 'Installed' })).toBeVisible();
	return shown;
}

test('the first run offers this computer, and then what the languages need', async () => {
	const shown = await here({ account: { service: 'unset' } });
	await expect.element(page.getByText(/Free, offline and private/)).toBeVisible();
	await page.getByRole('button', { name: 'Use this computer' }).click();
	expect(shown.asked).toContainEqual(['account.choose', { service: 'local' }]);
	await expect.element(page.getByRole('note')).toHaveTextContent('On this computer');
	await expect.element(page.getByText(/Not installed yet: .*English.*Portuguese/)).toBeVisible();
	await expect.element(page.getByRole('combobox', { name: 'I speak' })).toBeVisible();
});

test('at 420 × 700 all three choices are seen without scrolling', async () => {
	await here({ account: { service: 'unset', apiUrl: 'https://api.palabra.ai' } }, 420, 700);
	for (const seen of [
		page.getByRole('button', { name: 'Use this computer' }),
		page.getByRole('button', { name: 'Try the sandbox' }),
		page.getByLabelText('API key'),
	])
		expect(seen.element().getBoundingClientRect().bottom).toBeLessThanOrEqual(700);
});

test('missing models are named with size and licence, and one button downloads exactly them and a natural voice', async () => {
	const shown = await here();
	await expect
		.element(
			page.getByText(
				/^Not installed yet: speech detection, speech recognition \(.?English.?\), translation \(.?English.? → .?Portuguese.?\), and natural voice \(.?Portuguese.?\)\.$/,
			),
		)
		.toBeVisible();
	await expect.element(page.getByText(/206\.1 MB.*Licence: .*MIT.*MPL-2\.0.*CC0/)).toBeVisible();
	await expect.element(start).toBeDisabled();
	await page.getByRole('button', { name: /^Download \(.*MB.*\)$/ }).click();
	expect(asked(shown, 'models.add')).toEqual([['models.add', { ids: [...needed, voice] }]]);
});

test('a download shows how far it is, stops and goes on, and at its end Start works and has the keyboard', async () => {
	const shown = await here();
	change(shown, all({ state: 'downloading', bytesPerS: 2_000_000 }));
	await expect.element(page.getByText(/Downloading: /)).toBeVisible();
	await expect.element(page.getByText(/6.* MB\/s.*left/)).toBeVisible();
	await page.getByRole('button', { name: 'Pause' }).click();
	expect(asked(shown, 'models.pause')).toEqual([...needed, voice].map((id) => ['models.pause', { id }]));
	change(shown, { ...all({ state: 'paused' }), 'silero-v5': { state: 'installed' } });
	await expect.element(page.getByText(/Download paused: /)).toBeVisible();
	// The bytes that arrived meanwhile count.
	const progress = page.getByRole('progressbar').element() as HTMLProgressElement;
	expect([progress.value, progress.max > 120_000_000]).toEqual([2_327_524, true]);
	await page.getByRole('button', { name: 'Resume' }).click();
	expect(asked(shown, 'models.add').at(-1)).toEqual(['models.add', { ids: [...needed.slice(1), voice] }]);
	change(shown, { ...all({ state: 'downloading' }), 'silero-v5': { state: 'installed' } });
	const pause = page.getByRole('button', { name: 'Pause' });
	await expect.element(pause).toBeVisible();
	(pause.element() as HTMLElement).focus();
	change(shown, all({ state: 'installed' }));
	await expect.element(start).toBeEnabled();
	await expect.element(start).toHaveFocus();
	await start.click();
	expect(shown.conversation.calls.map(([name]) => name)).toContain('start');
});

test('a natural voice alone is not asked for, since espeak-ng speaks', async () => {
	const shown = await here();
	change(shown, { ...all({ state: 'installed' }), [voice]: { state: 'available' } });
	await expect.element(start).toBeEnabled();
	await expect.element(page.getByText(/Not installed yet/)).not.toBeInTheDocument();
});

test('where the interpreter itself is missing, the same button gets it first', async () => {
	const shown = await here({ models: { models: modelEntries('available', {}, withInterpreter) } });
	await expect.element(page.getByText(/^Not installed yet: interpreter, speech detection, /)).toBeVisible();
	await expect
		.element(page.getByText(/231\.6 MB.*Licence: .*GPL-3\.0.*Apache-2\.0.*MPL-2\.0.*MIT/))
		.toBeVisible();
	await page.getByRole('button', { name: /^Download \(.*MB.*\)$/ }).click();
	expect(asked(shown, 'models.add')).toEqual([['models.add', { ids: ['interpreter', ...needed, voice] }]]);
});

test('a start that fails because of a damaged file offers to download it again', async () => {
	const shown = await here({ account: { service: 'local', sandbox: 'starting' } });
	const before = asked(shown, 'models.read').length;
	const { status } = shown.parts.account.store.getState();
	const failed = { ...status, revision: status.revision + 1, sandbox: 'failed' as const };
	shown.announce('account.changed', failed);
	await expect.poll(() => asked(shown, 'models.read').length).toBe(before + 1);
	shown.announce('account.changed', { ...failed, revision: failed.revision + 1 });
	await new Promise((done) => setTimeout(done, 100));
	expect(asked(shown, 'models.read').length).toBe(before + 1);
});

/** As on a computer on which npm has not installed the interpreter. */
const { models: withInterpreter } = modelsFor({ platform: 'linux', arch: 'x64' }, () => {
	throw new Error('not installed');
});
const damaged = {
	state: 'broken',
	problem: { kind: 'model-damaged', model: 'interpreter', file: 'a.tgz' },
} as const;

test('a damaged interpreter is started by itself once it was downloaded again', async () => {
	const states = (one: Partial<ModelEntry>) =>
		modelEntries('installed', { interpreter: one }, withInterpreter);
	const shown = await here({
		account: { service: 'local', sandbox: 'failed' },
		models: { models: states(damaged) },
	});
	await expect.element(page.getByText(/missing or has changed/)).toBeVisible();
	await page.getByRole('button', { name: /^Download \(/ }).click();
	expect(asked(shown, 'models.add')).toEqual([['models.add', { ids: ['interpreter'] }]]);
	change(shown, {}, { models: states({ state: 'checking' }) });
	await expect.element(page.getByText(/^Downloading: interpreter/)).toBeVisible();
	expect(asked(shown, 'account.choose')).toEqual([]);
	change(shown, {}, { models: states({ state: 'installed' }) });
	await expect.element(start).toBeEnabled();
	change(shown, {}, { models: states({ state: 'installed' }) });
	expect(asked(shown, 'account.choose')).toEqual([['account.choose', { service: 'local' }]]);
});

test('where a damaged interpreter is in the way of taking over, its models are shown, and then it takes over', async () => {
	const states = (one: Partial<ModelEntry>) =>
		modelEntries('installed', { interpreter: one }, withInterpreter);
	const answers: FakeMain['answers'] = { 'account.choose': () => err(damaged.problem) };
	const shown = await here({ ...remembered, models: { models: states({}) }, answers });
	shown.conversation.show({ phase: 'failed', problem: away });
	await expect.element(page.getByText(/missing or has changed/)).toBeVisible();
	const { status } = shown.parts.account.store.getState();
	const reads = asked(shown, 'models.read').length;
	shown.announce('account.changed', { ...status, revision: status.revision + 1, sandbox: 'failed' });
	await expect.poll(() => asked(shown, 'models.read').length).toBe(reads + 1);
	change(shown, {}, { models: states(damaged) });
	await page.getByRole('button', { name: 'Change models' }).click();
	await expect.element(page.getByRole('heading', { name: 'Installed' })).toBeVisible();
	const choices = asked(shown, 'account.choose').length;
	change(shown, {}, { models: states({}) });
	shown.parts.navigation.go('live');
	await expect.poll(() => asked(shown, 'account.choose').length).toBe(choices + 1);
});

test('captions alone need no voice', async () => {
	await here({ settings: { ...local.settings, mode: 'captions' } });
	await expect.element(page.getByText(/^Not installed yet/)).toBeVisible();
	expect(page.getByText(/natural voice/).query()).toBeNull();
});

const away = { kind: 'service-unreachable', cause: 'ENOTFOUND', host: 'api.example' } as const;
const withKey: FakeMain = {
	account: { service: 'service', sandbox: 'off' },
	key: { present: true, source: 'keychain', lastFour: '1234' },
};
const goOn = page.getByRole('button', { name: 'Continue on this computer' });

test('when the service cannot be reached and the models are here, the conversation goes on here by one press', async () => {
	const shown = await here({ ...withKey, models: { models: modelEntries('installed') } });
	shown.conversation.show({ phase: 'failed', problem: away });
	await expect.element(page.getByText(/This computer can continue/)).toBeVisible();
	await goOn.click();
	expect(asked(shown, 'account.choose')).toEqual([['account.choose', { service: 'local' }]]);
	await expect.poll(() => shown.conversation.calls.map(([name]) => name)).toContain('tryAgain');
});

const remembered: FakeMain = {
	...withKey,
	settings: { ...local.settings, takeOverHere: true },
	models: { models: modelEntries('installed') },
};
const calls = (shown: FakeWindow) => shown.conversation.calls.map(([name]) => name);
const back = page.getByRole('button', { name: 'Back to the service' });

test('asked once, it goes on here by itself from then on, and one press leads back in the same conversation', async () => {
	const shown = await here({ ...withKey, models: { models: modelEntries('installed') } });
	shown.conversation.show({ phase: 'failed', problem: away });
	await goOn.click();
	await expect.element(back).toBeVisible();
	expect(shown.parts.settings.store.getState().values.takeOverHere).toBe(true);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	const before = calls(shown).length;
	await back.click();
	await expect.element(back).not.toBeInTheDocument();
	expect(asked(shown, 'account.choose').at(-1)).toEqual(['account.choose', { service: 'service' }]);
	expect(calls(shown).slice(before)).toEqual(['stopNow', 'tryAgain']);
	shown.conversation.show({ phase: 'failed', problem: away });
	await expect.element(back).toBeVisible();
	expect(asked(shown, 'account.choose').at(-1)).toEqual(['account.choose', { service: 'local' }]);
	expect(asked(shown, 'account.choose')).toHaveLength(3);
});

test('a line that is away for ten seconds is long enough to go on here, one that is back sooner is not', async () => {
	const clock = createManualClock();
	const shown = await here({ ...remembered, clock });
	const recovering = () => ({ sinceMs: clock.now(), attempt: 1, cause: 'closed' });
	shown.conversation.show({ phase: 'reconnecting', recovering: recovering() });
	await expect.element(page.getByText(/^The connection to the interpreter was lost/).first()).toBeVisible();
	clock.advance(9000);
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	clock.advance(9000);
	await new Promise((done) => setTimeout(done, 100));
	expect(asked(shown, 'account.choose')).toEqual([]);
	shown.conversation.show({ phase: 'reconnecting', recovering: recovering() });
	await new Promise((done) => setTimeout(done, 100));
	clock.advance(9999);
	expect(asked(shown, 'account.choose')).toEqual([]);
	clock.advance(1);
	await expect.element(back).toBeVisible();
	expect(calls(shown)).toEqual(['stopNow', 'tryAgain']);
});

test('on its way here the conversation says so until it goes on, so that its microphone can stay open', async () => {
	const chosen = Promise.withResolvers<ReturnType<typeof ok>>();
	const shown = await here({ ...remembered, answers: { 'account.choose': () => chosen.promise } });
	const { takeOver } = shown.parts.models;
	const moves: string[] = [];
	takeOver.subscribe(({ isMoving }, before) => {
		if (isMoving !== before.isMoving)
			moves.push(`${isMoving ? 'moves' : 'there'} after ${calls(shown).join()}`);
	});
	shown.conversation.show({ phase: 'live', liveSinceMs: 0 });
	shown.conversation.show({
		phase: 'reconnecting',
		recovering: { sinceMs: -10_000, attempt: 1, cause: 'closed' },
	});
	await expect.poll(() => asked(shown, 'account.choose').length).toBe(1);
	expect(moves).toEqual(['moves after ']);
	chosen.resolve(ok(shown.parts.account.store.getState().status));
	await expect.poll(() => moves).toEqual(['moves after ', 'there after stopNow,tryAgain']);
});

test('a line that is given up sooner than that is offered at once', async () => {
	const clock = createManualClock();
	const shown = await here({ ...withKey, clock, models: { models: modelEntries('installed') } });
	const recovering = { sinceMs: clock.now(), attempt: 1, cause: 'closed' };
	shown.conversation.show({ phase: 'reconnecting', recovering });
	await new Promise((done) => setTimeout(done, 100));
	expect(goOn.elements()).toEqual([]);
	shown.conversation.show({ phase: 'failed', problem: away });
	await expect.element(goOn).toBeVisible();
});

test('a service that an option or a variable names is not left', async () => {
	const shown = await here({ ...remembered, origins: { service: 'variable' } });
	shown.conversation.show({ phase: 'failed', problem: away });
	await new Promise((done) => setTimeout(done, 100));
	expect([goOn.elements(), back.elements(), asked(shown, 'account.choose')]).toEqual([[], [], []]);
});

test('while one of two directions is live, nothing is taken over', async () => {
	const clock = createManualClock();
	const shown = await here({ ...remembered, clock });
	shown.legs.names.setState(['outgoing', 'incoming'], true);
	const recovering = { sinceMs: clock.now(), attempt: 1, cause: 'closed' };
	shown.conversation.show({ phase: 'reconnecting', recovering });
	await new Promise((done) => setTimeout(done, 100));
	clock.advance(60_000);
	await new Promise((done) => setTimeout(done, 100));
	expect(asked(shown, 'account.choose')).toEqual([]);
	for (const leg of ['outgoing', 'incoming'] as const)
		shown.legs[leg].conversation.show({ phase: 'reconnecting', recovering });
	await expect.poll(() => asked(shown, 'account.choose').length).toBe(1);
});

test('with nothing to offer there is no empty bar', async () => {
	const shown = await here({ ...withKey, models: { models: modelEntries() } });
	shown.conversation.show({
		phase: 'reconnecting',
		recovering: { sinceMs: 0, attempt: 1, cause: 'closed' },
	});
	await expect.element(page.getByText(/^The connection to the interpreter was lost/).first()).toBeVisible();
	await new Promise((done) => setTimeout(done, 300));
	const empty = [...document.querySelectorAll('main *')].filter(
		(one) => one.childElementCount === 0 && one.textContent === '' && one.matches('[class*=_notices_]'),
	);
	expect(empty.filter((one) => one.getBoundingClientRect().height > 0)).toEqual([]);
});

test('where this computer cannot start it says why, once; the conversation goes on with the service, and one press tries again', async () => {
	const failed = { kind: 'sandbox-failed', reason: 'port' } as const;
	const shown = await here({ ...remembered, answers: { 'account.choose': () => err(failed) } });
	const recovering = { sinceMs: -60_000, attempt: 1, cause: 'closed' };
	shown.conversation.show({ phase: 'reconnecting', recovering });
	const why = page.getByText('The interpreter on this computer could not be started.').first();
	await expect.element(why).toBeVisible();
	expect(calls(shown)).toEqual(['stopNow', 'tryAgain']);
	// The next phase of the conversation does not change that.
	shown.conversation.show({ phase: 'reconnecting', recovering });
	await new Promise((done) => setTimeout(done, 200));
	expect(asked(shown, 'account.choose')).toHaveLength(1);
	await page.getByRole('button', { name: 'Try again' }).first().click();
	await expect.poll(() => asked(shown, 'account.choose').length).toBe(2);
	expect(asked(shown, 'account.choose').at(-1)).toEqual(['account.choose', { service: 'local' }]);
	await page.getByRole('button', { name: 'Dismiss' }).first().click();
	await expect.element(why).not.toBeInTheDocument();
	await new Promise((done) => setTimeout(done, 200));
	expect(asked(shown, 'account.choose')).toHaveLength(2);
	await expect.element(goOn).toBeVisible();
});

test.each([
	['a model is missing', { ...withKey, models: { models: modelEntries() } }, away],
	[
		'it is not the network',
		{ ...withKey, models: { models: modelEntries('installed') } },
		{ kind: 'no-credit', detail: '' },
	],
	['it interprets here already', { models: { models: modelEntries('installed') } }, away],
] as const)('going on here is not offered when %s', async (_why, main, problem) => {
	const shown = await here(main);
	shown.conversation.show({ phase: 'failed', problem });
	await expect.element(page.getByTestId('phase')).toHaveTextContent('Stopped by a problem');
	await new Promise((done) => setTimeout(done, 300));
	expect(goOn.elements()).toEqual([]);
});

test('a download that is cancelled is offered again', async () => {
	const shown = await here();
	change(shown, all({ state: 'downloading' }));
	await page.getByRole('button', { name: 'Cancel' }).click();
	expect(asked(shown, 'models.cancel')).toEqual([...needed, voice].map((id) => ['models.cancel', { id }]));
	change(shown, {});
	await expect.element(page.getByRole('button', { name: /^Download \(/ })).toBeEnabled();
});

test('a download that has stopped says why, and can be tried again', async () => {
	const shown = await here();
	change(shown, all({ state: 'paused', problem: { kind: 'service-unreachable', cause: 'ENOTFOUND' } }));
	await expect.element(page.getByRole('alert')).toBeVisible();
	// Nobody has paused it.
	await expect.element(page.getByText(/^Not installed yet: /)).toBeVisible();
	await page.getByRole('button', { name: 'Try again' }).click();
	expect(asked(shown, 'models.add')).toEqual([['models.add', { ids: [...needed, voice] }]]);
});

test('where there is no room for them nothing is downloaded', async () => {
	await here({ models: { models: modelEntries(), freeBytes: 50_000_000 } });
	await expect.element(page.getByText(/Not enough room: .*206\.1 MB.* needed, .*50 MB.* free/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: /^Download \(/ })).toBeDisabled();
});

test('the download is announced at each quarter and not in between', async () => {
	const shown = await here();
	const spoken = () => [...document.querySelectorAll('[role=status]')].map((one) => one.textContent).join();
	const at = (doneBytes: number) =>
		change(shown, {
			...all({ state: 'waiting' }),
			'whisper-tiny.en': { state: 'downloading', doneBytes },
		});
	at(20_000_000);
	await expect.element(page.getByText(/Downloading: /)).toBeVisible();
	expect(spoken()).not.toMatch(/% downloaded/);
	for (const doneBytes of [60_000_000, 90_000_000]) {
		at(doneBytes);
		await expect.poll(spoken).toMatch(/25% downloaded/);
	}
});

test('a pair that cannot be done says so, and leads to languages that can', async () => {
	await here({ settings: { speak: 'fil', hear: ['cy'], voiceOf: 'cy' } });
	await expect.element(page.getByText(/cannot translate from .?Filipino.? to .?Welsh/)).toBeVisible();
	await page.getByRole('button', { name: 'Choose languages' }).click();
	await expect.element(page.getByRole('combobox', { name: 'They hear' })).toHaveFocus();
	await userEvent.keyboard('{ArrowDown}');
	await expect.element(page.getByRole('option', { name: /German/ })).toBeInTheDocument();
	expect(page.getByRole('option', { name: /Welsh/ }).query()).toBeNull();
});

test('with any recogniser of the language installed no other is asked for', async () => {
	const installed = { state: 'installed' } as const;
	await here({
		models: {
			models: modelEntries('available', {
				'silero-v5': installed,
				'whisper-small': installed,
				'mozilla-en-pt': installed,
			}),
		},
	});
	await expect.element(start).toBeEnabled();
});

test('both directions of a meeting are needed', async () => {
	await here({ settings: { mode: 'meeting', speak: 'en', hear: ['pt'], voiceOf: 'pt' } });
	await expect.element(page.getByText(/Portuguese.? → .?English/)).toBeVisible();
	await expect.element(page.getByText(/English.? → .?Portuguese/)).toBeVisible();
});

test('an interpreter that has failed is started again, and not the sandbox', async () => {
	const shown = await here({
		account: { service: 'local', sandbox: 'failed' },
		models: { models: modelEntries('installed') },
	});
	await expect
		.element(page.getByText('The interpreter on this computer could not be started.'))
		.toBeVisible();
	await page.getByRole('button', { name: 'Try again' }).click();
	expect(shown.asked).toContainEqual(['account.choose', { service: 'local' }]);
});

test('where nothing local runs, Start says why', async () => {
	await here({ models: { models: modelEntries(), problem: { kind: 'storage-failed', what: 'models' } } });
	await expect.element(start).toBeDisabled();
	expect(page.getByRole('button', { name: /^Download/ }).query()).toBeNull();
});

test('what only a service has says so, and asks nothing of one', async () => {
	const shown = await here({ models: { models: modelEntries('installed') } });
	for (const [name, words] of [
		['sessions', /opens no sessions/],
		['voices', /belong to an account/],
		['glossaries', /corrections work here/],
	] as const) {
		shown.parts.navigation.go(name);
		await expect.element(page.getByText(words)).toBeVisible();
		expect(await axeFindings()).toEqual([]);
	}
	shown.parts.navigation.go('settings', 'account');
	await expect.element(page.getByText('Interpreting on this computer costs nothing.')).toBeVisible();
	const requests = shown.asked.map(([name]) => name);
	for (const name of ['session.list', 'glossary.list', 'account.balance'])
		expect(requests).not.toContain(name);
});

test('the settings offer this computer, and say what it is', async () => {
	const shown = await here({ account: { service: 'service' }, key: { present: true } });
	shown.parts.navigation.go('settings', 'account');
	await page.getByText('This computer', { exact: true }).click();
	expect(shown.asked).toContainEqual(['account.choose', { service: 'local' }]);
	await expect.element(page.getByText(/nothing leaves this computer/)).toBeVisible();
	await page.getByRole('note').getByRole('button').click();
	await expect.element(page.getByRole('radio', { name: 'This computer' })).toBeVisible();
});

test('the settings list installed models, and remove one after a confirmation', async () => {
	const models = modelEntries('available', { 'mozilla-en-pt': { state: 'installed' } });
	const shown = await settings({ models: { models } });
	await expect.element(page.getByText(/Quality: .?COMET/).first()).toBeVisible();
	expect(await axeFindings()).toEqual([]);
	const remove = page.getByRole('button', { name: /^Remove: Translation · .*English.*Portuguese/ });
	await remove.click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
	expect(asked(shown, 'models.remove')).toEqual([]);
	await remove.click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
	expect(asked(shown, 'models.remove')).toEqual([['models.remove', { ids: ['mozilla-en-pt'] }]]);
	change(shown, {});
	await expect.element(page.getByText(/: removed\./)).toBeVisible();
	await expect.element(page.getByText('Nothing is installed yet')).toBeVisible();
});

test('a model in use is not removed, and the settings say why', async () => {
	const shown = await settings({
		models: { models: modelEntries('installed') },
		answers: { 'models.remove': () => err({ kind: 'storage-failed', what: 'models' }) },
	});
	await page.getByRole('button', { name: /^Remove: .*silero/ }).click();
	await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
	await expect.element(page.getByRole('alert')).toBeVisible();
	expect(page.getByText(/: removed\./).query()).toBeNull();
	expect(asked(shown, 'models.remove')).toHaveLength(1);
});

test('a model is found by its language and added', async () => {
	const shown = await settings();
	await page.getByRole('searchbox', { name: 'Find a language' }).fill('ICELAND');
	const found = page.getByRole('button', { name: /^Download: Translation · .*Icelandic.*mozilla-en-is/ });
	await found.click();
	expect(asked(shown, 'models.add')).toEqual([['models.add', { ids: ['mozilla-en-is'] }]]);
	expect(page.getByRole('button', { name: /mozilla-en-pt/ }).query()).toBeNull();
	await page.getByRole('searchbox', { name: 'Find a language' }).fill('klingon');
	await expect.element(page.getByText('No model for this language.')).toBeVisible();
});

test('a broken model says why, and can be downloaded again or removed', async () => {
	const broken = { state: 'broken', problem: { kind: 'storage-failed', what: 'mozilla-en-pt' } } as const;
	const shown = await settings({
		models: { models: modelEntries('available', { 'mozilla-en-pt': broken }) },
	});
	await expect.element(page.getByText(/Damaged/)).toBeVisible();
	await expect.element(page.getByRole('button', { name: /^Remove: .*mozilla-en-pt/ })).toBeVisible();
	await page.getByRole('button', { name: /^Download: .*mozilla-en-pt/ }).click();
	expect(asked(shown, 'models.add')).toHaveLength(1);
});

test('an announcement that is older than what is shown changes nothing', async () => {
	const shown = await here();
	change(shown, all({ state: 'installed' }));
	await expect.element(start).toBeEnabled();
	change(shown, {}, { revision: 0 });
	await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
	await expect.element(start).toBeEnabled();
});

test('models that cannot be read say why, and are asked for again', async () => {
	let answer: 'no' | 'yes' = 'no';
	const shown = await here({
		answers: {
			'models.read': () =>
				answer === 'no'
					? err({ kind: 'timed-out', what: 'models', afterMs: 1000 })
					: ok({ revision: 9, models: modelEntries(), freeBytes: null, folder: '/m', problem: null }),
		},
	});
	await expect.element(start).toBeDisabled();
	shown.parts.navigation.go('settings', 'models');
	await expect.element(page.getByRole('heading', { name: 'Installed' })).toBeVisible();
	await expect.element(page.getByRole('alert')).toBeVisible();
	answer = 'yes';
	await page.getByRole('button', { name: 'Try again' }).click();
	await expect.element(page.getByText('/m')).toBeVisible();
});

test('that this computer does not keep up is said, with the way to its models', async () => {
	const shown = await here();
	const notice = {
		kind: 'service-warning',
		code: 'COMPUTER_TOO_SLOW',
		text: 'The recogniser is late',
	} as const;
	shown.conversation.show({ phase: 'live', notice });
	await expect.element(page.getByText(/This computer does not keep up/)).toBeVisible();
	expect(page.getByText(/recogniser is late/).elements()).toEqual([]);
	await page.getByRole('button', { name: 'Change models' }).click();
	await expect.element(page.getByRole('heading', { name: 'Installed' })).toBeVisible();
});
