import { appendFileSync } from 'node:fs';

/** `DRAGOMAN_STAND_IN_TRAFFIC`: a file that records whatever main tells its pages, so that a test can read it. */
const file = process.env.DRAGOMAN_STAND_IN_TRAFFIC;

/** An answer or an announcement. */
export function noteTraffic(message: unknown): void {
	if (file) appendFileSync(file, `${JSON.stringify(message)}\n`);
}

/** A message through a port (`port-frames.ts`): its words, without the sound in it. */
export function noteFrame(frame: Uint8Array<ArrayBuffer>): void {
	if (!file) return;
	const length = new DataView(frame.buffer).getUint32(0);
	appendFileSync(file, `${new TextDecoder().decode(frame.subarray(8, 8 + length))}\n`);
}
