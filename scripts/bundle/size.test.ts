import { expect, test } from 'vitest';
import { type Chunks, heaviest, sizeOf } from './size.ts';

const chunks: Chunks = {
	'assets/index.js': {
		entry: 'index',
		imports: ['assets/shared.js', 'assets/look.js'],
		modules: { 'src/renderer/main.tsx': 10 },
	},
	'assets/shared.js': {
		entry: null,
		imports: [],
		modules: { 'node_modules/react-dom/client.js': 700, 'node_modules/@scope/name/a.js': 50 },
	},
	// Nothing but styles: the bundler names it and writes no script.
	'assets/look.js': { entry: null, imports: [], modules: { 'src/renderer/first-picture.css': 0 } },
	'assets/overlay.js': { entry: 'overlay', imports: ['assets/shared.js'], modules: {} },
	'assets/page.js': { entry: null, imports: ['assets/index.js'], modules: {} },
	'assets/en.js': { entry: null, imports: [], modules: { 'src/shared/i18n/en.first.words': 1 } },
	'assets/ja.js': { entry: null, imports: [], modules: { 'src/shared/i18n/ja.first.words': 1 } },
	'assets/en-1.js': { entry: null, imports: [], modules: { 'src/shared/i18n/en.pages.words': 1 } },
	'assets/en-2.js': { entry: null, imports: [], modules: { 'src/shared/i18n/settings-search/en.json': 1 } },
	'assets/ja-2.js': { entry: null, imports: [], modules: { 'src/shared/i18n/settings-search/ja.json': 1 } },
};
const bytes = new Map([
	['assets/index.js', 100],
	['assets/shared.js', 200],
	['assets/overlay.js', 5],
	['assets/page.js', 40],
	['assets/en.js', 10],
	['assets/ja.js', 12],
	['assets/en-1.js', 20],
	['assets/en-2.js', 2],
	['assets/ja-2.js', 1],
	['assets/worklet.js', 3],
]);

test('before Start: the page and what it imports, the preload, and the longest of the languages', () => {
	const size = sizeOf(chunks, bytes, 7);
	expect(size.first.toSorted()).toEqual(['assets/index.js', 'assets/shared.js']);
	expect(size.beforeStart).toBe(100 + 200 + 12 + 7);
	expect(size.whole).toBe(100 + 200 + 5 + 40 + 3 + 12 + 20 + 2 + 7);
});

test('what is heavy is named by its package or room', () => {
	expect(heaviest(chunks, ['assets/index.js', 'assets/shared.js'])).toEqual([
		'1 k node_modules/react-dom',
		'0 k node_modules/@scope/name',
		'0 k src/renderer/main.tsx',
	]);
});
