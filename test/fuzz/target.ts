import type { Sample } from './mutate.ts';

/** A reader of what comes from outside: given anything, it must neither throw nor take long. */
export interface Target {
	/** What it reads, for the table. */
	readonly name: string;
	/** The file whose reader it is, for `npm run fuzz -- --list`. */
	readonly reads: readonly string[];
	/** Valid texts to corrupt. */
	readonly samples: readonly Sample[];
	/** How often, relative to the others; default 1. */
	readonly weight?: number;
	/** Which expensive inputs it gets (`hostile.ts`); absent: nothing large from outside comes here. */
	readonly kind?: 'message' | 'answer';
	/** Reads it. What it returns or throws against what the reader promises is a finding. */
	feed(text: string): void | Promise<void>;
	/** Ends what it keeps open. */
	close?(): void;
}

/** A finding: the reader answered with something it promises never to answer. */
export function must(holds: boolean, what: string): void {
	if (!holds) throw new Error(`not kept: ${what}`);
}
