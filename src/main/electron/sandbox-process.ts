import { type UtilityProcess, utilityProcess } from 'electron';
import { placeOf, type SandboxPlace, type SandboxRunner } from '#main/account/account.ts';
import { INTERPRETER_ENV } from '#main/models/models.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

const STOP_LIMIT_MS = 1500;

type Started = Result<SandboxPlace, Problem>;

/** Runs the sandbox or the local interpreter in its own process: its WebRTC must not share our thread. */
export function createSandboxProcess(options: {
	/** The built `sandbox.js`. */
	readonly script: string;
	/** For the rooms of a real LiveKit deployment; only this process gets it. */
	readonly liveKitSecret: string | undefined;
	readonly models: () => string;
	readonly clock: Clock;
	readonly log: Logger;
}): SandboxRunner {
	const goneListeners = createListeners<[]>();
	let running: { readonly child: UtilityProcess; readonly started: Promise<Started> } | null = null;

	function launch(interpreter: 'script' | 'local'): { child: UtilityProcess; started: Promise<Started> } {
		const isLocal = interpreter === 'local';
		const own = isLocal ? ['--interpreter', 'local', '--models', options.models()] : [];
		const child = utilityProcess.fork(options.script, ['--port', '0', ...own], {
			stdio: 'pipe',
			// On macOS: the downloaded packages are not signed by us. Only this process loads them.
			allowLoadingUnsignedLibraries: isLocal,
			serviceName: isLocal ? 'Dragoman interpreter' : 'Dragoman sandbox',
			env: {
				...process.env,
				...(isLocal && INTERPRETER_ENV),
				...(options.liveKitSecret && { LIVEKIT_API_SECRET: options.liveKitSecret }),
			},
		});
		const started = placeOf(child, options.clock);
		let errors = '';
		child.stderr?.on('data', (chunk: Buffer) => {
			errors = (errors + chunk.toString('utf8')).slice(-400);
		});
		// Without a listener this error would end our process. The child's exit follows, and is what counts.
		child.on('error', (type, location) => options.log.warn('sandbox failed', { type, location }));
		child.on('exit', (code) => {
			options.log.info('sandbox ended', { code, errors });
			if (running?.child !== child) return;
			running = null;
			goneListeners.tell();
		});
		return { child, started };
	}

	function end(child: UtilityProcess): Promise<void> {
		return new Promise((done) => {
			const cancel = options.clock.after(STOP_LIMIT_MS, done);
			child.once('exit', () => {
				cancel();
				done();
			});
			if (!child.kill()) {
				cancel();
				done();
			}
		});
	}

	return {
		async start(interpreter) {
			running ??= launch(interpreter);
			const { child, started } = running;
			const outcome = await started;
			if (!outcome.ok && running?.child === child) {
				running = null;
				await end(child);
			}
			return outcome;
		},
		async stop() {
			const child = running?.child;
			running = null;
			if (child) await end(child);
		},
		onGone: goneListeners.listen,
	};
}
