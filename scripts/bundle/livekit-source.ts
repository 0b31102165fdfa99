import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { transformWithOxc } from 'vite';

/**
 * livekit-client from the sources that its package brings, not from its own bundle: that is made for browsers of
 * ten years (generators for `async`, shims, all messages of the protocol), and nothing can be left out of it.
 */

/** A manager of the library's data tracks for rooms that have none; what the rest of the library calls. */
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

/** What our rooms never reach, by its path in the library, and what stands there instead. */
export const unreached: Readonly<Record<string, string>> = {
	// The service's rooms know neither encryption between participants nor data tracks.
	'src/e2ee/E2eeManager.ts': 'export class E2EEManager {}',
	'src/room/data-track/incoming/IncomingDataTrackManager.ts': NO_DATA_TRACKS,
	'src/room/data-track/outgoing/OutgoingDataTrackManager.ts': NO_DATA_TRACKS,
};

/** Makes browsers alike that this window is not; in a Chromium of today it mends nothing and only stands in the way. */
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
