import { useSetting } from '#renderer/window/parts.ts';
import { MeetingSetUp } from './meeting-set-up.tsx';
import { Pace } from './pace.tsx';
import { SoundPanel } from './sound-panel.tsx';

/** What stands in the panel: how quick, the way into the call, the devices. */
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
