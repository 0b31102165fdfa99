import type { StoreApi } from 'zustand/vanilla';

/** The echo guard as far as the window shows it. */
export interface EchoPart {
	/** `heard`: the microphone hears the translation. `gated`: it is off while the voice speaks, because of that. */
	readonly store: StoreApi<{ readonly heard: boolean; readonly gated: boolean }>;
	dismiss(): void;
}
