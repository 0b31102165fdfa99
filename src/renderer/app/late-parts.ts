/** The code for keeping speech and sending it late, loaded with the first microphone if the person wants it. */
export { openKeptSound } from '#renderer/audio/kept-sound.ts';
export { createLateVoice } from '#renderer/audio/late-voice.ts';
export { createVoiceMemory } from '#renderer/audio/voice-memory.ts';
export { createLateSpeech, KEPT_MS } from '#renderer/conversation/late/late-speech.ts';
