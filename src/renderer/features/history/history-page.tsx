import { useStore } from 'zustand';
import { useParts } from '#renderer/window/parts.ts';
import { ConversationView } from './conversation-view.tsx';
import { HistoryList } from './history-list.tsx';

/** Kept conversations: the list of them, or one to read. What was searched for goes along into it and back, and stays while another page is looked at. */
export function HistoryPage() {
	const { navigation } = useParts();
	const id = useStore(navigation.store, (view) => view.conversation);
	const query = useStore(navigation.store, (view) => view.searched);
	if (id !== null) return <ConversationView key={id} id={id} query={query} onQuery={navigation.search} />;
	return <HistoryList query={query} onQuery={navigation.search} />;
}
