/** The code for replaying a voice, loaded with the first voice. */
export { createVoiceMemory } from '#renderer/audio/voice-memory.ts';
export { createReplaying } from '#renderer/conversation/replaying.ts';
export { createVoiceTimes } from '#renderer/conversation/voice-times.ts';
