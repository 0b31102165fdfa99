import { expect, it } from 'vitest';
import { allowUplinks, readSections, withAddresses } from './sdp.ts';

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
