import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { announcer } from './announcer.ts';

const file = 'node_modules/react-aria/dist/private/live-announcer/LiveAnnouncer.mjs';

test('the announcer of the library installed here is changed, and nothing else is', () => {
	const code = readFileSync(file, 'utf8');
	expect(announcer.transform(code, `/x/${file}?v=1`)).toContain('this.assertiveLog.replaceChildren()');
	expect(announcer.transform(code, `/x/${file}`)).not.toContain('innerHTML');
	expect(announcer.transform("a.innerHTML = ''", '/x/node_modules/other/LiveAnnouncer.mjs')).toBeNull();
});

test.each(["a.textContent = ''", "a.innerHTML = ''; b.innerHTML = '<b>'"])(
	'one that no longer reads as expected fails the build: %s',
	(code) => {
		expect(() => announcer.transform(code, file)).toThrow('scripts/bundle/announcer.ts');
	},
);
