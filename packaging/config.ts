import { join } from 'node:path';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';

/**
 * The configuration of electron-builder: a subset of its `Configuration`, whose types are only installed with
 * the tool.
 */
export function builderConfig(options: {
	readonly root: string;
	/** Folder for the packages. */
	readonly output: string;
	readonly electronVersion: string;
	/** An unpacked Electron of the target system, if available; otherwise it is downloaded. */
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
		// Everything is bundled, so there are no modules to compile or collect.
		npmRebuild: false,
		nodeGypRebuild: false,
		// The sandbox is a separate process and reads its clips as plain files, not from the archive.
		extraResources: [
			{ from: join(resources, 'speech'), to: 'speech' },
			{ from: join(root, 'out/package/app/THIRD-PARTY-NOTICES.txt'), to: 'THIRD-PARTY-NOTICES.txt' },
		],
		// Setting fuses changes signed code, so the ad-hoc signature is renewed: without it Apple silicon would
		// not run the program.
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
		// The virtual microphone and the capture of other programs need `pactl` and `parec` from this package.
		deb: { recommends: ['pulseaudio-utils'] },
		mac: {
			target: ['dmg', 'zip'],
			category: 'public.app-category.productivity',
			icon: join(resources, 'icons/icon.png'),
			minimumSystemVersion: '13.0',
			hardenedRuntime: true,
			gatekeeperAssess: false,
			entitlements: join(resources, 'entitlements.mac.plist'),
			// Helpers may load libraries of others: the interpreter's process loads downloaded ones.
			entitlementsInherit: join(resources, 'entitlements.helpers.mac.plist'),
			extendInfo: {
				NSMicrophoneUsageDescription: 'Dragoman hears what you say to translate it.',
				// Without this text the loopback of macOS is silent, and no error reports it.
				NSAudioCaptureUsageDescription: 'Dragoman hears what the computer plays to translate it for you.',
			},
		},
		win: { target: ['nsis'], icon: join(resources, 'icons/icon.png') },
		// Installed for a single user, without administrator rights.
		nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
	};
}

/** Electron's switches that are set in the program file (electronjs.org/docs/latest/tutorial/fuses). */
export const FUSES = {
	/** The program cannot run as Node: the sandbox runs in a `utilityProcess`, which does not need that. */
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
