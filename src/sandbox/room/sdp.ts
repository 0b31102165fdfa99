import { isIP } from 'node:net';

/** One media section of an offer, as far as the room cares. */
export interface Section {
	readonly mid: string;
	readonly kind: string;
	/** The offerer sends on it. */
	readonly sends: boolean;
	/** The offerer is ready to receive on it. */
	readonly receives: boolean;
	/** The offerer's own id of the track it sends, '' when it says none: livekit-client's `cid`. */
	readonly cid: string;
}

/** How an uplink may be encoded, as the client asked when it announced the track. */
export interface Uplink {
	readonly dtx: boolean;
	readonly stereo: boolean;
}

export function readSections(sdp: string): readonly Section[] {
	return split(sdp)
		.slice(1)
		.map((text) => {
			const has = (line: string) => text.includes(`\na=${line}\r`) || text.includes(`\na=${line}\n`);
			const rejected = /^m=\w+ 0 /.test(text);
			return {
				mid: /\na=mid:(\S+)/.exec(text)?.[1] ?? '',
				kind: /^m=(\w+)/.exec(text)?.[1] ?? '',
				sends: !rejected && (has('sendrecv') || has('sendonly')),
				receives: !rejected && (has('sendrecv') || has('recvonly')),
				cid: /\na=msid:\S+ (\S+)/.exec(text)?.[1] ?? '',
			};
		});
}

/**
 * Adds what a LiveKit server adds to its answer: a browser uses discontinuous transmission
 * and stereo only when its peer asked for them (RFC 7587 6.1).
 */
export function allowUplinks(sdp: string, uplinkOf: (mid: string) => Uplink | null): string {
	return split(sdp)
		.map((text) => {
			const uplink = uplinkOf(/\na=mid:(\S+)/.exec(text)?.[1] ?? '');
			if (!uplink || !text.startsWith('m=audio')) return text;
			const extras = `${uplink.dtx ? ';usedtx=1' : ''}${uplink.stereo ? ';stereo=1' : ''}`;
			return text.replace(/(\na=fmtp:111 [^\r\n]*)/, `$1${extras}`);
		})
		.join('');
}

/**
 * Puts loopback in place of the name in a candidate (`candidate:…`, RFC 8839 5.1) that hides its address behind one, as
 * the candidates of a page do that may not use the microphone. werift asks mDNS for IPv4 alone: where nobody answers,
 * everything after it waits for 10 s. A client elsewhere is found by its own checks (RFC 8445 7.3.1.3); but after a
 * restart werift accepts those only when it knows a candidate.
 */
export function withAddress(candidate: string): string {
	const fields = candidate.split(' ');
	return isIP(fields[4] ?? '') === 0 ? fields.with(4, '127.0.0.1').join(' ') : candidate;
}

/** The text with an address in every candidate. */
export function withAddresses(sdp: string): string {
	return sdp.replace(
		/^a=(candidate:[^\r\n]*)/gm,
		(_line, candidate: string) => `a=${withAddress(candidate)}`,
	);
}

function split(sdp: string): readonly string[] {
	return sdp.split(/(?=^m=)/m);
}
