/** How the sandbox behaves (interfaces.md 4). */
export interface SandboxOptions {
	/** Default 127.0.0.1. */
	readonly host?: string;
	/** Default 0: any free port. */
	readonly port?: number;
	/** Default: a fresh random key. */
	readonly key?: string;
	/** Which generation of the service to be (protocol 4.4). Default current. */
	readonly generation?: 'current' | 'older';
	/** Which generation of LiveKit the room behaves like. Default current. */
	readonly livekit?: 'current' | 'older';
	/** Default script. */
	readonly interpreter?: 'script' | 'echo';
	/** Faults switched on for everyone; a key `K+NAME` switches one for one caller. */
	readonly faults?: readonly string[];
}

/** What the first line of output says (interfaces.md 4). */
export interface SandboxAddresses {
	readonly api: string;
	readonly key: string;
	readonly voice_token: string;
	readonly s2s: string;
	readonly stt: string;
	readonly tts: string;
	readonly webrtc: string;
}

export interface Sandbox {
	readonly addresses: SandboxAddresses;
	/** Sessions open now, for tests: what a bill would count. */
	openSessions(): readonly { readonly id: string; readonly createdAt: number; readonly connected: boolean }[];
	/** How many sessions were ever created and deleted. */
	counts(): { readonly created: number; readonly deleted: number; readonly requests: number };
	/** Switches a fault on or off for everyone while running. */
	setFault(name: string, on: boolean): void;
	close(): Promise<void>;
}
