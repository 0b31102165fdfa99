import type { StoreApi } from 'zustand/vanilla';
import type { Problem } from '#shared/problem.ts';

/** `armed`: there is a file, and it begins with the next conversation. */
export interface RecordingView {
	readonly state: 'off' | 'asking' | 'armed' | 'recording';
	/** Zero of the recording's clock, monotonic ms; null unless it is recording. */
	readonly sinceMs: number | null;
	/** Where the last one is, or will be; empty = there was none. */
	readonly path: string;
	/** Why the last one ended early; what was recorded before it is kept. */
	readonly problem: Problem | null;
	/** It has ended, and that is to be shown. */
	readonly saved: boolean;
}

/** A recording of the conversation, with the consent of those in it. */
export interface RecordingPart {
	readonly store: StoreApi<RecordingView>;
	/** The user has confirmed that everybody agrees. Asks for the file; records from now on, or from the next Start. */
	begin(suggestedName: string): Promise<void>;
	end(): Promise<void>;
	dismiss(): void;
}
