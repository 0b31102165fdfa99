import { DataPacket, DataPacket_Kind, UserPacket } from '@livekit/protocol';
import { expect, it } from 'vitest';
import { createDataLine } from './member.ts';

function packet(text: string, sequence = 0): DataPacket {
	const user = new UserPacket({ payload: new TextEncoder().encode(text) });
	return new DataPacket({
		kind: DataPacket_Kind.RELIABLE,
		participantSid: 'PA_us',
		sequence,
		value: { case: 'user', value: user },
	});
}
const read = (bytes: Uint8Array) => DataPacket.fromBinary(bytes);
const text = (payload: Uint8Array | null) => (payload === null ? null : new TextDecoder().decode(payload));

it('numbers what it writes from 1 on, and repeats what was missed', () => {
	const line = createDataLine({ sequences: true });
	const written = ['a', 'b', 'c'].map((each) => line.write(packet(each)));
	expect(written.map((bytes) => read(bytes).sequence)).toEqual([1, 2, 3]);
	expect(line.missed('PA_us', 1)).toEqual(written.slice(1));
	expect(line.missed('PA_other', 0)).toEqual([]);
});

it('reads a repeated message once, and remembers the last number', () => {
	const line = createDataLine({ sequences: true });
	const seen = [packet('a', 1), packet('b', 2), packet('b', 2), packet('a', 1), packet('c', 3)];
	expect(seen.map((each) => text(line.read(each.toBinary())))).toEqual(['a', 'b', null, null, 'c']);
	expect(line.lastRead).toBe(3);
});

it('reads every unnumbered message: lossy ones, and those of older clients', () => {
	const line = createDataLine({ sequences: true });
	expect([packet('a'), packet('a')].map((each) => text(line.read(each.toBinary())))).toEqual(['a', 'a']);
});

it('numbers nothing where the server is older', () => {
	const line = createDataLine({ sequences: false });
	expect(read(line.write(packet('a'))).sequence).toBe(0);
	expect(line.missed('PA_us', 0)).toEqual([]);
	expect([packet('a', 1), packet('a', 1)].map((each) => text(line.read(each.toBinary())))).toEqual([
		'a',
		'a',
	]);
});

it('takes what is no user message for nothing', () => {
	const line = createDataLine({ sequences: true });
	expect(line.read(Uint8Array.of(0xff, 0xff, 0xff))).toBeNull();
	expect(line.read(new Uint8Array(0))).toBeNull();
});
