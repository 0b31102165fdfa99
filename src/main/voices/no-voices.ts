import { err } from '#shared/lib/result.ts';
import type { VoiceAnswers } from './answers.ts';

const none = async () => err({ kind: 'bug' as const, where: 'voices: not there' });

export const noVoices: VoiceAnswers = {
	'voice.list': none,
	'voice.choose-file': none,
	'voice.begin-recording': none,
	'voice.append-recording': none,
	'voice.end-recording': none,
	'voice.discard-sample': none,
	'voice.make': none,
	'voice.cancel': none,
	'voice.retry': none,
	'voice.rename': none,
	'voice.forget': none,
	'voice.refresh': none,
};
