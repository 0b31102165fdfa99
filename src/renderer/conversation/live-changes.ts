import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { type Choices, withFixedVoices } from '#shared/conversation/choices.ts';
import type { Plan } from '#shared/conversation/machine/events.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { choicesOf, sameChoices } from './choices.ts';
import { type Conversation, type ConversationPhase, isOver } from './conversation.ts';

const running: ReadonlySet<ConversationPhase> = new Set([
	'preparing',
	'connecting',
	'starting',
	'live',
	'switching',
	'reconnecting',
]);

export function isRunning(phase: ConversationPhase): boolean {
	return running.has(phase);
}

/** True while the conversation runs or its last words are still being heard. */
export function isUnderWay(phase: ConversationPhase): boolean {
	return isRunning(phase) || phase === 'ending';
}

/** Applies changed languages, voices and pace; after a refusal resets the settings. Returns a stop function. */
export function followChoices(conversation: Conversation, settings: SettingsMirror): Cancel {
	let known = choiceIn(settings.store.getState().values);
	let accepted = known;
	/** Features left out of the pending request; the service may refuse it even without them. */
	let lacking: readonly Plan['lacks'][] = [];

	/** The service does not support this choice, here or now; changes the settings to the choice in force. */
	function keepWithout(lacks: Plan['lacks']): void {
		const { values } = settings.store.getState();
		const kept =
			lacks === 'glossaries' ? { glossaries: 'all' as const } : { voices: withFixedVoices(values).voices };
		known = choiceIn({ ...values, ...kept });
		accepted = known;
		void settings.write(kept);
	}

	const endSettings = settings.store.subscribe((view) => {
		const next = choiceIn(view.values);
		if (sameChoices(next.choices, known.choices)) return;
		known = next;
		if (isRunning(conversation.store.getState().phase)) conversation.change(next.choices);
		else accepted = next;
	});
	const endConversation = conversation.store.subscribe((view, before) => {
		if (view.phase === 'preparing' && before.phase !== 'preparing') accepted = known;
		if (view.notice !== before.notice && view.notice?.kind === 'asked-without')
			lacking = [...lacking, view.notice.plan.lacks];
		const isNew = view.change !== before.change;
		if (isOver(view) || (isNew && view.change === 'refused')) lacking = [];
		if (isNew && view.change === 'applied') accepted = known;
		if (isNew && view.change === 'refused' && !sameChoices(known.choices, accepted.choices)) {
			// The conversation has already rolled back; only the settings must follow.
			known = accepted;
			void settings.write(accepted.settings);
		}
		if (view.phase !== 'live' || view.change === 'waiting') return;
		const left = lacking;
		lacking = [];
		for (const one of left) keepWithout(one);
	});
	return () => {
		endSettings();
		endConversation();
	};
}

/** The choices of a conversation, and the settings behind them, which depend on the mode. */
function choiceIn(values: Settings): { readonly choices: Choices; readonly settings: Partial<Settings> } {
	const { speak, detectable, listenDetect, hear, translateCaptions, voiceOf } = values;
	const { voices, glossaries, preset, expert } = values;
	const languages = { speak, detectable, listenDetect, hear, translateCaptions, voiceOf };
	return { choices: choicesOf(values), settings: { ...languages, voices, glossaries, preset, expert } };
}
