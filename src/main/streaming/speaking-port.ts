import { type SpeakDown, SpeakUp } from '#shared/host/speaking.ts';
import type { SpeakingOpening, VoiceFrame } from '#shared/host/streams.ts';
import { SOCKET_AUDIO } from '#shared/protocol/socket-audio.ts';
import type { Served, ServeParts } from './ends.ts';
import type { TextToSpeech } from './text-to-speech.ts';

export type CreateSpeaker = () => TextToSpeech;

/** Typed texts up, one at a time; their speech down. */
export function serveSpeaking(
	{ language, voiceId }: SpeakingOpening,
	{ ends, scope, log, over }: ServeParts,
	createSpeaker: CreateSpeaker,
): Served {
	const speaker = createSpeaker();
	/** The text being spoken. */
	let current: string | null = null;
	let sequence = 0;

	const tell = (message: SpeakDown) => ends.control.post(message);

	function hand(id: string, last: boolean, samples: Int16Array): void {
		const frame: VoiceFrame = { language, transcriptionId: id, partId: '0', sequence, last, samples };
		sequence += 1;
		ends.voice.post(frame);
	}

	async function speak(id: string, text: string): Promise<void> {
		current = id;
		let samplesInAll = 0;
		const spoken = await speaker.speak(text, ({ samples }) => {
			if (scope.closed || current !== id) return;
			samplesInAll += samples.length;
			hand(id, false, samples);
		});
		if (scope.closed || current !== id) return;
		current = null;
		// Marks the end of what was handed out, however the text ended.
		hand(id, true, new Int16Array(0));
		const ms = Math.round((samplesInAll / SOCKET_AUDIO.sampleRateHz) * 1000);
		if (spoken.ok) return tell({ type: 'made', id, ms });
		log.warn('typed text not spoken', { problem: spoken.error.kind });
		tell({ type: 'failed', id, ms, problem: spoken.error });
	}

	ends.control.listen((value) => {
		const parsed = SpeakUp.safeParse(value);
		if (!parsed.success) return log.warn('a stream said what is not in the contract');
		const said = parsed.data;
		if (said.type === 'close') return over();
		if (said.type === 'speak') return void speak(said.id, said.text);
		if (said.id !== current) return;
		current = null;
		speaker.cancel();
	});

	return {
		open: (signal) => speaker.open({ language, voiceId }, signal),
		async close() {
			await speaker.close();
			tell({ type: 'closed' });
		},
	};
}
