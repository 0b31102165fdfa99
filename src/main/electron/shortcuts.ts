import { globalShortcut } from 'electron';
import type { ShellState } from '#shared/host/contract.ts';
import { assignedBy } from '#shared/keys/assigned.ts';
import { acceleratorOf } from '#shared/keys/combination.ts';
import { type AnnouncedCommand, type SlotName, slots } from '#shared/keys/commands.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Settings } from '#shared/settings/schema.ts';

/** The part of Electron's `globalShortcut` that is used. */
export interface KeyRegister {
	/** False: another program has it, or the desktop did not allow it. */
	register(accelerator: string, pressed: () => void): boolean;
	unregister(accelerator: string): void;
}

/** Keys that work while another program is in front. Only presses are reported: a held key toggles instead. */
export function createGlobalKeys({
	keys,
	run,
	log,
}: {
	readonly keys: KeyRegister;
	readonly run: (command: AnnouncedCommand) => void;
	readonly log: Logger;
}) {
	/** Registered keys: accelerator to the command it runs. */
	const held = new Map<string, AnnouncedCommand>();
	let refused: readonly SlotName[] = [];

	function wantedBy({ shortcuts, globalKeys }: Pick<Settings, 'shortcuts' | 'globalKeys'>, holds: boolean) {
		const wanted = new Map<string, { readonly command: AnnouncedCommand; readonly slot: SlotName }>();
		if (!globalKeys) return wanted;
		const assigned = assignedBy(shortcuts);
		for (const { name, command: meant, scope } of slots) {
			if (scope !== 'global' || (meant === 'talk' && holds)) continue;
			const command = meant === 'talk' ? 'talk-toggle' : meant;
			for (const text of assigned.get(name) ?? []) {
				const accelerator = acceleratorOf(text);
				if (accelerator && !wanted.has(accelerator)) wanted.set(accelerator, { command, slot: name });
			}
		}
		return wanted;
	}

	function take(accelerator: string, command: AnnouncedCommand): boolean {
		try {
			// Try again even after a refusal: the other program may have ended.
			if (!keys.register(accelerator, () => run(command))) return false;
			held.set(accelerator, command);
			return true;
		} catch {
			log.warn('not a global key', { accelerator });
			return false;
		}
	}

	return {
		/** Registers keys to match the settings. `holds`: true if something else watches the talk key. */
		follow(settings: Pick<Settings, 'shortcuts' | 'globalKeys'>, holds: boolean = false): void {
			const wanted = wantedBy(settings, holds);
			for (const [accelerator, command] of [...held]) {
				if (wanted.get(accelerator)?.command === command) continue;
				keys.unregister(accelerator);
				held.delete(accelerator);
			}
			const without: SlotName[] = [];
			for (const [accelerator, { command, slot }] of wanted) {
				if (!held.has(accelerator) && !take(accelerator, command)) without.push(slot);
			}
			if (String(without) !== String(refused) && without.length > 0) {
				log.warn('global keys taken by others', { slots: without.join(' ') });
			}
			refused = without;
		},
		/** Names of the shortcuts that could not be registered. */
		refused: (): readonly SlotName[] => refused,
		/** Unregisters every key. */
		close(): void {
			for (const accelerator of held.keys()) keys.unregister(accelerator);
			held.clear();
		},
	};
}

/** Null if the system has none (the stand-in). */
export function systemKeys(shell: 'electron' | 'stand-in'): KeyRegister | null {
	return shell === 'electron' ? globalShortcut : null;
}

/** On Wayland the desktop's portal asks the person, once. */
export function keysKind(hasKeys: boolean, env: NodeJS.ProcessEnv): ShellState['globalKeys'] {
	if (!hasKeys) return 'none';
	return env.XDG_SESSION_TYPE === 'wayland' ? 'portal' : 'works';
}
