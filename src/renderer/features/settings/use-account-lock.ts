import { useStore } from 'zustand';
import { useParts } from '#renderer/window/parts.ts';
import type { SettingName } from '#shared/settings/schema.ts';

/** Settings that say whose service a conversation uses. */
const ACCOUNT: ReadonlySet<SettingName> = new Set(['service', 'apiUrl', 's2sUrl', 'sttUrl', 'ttsUrl']);

/** A conversation runs: another account would end it, so it is stopped by its person first. */
export function useAccountLock(name?: SettingName): boolean {
	const { conversation } = useParts();
	const isOver = useStore(conversation.store, ({ phase }) => phase === 'idle' || phase === 'failed');
	return !isOver && (name === undefined || ACCOUNT.has(name));
}
