import { MessageChannelMain, type MessagePortMain, type WebContents } from 'electron';
import type { PortEnd, StreamEnds } from '#main/streaming/ends.ts';
import { PORTS } from '#shared/host/channels.ts';

/** Three channels; the window gets one end of each. Null when there is no window to give them to. */
export function createStreamPorts(contents: WebContents | null, stream: string): StreamEnds | null {
	if (!contents || contents.isDestroyed()) return null;
	const channels = [new MessageChannelMain(), new MessageChannelMain(), new MessageChannelMain()] as const;
	contents.postMessage(
		PORTS,
		{ stream },
		channels.map((channel) => channel.port2),
	);
	const [control, capture, voice] = channels;
	return { control: endOf(control.port1), capture: endOf(capture.port1), voice: endOf(voice.port1) };
}

function endOf(port: MessagePortMain): PortEnd {
	return {
		post: (value) => port.postMessage(value),
		listen(heard) {
			port.on('message', ({ data }) => heard(data));
			port.start();
		},
		closed: (heard) => void port.once('close', heard),
		close: () => port.close(),
	};
}
