import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { announcer, livekitSource, ownLocales } from './scripts/bundle/libraries.ts';
import { apartMaps, recordBundled, recordChunks } from './scripts/bundle/records.ts';
import { pageLinks, windowFiles, wordsApart } from './scripts/bundle/window.ts';

/** Everything is bundled: the package ships no node_modules (electron stays external by itself). */
export default defineConfig({
	main: {
		plugins: [recordBundled('main')],
		build: {
			externalizeDeps: false,
			rollupOptions: {
				input: {
					index: 'src/main/electron/index.ts',
					sandbox: 'src/sandbox/main.ts',
					'ear-worker': 'src/sandbox/local/ear-worker.ts',
					'mouth-worker': 'src/sandbox/local/mouth-worker.ts',
					'portal-bus': 'src/main/keys/portal-bus.ts',
					// What an installed copy has besides (bin/dragoman.mjs): the packages for the systems leave it out.
					cli: 'src/main/cli/index.ts',
					demo: 'src/demo/main.ts',
					start: 'src/stand-in/start.ts',
					'stand-in': 'src/stand-in/electron.ts',
				},
				external: [
					'@livekit/rtc-node',
					'livekit-server-sdk',
					'playwright-core',
					'bufferutil',
					'utf-8-validate',
				],
			},
		},
	},
	preload: {
		plugins: [recordBundled('preload')],
		build: {
			externalizeDeps: false,
			// The page waits for the preload.
			minify: true,
			rollupOptions: {
				input: { index: 'src/preload/index.ts' },
				output: { format: 'cjs', entryFileNames: '[name].cjs' },
			},
		},
	},
	renderer: {
		root: 'src/renderer',
		plugins: [
			react(),
			announcer,
			livekitSource,
			pageLinks,
			ownLocales,
			wordsApart,
			recordBundled('renderer'),
			recordChunks,
			apartMaps('renderer'),
		],
		worker: { format: 'es' },
		// The words of a language as one string: parsed faster than code, and smaller.
		json: { namedExports: false, stringify: true },
		build: {
			minify: true,
			sourcemap: 'hidden',
			// Chromium supports the link itself.
			modulePreload: { polyfill: false },
			chunkSizeWarningLimit: 700,
			rollupOptions: {
				input: { index: 'src/renderer/index.html', overlay: 'src/renderer/overlay/index.html' },
				output: { codeSplitting: { groups: windowFiles } },
			},
		},
	},
});
