import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { clearParts, codeOf, writeAtomically } from '#main/lib/files.ts';
import { fileStamp } from '#main/system-clock.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import { decodeText } from '#shared/protocol/json.ts';
import { type SettingName, type Settings, settingsShape } from '#shared/settings/schema.ts';

/** Version of the file's shape. A change of its meaning gets the next number and a migration. */
const VERSION = 2;
/** A temporary file older than this was abandoned: writing never takes this long. */
const ABANDONED_MS = 60_000;

/** `migrations[n]` turns a file of version n into one of version n + 1. */
const migrations: Readonly<Record<number, (file: Record<string, unknown>) => Record<string, unknown>>> = {
	// Files written by hand carry no version; their keys are the first version's.
	0: (file) => ({ ...file, version: 1 }),
	// The one captions window becomes the user's; unlike the old one it is hidden from screen shares.
	1: (file) => ({
		...file,
		version: 2,
		...(isRecord(file.overlay) && { overlay: { hidden: false, ...file.overlay } }),
	}),
};

export function isSetting(name: string): name is SettingName {
	return Object.hasOwn(settingsShape, name);
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function migrate(file: Record<string, unknown>): Record<string, unknown> {
	let current = file;
	let version = typeof file.version === 'number' ? file.version : 0;
	// A file of a later version is not migrated: its keys are checked one by one, unknown ones are kept.
	for (; version < VERSION; version++) current = migrations[version]?.(current) ?? current;
	return current;
}

/** True for a list or object, which may have cost the user some work. */
function isMade(value: unknown): boolean {
	return typeof value === 'object' && value !== null;
}

export type SettingsFile = ReturnType<typeof openSettingsFile>;

/**
 * `settings.json` in the user's data folder. Unknown keys survive. An invalid value counts as not set and nothing else
 * is lost; if it is a list or object (such as a list made elsewhere that is too long), a copy of the file is kept before
 * it is overwritten. A file that is not JSON is set aside, and the last good copy (`settings.json.bak`) takes its place.
 * If the file cannot be written, the change lasts for this run and `problem` is set.
 *
 * `looksOnly`: for a program that only reads settings. Nothing is set aside or removed: the app does
 * that, and informs the user.
 */
export function openSettingsFile(
	folder: string,
	clock: Clock,
	{ looksOnly = false }: { readonly looksOnly?: boolean } = {},
) {
	const path = join(folder, 'settings.json');
	let problem: Problem | null = null;
	/** True if the file exists but could not be read: its values are used as soon as it can be. */
	let unread = false;

	function parse(from: string): Record<string, unknown> | null {
		const bytes = readFileSync(from);
		const parsed: unknown = JSON.parse(decodeText(bytes) ?? bytes.toString('utf8'));
		return isRecord(parsed) ? parsed : null;
	}

	function readBackup(): Record<string, unknown> {
		try {
			return parse(`${path}.bak`) ?? {};
		} catch {
			return {};
		}
	}

	function setAside(): Record<string, unknown> {
		if (looksOnly) {
			problem = { kind: 'settings-unreadable', keptAs: 'settings.json' };
			return readBackup();
		}
		const keptAs = `settings.json.broken-${fileStamp(clock.wall())}`;
		try {
			renameSync(path, join(folder, keptAs));
			problem = { kind: 'settings-unreadable', keptAs };
		} catch {
			problem = { kind: 'settings-unreadable', keptAs: 'settings.json' };
		}
		return readBackup();
	}

	function read(): Record<string, unknown> {
		try {
			return parse(path) ?? setAside();
		} catch (failure) {
			if (codeOf(failure) === 'ENOENT') return readBackup();
			if (failure instanceof SyntaxError) return setAside();
			if (looksOnly) return setAside();
			problem = { kind: 'storage-failed', what: 'settings.json' };
			unread = true;
			return {};
		}
	}

	function keepCopy(): void {
		const keptAs = `settings.json.broken-${fileStamp(clock.wall())}`;
		try {
			writeAtomically(join(folder, keptAs), readFileSync(path));
			problem = { kind: 'settings-unreadable', keptAs };
		} catch {
			// Ignore it: the previous file still exists as `settings.json.bak`.
		}
	}

	let file = migrate(read());
	if (!looksOnly) clearParts(path, clock.wall() - ABANDONED_MS);

	function save(): void {
		try {
			try {
				// Write it completely or not at all: a copy cut short by a full disk would not help.
				writeAtomically(`${path}.bak`, readFileSync(path));
			} catch (failure) {
				if ((failure as NodeJS.ErrnoException).code !== 'ENOENT') throw failure;
			}
			writeAtomically(path, `${JSON.stringify(file, null, '\t')}\n`);
			if (problem?.kind === 'storage-failed') problem = null;
		} catch {
			problem = { kind: 'storage-failed', what: 'settings.json' };
		}
	}

	return {
		/** Only what the user set: valid, without defaults. */
		stored(): Partial<Settings> {
			const known: Record<string, unknown> = {};
			for (const [name, value] of Object.entries(file)) {
				if (!isSetting(name) || value === undefined) continue;
				const parsed = settingsShape[name].safeParse(value);
				if (parsed.success) known[name] = parsed.data;
			}
			return known as Partial<Settings>;
		},
		/** The problem with the file; null = none. */
		problem: (): Problem | null => problem,
		/** Keeps the valid keys of `patch` (a value `undefined` removes one) and writes the file. */
		write(patch: Readonly<Record<string, unknown>>): void {
			if (unread) {
				unread = false;
				problem = null;
				const { version: _, ...changed } = file;
				file = { ...migrate(read()), ...changed };
			}
			const next = { ...file };
			const isLost = (name: string) =>
				isSetting(name) && isMade(file[name]) && !settingsShape[name].safeParse(file[name]).success;
			if (Object.keys(patch).some(isLost)) keepCopy();
			for (const [name, value] of Object.entries(patch)) {
				if (!isSetting(name)) continue;
				if (value === undefined) delete next[name];
				else if (settingsShape[name].safeParse(value).success) next[name] = value;
			}
			file = { ...next, version: Math.max(VERSION, Number(file.version) || 0) };
			save();
		},
	};
}
