import { AccessToken, RoomServiceClient } from 'livekit-server-sdk';
import type { LivekitServer } from '#test/support/livekit-server.ts';
import { type BenchPage, openBenchBrowser } from './browser.ts';

/** A participant that sends the microphone of every room back as a voice, packet by packet, without decoding. */
interface Forwarder {
	/** False: leaves every room and enters none until called with true. */
	setPresent(there: boolean): Promise<void>;
	/** Texts sent in the rooms since the last call; at this end none is late. */
	texts(): Promise<readonly TextSlot[]>;
	/** Until then it enters every new room at once, and again after being removed from one. */
	close(): Promise<void>;
}

const LOOK_MS = 40;

/*
 * The page must take the streams of encoded frames at the moment a sender or receiver is made, or the browser goes on
 * without them. It writes each received frame to the sender unchanged, and drops the sender's own frames.
 */
const PAGE = `<script type="module">
import { ParticipantEvent, Room } from '/livekit.mjs';
const Native = window.RTCPeerConnection;
const incoming = new Map();
window.RTCPeerConnection = class extends Native {
  constructor(configuration) {
    super({ ...configuration, encodedInsertableStreams: true });
    this.addEventListener('track', ({ receiver }) => {
      if (receiver.track.kind === 'audio') incoming.set(receiver.track.id, receiver.createEncodedStreams());
    });
  }
};
const rooms = new Map();
const context = new AudioContext();
window.enter = async (name, url, token) => {
  // Without reconnecting it is out at once, and then enters the room again.
  const room = new Room({ singlePeerConnection: false, reconnectPolicy: { nextRetryDelayInMs: () => null } });
  rooms.set(name, room);
  let out = null;
  room.localParticipant.on(ParticipantEvent.LocalSenderCreated, (sender) => {
    const streams = sender.createEncodedStreams();
    out = streams.writable.getWriter();
    void streams.readable.pipeTo(new WritableStream()).catch(() => {});
  });
  room.on('trackSubscribed', async (track) => {
    const streams = incoming.get(track.mediaStreamTrack.id);
    if (!streams) return;
    const silence = context.createMediaStreamDestination().stream.getAudioTracks()[0];
    const reader = streams.readable.getReader();
    void room.localParticipant.publishTrack(silence, {
      name: 'translation_es', source: 'microphone', dtx: false, red: false, audioPreset: { maxBitrate: 32000 },
    });
    window.frames_ = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (out) { await out.write(value).catch((e) => { window.failed = String(e); }); window.frames_ += 1; }
    }
  });
  room.on('disconnected', () => { rooms.delete(name); void window.left(name); });
  await room.connect(url, token);
};
window.leave = () => Promise.all([...rooms.values()].map((room) => room.disconnect()));
window.ready = true;
</script>`;

export async function openForwarder(
	server: Pick<LivekitServer, 'url' | 'key' | 'secret'>,
): Promise<Forwarder> {
	const browser = await openBenchBrowser({ microphone: null, pages: { forwarder: PAGE } });
	const rooms = new RoomServiceClient(server.url.replace('ws:', 'http:'), server.key, server.secret);
	const page: BenchPage = await browser.open('forwarder', installTextProbe);
	const entered = new Set<string>();
	let names = 0;
	let there = true;
	let closed = false;
	await page.exposeFunction('left', (name: string) => entered.delete(name));

	async function enter(name: string): Promise<void> {
		entered.add(name);
		const token = new AccessToken(server.key, server.secret, {
			identity: `forwarder_${names++}`,
			ttl: 600,
		});
		token.addGrant({
			room: name,
			roomJoin: true,
			canPublish: true,
			canSubscribe: true,
			canPublishData: true,
		});
		await page.evaluate(
			`window.enter(${JSON.stringify(name)}, ${JSON.stringify(server.url)}, ${JSON.stringify(await token.toJwt())})`,
		);
	}

	async function look(): Promise<void> {
		while (!closed) {
			// Ignore rooms that close before we have entered.
			for (const { name } of there ? await rooms.listRooms().catch(() => []) : [])
				if (there && !entered.has(name)) void enter(name).catch(() => entered.delete(name));
			await new Promise((done) => setTimeout(done, LOOK_MS));
		}
	}
	const looking = look();
	return {
		async setPresent(present) {
			there = present;
			if (!present) await page.evaluate('window.leave()');
		},
		texts: () => page.evaluate(() => window.__texts()),
		async close() {
			closed = true;
			await looking;
			await browser.close();
		},
	};
}

/** A message of the interpreter, as it arrived over the room's data channel. */
export interface TextSlot {
	/** ms since 1970. */
	readonly atMs: number;
	readonly kind: 'finished' | 'unfinished' | 'other';
	/** Identifies a text by its type and its sentence, the same at both ends of a line. */
	readonly key: string;
	/** Index of the page's connection, in the order they were made. */
	readonly connection: number;
	readonly bytes: number;
}

declare global {
	interface Window {
		/** Messages since the last call. */
		readonly __texts: () => TextSlot[];
	}
}

/** Its source text runs in the page before any other script, so it may use nothing from this module. */
export function installTextProbe(): void {
	const decoder = new TextDecoder();
	let slots: TextSlot[] = [];
	let connections = 0;

	function hear(connection: number, { data }: MessageEvent): void {
		if (!(data instanceof ArrayBuffer)) return;
		const words = decoder.decode(data);
		const read = (pattern: RegExp) => pattern.exec(words)?.[1] ?? '';
		const type = read(/"message_type":"(\w+)"/);
		const isText = /transcription$/.test(type);
		slots.push({
			atMs: Date.now(),
			kind: !isText ? 'other' : type.startsWith('partial_') ? 'unfinished' : 'finished',
			key: `${type} ${read(/"transcription_id":"(\w+)"/)}`,
			connection,
			bytes: data.byteLength,
		});
	}

	const Native = window.RTCPeerConnection;
	window.RTCPeerConnection = class extends Native {
		constructor(configuration?: RTCConfiguration) {
			super(configuration);
			const own = connections++;
			this.addEventListener('datachannel', ({ channel }) =>
				channel.addEventListener('message', (event) => hear(own, event)),
			);
		}
	};
	Object.defineProperty(window, '__texts', {
		value: () => {
			const taken = slots;
			slots = [];
			return taken;
		},
	});
}
