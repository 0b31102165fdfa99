import { describe, expect, it, test } from 'vitest';
import { defaultSettings } from '#shared/settings/schema.ts';
import { presets, valuesOf } from './presets.ts';

const none = defaultSettings.expert;

test('a preset waits less and keeps a smaller backlog the faster it is, with a natural pace where it is accurate', () => {
	expect(presets).toEqual({
		fast: {
			silenceThresholdS: 0.4,
			sentenceSplitter: true,
			translatePartials: true,
			desiredQueueMs: 3000,
			maxQueueMs: 8000,
			autoTempo: true,
			minTempo: 1.15,
			maxTempo: 1.45,
		},
		balanced: {
			silenceThresholdS: 0.7,
			sentenceSplitter: true,
			translatePartials: false,
			desiredQueueMs: 5000,
			maxQueueMs: 20_000,
			autoTempo: true,
			minTempo: 1.15,
			maxTempo: 1.45,
		},
		accurate: {
			silenceThresholdS: 0.9,
			sentenceSplitter: true,
			translatePartials: false,
			desiredQueueMs: 8000,
			maxQueueMs: 24_000,
			autoTempo: true,
			minTempo: 1,
			maxTempo: 1.2,
		},
	});
});

describe('the expert', () => {
	it.each([
		[19_999, 20_000],
		[20_000, 22_000],
		[20_001, 22_001],
	])(
		'who wants a backlog of %d ms has a greatest one of %d ms: it is refused when it is not greater',
		(desiredQueueMs, maxQueueMs) => {
			expect(valuesOf({ preset: 'balanced', expert: { ...none, desiredQueueMs } })).toEqual({
				...presets.balanced,
				desiredQueueMs,
				maxQueueMs,
			});
		},
	);

	it('never has a slowest pace above the fastest', () => {
		const tempo = (minTempo: number) => {
			const values = valuesOf({ preset: 'balanced', expert: { ...none, minTempo } });
			return [values.minTempo, values.maxTempo];
		};
		expect([1.4, 1.45, 1.6].map(tempo)).toEqual([
			[1.4, 1.45],
			[1.45, 1.45],
			[1.6, 1.6],
		]);
	});
});
