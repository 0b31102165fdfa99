import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutate` asks: those of plain Node, which are the fast ones. The window's own are asked where they drive what is in `shared`. */
export default defineConfig({
	test: {
		include: [
			...['src/{shared,main}/**/*.test.ts', 'test/contract/**/*.test.ts'],
			'src/renderer/{conversation,speaking}/**/*.test.ts',
			// Without a socket, and on a clock of its own. Others measure real time: what fails for want of it would count as killed.
			'test/integration/keeper-day.test.ts',
		],
		exclude: ['**/*.browser.test.ts', '**/node_modules/**'],
		setupFiles: ['test/support/seed.ts'],
		env: { DRAGOMAN_TEST_SEED: '1' },
		// Beside other work, and with every mutant in the code, properties take several times as long.
		testTimeout: 20_000,
	},
});
