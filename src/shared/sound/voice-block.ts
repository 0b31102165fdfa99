/** A translated voice for guests: mono, in blocks that can be decoded without earlier ones. */
export const VOICE_BLOCK = { rateHz: 24_000, samples: 960, bytes: 488 } as const;

/** About 60 dB below full scale, which is inaudible. */
const SILENT = 33;
/** Number of silent blocks still sent, so that pauses within a sentence are kept. */
const STILL_SENT = 5;

/**
 * IMA ADPCM, 4 bits per sample. A block begins with its number (32 bits) and the state of its first sample. The
 * source text of this function also runs in a guest's page, so it uses nothing from outside.
 */
export function createVoiceCoder() {
	/** Each step is a tenth larger; integers, so that all browsers agree. */
	const steps = [7];
	for (let step = 7; steps.length < 89; steps.push(step)) step += Math.max(1, Math.floor(step / 10));
	let level = 0;
	let at = 0;

	function take(code: number): void {
		const step = steps[at] ?? 7;
		const size =
			(step >> 3) + (code & 4 ? step : 0) + (code & 2 ? step >> 1 : 0) + (code & 1 ? step >> 2 : 0);
		level = Math.max(-32_768, Math.min(32_767, code & 8 ? level - size : level + size));
		at = Math.max(0, Math.min(88, at + (code & 4 ? (code & 3) * 2 + 2 : -1)));
	}

	function encode(sample: number): number {
		const step = steps[at] ?? 7;
		let rest = Math.abs(sample - level);
		let code = sample < level ? 8 : 0;
		for (const [bit, part] of [
			[4, step],
			[2, step >> 1],
			[1, step >> 2],
		] as const) {
			if (rest < part) continue;
			code |= bit;
			rest -= part;
		}
		take(code);
		return code;
	}

	return {
		encode(number: number, samples: Int16Array, block: Uint8Array): void {
			const head = new DataView(block.buffer, block.byteOffset);
			head.setUint32(0, number);
			head.setInt16(4, level);
			head.setUint8(6, at);
			head.setUint8(7, 0);
			for (let n = 0; n < samples.length; n += 2)
				block[8 + n / 2] = encode(samples[n] ?? 0) | (encode(samples[n + 1] ?? 0) << 4);
		},
		/** Returns the block's number. */
		decode(block: Uint8Array, samples: Float32Array): number {
			const head = new DataView(block.buffer, block.byteOffset);
			level = head.getInt16(4);
			at = Math.min(88, head.getUint8(6));
			for (let n = 0; n < samples.length; n += 1) {
				const pair = block[8 + (n >> 1)] ?? 0;
				take(n % 2 === 0 ? pair & 15 : pair >> 4);
				samples[n] = level / 32_768;
			}
			return head.getUint32(0);
		},
	};
}

/** Encodes a voice in blocks. Silent blocks are counted but not sent, so that block numbers are times. */
export class VoiceBlocks {
	readonly #coder = createVoiceCoder();
	readonly #samples = new Int16Array(VOICE_BLOCK.samples);
	readonly #block = new Uint8Array(VOICE_BLOCK.bytes);
	#count = 0;
	#number = 0;
	#silent = STILL_SENT;

	/** `null` = silence; at most one block at once. Returns a complete block, which the next one overwrites. */
	push(sound: Float32Array | null, length: number): Uint8Array | null {
		let made: Uint8Array | null = null;
		for (let n = 0; n < length; n += 1) {
			const sample = Math.round((sound?.[n] ?? 0) * 32_768);
			this.#samples[this.#count] = Math.max(-32_768, Math.min(32_767, sample));
			this.#count += 1;
			if (this.#count === VOICE_BLOCK.samples) made = this.#finish();
		}
		return made;
	}

	#finish(): Uint8Array | null {
		this.#count = 0;
		this.#number += 1;
		const isSilent = this.#samples.every((sample) => Math.abs(sample) < SILENT);
		this.#silent = isSilent ? this.#silent + 1 : 0;
		if (this.#silent > STILL_SENT) return null;
		this.#coder.encode(this.#number, this.#samples, this.#block);
		return this.#block;
	}
}
