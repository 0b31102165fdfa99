import type { Logger } from '#shared/lib/log.ts';
import { addWorklet } from './worklet-module.ts';
import url from './worklets/voice-hold.worklet.ts?worker&url';

/** A node that can make the voice passing through it wait. */
export interface VoiceHold {
	readonly node: AudioWorkletNode;
	/** Nothing comes out until it is released; then what came meanwhile is played first. */
	hold(on: boolean): void;
	/** Drops what waits. */
	flush(): void;
	end(): void;
}

/** Null when the worklet cannot be loaded. `waiting` is told whether anything waits to be heard. */
export async function createVoiceHold(
	context: AudioContext,
	log: Logger,
	waiting: (waits: boolean) => void,
): Promise<VoiceHold | null> {
	try {
		await addWorklet(context, url);
		const node = new AudioWorkletNode(context, 'voice-hold', { outputChannelCount: [1] });
		node.port.onmessage = ({ data }) => waiting(data.type === 'waiting' && data.waits === true);
		return {
			node,
			hold: (on) => node.port.postMessage({ type: 'hold', on }),
			flush: () => node.port.postMessage({ type: 'flush' }),
			end() {
				node.port.postMessage({ type: 'end' });
				node.disconnect();
			},
		};
	} catch (failure) {
		log.warn('voice cannot be held', { failure: String(failure) });
		return null;
	}
}
