import {
	type Announcement,
	type AnnouncementName,
	announcements,
	type HostBridge,
	type Input,
	type Output,
	type RequestName,
} from '#shared/host/contract.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** The window's one door to the main process. */
export interface Host {
	/** Never rejects: whatever goes wrong comes back as a Problem. */
	ask<Name extends RequestName>(name: Name, input: Input<Name>): Promise<Result<Output<Name>, Problem>>;
	/** Malformed announcements are dropped. Returns its removal. */
	listen<Name extends AnnouncementName>(name: Name, heard: (payload: Announcement<Name>) => void): () => void;
}

export function createHost(bridge: HostBridge): Host {
	return {
		async ask(name, input) {
			try {
				// The preload has parsed the answer by the contract; the type follows from the name.
				return (await bridge.ask(name, input)) as Result<never, Problem>;
			} catch {
				return { ok: false, error: { kind: 'bug', where: `host.${name}` } };
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
