import { LegRows } from './leg-rows.tsx';
import { TalkBar } from './talk-bar.tsx';

/** What stands above the controls while a conversation runs. */
export function RunningRows() {
	return (
		<>
			<LegRows />
			<TalkBar />
		</>
	);
}
