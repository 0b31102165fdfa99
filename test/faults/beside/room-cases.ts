import { setTimeout as wait } from 'node:timers/promises';
import { until } from '#test/support/app-steps.ts';
import { beginsWell, type Case, endsOrComesAbout, goesOn, must, type Stage, strikes } from './looking.ts';

export const roomCases: readonly Case[] = [
	strikes(36, 'signalling drops, media goes on', ['signal-drop']),
	strikes(37, 'signalling drops, resume refused', ['signal-drop', 'resume-refused']),
	strikes(39, 'the server asks to join afresh', ['leave-reconnect']),
	{
		row: 45,
		fault: 'at a reconnect the token is refused, for 10 s',
		lookedFor: 'texts and a voice go on by themselves',
		faults: ['signal-drop'],
		async see(stage) {
			await beginsWell(stage);
			stage.sandbox.setFault('room-refuse', true);
			await wait(16_000);
			stage.sandbox.setFault('room-refuse', false);
			await goesOn(stage, 60);
		},
	},
	{
		row: 46,
		fault: 'the room refuses the token',
		lookedFor: 'ends, says so, microphone off, no session; or the conversation comes about another way',
		faults: ['room-refuse'],
		see: endsOrComesAbout,
	},
	{
		row: 47,
		fault: 'put out of the room by its server',
		lookedFor: 'texts and a voice go on by themselves',
		realRooms: true,
		async see(stage) {
			await beginsWell(stage);
			await putOut(stage);
			await goesOn(stage);
		},
	},
	{
		row: 48,
		fault: 'the room’s server is killed, and back after a second',
		lookedFor: 'texts and a voice go on by themselves within a minute',
		realRooms: true,
		async see(stage) {
			await beginsWell(stage);
			await stage.livekit?.kill();
			await wait(1000);
			await stage.livekit?.startAgain();
			await goesOn(stage, 60);
		},
	},
	{
		row: 50,
		fault: 'the interpreter never comes',
		lookedFor: 'within 45 s it says so, or the conversation comes about another way',
		faults: ['agent-never'],
		async see(stage) {
			const { subject } = stage;
			await subject.begin();
			await until(
				'a word of it, or a conversation',
				async () =>
					(await subject.texts()) > 0 ||
					(await subject.state()) === 'ended' ||
					/not answer|no answer|interpreter|timeout|translator/i.test(await subject.told()),
				45_000,
			);
		},
	},
	strikes(50, 'the interpreter leaves', ['agent-leaves']),
	{
		row: 51,
		fault: 'two tracks of one language',
		lookedFor: 'one of them is played',
		faults: ['double-track'],
		async see(stage) {
			await beginsWell(stage);
			await wait(3000);
			const voices = await stage.subject.page.evaluate(() => window.__watch.voices());
			must(voices === 1, `${voices} are played`);
		},
	},
	{
		row: 119,
		fault: 'the room is where nobody listens',
		lookedFor: 'ends, says so, microphone off, no session; or the conversation comes about another way',
		faults: ['bad-webrtc-url'],
		see: endsOrComesAbout,
	},
	{
		row: 119,
		fault: 'the room is in a private network',
		lookedFor: 'ends, says so, microphone off, no session; or the conversation comes about another way',
		faults: ['private-webrtc-url'],
		see: endsOrComesAbout,
	},
];

async function putOut({ livekit }: Stage): Promise<void> {
	if (!livekit) throw new Error('no LiveKit server');
	const { RoomServiceClient } = await import('livekit-server-sdk');
	const service = new RoomServiceClient(livekit.url.replace('ws:', 'http:'), livekit.key, livekit.secret);
	for (const { name } of await service.listRooms())
		for (const { identity } of await service.listParticipants(name))
			if (identity.startsWith('user_')) await service.removeParticipant(name, identity);
}
