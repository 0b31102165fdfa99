import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { longMicrophone } from './app-steps.ts';
import { type Launched, launch } from './launch.ts';

/** A sandbox for the tests of a file, and the apps each of them starts. */
export interface SandboxStage {
	/** There from the first test on. */
	readonly sandbox: Sandbox;
	/** An app into whose microphone somebody speaks; killed after the test. */
	open(options?: Parameters<typeof launch>[0]): Promise<Launched>;
	/** Sessions the service itself lists, over REST. */
	listed(): Promise<number>;
}

/** To be called once, outside of the tests. */
export function createSandboxStage(): SandboxStage {
	let sandbox: Sandbox;
	const apps = new Set<Launched>();

	beforeAll(async () => {
		sandbox = await startSandbox();
	});
	afterAll(() => sandbox.close());
	afterEach(async () => {
		await Promise.all([...apps].map((app) => app.kill('SIGKILL')));
		apps.clear();
	});

	return {
		get sandbox() {
			return sandbox;
		},
		async open(options = {}) {
			const app = await launch({ microphone: longMicrophone(), ...options });
			apps.add(app);
			return app;
		},
		async listed() {
			const { api, key } = sandbox.addresses;
			const answer = await fetch(`${api}/session-storage/sessions`, {
				headers: { authorization: `Bearer ${key}` },
			});
			const body = (await answer.json()) as { data: unknown[] };
			return body.data.length;
		},
	};
}
