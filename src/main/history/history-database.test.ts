import { expect, test } from 'vitest';
import { kindOfFailure } from './history-database.ts';

test.each([
	['a database that another program holds', { errcode: 5 }, 'busy'],
	['a table that is locked', { errcode: 6 }, 'busy'],
	['one that is being recovered (SQLITE_BUSY_RECOVERY)', { errcode: 261 }, 'busy'],
	['a broken page', { errcode: 11 }, 'broken'],
	['a broken index (SQLITE_CORRUPT_INDEX)', { errcode: 779 }, 'broken'],
	['a file that is none', { errcode: 26 }, 'broken'],
	['one that may not be written', { errcode: 8 }, 'read-only'],
	['one whose folder may not be written (SQLITE_READONLY_DIRECTORY)', { errcode: 1544 }, 'read-only'],
	['a full disk', { errcode: 13 }, 'other'],
	['a code that is no number', { errcode: '5' }, 'other'],
	['a failure of the file system', new Error('EACCES'), 'other'],
	['nothing', null, 'other'],
	['a text', 'busy', 'other'],
	['no value', undefined, 'other'],
])('%s', (_, thrown, kind) => {
	expect(kindOfFailure(thrown)).toBe(kind);
});
