import { Notification } from 'electron';
import type { Words } from '#main/app/words.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';

/** Shown and not yet answered: one that nobody holds would lose its click. */
const shown = new Set<Notification>();

/** Tells of a voice that has become ready or failed while the user was elsewhere. Nothing where the system has no such thing. */
export function notifyOfVoice(
	voice: Pick<VoiceEntry, 'name' | 'status'>,
	words: Words['voice'],
	clicked: () => void,
): void {
	if (!Notification.isSupported()) return;
	const isReady = voice.status === 'ready';
	// Isolated, so that a name in another script does not turn the sentence around.
	const body = (isReady ? words.readyText : words.failedText).replace(
		'{{name}}',
		// By a function: `$&` in a name is a name.
		() => `\u2068${voice.name}\u2069`,
	);
	const notification = new Notification({ title: isReady ? words.readyTitle : words.failedTitle, body });
	shown.add(notification);
	notification.on('close', () => shown.delete(notification));
	notification.on('click', () => {
		shown.delete(notification);
		clicked();
	});
	notification.show();
}
