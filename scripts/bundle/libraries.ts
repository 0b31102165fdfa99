import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { transformWithOxc } from 'vite';
import { interfaceLanguages } from '#shared/i18n/interface-languages.ts';

/**
 * Builds livekit-client from the sources in its package, not from its own bundle, which supports browsers of the
 * last ten years (generators for `async`, shims, all messages of the protocol) and from which nothing can be
 * removed.
 */

/**
 * Replaces the library's manager of data tracks, which our rooms do not use: only the methods that the rest of
 * the library calls.
 */
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

/** Replaces the library's data streams, which we do not use either: the agent's messages are data packets. */
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

/** Modules that our rooms never use, by path in the library, and their replacements. */
export const unreached: Readonly<Record<string, string>> = {
	// The service's rooms use neither encryption between participants nor tracks and streams of data.
	'src/e2ee/E2eeManager.ts': 'export class E2EEManager {}',
	'src/room/data-stream/incoming/IncomingDataStreamManager.ts': NO_DATA_STREAMS,
	'src/room/data-stream/outgoing/OutgoingDataStreamManager.ts': NO_DATA_STREAMS,
	'src/room/data-track/incoming/IncomingDataTrackManager.ts': NO_DATA_TRACKS,
	'src/room/data-track/outgoing/OutgoingDataTrackManager.ts': NO_DATA_TRACKS,
};

/** Hides differences between browsers; in a current Chromium it has no benefit and can cause harm. */
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
			// It imports a name from its package.json, which is replaced by its value here.
			const { version } = JSON.parse(await readFile(join(library, 'package.json'), 'utf8')) as {
				version: string;
			};
			return text.replace(/^import .*$/m, `const v = '${version}';`);
		}
		const { code, map } = await transformWithOxc(text, id, {
			sourcemap: true,
			// The library's own build setting: a field that a subclass declares again keeps its value.
			typescript: { removeClassFieldsWithoutInitializer: true },
		});
		return { code, map };
	},
};

/**
 * React Aria's announcer empties its regions by `innerHTML`, which the page's policy (Trusted Types) refuses: the
 * second number announced would throw in an effect and crash the whole window. This replacement empties them with a
 * method that parses nothing.
 */
const ANNOUNCER = /[\\/]dist[\\/]private[\\/]live-announcer[\\/]LiveAnnouncer\.mjs$/;
const EMPTIED = ".innerHTML = ''";

export const announcer = {
	name: 'announcer',
	enforce: 'pre' as const,

	/** @throws Error if the library no longer contains the code to replace. */
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
 * React Aria contains its own texts in 34 languages; the window supports a few. The texts of the others are
 * omitted: React Aria then falls back to English, as for an unknown language.
 */
const OWN: ReadonlySet<string> = new Set(interfaceLanguages);
const WORDS =
	/[\\/](?:react-aria|react-aria-components|react-stately)[\\/].*[\\/]intl[\\/].*?([a-z]{2})-[A-Z]{2}\.m?js$/;

/** The replacement for a file of React Aria's texts; null = the file itself. */
export function insteadOf(id: string): string | null {
	const language = WORDS.exec(id)?.[1];
	if (language === undefined || OWN.has(language)) return null;
	return `export { default } from './en-US${id.slice(id.lastIndexOf('.'))}';`;
}

/**
 * Two files of React Aria that use the browser's locale data; loading it takes 30 ms and 10 ms before the first
 * paint. The window always sets its own language, so the browser's is not needed; our own code knows which
 * languages are written from right to left.
 */
const I18N = /[\\/]react-aria[\\/]dist[\\/]private[\\/]i18n[\\/](useDefaultLocale|utils)\.mjs$/;
const OURS: Readonly<Record<string, string>> = {
	useDefaultLocale: "export const useDefaultLocale = () => ({ locale: 'en-US', direction: 'ltr' });",
	// The path is relative to React Aria's own file.
	utils: "export { isRightToLeft as isRTL } from '../../../../../src/shared/protocol/languages.ts';",
};

/** The replacement for a file of React Aria that uses the browser's locale data. */
export function ownI18n(id: string): string | null {
	return OURS[I18N.exec(id)?.[1] ?? ''] ?? null;
}

export const ownLocales = {
	name: 'own-locales',
	enforce: 'pre' as const,
	load: (id: string) => ownI18n(id) ?? insteadOf(id),
};
