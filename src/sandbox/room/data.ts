import { DataPacket, DataPacket_Kind } from '@livekit/protocol';

/** How many numbered messages are kept to be repeated after a resume. */
const KEPT = 200;

/** Data to and from one client, numbered where the generation does so. */
export interface DataLine {
	/** Numbers and encodes a packet of ours. */
	write(packet: DataPacket): Uint8Array;
	/** What the client has not received, when the last number it saw from `senderSid` was `last`. */
	missed(senderSid: string, last: number): readonly Uint8Array[];
	/** The payload of a client's user message; null for anything else and for a repeated one. */
	read(bytes: Uint8Array): Uint8Array | null;
	/** The last number seen from the client, 0 = none: it repeats what came after. */
	readonly lastRead: number;
}

export function createDataLine(options: { readonly sequences: boolean }): DataLine {
	const kept: { readonly sender: string; readonly sequence: number; readonly bytes: Uint8Array }[] = [];
	let written = 0;
	let lastRead = 0;
	return {
		write(packet) {
			if (!options.sequences || packet.kind !== DataPacket_Kind.RELIABLE) return packet.toBinary();
			written += 1;
			const numbered = packet.clone();
			numbered.sequence = written;
			const bytes = numbered.toBinary();
			kept.push({ sender: packet.participantSid, sequence: written, bytes });
			if (kept.length > KEPT) kept.shift();
			return bytes;
		},
		missed: (senderSid, last) =>
			kept
				.filter(({ sender, sequence }) => sender === senderSid && sequence > last)
				.map(({ bytes }) => bytes),
		read(bytes) {
			const packet = decode(bytes);
			if (packet?.value.case !== 'user') return null;
			if (options.sequences && packet.sequence > 0) {
				if (packet.sequence <= lastRead) return null;
				lastRead = packet.sequence;
			}
			return packet.value.value.payload;
		},
		get lastRead() {
			return lastRead;
		},
	};
}

function decode(bytes: Uint8Array): DataPacket | null {
	try {
		return DataPacket.fromBinary(bytes);
	} catch {
		return null;
	}
}
