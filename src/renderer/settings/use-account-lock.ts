import { useStore } from 'zustand';
import { isOver } from '#renderer/conversation/conversation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import type { SettingName } from '#shared/settings/schema.ts';

/** Settings that decide which account a conversation uses. */
const ACCOUNT: ReadonlySet<SettingName> = new Set(['service', 'apiUrl', 's2sUrl', 'sttUrl', 'ttsUrl']);

/** True while a conversation runs: changing the account would end it, so the person must stop it first. */
export function useAccountLock(name?: SettingName): boolean {
	const { conversation } = useParts();
	const runs = useStore(conversation.store, (view) => !isOver(view));
	return runs && (name === undefined || ACCOUNT.has(name));
}
