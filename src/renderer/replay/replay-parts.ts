/** The code for replaying a voice, loaded with the first voice. */

export { createReplaying } from './replaying.ts';
export { createVoiceMemory } from './voice-memory.ts';
export { createVoiceTimes } from './voice-times.ts';
