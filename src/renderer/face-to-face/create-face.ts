import type { Conversation } from '#renderer/conversation/conversation.ts';
import { isHeardAgain } from '#renderer/replay/load-replay.ts';
import type { Replay } from '#renderer/replay/replay.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { AudioEngine } from '#renderer/sound/context.ts';
import { createHeldMixer, type HeldMixer } from '#renderer/sound/held-mixer.ts';
import { type TapParts, tapLevel } from '#renderer/sound/meter.ts';
import { createChosenMicrophone, type Microphone, type MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners, type Listeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import { createScope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';
import { createActivity } from '#shared/sound/activity.ts';
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

/** One microphone that several conversations listen to, each behind a gate of its own. */
interface SharedMicrophone<Name extends string> {
	/** The microphone for one conversation: its track is a copy, which ends when the conversation closes it. */
	readonly of: { readonly [One in Name]: Microphone };
	/** A closed gate passes silence: frames keep flowing, so that the service hears sentences end. */
	setGates(open: { readonly [One in Name]: boolean }): void;
	/** Reports the open copies each time one comes or goes. Returns an unsubscribe function. */
	watch(changed: (tracks: readonly MediaStreamTrack[]) => void): () => void;
}

interface Branch {
	copy: MediaStreamTrack | null;
	muted: boolean;
	open: boolean;
	/** Set while the branch wants the microphone, which may still be opening. */
	opening: object | null;
	readonly listeners: Listeners<[event: MicrophoneEvent]>;
}

/** The real microphone is open as long as any branch is, and is never muted. */
export function createSharedMicrophone<Name extends string>(
	microphone: Microphone,
	names: readonly Name[],
): SharedMicrophone<Name> {
	const branches = new Map<Name, Branch>(
		names.map((name) => [
			name,
			{ copy: null, muted: false, open: false, opening: null, listeners: createListeners() },
		]),
	);
	const watchers = createListeners<[tracks: readonly MediaStreamTrack[]]>();
	let unlisten = () => {};

	function tell(): void {
		const tracks = [...branches.values()].flatMap(({ copy }) => copy ?? []);
		watchers.tell(tracks);
	}

	function apply(branch: Branch): void {
		if (branch.copy) branch.copy.enabled = branch.open && !branch.muted;
	}

	function drop(branch: Branch): void {
		branch.copy?.stop();
		branch.copy = null;
	}

	function copyFor(branch: Branch, track: MediaStreamTrack): MediaStreamTrack {
		drop(branch);
		const copy = track.clone();
		branch.copy = copy;
		// Apply the gate before returning the copy, so that no frame passes a closed gate.
		apply(branch);
		return copy;
	}

	function hear(event: MicrophoneEvent): void {
		const wanting = [...branches.values()].filter(({ opening }) => opening);
		const isAboutTracks = event.type === 'replaced' || event.type === 'lost';
		// Any other event is passed to one branch only.
		for (const branch of isAboutTracks ? wanting : wanting.slice(0, 1)) pass(branch, event);
		if (isAboutTracks) tell();
	}

	function pass(branch: Branch, event: MicrophoneEvent): void {
		if (event.type === 'lost') drop(branch);
		const own = event.type === 'replaced' ? { ...event, track: copyFor(branch, event.track) } : event;
		branch.listeners.tell(own);
	}

	function branchMicrophone(name: Name, branch: Branch): Microphone {
		return {
			async open(): Promise<Result<MediaStreamTrack, Problem>> {
				if ([...branches.values()].every(({ opening }) => !opening)) {
					microphone.setMuted(false);
					unlisten = microphone.listen(hear);
				}
				branch.opening ??= {};
				const { opening } = branch;
				const opened = await microphone.open();
				// The branch was closed meanwhile, and perhaps opened again.
				if (branch.opening !== opening) return { ok: false, error: { kind: 'cancelled' } };
				if (!opened.ok) {
					close();
					return opened;
				}
				if (branch.copy?.readyState === 'live') return ok(branch.copy);
				const copy = copyFor(branch, opened.value);
				tell();
				return ok(copy);
			},
			setMuted(muted) {
				branch.muted = muted;
				apply(branch);
			},
			close,
			listen: branch.listeners.listen,
			get device() {
				return microphone.device;
			},
			// The first branch applies the settings on behalf of all.
			apply: async () => (name === names[0] ? microphone.apply() : undefined),
		};

		function close(): void {
			if (!branch.opening) return;
			branch.opening = null;
			drop(branch);
			tell();
			if ([...branches.values()].some(({ opening }) => opening)) return;
			unlisten();
			unlisten = () => {};
			microphone.close();
		}
	}

	return {
		of: Object.fromEntries([...branches].map(([name, branch]) => [name, branchMicrophone(name, branch)])) as {
			readonly [One in Name]: Microphone;
		},
		setGates(open) {
			for (const [name, branch] of branches) {
				branch.open = open[name];
				apply(branch);
			}
		},
		watch: watchers.listen,
	};
}

/** Thresholds for speech at the table; the pauses inside a sentence count as speech. */
const SPEECH = { onDb: -42, offDb: -50, attackMs: 120, holdMs: 900 };

/** Reports speech into a gated microphone, which sends silence. Returns a function that stops the watch. */
export function watchSpeech(
	parts: TapParts,
	shared: Pick<SharedMicrophone<string>, 'watch'>,
	wanted: () => boolean,
	heard: (speaking: boolean) => void,
): () => void {
	const activity = createActivity(SPEECH);
	let untap = () => {};

	function follow(tracks: readonly MediaStreamTrack[]): void {
		untap();
		untap = () => {};
		if (activity.active) heard(false);
		activity.reset();
		const [track] = tracks;
		if (!track || !wanted()) return;
		untap = tapLevel(parts, track, ({ rmsDb }) => {
			const before = activity.active;
			const now = activity.push(rmsDb, parts.clock.now());
			if (now !== before) heard(now);
		});
	}

	const unwatch = shared.watch(follow);
	return () => {
		unwatch();
		untap();
	};
}
