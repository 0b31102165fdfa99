import { listFormat } from '#main/lib/salted-list.ts';
import { StoredVoice } from './register.ts';

/** `voices.json`. */
export const registerFormat = listFormat('voices', StoredVoice);
