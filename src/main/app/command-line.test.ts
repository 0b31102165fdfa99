import { describe, expect, test } from 'vitest';
import { help, refuseSwitches, sortArguments } from './command-line.ts';

function start(argv: readonly string[], differs: { isPackaged?: boolean; env?: NodeJS.ProcessEnv } = {}) {
	const removed: string[] = [];
	const relaunched: unknown[] = [];
	const goesOn = refuseSwitches(
		{
			isPackaged: differs.isPackaged ?? true,
			commandLine: { removeSwitch: (name) => void removed.push(name) },
			relaunch: (options) => void relaunched.push(options),
		},
		{ argv: ['dragoman', ...argv], platform: 'linux', env: differs.env ?? {} },
	);
	return { goesOn, removed, relaunched };
}

describe('the packaged program', () => {
	test.each(['no-sandbox', 'disable-gpu-sandbox', 'no-zygote', 'single-process', 'js-flags'])(
		'starts anew without --%s, which is in force before it could be taken away',
		(name) => {
			const argv = ['--lang=de', `--${name}=x`, '--api-url', 'https://x.example', '-proxy-server=evil'];
			const { goesOn, removed, relaunched } = start(argv);
			expect(goesOn).toBe('started anew');
			expect(removed).toEqual([name, 'proxy-server', 'user-data-dir']);
			const args = ['--lang=de', '--api-url', 'https://x.example'];
			expect(relaunched).toEqual([{ args: ['--started-anew', ...args] }]);
			expect(start(['--started-anew', ...args])).toMatchObject({ goesOn: 'goes on', relaunched: [] });
		},
	);

	test('starts the AppImage itself anew, not the file in its folder', () => {
		const { relaunched } = start(['--no-sandbox'], { env: { APPIMAGE: '/home/x/Dragoman.AppImage' } });
		expect(relaunched).toEqual([{ args: ['--started-anew'], execPath: '/home/x/Dragoman.AppImage' }]);
	});

	test('does not start anew for ever where the AppImage adds the switch itself', () => {
		const env = { APPIMAGE: '/home/x/Dragoman.AppImage' };
		expect(start(['--no-sandbox', '--started-anew'], { env })).toMatchObject({
			goesOn: 'cannot',
			relaunched: [],
		});
	});

	test('keeps its own options and those of looks, and takes its data folder from Chromium', () => {
		const own = [...help.matchAll(/--([\w-]+)/g)].map(([option]) => option);
		expect(own).toContain('--user-data-dir');
		const argv = [...own, '--ozone-platform=wayland', '--disable-gpu', 'a-file'];
		expect(start(argv)).toEqual({ goesOn: 'goes on', removed: ['user-data-dir'], relaunched: [] });
	});
});

test('for developers every switch holds', () => {
	const argv = ['--remote-debugging-port=9222', '--no-sandbox', '--proxy-server=x'];
	expect(start(argv, { isPackaged: false })).toEqual({ goesOn: 'goes on', removed: [], relaunched: [] });
});

test('a switch is read as Chromium reads it: one mark or two, on Windows also a slash and any case', () => {
	const argv = [
		'-no-sandbox',
		'--Proxy-Server=x',
		'/disable-features=y',
		'--lang',
		'x',
		'--',
		'--no-sandbox',
	];
	expect(sortArguments(argv, 'linux')).toEqual({
		refused: ['no-sandbox', 'Proxy-Server'],
		kept: ['/disable-features=y', '--lang', 'x', '--', '--no-sandbox'],
	});
	expect(sortArguments(['/NO-SANDBOX', '--LANG=de', '--No-Sandbox'], 'win32')).toEqual({
		refused: ['no-sandbox', 'no-sandbox'],
		kept: ['--LANG=de'],
	});
});
