import { listFormat } from '#main/lib/shared-file.ts';
import { StoredVoice } from './register.ts';

/** `voices.json`. */
export const registerFormat = listFormat('voices', StoredVoice);
