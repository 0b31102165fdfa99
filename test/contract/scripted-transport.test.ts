import { createSystemClock } from '#sandbox/system-clock.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import { createScriptedTransport } from '#test/support/scripted-transport.ts';
import { transportContract } from './transport.contract.ts';

/** Only passed on and compared. */
const microphone = { enabled: true, readyState: 'live' } as MediaStreamTrack;
const voice = {} as MediaStreamTrack;

transportContract('the scripted fake', async () => {
	const transport = createScriptedTransport(createSystemClock(), { openMs: 5 });
	const { script } = transport;
	const problem = { kind: 'room-refused', reason: 'scripted' } as const;
	microphone.enabled = true;
	return {
		transport,
		microphone,
		async refuse() {
			script.open = problem;
		},
		async stall() {
			script.open = 'never';
		},
		async welcome() {
			script.open = 'well';
		},
		async interrupt() {
			if (transport.state !== 'open') return;
			transport.tell({ type: 'link', link: { state: 'restoring', cause: 'scripted' } });
			transport.tell({ type: 'link', link: { state: 'up' } });
		},
		async end() {
			transport.tell({ type: 'link', link: { state: 'down', problem } });
		},
		arrived: () => transport.sent.map((command) => JSON.stringify(command)),
		say: async (message) => transport.say(decodeServerMessage(message)),
		async speak(language) {
			transport.tell({ type: 'voice', language, track: voice });
			return async () => transport.tell({ type: 'voice-gone', language });
		},
		close: async () => {},
	};
});
