import { useStore } from 'zustand';
import { useParts } from '#renderer/window/parts.ts';
import type { SettingName } from '#shared/settings/schema.ts';

/** Settings that decide which account a conversation uses. */
const ACCOUNT: ReadonlySet<SettingName> = new Set(['service', 'apiUrl', 's2sUrl', 'sttUrl', 'ttsUrl']);

/** True while a conversation runs: changing the account would end it, so the person must stop it first. */
export function useAccountLock(name?: SettingName): boolean {
	const { conversation } = useParts();
	const isOver = useStore(conversation.store, ({ phase }) => phase === 'idle' || phase === 'failed');
	return !isOver && (name === undefined || ACCOUNT.has(name));
}
