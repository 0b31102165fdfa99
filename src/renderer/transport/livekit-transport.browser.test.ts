import { version } from 'livekit-client';
import { afterAll, describe, expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { type TransportRig, transportContract } from '#test/contract/transport.contract.ts';
import type { LivekitVersion } from '#test/support/livekit-server.ts';
import { joinAsAgent, type RoomAgent } from '#test/support/room-stays.ts';
import { createLivekitTransport } from './livekit-transport.ts';

const ME = 'me';
let rooms = 0;

async function createRig(server: LivekitVersion): Promise<TransportRig> {
	rooms += 1;
	const room = `room-${server}-${rooms}`;
	const grant = await commands.livekitAccess(server, { room, identity: ME });
	// The agent joins over its own line, which is never broken, and before us, as in the service.
	const far = await commands.livekitAccess(server, { room: `${room}-far`, identity: 'unused' });
	const agentGrant = await commands.livekitAccess(server, { room, identity: 'palabra_translator_1' });
	const agents: RoomAgent[] = [];
	const join = async () =>
		void agents.unshift(await joinAsAgent({ ...agentGrant, webrtcUrl: far.webrtcUrl }));
	await join();
	const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
	const [microphone] = stream.getAudioTracks();
	if (!microphone) throw new Error('no microphone');
	const agent = () => agents[0] as RoomAgent;
	return {
		transport: createLivekitTransport({ grant, clock: systemClock, log: silentLogger }),
		microphone,
		refuse: async () => void (await commands.livekitLine(room, 'refuse')),
		stall: async () => void (await commands.livekitLine(room, 'stall')),
		welcome: async () => void (await commands.livekitLine(room, 'pass')),
		interrupt: async () => void (await commands.livekitLine(room, 'cut')),
		end: () => commands.livekitRoom(server, room, { remove: ME }),
		arrived: () => agent().heard.map((one) => one.text),
		say: (message) => agent().say(message),
		speak: (language) => agent().speak(`translation_${language}`),
		async close() {
			microphone.stop();
			for (const one of agents) await one.close();
		},
	};
}

test('the library is exactly the version that works with both generations of server', () => {
	expect(version).toBe('2.18.7');
});

for (const server of ['v1.13.5', 'v1.8.4'] as const) {
	const there = await commands.livekitStart(server, `LiveKit transport against a real server ${server}`);
	afterAll(() => commands.livekitStop(server));
	describe.skipIf(!there)(`with a real server ${server}`, () => {
		transportContract(`LiveKit ${server}`, () => createRig(server));
	});
}
