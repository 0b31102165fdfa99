import { type AddTrackRequest, TrackInfo, TrackType } from '@livekit/protocol';
import type { Uplink } from './sdp.ts';
import { newSid } from './sids.ts';

/** The tracks a client announced. Nothing is required of them: no name, no source, stereo or not (protocol 4.2). */
export interface Uplinks {
	/** The same announcement again gives the same track. */
	announce(request: AddTrackRequest): TrackInfo;
	mute(sid: string, muted: boolean): boolean;
	uplink(cid: string): Uplink | null;
	/** `cids`: what the client sends now. A track it no longer sends counts as unpublished. True when there was one. */
	settle(cids: readonly string[]): boolean;
	/** Tracks whose media arrives without the client having been told so. */
	takeHeard(): readonly string[];
	infos(): readonly TrackInfo[];
}

interface Announced {
	readonly info: TrackInfo;
	sent: boolean;
	told: boolean;
}

export function createUplinks(): Uplinks {
	const byCid = new Map<string, Announced>();
	const all = () => [...byCid.values()];
	return {
		announce(request) {
			const known = byCid.get(request.cid);
			if (known) return known.info;
			const info = new TrackInfo({
				sid: newSid('TR'),
				type: request.type,
				name: request.name,
				source: request.source,
				muted: request.muted,
				disableDtx: request.disableDtx,
				disableRed: request.disableRed,
				stereo: request.stereo,
				stream: request.stream,
				audioFeatures: request.audioFeatures,
				mimeType: request.type === TrackType.AUDIO ? 'audio/opus' : '',
			});
			byCid.set(request.cid, { info, sent: false, told: false });
			return info;
		},
		mute(sid, muted) {
			const found = all().find(({ info }) => info.sid === sid);
			if (!found || found.info.muted === muted) return false;
			found.info.muted = muted;
			return true;
		},
		uplink(cid) {
			const found = byCid.get(cid);
			return found ? { dtx: !found.info.disableDtx, stereo: found.info.stereo } : null;
		},
		settle(cids) {
			let changed = false;
			for (const [cid, track] of byCid) {
				if (cids.includes(cid)) {
					track.sent = true;
				} else if (track.sent) {
					byCid.delete(cid);
					changed = true;
				}
			}
			return changed;
		},
		takeHeard() {
			const fresh = all().filter(({ sent, told }) => sent && !told);
			for (const track of fresh) track.told = true;
			return fresh.map(({ info }) => info.sid);
		},
		infos: () => all().map(({ info }) => info),
	};
}
