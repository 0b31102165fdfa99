import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutate` runs: those of plain Node, which are fast, and the window's own where they drive code of `shared`. */
export default defineConfig({
	test: {
		include: [
			...['src/{shared,main}/**/*.test.ts', 'test/contract/**/*.test.ts'],
			'src/renderer/{conversation,speaking}/**/*.test.ts',
			// It has no socket, and a clock of its own. Others run in real time: a mutant that fails only for lack of time would count as killed.
			'test/integration/keeper-day.test.ts',
		],
		exclude: ['**/*.browser.test.ts', '**/node_modules/**'],
		setupFiles: ['test/support/seed.ts'],
		env: { DRAGOMAN_TEST_SEED: '1' },
		// With every mutant in the code, and other work beside, properties take several times as long.
		testTimeout: 20_000,
	},
});
