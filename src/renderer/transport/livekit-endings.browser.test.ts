import { getLogger, LoggerNames, LogLevel } from 'livekit-client';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { systemClock } from '#renderer/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createStays, ME, never, soon } from '#test/support/room-stays.ts';
import { preloadLivekit } from './livekit.ts';
import { createLivekitTransport } from './livekit-transport.ts';

const CURRENT = 'v1.13.5';
const stays = createStays();
const there = await commands.livekitStart(CURRENT, 'how LiveKit rooms refuse and end');
afterAll(() => commands.livekitStop(CURRENT));

describe.skipIf(!there)('how a room refuses and ends', () => {
	test.each([
		['removed from the room', { remove: ME }, { kind: 'session-lost', cause: 'participant-removed' }],
		['room deleted', 'delete', { kind: 'session-lost', cause: 'room-deleted' }],
	] as const)('%s: says so', async (_what, done, problem) => {
		const { room, transport, events } = await stays.enter(CURRENT);
		await transport.open(never());
		await commands.livekitRoom(CURRENT, room, done);
		await vi.waitFor(
			() => expect(events.at(-1)).toEqual({ type: 'link', link: { state: 'down', problem } }),
			soon,
		);
	});

	test('somebody joins in our name: says so', async () => {
		const { grant, transport, events } = await stays.enter(CURRENT);
		await transport.open(never());
		const other = createLivekitTransport({ grant, clock: systemClock, log: silentLogger });
		stays.atEnd(() => other.close());
		await other.open(never());
		await vi.waitFor(() => {
			expect(events.at(-1)).toEqual({
				type: 'link',
				link: { state: 'down', problem: { kind: 'opened-elsewhere' } },
			});
		}, soon);
	});

	test('a token that is no token, and one that may not publish, are refused with the reason', async () => {
		const { grant, room } = await stays.enter(CURRENT);
		const parts = { clock: systemClock, log: silentLogger };
		const nonsense = createLivekitTransport({ ...parts, grant: { ...grant, publisher: 'nonsense' } });
		expect(await nonsense.open(never())).toEqual({
			ok: false,
			error: { kind: 'room-refused', reason: 'not-allowed-401' },
		});
		const listener = await commands.livekitAccess(CURRENT, { room, identity: 'listener', canPublish: false });
		const mute = createLivekitTransport({ ...parts, grant: listener });
		expect(await mute.open(never())).toEqual({
			ok: false,
			error: { kind: 'room-refused', reason: 'publishing-not-allowed' },
		});
		expect((await commands.livekitPresent(CURRENT, room)).map((one) => one.identity)).not.toContain(
			'listener',
		);
	});

	test('a server that never answers is given up after 15 s', async () => {
		const { room, transport } = await stays.enter(CURRENT);
		await commands.livekitLine(room, 'stall');
		const before = performance.now();
		const opened = await transport.open(never());
		// Ends before the library's own limits, whose errors name what it was about to do.
		expect(opened).toEqual({ ok: false, error: { kind: 'room-unreachable', reason: 'timeout' } });
		expect(performance.now() - before).toBeLessThan(17_000);
	}, 30_000);

	test('a server that knows no rooms is asked twice, not for ever', async () => {
		const { room, transport } = await stays.enter(CURRENT);
		const before = await commands.livekitLine(room, 'not-found');
		expect(await transport.open(never())).toEqual({
			ok: false,
			error: { kind: 'room-unreachable', reason: 'not-a-room-server' },
		});
		// Each attempt is a socket and, if that is refused, an HTTP request for the reason.
		expect((await commands.livekitLine(room, 'pass')) - before).toBeLessThanOrEqual(6);
	});
});

test('the library’s own log, which would show addresses with tokens in them, is off', async () => {
	await preloadLivekit();
	for (const name of Object.values(LoggerNames))
		expect([name, getLogger(name).getLevel()]).toEqual([name, LogLevel.silent]);
});
