import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandTable, exitStatuses, helpOf, overview, type TopicName, topics } from './command-list.ts';

const page = readFileSync('docs/reference.md', 'utf8');

test('the page of the command line has the table of commands, and the exit statuses', () => {
	expect(page).toContain(`\n${commandTable()}\n`);
	const oneLine = (text: string) => text.replace(/\s+/g, ' ');
	expect(oneLine(page)).toContain(oneLine(exitStatuses));
});

test('the list of commands names each, and help shows each of its ways to be typed', () => {
	for (const name of Object.keys(topics) as TopicName[]) {
		expect(overview()).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
		expect(helpOf(name)).toMatch(new RegExp(`^Usage: npm run cli -- ${name} `));
		for (const [second, { forms }] of Object.entries(topics[name].commands)) {
			for (const [usage, does] of second === '' ? [] : forms) {
				expect(helpOf(name)).toContain(`\n  ${`${second} ${usage}`.trim()} `);
				expect(helpOf(name)).toContain(` ${does}\n`);
			}
		}
	}
});

test('help keeps its columns, long words too', () => {
	const lines = helpOf('voices').split('\n');
	expect(lines).toContain('    --description T');
	expect(lines).toContain('  list                  voices made on this computer with this account');
	expect(lines).toContain(
		'    --lang L            language of the sample, such as es or en-us; auto = the service detects it',
	);
	expect(helpOf('translate')).toContain(
		'\n                        (default: NAME.L.wav in the current folder).',
	);
});
