import { SessionDescription } from '@livekit/protocol';
import type { RTCRtpTransceiver } from 'werift';
import type { Generation } from './generation.ts';
import { addCandidate, answerOffer, createTurns, type Media, type MediaHooks, sentCids } from './media.ts';
import { createPeer, listenTo, playOn, streamFor } from './peer.ts';
import { withAddresses } from './sdp.ts';
import type { VoiceTrack } from './voice-tracks.ts';

interface Played {
	readonly voice: VoiceTrack;
	readonly transceiver: RTCRtpTransceiver;
	readonly stop: () => void;
}

/** `/rtc`: the client offers for what it sends, we offer for what it receives; the data channels are ours. */
export function createTwoPeers(generation: Generation, hooks: MediaHooks): Media {
	const turn = createTurns(hooks.failed);
	const events = { heard: hooks.heard, data: hooks.data };
	const publisher = createPeer({ ...events, connected() {} });
	const subscriber = createPeer({ ...events, connected: hooks.active });
	const reliable = subscriber.createDataChannel('_reliable', { ordered: true });
	const lossy = subscriber.createDataChannel('_lossy', { ordered: false, maxRetransmits: 0 });
	for (const channel of [reliable, lossy]) listenTo(channel, { ...events, connected() {} });
	/**
	 * Transceivers without a voice, kept for the next: sections of an SDP cannot be taken out. Each
	 * must first have been offered as inactive, or the browser would not notice a new track.
	 */
	const spare: RTCRtpTransceiver[] = [];
	let retired: RTCRtpTransceiver[] = [];
	let retiring: RTCRtpTransceiver[] = [];
	let played: readonly Played[] = [];
	let offerId = 0;
	/** Our offer is out; what changes meanwhile goes into the next one. */
	let waiting = false;
	let again = false;
	let closed = false;

	async function offer(iceRestart = false): Promise<void> {
		if (closed) return;
		if (waiting && !iceRestart) {
			again = true;
			return;
		}
		waiting = true;
		again = false;
		retiring = [...retiring, ...retired.splice(0)];
		await subscriber.setLocalDescription(await subscriber.createOffer({ iceRestart }));
		offerId += 1;
		const midToTrackId: Record<string, string> = {};
		for (const { voice, transceiver } of played) midToTrackId[transceiver.mid ?? ''] = voice.sid;
		hooks.signal({
			case: 'offer',
			value: new SessionDescription({
				type: 'offer',
				sdp: subscriber.localDescription?.sdp ?? '',
				...(generation.ids ? { id: offerId, midToTrackId } : {}),
			}),
		});
	}

	function play(participantSid: string, voice: VoiceTrack): Played {
		const streams = [streamFor(participantSid, voice)];
		let transceiver = spare.pop();
		if (transceiver) {
			transceiver.sender.setStreams(streams);
			transceiver.sender.replaceRTP({ sequenceNumber: 0, timestamp: 0 });
			transceiver.setDirection('sendonly');
		} else {
			transceiver = subscriber.addTransceiver('audio', { direction: 'sendonly', streams });
		}
		return { voice, transceiver, stop: playOn(transceiver, voice) };
	}

	return {
		offer: (description) =>
			turn('offer', async () => {
				if (closed || hooks.silent()) return;
				const sdp = await answerOffer(publisher, description.sdp, () => {}, hooks.uplink);
				hooks.signal({
					case: 'answer',
					value: new SessionDescription({
						type: 'answer',
						sdp,
						...(generation.ids ? { id: description.id } : {}),
					}),
				});
				hooks.publishing(sentCids(description.sdp));
			}),
		answer: (description) =>
			turn('answer', async () => {
				if (closed || subscriber.signalingState !== 'have-local-offer') return;
				if (description.id !== 0 && description.id < offerId) return;
				await subscriber.setRemoteDescription({ type: 'answer', sdp: withAddresses(description.sdp) });
				waiting = false;
				spare.push(...retiring.splice(0));
				if (again) await offer();
			}),
		trickle: (side, json) =>
			turn('trickle', async () => {
				if (!closed) await addCandidate(side === 'publisher' ? publisher : subscriber, json);
			}),
		setVoices: (participantSid, voices) =>
			turn('voices', async () => {
				const gone = played.filter(({ voice }) => !voices.includes(voice));
				for (const { transceiver, stop } of gone) {
					stop();
					transceiver.setDirection('inactive');
				}
				retired = [...retired, ...gone.map(({ transceiver }) => transceiver)];
				played = voices.map(
					(voice) => played.find((candidate) => candidate.voice === voice) ?? play(participantSid, voice),
				);
				await offer();
			}),
		restartIce: () => turn('restart', () => offer(true)),
		send(bytes) {
			if (reliable.readyState !== 'open') return false;
			reliable.send(Buffer.from(bytes));
			return true;
		},
		close() {
			closed = true;
			for (const { stop } of played) stop();
			for (const pc of [publisher, subscriber]) pc.close().catch(() => {});
		},
	};
}
