import type { NamedDevice } from '#shared/routing/cables.ts';

/** Where the voice for the others is heard. */
export type CallOutputView =
	/** By the person: no meeting. */
	| { readonly to: 'ear' }
	/** By the call; `microphoneLabel` is what to choose there, empty when unknown. */
	| { readonly to: 'call'; readonly output: NamedDevice; readonly microphoneLabel: string }
	/** By nobody: the way into the call is not there. `missing` names it, empty when there never was one. */
	| { readonly to: 'nowhere'; readonly missing: string };
