import { afterEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { createFakeMedia } from '#test/support/fake-media.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createAudioEngine } from './context.ts';
import { createDevices } from './devices.ts';
import { createMeter } from './meter.ts';
import { playTestSound } from './test-sound.ts';

const wish = { microphone: null, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0)) await end();
	vi.restoreAllMocks();
});

async function setUp() {
	const clock = createManualClock();
	const media = createFakeMedia([{ kind: 'audioinput', id: 'l1', label: 'Laptop' }]);
	const devices = createDevices({ media, clock });
	await devices.refresh();
	const engine = createAudioEngine({ clock, log: silentLogger });
	const meter = createMeter({ media, devices, clock, engine });
	ends.push(async () => {
		meter.close();
		devices.close();
		await engine.close();
		await media.close();
	});
	return { clock, media, meter };
}

describe('a meter', () => {
	test('shows the level of its own microphone, 25 times a second, until it is closed', async () => {
		const { meter, media, clock } = await setUp();
		await meter.openMicrophone(wish);
		expect(meter.getState()).toMatchObject({ state: 'open', device: 'Laptop', level: { peakDb: -100 } });
		media.setLoudness(0.5);
		await vi.waitFor(
			async () => {
				await clock.run(50);
				const view = meter.getState();
				expect(view.state === 'open' && view.level.peakDb).toBeCloseTo(-6, 0);
				expect(view.state === 'open' && view.level.rmsDb).toBeCloseTo(-9, 0);
			},
			{ timeout: 5000, interval: 20 },
		);
		let changes = 0;
		meter.subscribe(() => {
			changes += 1;
		});
		await clock.run(1000);
		expect(changes).toBe(25);
		meter.close();
		expect([meter.getState().state, media.live(), clock.pending]).toEqual(['closed', 0, 0]);
	});

	test('says why it shows nothing', async () => {
		const { meter, media } = await setUp();
		media.fail('NotAllowedError');
		await meter.openMicrophone(wish);
		expect(meter.getState()).toEqual({ state: 'failed', problem: { kind: 'microphone-denied' } });
	});

	test('closed while it opens leaves no microphone on', async () => {
		const { meter, media } = await setUp();
		media.fail('hold');
		const opening = meter.openMicrophone(wish);
		meter.close();
		await opening;
		media.release();
		await vi.waitFor(() => expect(media.tracks).toHaveLength(1));
		expect([media.live(), meter.getState().state]).toEqual([0, 'closed']);
	});

	test('does not stop a track that it was shown', async () => {
		const { meter, media } = await setUp();
		const stream = await media.getUserMedia({ audio: true });
		const [track] = stream.getAudioTracks();
		if (!track) throw new Error('no track');
		meter.show(track);
		expect(meter.getState().state).toBe('open');
		meter.close();
		expect(track.readyState).toBe('live');
	});
});

describe('the test sound', () => {
	test('plays to its end', async () => {
		expect(await playTestSound({ clock: createManualClock() }, null, 0.1)).toEqual({ ok: true });
	});

	test('says when the output is not there', async () => {
		const output = { id: 'nonsense', label: 'Headset' };
		expect(await playTestSound({ clock: createManualClock() }, output)).toEqual({
			ok: false,
			error: { kind: 'output-missing', device: 'Headset' },
		});
	});

	test('says when the browser wants a gesture first', async () => {
		vi.spyOn(HTMLMediaElement.prototype, 'play').mockRejectedValue(new DOMException('', 'NotAllowedError'));
		expect(await playTestSound({ clock: createManualClock() }, null)).toEqual({
			ok: false,
			error: { kind: 'output-blocked' },
		});
	});

	test('gives up on an output that never ends it', async () => {
		vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
		const clock = createManualClock();
		const playing = playTestSound({ clock }, null);
		await clock.run(5000);
		expect(await playing).toMatchObject({ ok: false, error: { kind: 'output-missing' } });
	});
});
