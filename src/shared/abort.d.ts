/**
 * All our environments provide these types; the libraries that declare them would add the whole of the DOM or
 * of Node.
 */
interface AbortSignal {
	readonly aborted: boolean;
	readonly reason: unknown;
	addEventListener(type: 'abort', heard: () => void, options?: { readonly once?: boolean }): void;
	removeEventListener(type: 'abort', heard: () => void): void;
	throwIfAborted(): void;
}

declare class AbortController {
	readonly signal: AbortSignal;
	abort(reason?: unknown): void;
}

declare class URL {
	/** Null if it is not an address. */
	static parse(address: string): URL | null;
	readonly protocol: string;
	readonly username: string;
	readonly password: string;
	readonly hostname: string;
	readonly port: string;
	readonly search: string;
}
