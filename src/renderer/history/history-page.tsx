import { useStore } from 'zustand';
import { useParts } from '#renderer/shell/parts.ts';
import { ConversationView } from './conversation-view.tsx';
import { HistoryList } from './history-list.tsx';

/**
 * Kept conversations: the list of them, or one to read. The search is kept on the way into a conversation and back, and
 * while another page is shown.
 */
export function HistoryPage() {
	const { navigation } = useParts();
	const id = useStore(navigation.store, (view) => view.conversation);
	const query = useStore(navigation.store, (view) => view.searched);
	if (id !== null) return <ConversationView key={id} id={id} query={query} onQuery={navigation.search} />;
	return <HistoryList query={query} onQuery={navigation.search} />;
}
