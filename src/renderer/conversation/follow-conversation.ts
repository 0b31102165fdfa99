import type { Host } from '#renderer/host.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { TypedSpeech } from '#renderer/typing/typed-speech.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Conversation } from './conversation.ts';
import { isRunning } from './live-changes.ts';

/**
 * Silences typed texts and releases their socket when a conversation takes the loudspeaker, the person turns to
 * something else, or the account changes. A failure in one mode is not shown in the next. Returns a function that ends it.
 */
export function followConversation({
	typing,
	conversation,
	settings,
	host,
}: {
	readonly typing: Pick<TypedSpeech, 'silence'>;
	readonly conversation: Pick<Conversation, 'store' | 'stop' | 'dismissNotice'>;
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly host: Pick<Host, 'listen'>;
}): Cancel {
	const ends = [
		conversation.store.subscribe((view, before) => {
			if (isRunning(view.phase) && !isRunning(before.phase)) typing.silence();
		}),
		settings.store.subscribe(({ values }, before) => {
			if (values.mode === before.values.mode) return;
			if (before.values.mode === 'type') typing.silence();
			if (conversation.store.getState().phase !== 'failed') return;
			conversation.dismissNotice();
			conversation.stop();
		}),
		host.listen('account.leaving', typing.silence),
		host.listen('app.closing', typing.silence),
	];
	return () => {
		for (const end of ends) end();
	};
}
