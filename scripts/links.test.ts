import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const pages = globSync([
	'*.md',
	'docs/*.md',
	'.github/**/*.md',
	'{packaging,resources,src,test}/**/README.md',
]).filter((page) => !page.includes('node_modules'));

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

test('the README names every document', () => {
	const readme = readFileSync('README.md', 'utf8');
	const unnamed = globSync('*.md', { cwd: 'docs' }).filter((name) => !readme.includes(`](docs/${name})`));
	expect(unnamed).toEqual([]);
});

test('every section of the protocol that the code cites is in docs/protocol.md', () => {
	const page = readFileSync('docs/protocol.md', 'utf8');
	const cited = globSync(['src/**/*.{ts,tsx}', 'test/**/*.{ts,tsx,json}']).flatMap((file) =>
		[...readFileSync(file, 'utf8').matchAll(/\b(spec|protocol) (\d+(?:\.\d+)*)/g)].map(
			([, name = '', section = '']) => `${name} ${section}`,
		),
	);
	const missing = [...new Set(cited)].filter((section) => {
		const number = section.split(' ')[1] ?? '';
		if (section.startsWith('spec')) return !page.includes(`**${section} `);
		if (number.startsWith('10.')) return !page.includes(`\n| ${number.slice('10.'.length)} | `);
		return !page.includes(`# ${number} `);
	});
	expect(cited.length).toBeGreaterThan(100);
	expect(missing).toEqual([]);
});
