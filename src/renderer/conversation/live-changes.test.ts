import { expect, test, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { SettingsMirror, SettingsView } from '#renderer/settings/settings-mirror.ts';
import { SPEAKERS_VOICE } from '#shared/conversation/choices.ts';
import { defaultSettings, type Settings } from '#shared/settings/schema.ts';
import { type Conversation, type ConversationView, idleView } from './conversation.ts';
import { followChoices } from './live-changes.ts';

/** A conversation that runs with these settings. */
function follow(chosen: Partial<Settings>) {
	const store = createStore<SettingsView>()(() => ({
		loaded: true,
		values: { ...defaultSettings, ...chosen },
		origins: {},
		sources: {},
		problem: null,
	}));
	const write = vi.fn(async (next: Partial<Settings>) => {
		store.setState((view) => ({ ...view, values: { ...view.values, ...next } }));
	});
	const change = vi.fn();
	const view = createStore<ConversationView>()(() => ({ ...idleView, phase: 'live' }));
	followChoices(
		{ store: view, change } as unknown as Conversation,
		{ store, write } as never as SettingsMirror,
	);
	return { store, view, change };
}

test('a voice that the service does not take from the speaker is a fixed one from then on, and is not set again', () => {
	const { store, view, change } = follow({ voices: { es: SPEAKERS_VOICE.like, fr: 'mine' } });
	view.setState({ notice: { kind: 'asked-without', plan: { lacks: 'speakers-voice' } as never } });
	expect(store.getState().values.voices).toEqual({ fr: 'mine' });
	expect(change).not.toHaveBeenCalled();
	// A later refusal goes back to it.
	store.setState((now) => ({ ...now, values: { ...now.values, hear: ['de'] } }));
	view.setState({ change: 'waiting' });
	view.setState({ change: 'refused' });
	const { values } = store.getState();
	expect([values.hear, values.voices]).toEqual([['es'], { fr: 'mine' }]);
});

test('a language that cannot be found out in the running meeting is the chosen one again', () => {
	const { store, view, change } = follow({ mode: 'meeting', detectable: ['es', 'fr'] });
	store.setState((now) => ({ ...now, values: { ...now.values, listenDetect: true } }));
	expect(change).toHaveBeenCalledWith(expect.objectContaining({ detectTheirs: true }));
	view.setState({ change: 'waiting' });
	view.setState({ change: 'refused' });
	expect(store.getState().values.listenDetect).toBe(false);
});

test('captions without a translation stay without one when the language chosen for it is refused', () => {
	// What is kept for a translation is of no use either: nobody asked for one.
	const { store, view, change } = follow({
		mode: 'captions',
		translateCaptions: false,
		speak: 'es',
		hear: ['es'],
	});
	change.mockImplementation(() => {
		view.setState({ change: 'waiting' });
		view.setState({ change: 'refused' });
	});
	store.setState((now) => ({
		...now,
		values: { ...now.values, hear: ['es-mx'], voiceOf: 'es-mx', translateCaptions: true },
	}));
	const { values } = store.getState();
	expect([values.hear, values.translateCaptions]).toEqual([['es'], false]);
	expect(change).toHaveBeenCalledTimes(1);
});

test('glossaries that a service takes no choice of all apply from then on, and the voices stay as they are', () => {
	const voices = { es: SPEAKERS_VOICE.like };
	const { store, view, change } = follow({ voices, glossaries: ['g1'] });
	view.setState({ notice: { kind: 'asked-without', plan: { lacks: 'glossaries' } as never } });
	expect(store.getState().values).toMatchObject({ glossaries: 'all', voices });
	expect(change).not.toHaveBeenCalled();
	// Another choice in the conversation is carried into it.
	store.setState((now) => ({ ...now, values: { ...now.values, glossaries: 'none' } }));
	expect(change).toHaveBeenCalledWith(expect.objectContaining({ glossaries: 'none' }));
	view.setState({ change: 'waiting' });
	view.setState({ change: 'refused' });
	expect(store.getState().values.glossaries).toBe('all');
});

test('what is left out of a refused change is kept only if the change is then taken', () => {
	const voices = { es: SPEAKERS_VOICE.like };
	const notice = { kind: 'asked-without', plan: { lacks: 'glossaries' } as never } as const;
	const chosen = { voices, hear: ['es'], voiceOf: 'es', glossaries: ['g1'] };
	const french = { hear: ['fr'], voiceOf: 'fr' };
	for (const [change, kept] of [
		['refused', chosen],
		['applied', { ...chosen, ...french, glossaries: 'all' as const }],
	] as const) {
		const { store, view } = follow(chosen);
		store.setState((now) => ({ ...now, values: { ...now.values, ...french } }));
		view.setState({ change: 'waiting' });
		view.setState({ notice });
		expect(store.getState().values.glossaries).toEqual(['g1']);
		view.setState({ change });
		expect(store.getState().values).toMatchObject(kept);
	}
});

test('what is left out at Start is kept only if the conversation then begins', () => {
	const { store, view } = follow({ glossaries: ['g1'] });
	const notice = { kind: 'asked-without', plan: { lacks: 'glossaries' } as never } as const;
	view.setState({ ...idleView, phase: 'starting', notice });
	view.setState({ phase: 'failed' });
	view.setState({ ...idleView, phase: 'starting' });
	view.setState({ phase: 'live' });
	expect(store.getState().values.glossaries).toEqual(['g1']);
	view.setState({ ...idleView, phase: 'starting', notice: { ...notice } });
	view.setState({ phase: 'live' });
	expect(store.getState().values.glossaries).toBe('all');
});
