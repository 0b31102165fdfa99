import type { Session } from 'electron';
import { expect, test, vi } from 'vitest';
import { offerLoopback } from './page-guards.ts';

// The module itself starts nothing here, and its download is not wanted.
vi.mock('electron', () => ({}));

type Handler = NonNullable<Parameters<Session['setDisplayMediaRequestHandler']>[0]>;
type Asked = Parameters<Handler>[0];

/** Frames: the code only checks whether a frame is the top one. */
const top = { parent: null } as unknown as NonNullable<Asked['frame']>;
const inner = { parent: top } as unknown as NonNullable<Asked['frame']>;

function ask(change: Partial<Asked>, listening = true): unknown {
	let handler: Handler | null = null;
	offerLoopback(
		{
			setDisplayMediaRequestHandler(given) {
				handler = given;
			},
		},
		() => listening,
	);
	const asked = { frame: top, securityOrigin: 'app://dragoman', audioRequested: true, videoRequested: false };
	let given: unknown = 'nothing';
	(handler as Handler | null)?.({ ...asked, userGesture: true, ...change }, (streams) => {
		given = streams;
	});
	return given;
}

test('our page gets what the computer plays, and pictures of itself alone', () => {
	expect(ask({})).toEqual({ audio: 'loopback' });
	expect(ask({ securityOrigin: 'app://dragoman/', videoRequested: true })).toEqual({
		audio: 'loopback',
		video: top,
	});
});

test('while nobody listens nothing is given', () => {
	expect(ask({}, false)).toBeNull();
});

test.each([
	['another page', { securityOrigin: 'https://example.com' }],
	['a page whose name begins like ours', { securityOrigin: 'app://dragoman.example' }],
	['a frame in it', { frame: inner }],
	['a frame that is gone', { frame: null }],
	['pictures alone', { audioRequested: false, videoRequested: true }],
] as const)('%s gets nothing', (_, change) => {
	expect(ask(change)).toBeNull();
});
