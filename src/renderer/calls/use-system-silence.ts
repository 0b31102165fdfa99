import { useStore } from 'zustand';
import { useParts, useSetting } from '#renderer/shell/parts.ts';
import { type SystemSilence, systemSilence } from '#shared/sound/system-silence.ts';

/** Why listening to others yields only silence; null: sound comes, or nobody is listened to now. */
export function useSystemSilence(): SystemSilence | null {
	const { systemSound, legs } = useParts();
	const { way, applications } = useStore(systemSound.store);
	const zeros = useStore(systemSound.zeros, (view) => view.zeros);
	const wanted = useSetting('systemSound');
	const mode = useSetting('mode');
	const isLive = useStore(legs.incoming.conversation.store, (view) => view.phase === 'live' && !view.paused);
	const isOurs = mode === 'listen' || mode === 'meeting';
	// Only after zeros for a while, so that programs starting and stopping meanwhile are ignored.
	return isOurs && isLive && zeros ? systemSilence({ way, applications, wanted, zeros }) : null;
}
