import { afterEach, expect, test, vi } from 'vitest';

const opened: string[] = [];
vi.mock('electron', () => ({
	shell: { openExternal: async (address: string) => void opened.push(address) },
	systemPreferences: {},
}));
const { openMicrophonePrivacy, openSoundPrivacy } = await import('./microphone-access.ts');

const { platform } = process;
afterEach(() => {
	opened.length = 0;
	Object.defineProperty(process, 'platform', { value: platform });
});

const page = 'x-apple.systempreferences:com.apple.preference.security?Privacy_';

test.each([
	['darwin', [true, true], [`${page}Microphone`, `${page}ScreenCapture`]],
	['win32', [true, false], ['ms-settings:privacy-microphone']],
	['linux', [false, false], []],
])(
	'on %s each leave has the page of the system where it is given, and only that',
	async (name, there, pages) => {
		Object.defineProperty(process, 'platform', { value: name });
		expect([await openMicrophonePrivacy(), await openSoundPrivacy()]).toEqual(there);
		expect(opened).toEqual(pages);
	},
);
