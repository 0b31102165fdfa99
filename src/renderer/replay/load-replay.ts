import { createStore } from 'zustand/vanilla';
import type { SpokenRows } from '#renderer/captions/spoken-rows.ts';
import type { Conversation } from '#renderer/conversation/conversation.ts';
import type { Legs } from '#renderer/conversation/legs.ts';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import { type Mixer, withSelectedVoice } from '#renderer/sound/mixer.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Settings } from '#shared/settings/schema.ts';
import type { Replay, Replaying, ReplayParts, ReplayView, VoiceMemory, VoiceMemoryParts } from './replay.ts';

export interface VoiceReplayParts extends Omit<ReplayParts, 'store' | 'times' | 'read'> {
	readonly engines: { readonly [Name in LegName]: VoiceMemoryParts['engine'] };
	readonly log: Logger;
	readonly spoken: SpokenRows['store'];
	readonly conversation: Pick<Conversation, 'store'>;
	readonly settings: Pick<SettingsMirror, 'store'>;
}

export type VoiceReplay = ReturnType<typeof createReplay>;

interface Loaded {
	readonly memories: { readonly [Name in LegName]: VoiceMemory };
	readonly replaying: Replaying;
}

/** "What did they say?" Its code is loaded with the first voice; until then there is nothing to replay. */
export function createReplay() {
	const store = createStore<ReplayView>()(() => ({ row: null, catchingUp: false, nothing: false }));
	const rows = createStore<ReadonlySet<string>>()(() => new Set());
	const tracks: { [Name in LegName]: MediaStreamTrack | null } = { outgoing: null, incoming: null };
	let parts: VoiceReplayParts | null = null;
	let loaded: Loaded | null = null;
	let isLoading = false;

	async function load({
		engines,
		log,
		spoken,
		conversation: _,
		settings: __,
		...rest
	}: VoiceReplayParts): Promise<void> {
		const { createReplaying, createVoiceMemory, createVoiceTimes } = await import('./replay.ts');
		const { clock } = rest;
		const memoryOf = (leg: LegName) => createVoiceMemory({ engine: engines[leg], clock, log });
		const memories = { outgoing: memoryOf('outgoing'), incoming: memoryOf('incoming') };
		const read: ReplayParts['read'] = (leg, fromMs, toMs) => memories[leg].read(fromMs, toMs);
		const times = createVoiceTimes(spoken, clock, rows);
		loaded = { memories, replaying: createReplaying({ ...rest, store, times, read }) };
		for (const leg of ['outgoing', 'incoming'] as const) memories[leg].follow(tracks[leg]);
	}

	function follow(leg: LegName, track: MediaStreamTrack | null): void {
		tracks[leg] = track;
		if (loaded) loaded.memories[leg].follow(track);
		if (loaded || isLoading || !track || !parts) return;
		isLoading = true;
		// If loading fails, the next voice tries again.
		load(parts).catch(() => {
			isLoading = false;
		});
	}

	/** Forgets the voices when another conversation begins. A change of phase or mode also clears "nothing to replay". */
	function forgetWithTheirs({ conversation, settings }: VoiceReplayParts): void {
		conversation.store.subscribe(({ phase }, before) => {
			const [is, was] = [isRunning(phase), isRunning(before.phase)];
			if (is && !was) loaded?.replaying.forget();
			if (is !== was) store.setState({ nothing: false });
		});
		settings.store.subscribe(({ values }, before) => {
			if (values.mode !== before.values.mode) store.setState({ nothing: false });
		});
	}

	/** Captions-only mode has no voice to replay. */
	function isVoiceless(): boolean {
		return rows.getState().size === 0 && parts?.settings.store.getState().values.mode === 'captions';
	}

	function run(what: (it: Replaying) => void): void {
		if (loaded) what(loaded.replaying);
		else store.setState({ nothing: true });
	}

	const replay: Replay = {
		store,
		rows,
		last(among) {
			if (!isVoiceless()) run((it) => it.last(among));
		},
		play: (row) => run((it) => it.play(row)),
		stop() {
			loaded?.replaying.stop();
			store.setState({ nothing: false });
		},
	};
	const memoryOf = (leg: LegName) => ({
		voice: (mixer: Mixer) => withSelectedVoice(mixer, (track) => follow(leg, track)),
	});
	return {
		replay,
		/** For each direction, the pipeline stage that keeps the recent voice. */
		memories: { outgoing: memoryOf('outgoing'), incoming: memoryOf('incoming') },
		/** Passes in the dependencies that exist only once the conversation is built. */
		begin(given: VoiceReplayParts): void {
			parts = given;
			forgetWithTheirs(given);
		},
	};
}

/** True while a row is replayed, or the voice missed meanwhile is played. */
export function isHeardAgain({ row, catchingUp }: ReplayView): boolean {
	return row !== null || catchingUp;
}

/** The directions whose voices the user hears: in a meeting, the user's own translation goes into the call. */
export function earsOf(
	running: readonly LegName[],
	mode: Settings['mode'],
	isMuted: (leg: LegName) => boolean,
): readonly LegName[] {
	return running.filter((name) => !isMuted(name) && (mode !== 'meeting' || name === 'incoming'));
}

/** What a replay needs from the directions and settings: which voices to hold, and the playback speed. */
export function replayEars({
	legs,
	settings,
	voices,
}: {
	readonly legs: Pick<Legs, 'names' | LegName>;
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly voices: { readonly [Name in LegName]: { readonly quiet: (quiet: boolean) => void } };
}) {
	const values = () => settings.store.getState().values;
	const isMuted = (leg: LegName) => legs[leg].voice.getState().muted;
	return {
		ears: () => earsOf(legs.names.getState(), values().mode, isMuted),
		mine: () => earsOf(legs.names.getState(), values().mode, () => false),
		quiet: (leg: LegName, quiet: boolean) => voices[leg].quiet(quiet),
		speed: () => Number(values().replaySpeed),
	};
}
