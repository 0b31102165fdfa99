import { fork } from 'node:child_process';
import type { SandboxPlace } from '#main/account/account.ts';
import { placeOf } from '#main/account/sandbox-place.ts';
import { missingPair, modelsFolder } from '#main/models/models.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { withoutSecrets } from '#shared/lib/environment.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import { codesOf, type Line } from './line.ts';

/** A local interpreter that runs for one command. */
export interface Local {
	readonly place: SandboxPlace;
	close(): Promise<void>;
}

/** Starts the local interpreter (`--local`) in a process of its own; `models-missing` where a language of the line needs more models. */
export async function startLocal(
	line: Line,
	parts: { readonly clock: Clock; readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<Result<Local, Problem>> {
	const modelFiles = modelsFolder(parts.folder, parts.env, line.text('models'));
	const from = line.text('from').toLowerCase() || AUTO;
	const missing = line.command === 'speak' ? null : missingPair(modelFiles, from, codesOf(line.all('to')));
	if (missing !== null) return err({ kind: 'models-missing', pair: missing });
	// Unbuilt, this is a source file, and so is the program.
	const script = import.meta.url.endsWith('.ts') ? '../../sandbox/main.ts' : './sandbox.js';
	const args = ['--port', '0', '--interpreter', 'local', '--models', modelFiles];
	const child = fork(new URL(script, import.meta.url), args, {
		env: withoutSecrets(parts.env),
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	});
	const ended = new Promise<void>((done) => child.once('exit', () => done()));
	child.stderr?.resume();
	const place = await placeOf(child, parts.clock);
	async function close(): Promise<void> {
		child.kill();
		await ended;
	}
	if (place.ok) return ok({ place: place.value, close });
	await close();
	return place;
}
