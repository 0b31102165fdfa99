import dns from 'node:dns';
import { SessionDescription } from '@livekit/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RTCPeerConnection } from 'werift';
import {
	allowUplinks,
	createOnePeer,
	createPeer,
	createTwoPeers,
	type Media,
	type MediaHooks,
	readSections,
	withAddresses,
} from './peers.ts';
import { generationOf, type Response } from './signal.ts';

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

afterEach(() => void vi.restoreAllMocks());

it('looks up no server, so that an offer never waits for a network', async () => {
	const lookup = vi.spyOn(dns.promises, 'lookup');
	const pc = createPeer({ heard() {}, data() {}, connected() {} });
	pc.createDataChannel('x');
	await pc.setLocalDescription(await pc.createOffer());
	expect(pc.localDescription?.sdp).toContain('127.0.0.1');
	await pc.close();
	expect(lookup.mock.calls).toEqual([]);
});

const offer = [
	'v=0',
	'o=- 1 2 IN IP4 127.0.0.1',
	'm=audio 9 UDP/TLS/RTP/SAVPF 111',
	'a=mid:0',
	'a=sendonly',
	'a=msid:- microphone-cid',
	'm=audio 9 UDP/TLS/RTP/SAVPF 111',
	'a=mid:1',
	'a=recvonly',
	'm=video 0 UDP/TLS/RTP/SAVPF 96',
	'a=mid:2',
	'a=sendrecv',
	'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
	'a=mid:3',
	'',
].join('\r\n');

it('reads what is sent and received in each section, and by which id', () => {
	expect(readSections(offer)).toEqual([
		{ mid: '0', kind: 'audio', sends: true, receives: false, cid: 'microphone-cid' },
		{ mid: '1', kind: 'audio', sends: false, receives: true, cid: '' },
		{ mid: '2', kind: 'video', sends: false, receives: false, cid: '' },
		{ mid: '3', kind: 'application', sends: false, receives: false, cid: '' },
	]);
});

it('allows silence suppression and stereo only in the sections that asked for them', () => {
	const section = (mid: number) => `m=audio 9 X 111\r\na=mid:${mid}\r\na=fmtp:111 minptime=10\r\n`;
	const answer = `v=0\r\n${section(0)}${section(1)}${section(2)}`;
	const uplinks = new Map([
		['0', { dtx: true, stereo: false }],
		['1', { dtx: false, stereo: true }],
	]);
	expect(allowUplinks(answer, (mid) => uplinks.get(mid) ?? null).match(/fmtp.*/g)).toEqual([
		'fmtp:111 minptime=10;usedtx=1',
		'fmtp:111 minptime=10;stereo=1',
		'fmtp:111 minptime=10',
	]);
});

it('changes nothing in an answer nobody asked anything of', () => {
	expect(allowUplinks(offer, () => null)).toBe(offer);
});

it('puts loopback in place of the names that hide an address, and leaves everything else', () => {
	const candidate = (address: string) => `a=candidate:1 1 udp 2113937151 ${address} 48518 typ host\r\n`;
	const said = `v=0\r\nm=audio 9 X 111\r\n${candidate('192.0.2.2')}${candidate('fd00::2')}a=mid:0\r\n`;
	const hidden = candidate('4a14458e-900a-4eb4-b6b8-4edc76a1176d.local');
	expect(withAddresses(`${said}${hidden}a=end-of-candidates\r\n`)).toBe(
		`${said}${candidate('127.0.0.1')}a=end-of-candidates\r\n`,
	);
	expect(withAddresses(offer)).toBe(offer);
});
