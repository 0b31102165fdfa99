/**
 * Mono s16 WAV that sounds like speech to a level meter: voiced bursts of `phraseMs` with pauses of
 * `pauseMs`, a gliding pitch with overtones. For machines without recordings.
 */
export function speechLikeWav(options: { seconds: number; phraseMs?: number; pauseMs?: number }): Buffer {
	const rate = 48_000;
	const { seconds, phraseMs = 1200, pauseMs = 800 } = options;
	const samples = seconds * rate;
	const wav = Buffer.alloc(44 + samples * 2);
	wav.write('RIFF', 0);
	wav.writeUInt32LE(36 + samples * 2, 4);
	wav.write('WAVEfmt ', 8);
	wav.writeUInt32LE(16, 16);
	wav.writeUInt16LE(1, 20);
	wav.writeUInt16LE(1, 22);
	wav.writeUInt32LE(rate, 24);
	wav.writeUInt32LE(rate * 2, 28);
	wav.writeUInt16LE(2, 32);
	wav.writeUInt16LE(16, 34);
	wav.write('data', 36);
	wav.writeUInt32LE(samples * 2, 40);
	let phase = 0;
	for (let index = 0; index < samples; index += 1) {
		const ms = (index / rate) * 1000;
		const inPhrase = ms % (phraseMs + pauseMs) < phraseMs;
		const syllable = Math.max(0, Math.sin((2 * Math.PI * ms) / 220));
		phase += (2 * Math.PI * (140 + 30 * Math.sin(ms / 300))) / rate;
		let voice = 0;
		for (let overtone = 1; overtone <= 12; overtone += 1) voice += Math.sin(phase * overtone) / overtone;
		wav.writeInt16LE(inPhrase ? Math.round(9000 * syllable * voice) : 0, 44 + index * 2);
	}
	return wav;
}
