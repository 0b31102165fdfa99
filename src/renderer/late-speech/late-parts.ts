/** The code for keeping speech and sending it late, loaded with the first microphone if the person wants it. */

export { createVoiceMemory } from '#renderer/replay/voice-memory.ts';
export { openKeptSound } from './kept-sound.ts';
export { createLateSpeech, KEPT_MS } from './late-speech.ts';
export { createLateVoice } from './late-voice.ts';
