/** Payloads of a data channel that are not messages: one after the other, for ever. */
const pieces: readonly (() => Uint8Array)[] = [
	() => new Uint8Array(0),
	() => Uint8Array.of(0xff, 0xfe, 0x00, 0x80),
	() => text('not json'),
	() => text('{"message_type":'),
	() => text('null'),
	() => text('[1,2,3]'),
	() => text('"text"'),
	() => text('{"message_type":42,"data":[]}'),
	() => text('{"message_type":"partial_transcription","data":null}'),
	() => text('{"message_type":"never_heard_of","data":{"a":1}}'),
	() => text(JSON.stringify({ message_type: 'error', data: { code: null, desc: 'x'.repeat(10_000) } })),
	() => text('['.repeat(5000) + ']'.repeat(5000)),
];

export function garbage(turn: number): Uint8Array | undefined {
	return pieces[turn % pieces.length]?.();
}

function text(value: string): Uint8Array {
	return new TextEncoder().encode(value);
}
