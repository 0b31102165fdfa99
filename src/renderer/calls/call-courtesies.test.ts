import { expect, test, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SettingsView } from '#renderer/settings/settings-mirror.ts';
import lines from '#shared/i18n/opening-lines.json' with { type: 'json' };
import { err, ok } from '#shared/lib/result.ts';
import { OFFERED_TARGETS } from '#shared/protocol/languages.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { createFakeConversation } from '#test/support/fake-conversation.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { type CallCourtesiesParts, followCallCourtesies, openingLine } from './call-courtesies.ts';
import type { CallOutputView } from './call-output.ts';
import type { TurnSigns } from './turn-sign.ts';

const call: CallOutputView = { to: 'call', output: { id: 'o1', label: 'Cable' }, microphoneLabel: '' };

function start(
	settings: Partial<Settings>,
	output: CallOutputView = call,
	conversation = createFakeConversation(),
) {
	const turnSigns: TurnSigns = createStore(() => ({ outgoing: 'none', incoming: 'none' }));
	const store = createStore<SettingsView>()(() => ({
		loaded: true,
		origins: {},
		sources: {},
		problem: null,
		values: { ...defaultSettings, mode: 'meeting', ...settings },
	}));
	const playTone = vi.fn<NonNullable<CallCourtesiesParts['playTone']>>(async () => ok());
	const warn = vi.fn();
	const end = followCallCourtesies({
		conversation,
		settings: { store },
		turnSigns,
		playTone,
		callOutput: { getState: () => output },
		clock: createManualClock(),
		log: { warn },
	});
	const said = () => conversation.calls.flatMap(([name, typed]) => (name === 'say' ? [typed] : []));
	return { conversation, turnSigns, playTone, warn, said, end };
}

/** Waits until the sentence has been fetched. */
const settled = () => new Promise((done) => setTimeout(done, 20));

test('the first sentence of a meeting is said once, and again at the next Start, not after a reconnection', async () => {
	const { conversation, said, end } = start({ callOpening: true, hear: ['es-mx'], voiceOf: 'es-mx' });
	for (const phase of ['preparing', 'starting', 'live', 'reconnecting', 'live'] as const)
		conversation.show({ phase });
	await settled();
	const line = { text: lines.es, language: 'es-mx', translate: false };
	expect(said()).toEqual([line]);
	for (const phase of ['ending', 'idle', 'preparing', 'live'] as const) conversation.show({ phase });
	await settled();
	expect(said()).toEqual([line, line]);
	// One that has failed and goes on has not begun again.
	for (const phase of ['failed', 'reconnecting', 'live'] as const)
		conversation.show({ phase, liveSinceMs: phase === 'failed' ? null : 1 });
	await settled();
	expect(said()).toEqual([line, line]);
	end();
	for (const phase of ['idle', 'preparing', 'live'] as const) conversation.show({ phase });
	await settled();
	expect(said()).toHaveLength(2);
});

test.each([
	['before', ['preparing'], 0],
	['and went live before', ['preparing', 'live'], 1],
] as const)(
	'of a meeting that began %s it was followed, the first sentence is said once',
	async (_, begun, saidAtOnce) => {
		const conversation = createFakeConversation();
		for (const phase of begun) conversation.show({ phase });
		const { said } = start({ callOpening: true }, call, conversation);
		await settled();
		expect(said()).toHaveLength(saidAtOnce);
		for (const phase of ['live', 'reconnecting', 'live'] as const) conversation.show({ phase });
		await settled();
		expect(said()).toHaveLength(1);
	},
);

test.each([
	['it was not chosen', { callOpening: false }],
	['it is no meeting', { callOpening: true, mode: 'solo' }],
] as const)('no sentence is said where %s', async (_, settings) => {
	const { conversation, said } = start(settings);
	for (const phase of ['preparing', 'live'] as const) conversation.show({ phase });
	await settled();
	expect(said()).toEqual([]);
});

test('in a language without the sentence it is typed in English, to be translated', async () => {
	expect(await openingLine({ hear: ['fil', 'es'], voiceOf: 'fil' })).toEqual({
		text: lines.en,
		language: 'en',
		translate: true,
	});
	expect(await openingLine({ hear: ['zh-hant'], voiceOf: 'zh-hant' })).toMatchObject({ translate: false });
	const bases = OFFERED_TARGETS.map((target) => target.split('-')[0]);
	for (const [code, text] of Object.entries(lines))
		expect([code, bases.includes(code), text.trim() !== '']).toEqual([code, true, true]);
});

test('a tone ends each turn of mine into the call, and none of theirs', () => {
	const { turnSigns, playTone, end } = start({ callTone: true });
	turnSigns.setState({ outgoing: 'still' });
	turnSigns.setState({ outgoing: 'turn' });
	turnSigns.setState({ incoming: 'turn' });
	expect(playTone.mock.calls).toEqual([[call.to === 'call' && call.output]]);
	turnSigns.setState({ outgoing: 'none' });
	turnSigns.setState({ outgoing: 'turn' });
	expect(playTone).toHaveBeenCalledTimes(2);
	end();
	turnSigns.setState({ outgoing: 'none' });
	turnSigns.setState({ outgoing: 'turn' });
	expect(playTone).toHaveBeenCalledTimes(2);
});

test.each<[string, Partial<Settings>, CallOutputView]>([
	['it was not chosen', { callTone: false }, call],
	['it is no meeting', { callTone: true, mode: 'solo' }, call],
	['the call cannot hear it', { callTone: true }, { to: 'nowhere', missing: 'Cable' }],
	['I would hear it', { callTone: true }, { to: 'ear' }],
])('no tone is played where %s', (_, settings, output) => {
	const { turnSigns, playTone } = start(settings, output);
	turnSigns.setState({ outgoing: 'turn' });
	expect(playTone).not.toHaveBeenCalled();
});

test('that the call did not hear the tone is in the log', async () => {
	const { turnSigns, playTone, warn } = start({ callTone: true });
	const turn = async () => {
		turnSigns.setState({ outgoing: 'none' });
		turnSigns.setState({ outgoing: 'turn' });
		await settled();
	};
	await turn();
	expect(warn).not.toHaveBeenCalled();
	playTone.mockResolvedValueOnce(err({ kind: 'output-missing', device: 'Cable' }));
	await turn();
	playTone.mockRejectedValueOnce(new Error('not fetched'));
	await turn();
	expect(warn.mock.calls).toEqual([
		['tone for the call not played', { problem: 'output-missing' }],
		['tone for the call not played', { failure: 'Error: not fetched' }],
	]);
});
