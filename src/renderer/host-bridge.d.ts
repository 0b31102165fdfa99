import type { HostBridge } from '#shared/host/contract.ts';

declare global {
	interface Window {
		/** Put there by the preload; the only thing that reaches out of the sandbox. */
		readonly dragoman: HostBridge;
	}
}
