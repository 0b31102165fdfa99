import { useSetting } from '#renderer/window/parts.ts';
import { MeetingSetUp } from './meeting-set-up.tsx';
import { Pace } from './pace.tsx';
import { SoundPanel } from './sound-panel.tsx';

/** The content of the panel: pace, the way into the call, devices. */
export function SoundSide() {
	const mode = useSetting('mode');
	return (
		<>
			{(mode === 'solo' || mode === 'meeting' || mode === 'listen') && <Pace />}
			<MeetingSetUp />
			<SoundPanel />
		</>
	);
}
