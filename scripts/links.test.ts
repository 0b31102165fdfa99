import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const pages = globSync(['*.md', 'docs/*.md', 'src/**/README.md', 'resources/**/README.md']);

/** The anchors of the headings, as GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
	const text = readFileSync(page, 'utf8').replaceAll(/^```.*?^```/gms, '');
	return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
		title
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
			.trim()
			.replaceAll(/\s/g, '-'),
	);
}

test.each(pages)('%s: every link leads to a file that is there, and to a heading in it', (page) => {
	const text = readFileSync(page, 'utf8')
		.replaceAll(/^```.*?^```/gms, '')
		.replaceAll(/`[^`\n]*`/g, '');
	const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
	const dead = targets
		.filter((target) => !/^[a-z]+:/.test(target))
		.filter((target) => {
			const [path = '', anchor] = target.split('#');
			const file = path === '' ? page : join(dirname(page), path);
			return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
		});
	expect(dead).toEqual([]);
});

test('the index of the documents names every one of them', () => {
	const index = readFileSync('docs/README.md', 'utf8');
	const unnamed = globSync('*.md', { cwd: 'docs' }).filter(
		(name) => name !== 'README.md' && !index.includes(`](${name})`),
	);
	expect(unnamed).toEqual([]);
});
