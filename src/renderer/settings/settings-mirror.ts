import { createStore } from 'zustand/vanilla';
import type { Host } from '#renderer/host.ts';
import type { SettingsSnapshot } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';
import {
	defaultSettings,
	type SettingName,
	type SettingOrigin,
	type Settings,
} from '#shared/settings/schema.ts';

export interface SettingsView {
	readonly loaded: boolean;
	readonly values: Settings;
	readonly origins: Readonly<Record<string, SettingOrigin>>;
	/** The option or variable that fixed a setting, by setting. */
	readonly sources: Readonly<Record<string, string>>;
	readonly problem: Problem | null;
}

export type SettingsMirror = ReturnType<typeof createSettingsMirror>;

/** Main's settings, plus local changes that main has not confirmed yet. */
export function createSettingsMirror(host: Host) {
	let snapshot: SettingsSnapshot = { revision: -1, values: defaultSettings, origins: {}, problem: null };
	/** True if the settings could not be loaded: the defaults are shown, with the problem. */
	let unread = false;
	let writeProblem: Problem | null = null;
	/** Values being sent to main, by name, each with the number of its newest write. */
	const pending = new Map<SettingName, { value: unknown; write: number }>();
	let writes = 0;

	const store = createStore<SettingsView>()(() => view());

	function view(): SettingsView {
		const overlay: Record<string, unknown> = {};
		for (const [name, { value }] of pending) overlay[name] = value;
		return {
			loaded: unread || snapshot.revision >= 0,
			values: { ...snapshot.values, ...overlay },
			origins: snapshot.origins,
			sources: snapshot.sources ?? {},
			problem: writeProblem ?? snapshot.problem,
		};
	}

	function show(): void {
		store.setState(view());
	}

	function receive(next: SettingsSnapshot): void {
		if (next.revision < snapshot.revision) return;
		snapshot = next;
		show();
	}

	const close = host.listen('settings.changed', receive);

	return {
		store,
		close,
		/** Requests the first snapshot from main. */
		async load(): Promise<void> {
			const read = await host.ask('settings.read', undefined);
			if (read.ok) return receive(read.value);
			unread = true;
			writeProblem = read.error;
			show();
		},
		/** Shows the change at once, then asks main. Values that main does not accept revert to the value in force. */
		async write(patch: Partial<Settings>): Promise<void> {
			writes += 1;
			const write = writes;
			for (const [name, value] of Object.entries(patch)) pending.set(name as SettingName, { value, write });
			show();
			const answer = await host.ask('settings.write', patch);
			for (const [name, entry] of pending) if (entry.write === write) pending.delete(name);
			writeProblem = answer.ok ? null : answer.error;
			if (answer.ok) receive(answer.value);
			show();
		},
	};
}
