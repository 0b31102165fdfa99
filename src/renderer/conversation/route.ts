import type { SocketOpening } from '#shared/host/streams.ts';
import { AUTO, baseOf } from '#shared/protocol/languages.ts';
import { SOCKET_AUDIO } from '#shared/protocol/limits.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { needsRoom } from '#shared/settings/shown-pair.ts';
import { choicesOf } from './choices.ts';
import type { Travel } from './parts.ts';

/** Less delay for more packets; the documented length is 320 ms (protocol 5.1.2). */
const FAST_CHUNK_MS = 100;

/** The route of a conversation with these settings. Captions-only mode and this computer have one route: their own sockets. */
export function travelOf(
	settings: Pick<Settings, 'service' | 'mode' | 'transport'>,
	speechSocket: boolean | undefined,
): Travel {
	const { service, mode, transport } = settings;
	if (service === 'local' || mode === 'captions') return { route: 'websocket', mayFallBack: false };
	return {
		route: needsRoom(settings) ? 'webrtc' : 'websocket',
		mayFallBack: transport === 'auto' && speechSocket === true,
		socketOff: transport === 'auto' && speechSocket === false,
	};
}

/** The purpose of a socket. */
export function socketOpening(settings: Settings, keepSpeech: boolean): SocketOpening {
	const chunkMs = settings.preset === 'fast' ? FAST_CHUNK_MS : SOCKET_AUDIO.chunkMs;
	if (settings.mode !== 'captions') return { purpose: 'speech-to-speech', keepSpeech, chunkMs };
	const { speak, hear } = choicesOf(settings);
	const language = speak === AUTO ? AUTO : baseOf(speak);
	return { purpose: 'speech-to-text', language, targets: [...new Set(hear.map(baseOf))], chunkMs };
}
