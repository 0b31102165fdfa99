import type { HostBridge } from '#shared/host/contract.ts';

declare global {
	interface Window {
		/** Provided by the preload; the only connection out of the sandbox. */
		readonly dragoman: HostBridge;
	}
}
