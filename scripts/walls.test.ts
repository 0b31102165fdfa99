import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overridesFor, walls } from '#scripts/walls.ts';

/** Folder (as a file in it) → imports that must pass and that must be refused. */
const matrix: Record<string, { allowed: string[]; forbidden: string[] }> = {
	'src/shared/captions/probe.ts': {
		allowed: ['./x.ts', '#shared/lib/result.ts', 'zod/mini'],
		forbidden: [
			'../lib/result.ts',
			'#main/host.ts',
			'#renderer/host.ts',
			'#sandbox/sandbox.ts',
			'node:fs',
			'electron',
			'ws',
			'react',
			'zustand',
			'zustand/vanilla',
			'livekit-client',
			'zod',
		],
	},
	'src/main/sessions/probe.ts': {
		allowed: [
			'#main/service/http.ts',
			'./x.ts',
			'#shared/lib/result.ts',
			'#main/lib/shared-file.ts',
			'node:fs',
			'ws',
			'zod',
		],
		forbidden: [
			'../service/http.ts',
			'#main/electron/shell.ts',
			'#renderer/host.ts',
			'#sandbox/sandbox.ts',
			'electron',
			'react',
			'livekit-client',
		],
	},
	'src/main/host.ts': {
		allowed: ['#main/sessions/ledger.ts', '#shared/problem.ts', 'node:fs'],
		forbidden: ['#main/electron/windows.ts', 'electron', '#renderer/host.ts', 'react'],
	},
	'src/main/cli/probe.ts': {
		allowed: ['#main/sessions/ledger.ts', 'node:util'],
		forbidden: ['#main/electron/windows.ts', 'electron', '#sandbox/sandbox.ts'],
	},
	'src/main/app/probe.ts': {
		allowed: ['./x.ts', '#main/sessions/ledger.ts', '#main/host.ts', 'node:path'],
		forbidden: [
			'electron',
			'#main/electron/windows.ts',
			'#main/cli/context.ts',
			'#renderer/host.ts',
			'react',
		],
	},
	'src/main/electron/probe.ts': {
		allowed: ['electron', '#main/host.ts', '#main/app/lifecycle.ts', 'node:path'],
		forbidden: ['#renderer/host.ts', '#sandbox/sandbox.ts', 'react', 'livekit-client'],
	},
	'src/preload/probe.ts': {
		allowed: ['electron', '#shared/host/contract.ts', 'zod/mini'],
		forbidden: ['#shared/settings/schema.ts', '#main/host.ts', 'node:fs', 'zod', 'react'],
	},
	'src/renderer/sound/probe.ts': {
		allowed: ['#shared/sound/level.ts', './context.ts', 'zustand/vanilla', '#renderer/calls/call-output.ts'],
		forbidden: ['react', 'node:fs', 'electron', 'livekit-client', 'zustand', '#renderer/live/live-page.tsx'],
	},
	'src/renderer/sound/worklets/probe.ts': {
		allowed: ['#shared/sound/level.ts'],
		forbidden: ['#shared/problem.ts', 'zod/mini', 'react', '#renderer/sound/context.ts'],
	},
	'src/renderer/transport/probe.ts': {
		allowed: ['livekit-client', '#renderer/sound/context.ts', '#renderer/host.ts', '#shared/problem.ts'],
		forbidden: ['#renderer/conversation/controller.ts', 'react', 'zustand', 'node:fs', 'electron'],
	},
	'src/renderer/conversation/probe.ts': {
		allowed: ['zustand/vanilla', '#renderer/transport/transport.ts', '#renderer/host.ts', './legs.ts'],
		forbidden: [
			'react',
			'zustand',
			'livekit-client',
			'node:fs',
			'#renderer/live/dock/dock.tsx',
			'../host.ts',
		],
	},
	'src/renderer/conversation/use-probe.ts': {
		allowed: ['react', 'zustand', '#renderer/shell/parts.ts'],
		forbidden: ['livekit-client', '#renderer/settings/settings-page.tsx'],
	},
	'src/renderer/captions/probe.tsx': {
		allowed: ['react', './x.tsx', '#renderer/conversation/conversation.ts', '#renderer/ui/button.tsx'],
		forbidden: [
			'#renderer/live/dock/dock.tsx',
			'#renderer/history/history-page.tsx',
			'../live/live-page.tsx',
		],
	},
	'src/renderer/history/probe.tsx': {
		allowed: ['react', '#renderer/settings/settings-mirror.ts', '#renderer/shell/parts.ts'],
		forbidden: [
			'#renderer/settings/setting-fields.tsx',
			'#renderer/sessions/sessions-page.tsx',
			'livekit-client',
			'electron',
		],
	},
	'src/renderer/i18n/probe.ts': {
		allowed: ['react', '#shared/problem.ts'],
		forbidden: ['#renderer/shell/parts.ts', '#renderer/host.ts'],
	},
	'src/renderer/ui/probe.tsx': {
		allowed: ['react', 'react-aria-components', '#renderer/ui/button.tsx'],
		forbidden: [
			'#shared/problem.ts',
			'#renderer/conversation/conversation.ts',
			'zustand',
			'zod/mini',
			'livekit-client',
		],
	},
	'src/renderer/overlay/main.tsx': {
		allowed: ['react', './overlay-page.tsx', '#renderer/captions/caption-box.tsx', '#renderer/host.ts'],
		forbidden: ['#renderer/conversation/conversation.ts', '#renderer/shell/parts.ts', 'livekit-client'],
	},
	'src/renderer/shell/probe.tsx': {
		allowed: ['#renderer/transport/transport.ts', '#renderer/settings/settings-page.tsx', 'react'],
		forbidden: ['livekit-client', 'electron', 'node:fs', '#main/host.ts'],
	},
	'src/sandbox/api/probe.ts': {
		allowed: [
			'#sandbox/accounts.ts',
			'#shared/protocol/session.ts',
			'#shared/lib/clock.ts',
			'ws',
			'node:http',
		],
		forbidden: [
			'#shared/captions/assembler.ts',
			'#shared/conversation/machine.ts',
			'#main/service/http.ts',
			'electron',
			'react',
			'livekit-client',
		],
	},
	'src/stand-in/probe.ts': {
		allowed: ['playwright-core', 'node:fs', '#shared/problem.ts', '#main/service/proxy.ts'],
		forbidden: [
			'#main/host.ts',
			'#main/service/session-client.ts',
			'#renderer/host.ts',
			'react',
			'../main/host.ts',
		],
	},
	'src/demo/probe.ts': {
		allowed: [
			'playwright-core',
			'#sandbox/sandbox.ts',
			'#stand-in/drive/sound.ts',
			'#main/service/session-client.ts',
			'#main/system-clock.ts',
		],
		forbidden: [
			'#main/host.ts',
			'#main/sessions/ledger.ts',
			'#main/electron/windows.ts',
			'#renderer/host.ts',
			'livekit-client',
			'../main/host.ts',
		],
	},
};

interface Diagnostic {
	readonly category: string;
	readonly location: {
		readonly path: string | { readonly file: string };
		readonly start?: { readonly line: number };
	};
}

describe('import walls', () => {
	const root = tmpdir();
	const folder = mkdtempSync(join(root, 'walls-'));
	const refused = new Map<string, Set<number>>();

	beforeAll(() => {
		const config = JSON.parse(readFileSync('biome.json', 'utf8'));
		// The same rules, without git and without the rules that have nothing to do with imports.
		writeFileSync(
			join(folder, 'biome.json'),
			JSON.stringify({ root: true, overrides: config.overrides, linter: { rules: { preset: 'none' } } }),
		);
		writeFileSync(join(folder, 'package.json'), readFileSync('package.json'));
		symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
		for (const [file, { allowed, forbidden }] of Object.entries(matrix)) {
			mkdirSync(dirname(join(folder, file)), { recursive: true });
			const lines = [...allowed, ...forbidden].map((name, index) => `import * as i${index} from '${name}';`);
			writeFileSync(join(folder, file), `${lines.join('\n')}\n`);
		}
		const run = spawnSync(
			resolve('node_modules/.bin/biome'),
			['lint', '--reporter=json', '--max-diagnostics=none', 'src'],
			{ cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 },
		);
		const report: { diagnostics: Diagnostic[] } = JSON.parse(run.stdout);
		for (const { category, location } of report.diagnostics) {
			if (category !== 'lint/style/noRestrictedImports' || !location.start) continue;
			const path = typeof location.path === 'string' ? location.path : location.path.file;
			const lines = refused.get(path) ?? new Set();
			lines.add(location.start.line);
			refused.set(path, lines);
		}
	});

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	it('biome.json carries the rows of scripts/walls.ts', () => {
		expect(JSON.parse(readFileSync('biome.json', 'utf8')).overrides).toEqual(
			JSON.parse(JSON.stringify(overridesFor(walls))),
		);
	});

	for (const [file, { allowed, forbidden }] of Object.entries(matrix)) {
		it(`${dirname(file)} may import what it should and nothing else`, () => {
			const lines = refused.get(file) ?? new Set();
			const seen = [...allowed, ...forbidden].filter((_, index) => lines.has(index + 1));
			expect(seen).toEqual(forbidden);
		});
	}
});
