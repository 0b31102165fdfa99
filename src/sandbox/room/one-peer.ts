import { MediaSectionsRequirement, SessionDescription } from '@livekit/protocol';
import type { RTCDataChannel, RTCRtpTransceiver } from 'werift';
import { addCandidate, answerOffer, createTurns, type Media, type MediaHooks, sentCids } from './media.ts';
import { createPeer, playOn, streamFor } from './peer.ts';
import type { Section } from './sdp.ts';
import type { VoiceTrack } from './voice-tracks.ts';

interface Played {
	readonly voice: VoiceTrack;
	readonly participantSid: string;
	/** The section of the client's offer it goes out on; null until there is one. */
	mid: string | null;
	stop: () => void;
}

/**
 * `/rtc/v1`: only the client makes offers. Voices go out on sections on which it offers to receive; when there
 * are too few, or what is on them changes, we ask it for another offer. The client opens the data channels.
 */
export function createOnePeer(hooks: MediaHooks): Media {
	const turn = createTurns(hooks.failed);
	const pc = createPeer({ heard: hooks.heard, data: hooks.data, connected: hooks.active });
	let reliable: RTCDataChannel | null = null;
	pc.onDataChannel.subscribe((channel) => {
		if (channel.label === '_reliable') reliable = channel;
	});
	let played: readonly Played[] = [];
	/** Sections to receive on, in the client's last offer. */
	let offered: readonly string[] = [];
	/** Sections with a voice in our last answer: a used one must skip a round, or the browser misses a new track on it. */
	let busy: readonly string[] = [];
	let closed = false;

	function free(): readonly string[] {
		return offered.filter((mid) => !busy.includes(mid) && !played.some((entry) => entry.mid === mid));
	}

	function place(): void {
		const places = [...free()];
		for (const entry of played) entry.mid ??= places.shift() ?? null;
	}

	function steer(sections: readonly Section[]): void {
		for (const section of sections) {
			const transceiver = transceiverOf(section.mid);
			if (!transceiver) continue;
			const entry = played.find(({ mid }) => mid === section.mid);
			transceiver.setDirection(entry ? 'sendonly' : section.sends ? 'recvonly' : 'inactive');
			if (entry) transceiver.sender.setStreams([streamFor(entry.participantSid, entry.voice)]);
		}
	}

	function transceiverOf(mid: string): RTCRtpTransceiver | undefined {
		return pc.getTransceivers().find((transceiver) => transceiver.mid === mid);
	}

	/** (Re)connects each voice to its section's sender. */
	function connect(): void {
		for (const entry of played) {
			entry.stop();
			const transceiver = entry.mid === null ? undefined : transceiverOf(entry.mid);
			entry.stop = transceiver ? playOn(transceiver, entry.voice) : () => {};
		}
	}

	function askForOffer(): void {
		const missing = played.filter(({ mid }) => mid === null).length - free().length;
		hooks.signal({
			case: 'mediaSectionsRequirement',
			value: new MediaSectionsRequirement({ numAudios: Math.max(0, missing), numVideos: 0 }),
		});
	}

	return {
		offer: (description) =>
			turn('offer', async () => {
				if (closed || hooks.silent()) return;
				const steerAll = (sections: readonly Section[]) => {
					offered = sections.flatMap(({ kind, sends, receives, mid }) =>
						kind === 'audio' && receives && !sends ? [mid] : [],
					);
					place();
					steer(sections);
				};
				const sdp = await answerOffer(pc, description.sdp, steerAll, hooks.uplink);
				connect();
				busy = played.flatMap(({ mid }) => mid ?? []);
				const midToTrackId: Record<string, string> = {};
				for (const { mid, voice } of played) if (mid !== null) midToTrackId[mid] = voice.sid;
				hooks.signal({
					case: 'answer',
					value: new SessionDescription({ type: 'answer', sdp, id: description.id, midToTrackId }),
				});
				hooks.publishing(sentCids(description.sdp));
				if (played.some(({ mid }) => mid === null)) askForOffer();
			}),
		// There is nothing of ours to answer.
		answer: async () => {},
		trickle: (_side, json) =>
			turn('trickle', async () => {
				if (!closed) await addCandidate(pc, json);
			}),
		setVoices: (participantSid, voices) =>
			turn('voices', async () => {
				for (const entry of played) if (!voices.includes(entry.voice)) entry.stop();
				played = voices.map(
					(voice): Played =>
						played.find((entry) => entry.voice === voice) ?? { voice, participantSid, mid: null, stop() {} },
				);
				// Before the first offer there is nothing to redo: that offer will include the voices.
				if (pc.remoteDescription) askForOffer();
			}),
		// The client restarts ICE with an offer of its own.
		restartIce: async () => {},
		send(bytes) {
			if (reliable?.readyState !== 'open') return false;
			reliable.send(Buffer.from(bytes));
			return true;
		},
		close() {
			closed = true;
			for (const { stop } of played) stop();
			pc.close().catch(() => {});
		},
	};
}
