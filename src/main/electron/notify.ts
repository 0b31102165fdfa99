import { Notification } from 'electron';
import type { Words } from '#main/app/words.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';

/** Shown and not yet answered: a notification without a reference would lose its click. */
const shown = new Set<Notification>();

/** Notifies of a voice that became ready or failed while the user was elsewhere; does nothing where the system cannot notify. */
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
		// A function, so that `$&` in a name stays as it is.
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
