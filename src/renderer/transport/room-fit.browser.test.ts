import { afterAll, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { silentLogger } from '#shared/lib/log.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createStays, soon } from '#test/support/room-stays.ts';
import type { LineReading } from './livekit-stats.ts';
import { createRoomFit } from './room-fit.ts';

const SERVER = 'v1.8.4';
const stays = createStays();
const isThere = await commands.livekitStart(SERVER, 'what is sent on a narrow line, server v1.8.4');
afterAll(() => commands.livekitStop(SERVER));

const good: LineReading = { upLoss: 0, downLoss: 0, askedAgain: 0, queuedMs: 0 };
/** Narrow both ways; then the same without the server's reports about our packets. */
const narrow: readonly LineReading[] = [
	{ upLoss: 0.7, downLoss: 0.7, askedAgain: 0.7, queuedMs: 900 },
	{ upLoss: null, downLoss: 0.4, askedAgain: 0.4, queuedMs: 900 },
];
/** The server does not report every second; the way down is good all the while. */
const narrowUp: readonly LineReading[] = [
	{ upLoss: 0.5, downLoss: 0, askedAgain: 0.5, queuedMs: 900 },
	{ upLoss: null, downLoss: 0, askedAgain: 0, queuedMs: 900 },
];
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Packets a second of `count`, by the wall clock, over two seconds. */
async function rateOf(count: () => Promise<number>): Promise<number> {
	const [first, from] = [await count(), performance.now()];
	await pause(2000);
	return ((await count()) - first) / ((performance.now() - from) / 1000);
}

describe.skipIf(!isThere)('on a line that cannot take all of it', () => {
	/** A conversation in which speech flows. */
	async function converse() {
		const { transport, agent, events, libraryRoom } = await stays.converse(SERVER);
		const room = libraryRoom();
		const [publication] = room.localParticipant.trackPublications.values();
		const clock = createManualClock();
		const fit = createRoomFit({
			room,
			clock,
			log: silentLogger,
			sender: () => publication?.track?.sender ?? null,
		});
		const sent = async () => (await transport.stats()).packetsSent;
		await vi.waitFor(async () => expect(await rateOf(sent)).toBeGreaterThan(40), soon);
		return {
			fit,
			agent,
			events,
			sent,
			room,
			received: async () => (await transport.stats()).packetsReceived,
			/** Reads the line each second, cycling through the readings. */
			async live(lines: readonly LineReading[], seconds: number) {
				for (let at = 0; at < seconds; at++) {
					clock.advance(1000);
					fit.take(lines[at % lines.length] ?? good);
					await pause(20);
				}
			},
		};
	}

	test.each(narrow)(
		'speech is sent in few packets and the voice is not asked for; all of it comes back (%o)',
		async (line) => {
			const { fit, agent, events, sent, received, live } = await converse();

			await live([line], 4);
			expect([fit.holdsVoice, fit.onlyFinals]).toEqual([true, true]);
			await vi.waitFor(async () => {
				// A step that came while the one before it was still being set is taken with the next reading.
				await live([line], 1);
				// 120 ms each.
				expect(await rateOf(sent)).toBeLessThan(15);
				expect(await rateOf(received)).toBeLessThan(5);
			}, soon);
			expect(agent.tracks.every(({ readyState }) => readyState === 'live')).toBe(true);
			// The link does not notice.
			expect(events.some(({ type }) => type === 'link')).toBe(false);

			await live([good], 60);
			expect([fit.holdsVoice, fit.onlyFinals]).toEqual([false, false]);
			await vi.waitFor(async () => {
				await live([good], 1);
				expect(await rateOf(sent)).toBeGreaterThan(40);
				expect(await rateOf(received)).toBeGreaterThan(40);
			}, soon);
		},
		60_000,
	);

	test('the socket of a room may be silent for longer while the line is narrow, joined anew as well, and then as long as before', async () => {
		const { fit, room, live } = await converse();
		const { client } = room.engine;
		const limit = (): number => Reflect.get(client, 'pingTimeoutDuration');
		const usual = limit();
		const limits: number[] = [];
		await live(narrow.slice(0, 1), 4);
		expect(fit.holdsVoice).toBe(true);
		limits.push(limit());
		// The link was resumed.
		fit.forget();
		limits.push(limit());
		// The library sets it at each join.
		Reflect.set(client, 'pingTimeoutDuration', usual);
		fit.forget();
		limits.push(limit());
		await live([good], 60);
		expect(fit.holdsVoice).toBe(false);
		limits.push(limit());
		expect(limits).toEqual([3 * usual, 3 * usual, 3 * usual, usual]);
	}, 60_000);

	test('speech alone is sent in few packets where only the way up is narrow', async () => {
		const { fit, sent, live } = await converse();
		await live(narrowUp, 8);
		expect(fit.holdsVoice).toBe(false);
		await vi.waitFor(async () => {
			await live(narrowUp, 2);
			expect(await rateOf(sent)).toBeLessThan(15);
		}, soon);
	}, 60_000);

	test('speech and voice go on where a fifth is lost on radio, and unfinished texts are left out', async () => {
		const { fit, sent, received, live } = await converse();
		await live([{ upLoss: 0.02, downLoss: 0.02, askedAgain: 0.27, queuedMs: 5 }], 8);
		expect([fit.holdsVoice, fit.onlyFinals]).toEqual([false, true]);
		await vi.waitFor(async () => {
			expect(await rateOf(sent)).toBeGreaterThan(40);
			expect(await rateOf(received)).toBeGreaterThan(40);
		}, soon);
		await live([good], 30);
		expect(fit.onlyFinals).toBe(false);
	}, 60_000);
});
