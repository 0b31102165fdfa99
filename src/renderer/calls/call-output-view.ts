import type { NamedDevice } from '#shared/calls/cables.ts';

/** Where the voice for the others is heard. */
export type CallOutputView =
	/** By the person: no meeting. */
	| { readonly to: 'ear' }
	/** By the call; `microphoneLabel` is what to choose there, empty when unknown. */
	| { readonly to: 'call'; readonly output: NamedDevice; readonly microphoneLabel: string }
	/** By nobody: there is no way into the call. `missing` names the lost device, empty when there never was one. */
	| { readonly to: 'nowhere'; readonly missing: string };
