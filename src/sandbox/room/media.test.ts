import { SessionDescription } from '@livekit/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { RTCPeerConnection } from 'werift';
import { generationOf } from './generation.ts';
import type { Media, MediaHooks } from './media.ts';
import { createOnePeer } from './one-peer.ts';
import { createPeer } from './peer.ts';
import type { Response } from './signal.ts';
import { createTwoPeers } from './two-peers.ts';

/** A browser's candidate for an IPv6 address it hides: nobody answers for the name when asked for IPv4. */
const HIDDEN =
	'candidate:3004381797 1 udp 2113942271 bfe10ae9-0c01-4006-8e60-3a8a0fc179fc.local 50379 typ host generation 0';

const kinds = [
	{ name: 'one peer connection', create: createOnePeer },
	{
		name: 'two peer connections',
		create: (hooks: MediaHooks) => createTwoPeers(generationOf('older'), hooks),
	},
] as const;

const open: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of open.splice(0)) await close();
});

/** A client and the room's side of its connection; candidates go over in the descriptions alone. */
function connect(create: (hooks: MediaHooks) => Media) {
	const client = createPeer({ heard() {}, data() {}, connected() {} });
	client.createDataChannel('_reliable');
	const signals: Response[] = [];
	const failures: unknown[] = [];
	const media = create({
		signal: (message) => signals.push(message),
		heard() {},
		data() {},
		active() {},
		publishing() {},
		uplink: () => null,
		silent: () => false,
		failed: (what, cause) => failures.push([what, cause]),
	});
	open.push(
		() => media.close(),
		() => client.close(),
	);
	const answers = () => signals.flatMap((message) => (message.case === 'answer' ? [message.value.sdp] : []));
	return { client, media, answers, failures };
}

/** The offer of a client that hides its addresses; werift's own says that no more will come. */
async function hiddenOffer(client: RTCPeerConnection, last: 'more to come' | 'no more'): Promise<string> {
	await client.setLocalDescription(await client.createOffer());
	const sdp = (client.localDescription?.sdp ?? '').replace(/^a=candidate:.*$/gm, `a=${HIDDEN}`);
	return last === 'no more' ? sdp : sdp.replace(/^a=end-of-candidates\r\n/gm, '');
}

describe.each(kinds)('$name', ({ create }) => {
	it('waits for no name of a client that hides its addresses: neither trickled nor in an offer', async () => {
		const { client, media, answers, failures } = connect(create);
		const sdp = await hiddenOffer(client, 'more to come');
		const offer = new SessionDescription({ type: 'offer', sdp });
		await media.offer(offer);
		await media.trickle('publisher', JSON.stringify({ candidate: HIDDEN, sdpMid: '0', sdpMLineIndex: 0 }));
		await media.offer(offer);
		expect(failures).toEqual([]);
		expect(answers()).toHaveLength(2);
	});

	it('is found by such a client all the same: it asks first', async () => {
		const { client, media, answers } = connect(create);
		const sdp = await hiddenOffer(client, 'no more');
		await media.offer(new SessionDescription({ type: 'offer', sdp }));
		const connected = client.connectionStateChange.watch((state) => state === 'connected');
		await client.setRemoteDescription({ type: 'answer', sdp: answers()[0] ?? '' });
		await connected;
	});
});
