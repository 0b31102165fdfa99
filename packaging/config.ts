import { join } from 'node:path';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';

/** What electron-builder is told; a part of its `Configuration`, whose types stay with the tool. */
export function builderConfig(options: {
	readonly root: string;
	/** Where the packages go. */
	readonly output: string;
	readonly electronVersion: string;
	/** An unpacked Electron of the target, when one is at hand; otherwise it is downloaded. */
	readonly electronDist?: string | undefined;
}): Record<string, unknown> {
	const { root, output, electronVersion, electronDist } = options;
	const resources = join(root, 'resources');
	return {
		appId: 'app.dragoman.desktop',
		productName: 'Dragoman',
		copyright: 'MIT licence',
		electronVersion,
		...(electronDist && { electronDist }),
		directories: { output, buildResources: resources },
		files: ['**/*'],
		asar: true,
		// Everything is bundled: nothing to compile, nothing to collect.
		npmRebuild: false,
		nodeGypRebuild: false,
		// The sandbox is a separate process and reads its clips as plain files, not from the archive.
		extraResources: [
			{ from: join(resources, 'speech'), to: 'speech' },
			{ from: join(root, 'out/package/app/THIRD-PARTY-NOTICES.txt'), to: 'THIRD-PARTY-NOTICES.txt' },
		],
		// Setting them rewrites what is signed; without a certificate of ours Apple silicon would not run it.
		electronFuses: { ...FUSES, resetAdHocDarwinSignature: true },
		electronLanguages: interfaceLanguages.map((language) => (language === 'en' ? 'en-US' : language)),
		publish: null,
		linux: {
			target: ['AppImage', 'deb'],
			category: 'AudioVideo',
			maintainer: 'Dragoman <dragoman@localhost>',
			icon: join(resources, 'icons/icon.png'),
			syncDesktopName: true,
		},
		// The virtual microphone and the sound of other programs need its `pactl` and `parec`.
		deb: { recommends: ['pulseaudio-utils'] },
		mac: {
			target: ['dmg', 'zip'],
			category: 'public.app-category.productivity',
			icon: join(resources, 'icons/icon.png'),
			minimumSystemVersion: '13.0',
			hardenedRuntime: true,
			gatekeeperAssess: false,
			entitlements: join(resources, 'entitlements.mac.plist'),
			entitlementsInherit: join(resources, 'entitlements.mac.plist'),
			extendInfo: {
				NSMicrophoneUsageDescription: 'Dragoman hears what you say to translate it.',
				// Without it the loopback of macOS is silent, and no error says so.
				NSAudioCaptureUsageDescription: 'Dragoman hears what the computer plays to translate it for you.',
			},
		},
		win: { target: ['nsis'], icon: join(resources, 'icons/icon.png') },
		// Installed for one user, without administrator rights.
		nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
	};
}

/** Electron's switches that are burnt into the program (electronjs.org/docs/latest/tutorial/fuses). */
export const FUSES = {
	/** The program cannot be run as Node: the sandbox runs in a `utilityProcess`, which needs no such switch. */
	runAsNode: false,
	enableCookieEncryption: true,
	enableNodeOptionsEnvironmentVariable: false,
	enableNodeCliInspectArguments: false,
	enableEmbeddedAsarIntegrityValidation: true,
	onlyLoadAppFromAsar: true,
	loadBrowserProcessSpecificV8Snapshot: false,
	/** The window is served from `app:`, never from `file:`. */
	grantFileProtocolExtraPrivileges: false,
} as const;
