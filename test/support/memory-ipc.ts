import type { Announcement, AnnouncementName, HostBridge } from '#shared/host/contract.ts';

/**
 * The channel between window and main without either: what the preload does over Electron, done in
 * memory, JSON on the way as over the real one.
 */
export function createMemoryIpc() {
	const listeners = new Map<string, Set<(payload: unknown) => void>>();
	let answer: (name: string, input: unknown) => Promise<unknown> = () =>
		Promise.reject(new Error('nobody serves'));
	const overTheWire = (value: unknown): unknown =>
		value === undefined ? undefined : JSON.parse(JSON.stringify(value));

	const bridge: HostBridge = {
		ask: async (name, input) => overTheWire(await answer(name, overTheWire(input))),
		listen(name, heard) {
			const known = listeners.get(name) ?? new Set();
			listeners.set(name, known.add(heard));
			return () => void known.delete(heard);
		},
	};
	return {
		bridge,
		serve(next: (name: string, input: unknown) => Promise<unknown>): () => void {
			answer = next;
			return () => {
				answer = () => Promise.reject(new Error('nobody serves'));
			};
		},
		announce<Name extends AnnouncementName>(name: Name, payload: Announcement<Name>): void {
			for (const heard of [...(listeners.get(name) ?? [])]) heard(overTheWire(payload));
		},
	};
}
