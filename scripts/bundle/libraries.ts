import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { transformWithOxc } from 'vite';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';

/**
 * livekit-client from the sources in its package, not from its own bundle: that supports browsers of the last
 * ten years (generators for `async`, shims, all messages of the protocol), and nothing can be left out of it.
 */

/** Stands in for the library's manager of data tracks, which our rooms do not have: only what the rest of the library calls. */
const NO_DATA_TRACKS = `import { EventEmitter } from 'events';
export default class extends EventEmitter {
	updateE2eeManager() {}
	receivedSfuPublishResponse() {}
	receivedSfuUnpublishResponse() {}
	sfuWillRepublishTracks() {}
	queryPublished() { return []; }
	receivedSfuSubscriberHandles() {}
	packetReceived() {}
	receiveSfuPublicationUpdates() {}
	resendSubscriptionUpdates() {}
	handleRemoteParticipantDisconnected() {}
	shutdown() {}
}`;

/** The same for its data streams, which we do not use: the agent's messages are data packets. */
const NO_DATA_STREAMS = `export default class {
	setupEngine() {}
	sendText() {}
	streamText() {}
	sendFile() {}
	streamBytes() {}
	registerTextStreamHandler() {}
	unregisterTextStreamHandler() {}
	registerByteStreamHandler() {}
	unregisterByteStreamHandler() {}
	setConnected() {}
	clearControllers() {}
	validateParticipantHasNoActiveDataStreams() {}
	handleDataStreamPacket() {}
}`;

/** Modules that our rooms never use, by path in the library, and what replaces them. */
export const unreached: Readonly<Record<string, string>> = {
	// The service's rooms know neither encryption between participants nor tracks and streams of data.
	'src/e2ee/E2eeManager.ts': 'export class E2EEManager {}',
	'src/room/data-stream/incoming/IncomingDataStreamManager.ts': NO_DATA_STREAMS,
	'src/room/data-stream/outgoing/OutgoingDataStreamManager.ts': NO_DATA_STREAMS,
	'src/room/data-track/incoming/IncomingDataTrackManager.ts': NO_DATA_TRACKS,
	'src/room/data-track/outgoing/OutgoingDataTrackManager.ts': NO_DATA_TRACKS,
};

/** Evens out differences between browsers; in a current Chromium it does nothing useful and is only in the way. */
const ADAPTER = 'webrtc-adapter';
const NOTHING = '\0nothing';

/** Both the build and the tests run from the root. */
const library = join(
	dirname(createRequire(join(process.cwd(), 'package.json')).resolve('livekit-client')),
	'..',
);

export const livekitSource = {
	name: 'livekit-source',
	enforce: 'pre' as const,

	resolveId(id: string): string | null {
		if (id === ADAPTER) return NOTHING;
		return id === 'livekit-client' ? join(library, 'src', 'index.ts') : null;
	},

	async load(address: string): Promise<string | { code: string; map: unknown } | null> {
		if (address === NOTHING) return '';
		const id = address.replace(/\?.*$/, '');
		const path = relative(library, id).replaceAll('\\', '/');
		if (!/^src\/.*\.ts$/.test(path)) return null;
		const instead = unreached[path];
		if (instead !== undefined) return instead;
		const text = await readFile(id, 'utf8');
		if (path === 'src/version.ts') {
			// It imports a name from its package.json, which is one value here.
			const { version } = JSON.parse(await readFile(join(library, 'package.json'), 'utf8')) as {
				version: string;
			};
			return text.replace(/^import .*$/m, `const v = '${version}';`);
		}
		const { code, map } = await transformWithOxc(text, id, {
			sourcemap: true,
			// As the library builds itself: a field that a subclass declares again is not emptied by it.
			typescript: { removeClassFieldsWithoutInitializer: true },
		});
		return { code, map };
	},
};

/**
 * React Aria's announcer empties its regions by `innerHTML`, which the page's policy (Trusted Types) refuses: the second number
 * announced would throw in an effect and take the whole window with it. Here they are emptied by a method that parses nothing.
 */
const ANNOUNCER = /[\\/]dist[\\/]private[\\/]live-announcer[\\/]LiveAnnouncer\.mjs$/;
const EMPTIED = ".innerHTML = ''";

export const announcer = {
	name: 'announcer',
	enforce: 'pre' as const,

	/** @throws Error when the library no longer has what is replaced here. */
	transform(code: string, id: string): string | null {
		if (!ANNOUNCER.test(id.replace(/\?.*$/, ''))) return null;
		const changed = code.replaceAll(EMPTIED, '.replaceChildren()');
		if (changed === code || changed.includes('innerHTML')) {
			throw new Error(
				`${id} no longer empties its regions by "${EMPTIED}": see scripts/bundle/libraries.ts.`,
			);
		}
		return changed;
	},
};

/**
 * React Aria carries its own words in 34 languages; the window is shown in a few. The words of the others are
 * left out: for one of those React Aria falls back to English, as for a language it does not know.
 */
const OWN: ReadonlySet<string> = new Set(interfaceLanguages);
const WORDS =
	/[\\/](?:react-aria|react-aria-components|react-stately)[\\/].*[\\/]intl[\\/].*?([a-z]{2})-[A-Z]{2}\.m?js$/;

/** What is loaded instead of a file of React Aria's words; null = the file itself. */
export function insteadOf(id: string): string | null {
	const language = WORDS.exec(id)?.[1];
	if (language === undefined || OWN.has(language)) return null;
	return `export { default } from './en-US${id.slice(id.lastIndexOf('.'))}';`;
}

/**
 * Two files of React Aria that use the browser's locale data; loading that takes 30 ms and 10 ms before the first
 * picture. The window always sets its own language, so the browser's is not needed; which languages are
 * written from the right we know ourselves.
 */
const I18N = /[\\/]react-aria[\\/]dist[\\/]private[\\/]i18n[\\/](useDefaultLocale|utils)\.mjs$/;
const OURS: Readonly<Record<string, string>> = {
	useDefaultLocale: "export const useDefaultLocale = () => ({ locale: 'en-US', direction: 'ltr' });",
	// Relative to React Aria's own file.
	utils: "export { isRightToLeft as isRTL } from '../../../../../src/shared/protocol/languages.ts';",
};

/** The same for what React Aria asks of the browser's locale data. */
export function ownI18n(id: string): string | null {
	return OURS[I18N.exec(id)?.[1] ?? ''] ?? null;
}

export const ownLocales = {
	name: 'own-locales',
	enforce: 'pre' as const,
	load: (id: string) => ownI18n(id) ?? insteadOf(id),
};
