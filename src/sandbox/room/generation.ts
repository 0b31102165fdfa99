import { ServerInfo, ServerInfo_Edition } from '@livekit/protocol';

/**
 * Which LiveKit server the room behaves like. `older` is 1.8.4, the live service's (protocol 4.1): no
 * `/rtc/v1`, no ids on offers and answers, no sequence numbers on data.
 */
export type LivekitGeneration = 'current' | 'older';

export interface Generation {
	/** `/rtc/v1`: one peer connection, the first offer inside the join request. */
	readonly singlePeer: boolean;
	/** Offers and answers carry ids and the map of media sections (servers from 1.9.1 on). */
	readonly ids: boolean;
	/** Reliable data is numbered, and repeated after a resume. */
	readonly sequences: boolean;
	readonly serverInfo: ServerInfo;
}

export function generationOf(livekit: LivekitGeneration): Generation {
	const current = livekit === 'current';
	return {
		singlePeer: current,
		ids: current,
		sequences: current,
		serverInfo: new ServerInfo({
			edition: ServerInfo_Edition.Standard,
			version: current ? '1.13.5' : '1.8.4',
			protocol: current ? 17 : 15,
			nodeId: 'ND_sandbox',
		}),
	};
}
