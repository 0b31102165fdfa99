import type { StoreApi } from 'zustand/vanilla';

/** What the window shows of the echo guard. */
export interface EchoPart {
	/** `heard`: the microphone hears the translation. `gated`: it is off while the voice speaks, because of that. */
	readonly store: StoreApi<{ readonly heard: boolean; readonly gated: boolean }>;
	dismiss(): void;
}
