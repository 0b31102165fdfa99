import { expect, it } from 'vitest';
import { commands } from 'vitest/browser';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { type TransportRig, transportContract } from '#test/contract/transport.contract.ts';
import { createLivekitTransport } from './livekit-transport.ts';

async function createRig(livekit: 'current' | 'older'): Promise<TransportRig> {
	const { id, ...grant } = await commands.sandboxRoom(livekit);
	const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
	const [microphone] = stream.getAudioTracks();
	if (!microphone) throw new Error('no microphone');
	const line = async (mode: 'cut' | 'pass' | 'stall' | 'refuse') =>
		void (await commands.sandboxRoomDo(id, { line: mode }));
	let arrived: readonly string[] = [];
	const look = setInterval(async () => {
		arrived = await commands.sandboxRoomDo(id);
	}, 100);
	return {
		transport: createLivekitTransport({ grant, clock: systemClock, log: silentLogger }),
		microphone,
		refuse: () => line('refuse'),
		stall: () => line('stall'),
		welcome: () => line('pass'),
		interrupt: () => line('cut'),
		end: async () => void (await commands.sandboxRoomDo(id, { end: true })),
		arrived: () => arrived,
		say: async (message) => void (await commands.sandboxRoomDo(id, { say: message })),
		async speak(language) {
			await commands.sandboxRoomDo(id, { publish: [language] });
			return async () => void (await commands.sandboxRoomDo(id, { publish: [] }));
		},
		async close() {
			clearInterval(look);
			microphone.stop();
			await commands.sandboxRoomDo(id, { stop: true });
		},
	};
}

for (const livekit of ['current', 'older'] as const) {
	transportContract(`LiveKit, a room of the sandbox (${livekit})`, () => createRig(livekit));
}

for (const livekit of ['current', 'older'] as const) {
	it(`delivers all that was sent right before leaving, Stop last (${livekit})`, async () => {
		const { id, ...grant } = await commands.sandboxRoom(livekit);
		const transport = createLivekitTransport({ grant, clock: systemClock, log: silentLogger });
		try {
			expect(await transport.open(new AbortController().signal)).toMatchObject({ ok: true });
			// More than one round trip carries, so that some are in flight when the room is left.
			const commandsSent = [
				...Array.from({ length: 6 }, (_, at) => ({
					message_type: 'tts_task' as const,
					data: { text: `${at} ${'x'.repeat(10_000)}`, language: 'es', translate_text: false },
				})),
				{ message_type: 'end_task', data: { force: true } } as const,
			];
			for (const command of commandsSent) expect(await transport.send(command)).toBe(true);
			await transport.close();
			await expect
				.poll(() => commands.sandboxRoomDo(id), { timeout: 5000 })
				.toEqual(commandsSent.map((command) => JSON.stringify(command)));
		} finally {
			await commands.sandboxRoomDo(id, { stop: true });
		}
	});
}
