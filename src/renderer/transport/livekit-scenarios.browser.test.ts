import type { SimulationScenario } from 'livekit-client';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { createStays } from '#test/support/room-stays.ts';

const SERVER = 'v1.8.4';
const stays = createStays();
const isThere = await commands.livekitStart(SERVER, 'the scenarios of LiveKit, server v1.8.4');
afterAll(() => commands.livekitStop(SERVER));

/** Patience for a server on a busy machine, ms. */
const patient = { timeout: 40_000, interval: 50 };

/**
 * Every fault the library can simulate (2.18.7), except those with their own tests: `signal-reconnect`,
 * `resume-reconnect`, `full-reconnect` (test/integration/room-recover.test.ts). `subscriber-bandwidth` is for video,
 * `leave-full-reconnect` does nothing on servers 1.8.4 and 1.13.5, and `fail-on-v1-path` is for a path we never take.
 */
const scenarios: readonly SimulationScenario[] = [
	'speaker',
	'node-failure',
	'server-leave',
	'migration',
	'force-tcp',
	'disconnect-signal-on-resume',
	'disconnect-signal-on-resume-no-messages',
];

/** In these the server goes silently; the channels it closed are the only sign. */
const WORDLESS: ReadonlySet<SimulationScenario> = new Set(['node-failure', 'migration']);

describe.skipIf(!isThere)('what the library can bring about by itself', () => {
	test.for(scenarios)(
		'%s: the link is up again with sound, or said to be down',
		{ timeout: 60_000 },
		async (scenario) => {
			const { transport, events, libraryRoom } = await stays.converse(SERVER);
			const links = () => events.flatMap((event) => (event.type === 'link' ? [event.link.state] : []));

			await libraryRoom().simulateScenario(scenario);

			if (scenario !== 'speaker') {
				await vi.waitFor(() => expect(links().at(-1)).toMatch(/up|down/), patient);
				// Never up or down out of nothing: it is first reported as restoring, or it is over.
				expect(links().join(' ')).toMatch(/^(restoring up ?)*(restoring )?(down)?$/);
				if (WORDLESS.has(scenario)) expect(links()).toEqual(['restoring', 'up']);
			}
			if (links().at(-1) === 'down') return;
			const before = (await transport.stats()).packetsSent;
			await vi.waitFor(
				async () => expect((await transport.stats()).packetsSent).toBeGreaterThan(before + 10),
				patient,
			);
		},
	);
});
