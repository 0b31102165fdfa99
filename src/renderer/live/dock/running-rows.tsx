import { LegRows } from './leg-rows.tsx';
import { TalkBar } from './talk-bar.tsx';

/** The rows above the controls while a conversation runs. */
export function RunningRows() {
	return (
		<>
			<LegRows />
			<TalkBar />
		</>
	);
}
