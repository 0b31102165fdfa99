import type { Conversation } from '#renderer/conversation/conversation.ts';
import { isHeardAgain } from '#renderer/replay/load-replay.ts';
import type { Replay } from '#renderer/replay/replay.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { createHeldMixer, type HeldMixer } from '#renderer/sound/held-mixer.ts';
import { createChosenMicrophone, type Microphone } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import { createSharedMicrophone, watchSpeech } from '#renderer/sound/shared-microphone.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope } from '#shared/lib/scope.ts';
import { speakerOf } from './face-sides.ts';
import { createTurnTaking, type TurnTaking } from './turn-taking.ts';

export type Face = ReturnType<typeof createFace>;

/** The state that both directions share when two people use one device. */
export function createFace({
	settings,
	clock,
	log,
	microphone,
	engine,
}: {
	readonly settings: SettingsMirror;
	readonly clock: Clock;
	readonly log: Logger;
	/** The microphone that hears both people, and its engine. */
	readonly microphone: Microphone;
	readonly engine: AudioEngine;
}) {
	const values = () => settings.store.getState().values;
	const active = () => values().mode === 'face';
	const shared = createSharedMicrophone(microphone, legNames);
	const held: HeldMixer[] = [];

	function listenVoice(
		again: Pick<Replay, 'store'>,
		heard: (voice: { readonly audible: boolean; readonly waiting: boolean }) => void,
	): Cancel {
		const scope = createScope(clock);
		const states = held.map(() => ({ audible: false, waiting: false }));
		const isAgain = () => isHeardAgain(again.store.getState());
		const tell = () =>
			heard({
				audible: isAgain() || states.some(({ audible }) => audible),
				waiting: states.some(({ waiting }) => waiting),
			});
		for (const [index, { mixer, watch }] of held.entries()) {
			const state = states[index];
			if (!state) continue;
			scope.add(
				mixer.listen((event) => {
					if (event.type !== 'voice-active') return;
					state.audible = event.active;
					tell();
				}),
			);
			scope.add(
				watch((waiting) => {
					state.waiting = waiting;
					tell();
				}),
			);
		}
		let wasAgain = isAgain();
		scope.add(
			again.store.subscribe(() => {
				if (isAgain() === wasAgain) return;
				wasAgain = !wasAgain;
				tell();
			}),
		);
		return () => scope.close();
	}

	return {
		/** The source of a direction: in face-to-face mode its branch of the shared microphone, otherwise `usual`. */
		microphoneOf: (leg: LegName, usual: Microphone): Microphone =>
			createChosenMicrophone(() => (active() ? shared.of[leg] : usual)),
		/** A mixer whose voice can wait while people speak. Call it once for each direction. */
		mixerOf(mixer: Mixer, mixerEngine: AudioEngine): Mixer {
			const one = createHeldMixer({ mixer, engine: mixerEngine, clock, log, active });
			held.push(one);
			return one.mixer;
		},
		/** Call it once the mixers are created. Replays of `again` also count as a voice that people wait for. */
		takeTurns: (
			{ store, captions }: Pick<Conversation, 'store' | 'captions'>,
			again: Pick<Replay, 'store'>,
		): TurnTaking =>
			createTurnTaking({
				clock,
				rules: () => ({ talk: values().faceTalk, halfDuplex: values().faceHalfDuplex }),
				isLive() {
					const { phase, paused, muted } = store.getState();
					// Mute applies to both sides, because there is one microphone.
					return active() && phase === 'live' && !paused && !muted;
				},
				speaker() {
					const newest = captions.row(captions.store.getState().rows - 1);
					return newest ? speakerOf(newest, values()) : null;
				},
				listen(changed) {
					const ends = [
						settings.store.subscribe(changed),
						store.subscribe(changed),
						captions.store.subscribe(changed),
					];
					return () => {
						for (const end of ends) end();
					};
				},
				listenVoice: (heard) => listenVoice(again, heard),
				listenSpeech: (heard) =>
					watchSpeech({ clock, engine }, shared, () => active() && values().faceTalk === 'automatic', heard),
				setGates: ({ me, partner }) =>
					// A single session is the outgoing one, and hears both people.
					shared.setGates({ outgoing: me || (partner && values().faceOneSession), incoming: partner }),
				holdVoice(on) {
					for (const one of held) one.hold(on);
				},
			}),
	};
}
