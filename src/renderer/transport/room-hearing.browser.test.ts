import { afterAll, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { createStays, never, soon } from '#test/support/room-stays.ts';

const CURRENT = 'v1.13.5';
const OLDER = 'v1.8.4';
const stays = createStays();
const final = (id: string) => ({
	message_type: 'validated_transcription',
	data: { transcription: { transcription_id: id, language: 'en', text: id, segments: [] } },
});

for (const server of [CURRENT, OLDER] as const) {
	const there = await commands.livekitStart(server, `rooms joined before anybody listens, server ${server}`);
	afterAll(() => commands.livekitStop(server));

	describe.skipIf(!there)(`in a room of ${server} that is joined before anybody listens`, () => {
		async function joinAhead() {
			const libraryRoom = stays.watchRoom();
			const { promise: hearsFrom, resolve: hear } = Promise.withResolvers<void>();
			const stay = await stays.enter(server, hearsFrom);
			const asked = () =>
				[...libraryRoom().remoteParticipants.values()].flatMap((one) =>
					[...one.trackPublications.values()].map((publication) => publication.isSubscribed),
				);
			const languages = () =>
				stay.events.flatMap((event) => (event.type === 'voice' ? [event.language] : []));
			const received = async () => (await stay.transport.stats()).packetsReceived;
			return { ...stay, libraryRoom, hear, asked, languages, received };
		}

		test('nothing is asked for of who was there and who comes, captions come; from then on all of it is', async () => {
			const { transport, agent, events, hear, asked, languages, received } = await joinAhead();
			await agent.speak('translation_es');
			await transport.open(never());
			await agent.speak('translation_fr');
			await vi.waitFor(() => expect(asked()).toEqual([false, false]), soon);
			await agent.say(final('early'));
			await vi.waitFor(() => expect(events.some((event) => event.type === 'message')).toBe(true), soon);
			expect([languages(), await received()]).toEqual([[], 0]);

			hear();
			await vi.waitFor(() => expect(languages().sort()).toEqual(['es', 'fr']), soon);
			await vi.waitFor(async () => expect(await received()).toBeGreaterThan(20), soon);
			await agent.speak('translation_de');
			await vi.waitFor(() => expect(languages()).toContain('de'), soon);
			expect(asked()).toEqual([true, true, true]);
			expect(await transport.send({ message_type: 'get_task', data: {} })).toBe(true);
			await vi.waitFor(() => expect(agent.heard).toHaveLength(1), soon);
		}, 30_000);

		test('joined anew by the library it keeps to that, before and after', async () => {
			const { transport, agent, events, hear, libraryRoom, asked, received } = await joinAhead();
			await agent.speak('translation_es');
			await transport.open(never());
			const came = () => events.map((event) => (event.type === 'link' ? event.link.state : event.type));
			await vi.waitFor(() => expect(asked()).toEqual([false]), soon);

			await libraryRoom().simulateScenario('full-reconnect');
			await vi.waitFor(() => expect(came()).toEqual(['restoring', 'up']), soon);
			await vi.waitFor(() => expect(asked()).toEqual([false]), soon);
			expect(await received()).toBe(0);

			hear();
			await vi.waitFor(async () => expect(await received()).toBeGreaterThan(5), soon);
			await libraryRoom().simulateScenario('full-reconnect');
			await vi.waitFor(() => expect(came().filter((what) => what === 'voice')).toHaveLength(2), soon);
			const before = await received();
			await vi.waitFor(async () => expect(await received()).toBeGreaterThan(before + 20), soon);
		}, 40_000);
	});

	test.skipIf(!there)(`a room of ${server} joined at Start leaves the asking to the server`, async () => {
		const libraryRoom = stays.watchRoom();
		const { transport, agent, events } = await stays.enter(server);
		const { AudioContext: Real } = globalThis;
		const contexts = vi.fn();
		globalThis.AudioContext = class extends Real {
			constructor(options?: AudioContextOptions) {
				super(options);
				contexts();
			}
		};
		stays.atEnd(() => Object.assign(globalThis, { AudioContext: Real }));
		await transport.open(never());
		// The library would make one, which holds up the page while the room is being joined.
		expect(contexts).not.toHaveBeenCalled();
		await agent.speak('translation_es');
		await vi.waitFor(() => expect(events.some((event) => event.type === 'voice')).toBe(true), soon);
		expect(libraryRoom().engine.client.connectOptions?.autoSubscribe).toBe(true);
		await vi.waitFor(async () => expect((await transport.stats()).packetsReceived).toBeGreaterThan(5), soon);
	});
}
