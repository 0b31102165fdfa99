import { beforeEach, expect, test } from 'vitest';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok } from '#shared/lib/result.ts';
import { createLoopbackSound } from './others-sound.ts';

/** As much of a track as is used. */
class FakeTrack extends EventTarget {
	readonly kind: 'audio' | 'video';
	readyState = 'live';
	enabled = true;
	constructor(kind: 'audio' | 'video') {
		super();
		this.kind = kind;
	}
	stop(): void {
		this.readyState = 'ended';
	}
}

let tracks: FakeTrack[];
let wishes: DisplayMediaStreamOptions[];
let refuse: (wish: DisplayMediaStreamOptions) => string | null;
let leaves: number;

beforeEach(() => {
	tracks = [];
	wishes = [];
	leaves = 0;
	refuse = () => null;
});

async function getDisplayMedia(wish: DisplayMediaStreamOptions = {}): Promise<MediaStream> {
	wishes.push(wish);
	const name = refuse(wish);
	if (name) throw Object.assign(new Error(name), { name });
	const made = [new FakeTrack('audio'), ...(wish.video ? [new FakeTrack('video')] : [])];
	tracks.push(...made);
	return {
		getAudioTracks: () => made.filter(({ kind }) => kind === 'audio'),
		getVideoTracks: () => made.filter(({ kind }) => kind === 'video'),
	} as unknown as MediaStream;
}

const sound = () =>
	createLoopbackSound({
		media: { getDisplayMedia },
		log: silentLogger,
		async leave() {
			leaves += 1;
			return ok(() => {
				leaves -= 1;
			});
		},
	});

test('sound alone is asked for, without our own voice, and only from open to close', async () => {
	const loopback = sound();
	loopback.setMuted(true);
	const opened = await loopback.open();
	expect(opened.ok && opened.value.enabled).toBe(false);
	expect(wishes).toEqual([{ video: false, audio: expect.objectContaining({ restrictOwnAudio: true }) }]);
	expect(leaves).toBe(1);
	expect(await loopback.open()).toEqual(opened);
	expect(wishes).toHaveLength(1);
	loopback.close();
	expect(tracks.map(({ readyState }) => readyState)).toEqual(['ended']);
	expect(leaves).toBe(0);
});

test('where a picture must be asked for it is stopped at once', async () => {
	refuse = (wish) => (wish.video ? null : 'TypeError');
	const loopback = sound();
	expect((await loopback.open()).ok).toBe(true);
	expect(tracks.map(({ kind, readyState }) => `${kind} ${readyState}`)).toEqual([
		'audio live',
		'video ended',
	]);
	loopback.close();
});

test.each([
	['NotAllowedError', { kind: 'system-sound-denied' }, 1],
	['NotSupportedError', { kind: 'system-sound-unsupported' }, 2],
	['InvalidStateError', { kind: 'system-sound-failed', reason: 'InvalidStateError' }, 2],
] as const)('%s is a problem with a name, and nothing stays open', async (name, problem, asked) => {
	refuse = () => name;
	expect(await sound().open()).toEqual(err(problem));
	expect(wishes).toHaveLength(asked);
	expect(leaves).toBe(0);
});

test('closed while it is being opened, it leaves nothing behind', async () => {
	const loopback = sound();
	const opening = loopback.open();
	loopback.close();
	expect(await opening).toEqual(err({ kind: 'cancelled' }));
	expect(tracks.filter(({ readyState }) => readyState === 'live')).toEqual([]);
	expect(leaves).toBe(0);
});

test('reports that the system ended the recording, which can be opened again', async () => {
	const loopback = sound();
	const told: string[] = [];
	loopback.listen((event) => void told.push(event.type));
	await loopback.open();
	tracks[0]?.stop();
	tracks[0]?.dispatchEvent(new Event('ended'));
	expect(told).toEqual(['lost']);
	expect((await loopback.open()).ok).toBe(true);
	expect(leaves).toBe(1);
	loopback.close();
	expect(leaves).toBe(0);
});
