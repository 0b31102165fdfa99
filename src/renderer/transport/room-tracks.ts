import type { LocalParticipant, LocalTrack, TrackPublishOptions } from 'livekit-client';
import type { Livekit } from './livekit.ts';
import type { TransportEvent } from './transport.ts';

/** Protocol 4.2: DTX must be off for the service to hear pauses; RED has no benefit; mono, 32 kbit/s. */
const PUBLISH_OPTIONS = {
	name: 'microphone',
	dtx: false,
	red: false,
	forceStereo: false,
	audioPreset: { maxBitrate: 32_000, priority: 'high' },
	stopMicTrackOnMute: false,
} as const satisfies TrackPublishOptions;

/**
 * The one audio track we send. It can be published before there is a connection, and survives reconnects.
 * The library never gets the microphone's own track, only a silent stand-in; we put the real track on the sender
 * directly. With the real track, the library would switch `enabled` on at every publication (un-muting the user),
 * stop sending when the track ends, and stop tracks it does not own.
 */
export function createMicrophoneSlot(
	livekit: Livekit,
	participant: LocalParticipant,
	microphone: MediaStreamTrack | null | undefined,
) {
	let wanted = microphone;
	let silence: Silence | null = null;
	let sender: RTCRtpSender | null = null;
	let placed: Promise<void> = Promise.resolve();
	let closed = false;

	/** Called again after a full reconnect, when the library republishes its stand-in on a new sender. */
	function senderCreated(created: RTCRtpSender): void {
		sender = created;
		place().catch(() => {});
	}

	function place(): Promise<void> {
		// With nothing to send, a new sender keeps the stand-in, which sends no packets.
		if (!sender || closed || wanted === undefined) return placed;
		placed = sender.replaceTrack(wanted ?? silent());
		return placed;
	}

	function silent(): MediaStreamTrack {
		silence ??= createSilence();
		return silence.track;
	}

	participant.on(livekit.ParticipantEvent.LocalSenderCreated, senderCreated);

	return {
		/** Resolves when the server has the track and it carries the microphone. Rejects with the library's error. */
		async publish(): Promise<void> {
			const standIn = createStandIn(livekit, wanted);
			await participant.publishTrack(standIn, {
				...PUBLISH_OPTIONS,
				source: livekit.Track.Source.Microphone,
			});
			await placed;
		},
		/** `null` = silence. `undefined`, the initial state = no packets. Rejects when the sender refuses. */
		async set(track: MediaStreamTrack | null | undefined): Promise<void> {
			wanted = track;
			// Keep the sender as negotiated, so that the next sound is sent at once.
			if (track === undefined && sender && !closed) placed = sender.replaceTrack(null);
			await place();
			if (wanted === null || !silence) return;
			silence.close();
			silence = null;
		},
		get sender(): RTCRtpSender | null {
			return sender;
		},
		close(): void {
			closed = true;
			participant.off(livekit.ParticipantEvent.LocalSenderCreated, senderCreated);
			// Send nothing more, however long the connection takes to close.
			sender?.replaceTrack(null).catch(() => {});
			sender = null;
			silence?.close();
			silence = null;
		},
	};
}

/** An ended track: enough to describe the microphone to the server without keeping it open. */
function createStandIn(livekit: Livekit, track: MediaStreamTrack | null | undefined): LocalTrack {
	const copy = track ? track.clone() : createEmptyTrack();
	copy.stop();
	class StandIn extends livekit.LocalAudioTrack {
		/** To check for silence, the library would open an AudioContext for 200 ms at each publication. */
		override async checkForSilence(): Promise<boolean> {
			return false;
		}
	}
	// The library's own types lack an `undefined` under exactOptionalPropertyTypes.
	return new StandIn(copy, undefined, true) as LocalTrack;
}

type Silence = ReturnType<typeof createSilence>;

/** A track that carries frames of silence, used if packets must flow but nothing may be heard. */
function createSilence() {
	const context = new AudioContext({ latencyHint: 'playback' });
	const source = context.createConstantSource();
	source.offset.value = 0;
	const sink = context.createMediaStreamDestination();
	source.connect(sink);
	source.start();
	const track = sink.stream.getAudioTracks()[0];
	if (!track) throw new Error('a stream destination without a track');
	return {
		track,
		close(): void {
			track.stop();
			source.stop();
			void context.close();
		},
	};
}

/** A track that never carries a frame. A silent track would need an AudioContext, which takes up to 100 ms. */
function createEmptyTrack(): MediaStreamTrack {
	// Only Chromium has this class; TypeScript's DOM types do not know it.
	const { MediaStreamTrackGenerator: Generator } = globalThis as {
		MediaStreamTrackGenerator?: new (options: { kind: 'audio' }) => MediaStreamTrack;
	};
	if (Generator) return new Generator({ kind: 'audio' });
	const silence = createSilence();
	const track = silence.track.clone();
	silence.close();
	return track;
}

/**
 * Prefix of a voice's name (protocol 4.3),
 * followed by the language and perhaps a suffix for the conversation.
 */
const VOICE_PREFIX = 'translation_';

/** Language in a track's name, lower case; `null` when it is not a voice. */
export function voiceLanguage(trackName: string): string | null {
	const name = trackName.toLowerCase();
	const language = name.startsWith(VOICE_PREFIX) ? name.slice(VOICE_PREFIX.length) : '';
	return language === '' ? null : language;
}

/** One voice per language, whatever is published: the newest track, or the newest remaining (faults 51). */
export function createVoiceTracks(tell: (event: TransportEvent) => void) {
	interface Entry {
		readonly id: string;
		readonly language: string;
		readonly track: MediaStreamTrack;
	}
	let entries: readonly Entry[] = [];

	function current(language: string): Entry | undefined {
		return entries.findLast((entry) => entry.language === language);
	}

	function remove(id: string): void {
		const gone = entries.find((entry) => entry.id === id);
		if (!gone) return;
		const wasCurrent = current(gone.language) === gone;
		entries = entries.filter((entry) => entry !== gone);
		if (!wasCurrent) return;
		const next = current(gone.language);
		tell(
			next
				? { type: 'voice', language: next.language, track: next.track }
				: { type: 'voice-gone', language: gone.language },
		);
	}

	return {
		/** Adds a remote audio track by its name; ignores tracks other than voices. */
		add(id: string, name: string, track: MediaStreamTrack): void {
			const language = voiceLanguage(name);
			const known = entries.find((entry) => entry.id === id);
			if (known?.track === track && known.language === language) return;
			if (known && known.language !== language) remove(id);
			else entries = entries.filter((entry) => entry.id !== id);
			if (language === null) return;
			entries = [...entries, { id, language, track }];
			tell({ type: 'voice', language, track });
		},
		remove,
		/** Removes all voices, with an event for each. */
		clear(): void {
			const languages = new Set(entries.map((entry) => entry.language));
			entries = [];
			for (const language of languages) tell({ type: 'voice-gone', language });
		},
	};
}
