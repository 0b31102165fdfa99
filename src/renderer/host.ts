import type { AppInfo } from '#shared/host/contract.ts';
import {
	type Announcement,
	type AnnouncementName,
	announcements,
	type HostBridge,
	type Input,
	type Output,
	type RequestName,
	requests,
} from '#shared/host/contract.ts';
import type { Result } from '#shared/lib/result.ts';
import { Problem } from '#shared/problem.ts';

/** The window's only way to the main process. */
export interface Host {
	/** Never rejects: any failure, including a malformed answer, comes back as a Problem. */
	ask<Name extends RequestName>(name: Name, input: Input<Name>): Promise<Result<Output<Name>, Problem>>;
	/** Malformed announcements are dropped. Returns an unsubscribe function. */
	listen<Name extends AnnouncementName>(name: Name, heard: (payload: Announcement<Name>) => void): () => void;
}

function bug(where: string): Result<never, Problem> {
	return { ok: false, error: { kind: 'bug', where } };
}

/** The answer in the shape that the contract promises, or our own bug. */
function checked(name: RequestName, answer: unknown): Result<unknown, Problem> {
	if (typeof answer !== 'object' || answer === null || !('ok' in answer)) return bug(`host.${name}`);
	if (answer.ok === true) {
		const given = 'value' in answer ? (answer.value ?? undefined) : undefined;
		const value = requests[name].output.safeParse(given);
		if (value.success) return { ok: true, value: value.data };
		// `null` is a valid answer where the contract allows it (a closed dialog).
		const empty = requests[name].output.safeParse(null);
		return empty.success ? { ok: true, value: null } : bug(`host.${name}: answer`);
	}
	const problem = Problem.safeParse('error' in answer ? answer.error : null);
	return problem.success ? { ok: false, error: problem.data } : bug(`host.${name}: problem`);
}

export function createHost(bridge: HostBridge): Host {
	return {
		async ask(name, input) {
			try {
				// The type follows from the name.
				return checked(name, await bridge.ask(name, input)) as Result<never, Problem>;
			} catch {
				return bug(`host.${name}`);
			}
		},
		listen(name, heard) {
			return bridge.listen(name, (payload) => {
				const parsed = announcements[name].safeParse(payload);
				if (parsed.success) heard(parsed.data as Announcement<typeof name>);
			});
		},
	};
}

const unknownApp: AppInfo = {
	version: '',
	shell: 'stand-in',
	platform: '',
	locales: ['en'],
	microphone: 'unknown',
};

/** Asks main about the program and the system; without an answer, assumes nothing. */
export async function askAppInfo(host: Host): Promise<AppInfo> {
	const info = await host.ask('app.info', undefined);
	return info.ok ? info.value : unknownApp;
}
