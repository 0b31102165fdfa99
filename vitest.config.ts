import react from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { chromiumFlags, findChromium } from './src/stand-in/chromium.ts';
import { roomCommands } from './test/support/room-commands.ts';
import { sandboxRoomCommands } from './test/support/sandbox-room-commands.ts';

const chromium = await findChromium();

export default defineConfig({
	test: {
		projects: [
			{
				test: {
					name: 'node',
					include: [
						'src/**/*.test.ts',
						'test/contract/**/*.test.ts',
						'test/bench/**/*.test.ts',
						'scripts/**/*.test.ts',
					],
					exclude: ['**/*.browser.test.ts', '**/node_modules/**'],
					setupFiles: ['test/support/seed.ts'],
				},
			},
			{
				test: {
					name: 'integration',
					include: ['test/integration/**/*.test.ts'],
					setupFiles: ['test/support/seed.ts'],
					// Real sound and real WebRTC: one file at a time, or a small machine breaks what it measures.
					fileParallelism: false,
				},
			},
			{
				plugins: [react()],
				worker: { format: 'es' },
				// Found only while a test runs, they would make Vite reload it.
				optimizeDeps: {
					include: [
						'axe-core',
						'i18next',
						'livekit-client',
						'react',
						'react/jsx-dev-runtime',
						'react-aria-components',
						'react-dom/client',
						'react-i18next',
						'zod/mini',
						'zustand',
						'zustand/vanilla',
					],
				},
				test: {
					name: 'browser',
					include: ['src/renderer/**/*.browser.test.{ts,tsx}'],
					browser: {
						enabled: true,
						headless: true,
						screenshotFailures: false,
						provider: playwright({
							launchOptions: {
								executablePath: chromium.executablePath,
								args: [...chromiumFlags],
								ignoreDefaultArgs: ['--mute-audio'],
								env: { ...process.env, ...chromium.env } as Record<string, string>,
							},
						}),
						instances: [{ browser: 'chromium' }],
						commands: { ...roomCommands, ...sandboxRoomCommands },
					},
				},
			},
			{
				test: {
					name: 'e2e',
					include: ['test/e2e/**/*.test.ts'],
					testTimeout: 120_000,
					hookTimeout: 120_000,
					fileParallelism: false,
				},
			},
		],
	},
});
