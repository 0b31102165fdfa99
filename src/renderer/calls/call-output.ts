import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Conversation, isOver } from '#renderer/conversation/conversation.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { OutputDevice } from '#renderer/sound/output.ts';
import type { Sound } from '#renderer/sound/sound.ts';
import { callRoute, type NamedDevice } from '#shared/calls/cables.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { makeMicrophoneAtStart, type RoutingMirror } from './virtual-microphone.ts';

export interface CallOutput {
	/** The given mixer, which plays into the call or nowhere during a meeting. */
	readonly mixer: Mixer;
	/** Before Start: the output that a conversation would use. */
	readonly store: StoreApi<CallOutputView>;
	/**
	 * Follows the conversation, and creates the virtual microphone if a meeting needs it. Returns a stop function.
	 */
	follow(conversation: Pick<Conversation, 'store'>): Cancel;
	close: Cancel;
}

/**
 * Decides who hears the voice of the outgoing direction: the user, or in a meeting the call. Without a route into
 * the call, nobody hears the voice: on the loudspeakers it would be captured as the call's own sound and
 * translated again. Outside a conversation, only the user hears sound, such as a voice being tried.
 */
export function createCallOutput({
	mixer,
	settings,
	routing,
	sound,
	raw,
}: {
	/** The mixer of the outgoing direction. */
	readonly mixer: Mixer;
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly routing: Pick<RoutingMirror, 'store' | 'make'>;
	readonly sound: Pick<Sound, 'store'>;
	/** Whether the call hears the user's own voice in place of the translation (push to translate). */
	readonly raw?: { readonly raw: () => boolean; readonly listenRaw: (changed: () => void) => Cancel };
}): CallOutput {
	const store = createStore<CallOutputView>()(() => ({ to: 'ear' }));
	let ear: OutputDevice | null = null;
	let volume = 1;
	let originalVolume = 0;
	let turn: Promise<unknown> = Promise.resolve();
	let aim = '';
	/** True while a conversation is running or its last words are playing. */
	let isOn = false;
	/** Where the mixer plays now. */
	let reached: CallOutputView = { to: 'ear' };

	const values = (): Settings => settings.store.getState().values;
	const isMeeting = (): boolean => values().mode === 'meeting';
	const isCall = (): boolean => isOn && isMeeting();
	const wanted = (): CallOutputView => (isOn ? route() : { to: 'ear' });

	/** The output of a conversation in the present mode. */
	function route(): CallOutputView {
		if (!isMeeting()) return { to: 'ear' };
		const { microphones, outputs } = sound.store.getState();
		const way = callRoute({
			callOutput: values().callOutput,
			virtualMicrophone: routing.store.getState().virtualMicrophone,
			outputs,
			inputs: microphones,
		});
		if (way.how === 'none') return { to: 'nowhere', missing: '' };
		if (way.how === 'missing') return { to: 'nowhere', missing: way.speakerLabel };
		return { to: 'call', output: way.output, microphoneLabel: way.microphoneLabel ?? '' };
	}

	/** Silences every route except the one that is wanted and reached. */
	function setVolumes({ to }: CallOutputView, isReached: boolean): void {
		// The user's volume applies only to what the user hears, not to the call.
		const voice = to === 'call' ? 1 : volume;
		mixer.setVoiceVolume(isReached && to !== 'nowhere' ? voice : 0);
		const passed = raw?.raw() ? 1 : values().passOriginal;
		const original = to === 'call' ? passed : originalVolume;
		mixer.setOriginalVolume(isReached && to !== 'nowhere' ? original : 0);
	}

	/** Switches one route at a time, and is silent during the switch. */
	function apply(): void {
		const view = wanted();
		const next = JSON.stringify([view, view.to === 'ear' ? ear : null]);
		if (next === aim) {
			setVolumes(view, reached.to === view.to);
			show();
			return;
		}
		aim = next;
		if (view.to === 'nowhere') {
			settle(view);
			return;
		}
		if (view.to === 'call' || reached.to !== 'ear') setVolumes(view, false);
		turn = turn.then(() => move(view, next)).catch(() => {});
	}

	async function move(view: Exclude<CallOutputView, { to: 'nowhere' }>, mine: string): Promise<void> {
		if (mine !== aim) return;
		// Other mixers play the voices for the user on another output.
		const isApart = view.to === 'call';
		const moved = await mixer.setOutput(isApart ? view.output : ear, isApart);
		if (mine !== aim) return;
		if (view.to === 'ear' || moved.ok) settle(view);
		else settle({ to: 'nowhere', missing: view.output.label });
	}

	function settle(view: CallOutputView): void {
		reached = view;
		show();
		setVolumes(wanted(), view.to === wanted().to);
	}

	/** Shows where the voice goes, or where it would go. */
	function show(): void {
		const next = isOn && reached.to !== 'ear' ? reached : route();
		if (JSON.stringify(next) !== JSON.stringify(store.getState())) store.setState(next, true);
	}

	const ends = [
		settings.store.subscribe(apply),
		routing.store.subscribe(apply),
		sound.store.subscribe(apply),
		raw?.listenRaw(apply) ?? (() => {}),
	];

	return {
		mixer: {
			...mixer,
			setVoiceVolume(next) {
				volume = next;
				apply();
			},
			setOriginalVolume(next) {
				originalVolume = next;
				apply();
			},
			async setOutput(device) {
				ear = device;
				if (isCall()) return { ok: true, value: undefined };
				aim = JSON.stringify([{ to: 'ear' }, device]);
				return mixer.setOutput(device);
			},
			listen: (heard) =>
				mixer.listen((event) => {
					// In a meeting nothing falls back to the loudspeakers.
					if (event.type !== 'output-switched' || !isCall()) heard(event);
				}),
		},
		store,
		follow(conversation) {
			function setOn(on: boolean): void {
				if (on === isOn) return;
				isOn = on;
				apply();
			}
			setOn(!isOver(conversation.store.getState()));
			const ends = [
				conversation.store.subscribe((view) => setOn(!isOver(view))),
				makeMicrophoneAtStart({
					conversation,
					routing,
					isMeeting,
					isNeeded() {
						const view = route();
						// A chosen device that is missing has a name.
						return view.to === 'nowhere' && view.missing === '';
					},
				}),
			];
			return () => {
				for (const end of ends) end();
			};
		},
		close() {
			for (const end of ends) end();
		},
	};
}

export type CallOutputView =
	/** The user hears it, outside a meeting. */
	| { readonly to: 'ear' }
	/** The call hears it; the calling program must use `microphoneLabel` as its microphone (empty if unknown). */
	| { readonly to: 'call'; readonly output: NamedDevice; readonly microphoneLabel: string }
	/** The voice has no route into the call. `missing` names the lost device; empty if there never was one. */
	| { readonly to: 'nowhere'; readonly missing: string };
