import { useStore } from 'zustand';
import { type SystemSilence, systemSilence } from '#shared/audio/system-silence.ts';
import { useParts, useSetting } from './parts.ts';

/** Why only silence comes from those who are listened to; null: something comes, or nobody is listened to now. */
export function useSystemSilence(): SystemSilence | null {
	const { systemSound, legs } = useParts();
	const { way, applications } = useStore(systemSound.store);
	const zeros = useStore(systemSound.zeros, (view) => view.zeros);
	const wanted = useSetting('systemSound');
	const mode = useSetting('mode');
	const isLive = useStore(legs.incoming.conversation.store, (view) => view.phase === 'live' && !view.paused);
	const isOurs = mode === 'listen' || mode === 'meeting';
	// Zeros for a while: what starts and stops in the meantime is no news.
	return isOurs && isLive && zeros ? systemSilence({ way, applications, wanted, zeros }) : null;
}
