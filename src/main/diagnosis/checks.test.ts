import { expect, test } from 'vitest';
import { mainChecks } from '#shared/diagnosis/finding.ts';
import { mainChecksOf } from './checks.ts';
import type { DiagnosisParts } from './parts.ts';

test('the command line checks in the order in which the window shows', () => {
	expect(mainChecksOf({} as DiagnosisParts).map(({ name }) => name)).toEqual([...mainChecks]);
});
