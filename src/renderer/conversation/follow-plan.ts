import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { choicesOf } from './choices.ts';
import type { Conversation } from './conversation.ts';
import { isOver } from './conversation-store.ts';

/**
 * Makes face to face use one session when the plan refuses a second: changes the setting, visibly, and starts the
 * conversation again, once. When that conversation is over the setting is restored, so that the next Start asks for two
 * again. Returns a function that ends it.
 */
export function followPlan(
	conversation: Pick<Conversation, 'store' | 'start'>,
	settings: Pick<SettingsMirror, 'store' | 'write'>,
): Cancel {
	/** We changed the setting, not the user. */
	let isBorrowed = false;
	return conversation.store.subscribe((view, before) => {
		const { phase, problem } = view;
		if (isBorrowed && isOver(view) && before.phase !== phase) {
			isBorrowed = false;
			void settings.write({ faceOneSession: false });
			return;
		}
		if (phase !== 'failed' || before.phase === 'failed' || problem?.kind !== 'session-limit') return;
		const { mode, faceTalk, faceOneSession } = settings.store.getState().values;
		if (mode !== 'face' || faceTalk !== 'hold' || faceOneSession || before.liveSinceMs !== null) return;
		void settings.write({ faceOneSession: true });
		conversation.start(choicesOf({ ...settings.store.getState().values, faceOneSession: true }));
		isBorrowed = true;
	});
}
