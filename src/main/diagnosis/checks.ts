import { fine } from '#shared/diagnosis/finding.ts';
import type { Check } from '#shared/diagnosis/run-checks.ts';
import { machineChecks } from './machine-checks.ts';
import type { DiagnosisParts } from './parts.ts';
import { roomChecks } from './room-checks.ts';
import { serviceChecks } from './service-checks.ts';

const SOUND_MS = 5000;

/** Everything Node can find out, in the order it is shown; for the command line and the app alike. */
export function mainChecksOf(parts: DiagnosisParts): readonly Check[] {
	return [
		...machineChecks(parts),
		...serviceChecks(parts),
		...roomChecks(parts),
		{
			name: 'sound',
			limitMs: SOUND_MS,
			run: async () => (parts.sound ? parts.sound() : fine('soundNone')),
		},
	];
}
