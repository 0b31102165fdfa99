import type { StoreApi } from 'zustand/vanilla';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { isAnyShown } from '#shared/overlay/style.ts';
import type { Settings } from '#shared/settings/schema.ts';
import type { WholeConversation } from './conversation.ts';
import type { TalkView } from './push-to-talk.ts';

/** Set when a conversation was paused after this much silence, ms; null = not paused for silence. */
export type QuietPause = StoreApi<{ readonly quietMs: number | null }>;

/**
 * Pauses a conversation that was left running: nobody has been heard for the time in the settings, and every
 * minute is billed. It continues while captions are shown over other windows or guests read along, because these
 * readers would not see why the captions stopped. Opening the microphone resumes a paused conversation. Returns a
 * function that stops this.
 */
export function followQuiet(parts: {
	readonly conversation: Pick<WholeConversation, 'store' | 'captions' | 'pause' | 'resume'>;
	readonly settings: {
		readonly store: StoreApi<{ readonly values: Settings }>;
	};
	readonly talk: { readonly store: StoreApi<Pick<TalkView, 'mode' | 'pressed'>> };
	readonly guests: { readonly store: StoreApi<{ readonly guests: number }> };
	readonly clock: Clock;
	readonly quiet: QuietPause;
}): Cancel {
	const { conversation, settings, talk, guests, clock, quiet } = parts;
	let heardMs = clock.now();
	let disarm: Cancel = () => {};

	function limitMs(): number | null {
		const { phase, paused } = conversation.store.getState();
		const { values } = settings.store.getState();
		const runsOn = isNeeded(values) || guests.store.getState().guests > 0;
		const applies = phase === 'live' && !paused && !runsOn && values.pauseWhenQuietS > 0;
		return applies ? values.pauseWhenQuietS * 1000 : null;
	}

	/** Uses one timer: if there were words meanwhile, it is set again for the time that is left. */
	function arm(): void {
		disarm();
		disarm = () => {};
		const limit = limitMs();
		if (limit === null) return;
		if (conversation.store.getState().voiceActive) heard();
		const leftMs = heardMs + limit - clock.now();
		if (leftMs > 0) {
			disarm = clock.after(leftMs, arm);
			return;
		}
		conversation.pause();
		quiet.setState({ quietMs: limit });
	}

	function heard(): void {
		heardMs = clock.now();
	}

	/** The user opened the microphone. Stop also releases the talk key, but that does not count. */
	function comesBack(): void {
		heard();
		if (conversation.store.getState().phase === 'live' && quiet.getState().quietMs !== null)
			conversation.resume();
	}

	const ends = [
		conversation.captions.store.subscribe(({ rows }) => {
			// Each reconnection adds a mark of lost speech, whether anybody spoke or not.
			if (!conversation.captions.row(rows - 1)?.lost) heard();
		}),
		conversation.store.subscribe((view, before) => {
			if (before.muted && !view.muted) comesBack();
			if (view.voiceActive !== before.voiceActive) heard();
			if (view.phase === before.phase && view.paused === before.paused) return;
			// A reconnection does not count as speech: a bad line would keep a forgotten conversation alive.
			if ((before.paused && !view.paused) || view.liveSinceMs !== before.liveSinceMs) heard();
			if (!view.paused) quiet.setState({ quietMs: null });
			arm();
		}),
		settings.store.subscribe(({ values }, { values: before }) => {
			const isSame =
				values.pauseWhenQuietS === before.pauseWhenQuietS && isNeeded(values) === isNeeded(before);
			if (isSame) return;
			// A changed setting shows that the user is present.
			heard();
			arm();
		}),
		guests.store.subscribe((view, before) => {
			if (Math.sign(view.guests) === Math.sign(before.guests)) return;
			heard();
			arm();
		}),
		talk.store.subscribe(({ mode, pressed }, before) => {
			if (mode !== before.mode || pressed === before.pressed) return;
			const isPress = before.pressed === 'no';
			// In push to mute the microphone opens when it is switched on again.
			if (isPress || (mode === 'push-to-mute' && before.pressed === 'toggled')) comesBack();
		}),
		() => disarm(),
	];
	arm();
	return () => {
		for (const end of ends) end();
	};
}

/** True if somebody reads the captions, or if the call hears the user untranslated, whom a pause would silence. */
function isNeeded(values: Settings): boolean {
	return isAnyShown(values) || (values.mode === 'meeting' && values.talk === 'push-to-translate');
}
