import type { Room } from 'livekit-client';

/** The library's lock around its offers; hidden by its types (2.18.7). */
interface Publisher {
	readonly pc: RTCPeerConnection;
	readonly offerLock: { lock(): Promise<() => void> };
}

/**
 * How much speech the room's sender puts into one packet, ms. The headers of 50 packets a second need 23 kbit/s by
 * themselves, whatever the codec does; `setParameters` cannot change that, an answer with `a=ptime` can (RFC 8866 6.4,
 * heeded by Chromium). So the last answer is applied again with another value; nothing is sent, and the server does not
 * notice. Resolves to false if that is impossible just now.
 */
export async function setFrameLength(room: Room, frameMs: number): Promise<boolean> {
	const publisher = room.engine.pcManager?.publisher as unknown as Publisher | undefined;
	if (!publisher) return false;
	const unlock = await publisher.offerLock.lock();
	try {
		const { pc } = publisher;
		const answer = pc.currentRemoteDescription;
		if (pc.signalingState !== 'stable' || answer?.type !== 'answer') return false;
		const sdp = withFrameLength(answer.sdp, frameMs);
		await pc.setLocalDescription(await pc.createOffer());
		try {
			await pc.setRemoteDescription({ type: 'answer', sdp });
		} catch {
			await pc.setLocalDescription({ type: 'rollback' });
			return false;
		}
		return true;
	} finally {
		unlock();
	}
}

/** The same description with this `ptime` in each audio section. */
export function withFrameLength(sdp: string, frameMs: number): string {
	return sdp
		.split(/^(?=m=)/m)
		.map((section) =>
			section.startsWith('m=audio')
				? `${section.replace(/^a=ptime:.*\r?\n/gm, '').trimEnd()}\r\na=ptime:${frameMs}\r\n`
				: section,
		)
		.join('');
}
