import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createReach } from '#main/app/guards.ts';

vi.mock('electron', () => ({ protocol: {} }));
const { guardRequests } = await import('./page-guards.ts');

const evil = [
	'https://evil.example/?stolen=1',
	'wss://evil.example/',
	'http://127.0.0.1:8080/',
	'http://169.254.169.254/',
	'ftp://evil.example/',
	'file:///etc/passwd',
	'app://evil/',
	'app://dragoman.evil/',
	'devtools://devtools/bundled/inspector.html',
	'nonsense',
];

test('before anything was granted only the app itself is reached', () => {
	const reach = createReach({ devtools: false });
	for (const address of ['app://dragoman/', 'app://dragoman/assets/a.js', 'data:,x', 'blob:app://dragoman/1'])
		expect([address, reach.mayReach(address)]).toEqual([address, true]);
	for (const address of evil) expect([address, reach.mayReach(address)]).toEqual([address, false]);
});

test('a granted room is reached by its socket and by plain requests, and nothing beside it', () => {
	const reach = createReach({ devtools: false });
	reach.grant('wss://room.example/livekit/');
	for (const address of ['wss://room.example/rtc?x=1', 'https://room.example:443/rtc/validate'])
		expect([address, reach.mayReach(address)]).toEqual([address, true]);
	for (const address of [
		...evil,
		'ws://room.example/',
		'https://room.example:8443/',
		'https://a.room.example/',
		'https://room.example.evil.example/',
		'https://user@room.example/',
		'https://evil.example/room.example',
	])
		expect([address, reach.mayReach(address)]).toEqual([address, false]);
});

test('a room on this computer is reached at its port only', () => {
	const reach = createReach({ devtools: false });
	reach.grant('ws://127.0.0.1:7880');
	expect(reach.mayReach('http://127.0.0.1:7880/rtc/validate')).toBe(true);
	expect(reach.mayReach('http://127.0.0.1:7881/')).toBe(false);
	expect(reach.mayReach('wss://127.0.0.1:7880/')).toBe(false);
});

test("a project in LiveKit's cloud is followed to its regions, and no other project is", () => {
	const reach = createReach({ devtools: false });
	reach.grant('wss://ours-1a2b.livekit.cloud');
	expect(reach.mayReach('https://ours-1a2b.livekit.cloud/settings/regions')).toBe(true);
	expect(reach.mayReach('wss://ours-1a2b.ofrankfurt1a.production.livekit.cloud/rtc')).toBe(true);
	expect(reach.mayReach('wss://evil.livekit.cloud/')).toBe(false);
	expect(reach.mayReach('wss://ours-1a2b.ofrankfurt1a.production.livekit.cloud:8443/rtc')).toBe(false);
	expect(reach.mayReach('ws://ours-1a2b.ofrankfurt1a.production.livekit.cloud:443/rtc')).toBe(false);
	expect(reach.mayReach('wss://evil.ours-1a2b.livekit.cloud/')).toBe(false);
	expect(reach.mayReach('wss://ours-1a2b.livekit.cloud.evil.example/')).toBe(false);
});

const scheme = fc.constantFrom('https', 'wss', 'http', 'ws', 'ftp');
const piece = fc.constantFrom(
	'room.example',
	'room',
	'example',
	'evil',
	'.',
	':',
	'443',
	'@',
	'\\',
	'%2e',
	'/',
);

test('whatever host is asked for, it is refused unless it is the granted one', () => {
	const reach = createReach({ devtools: false });
	reach.grant('wss://room.example/');
	fc.assert(
		fc.property(
			scheme,
			fc.array(piece, { maxLength: 6 }),
			fc.array(piece, { maxLength: 3 }),
			(of, host, rest) => {
				const address = `${of}://${host.join('')}/${rest.join('')}`;
				const url = URL.parse(address);
				const isGranted =
					url?.host === 'room.example' && url.username === '' && /^(https|wss):$/.test(url.protocol);
				expect([address, reach.mayReach(address)]).toEqual([address, isGranted]);
			},
		),
	);
});

test('the inspector loads its pages only where it is allowed', () => {
	expect(createReach({ devtools: true }).mayReach('devtools://devtools/bundled/inspector.html')).toBe(true);
});

test('the session asks for every request, and a refusal tells the host and never the whole address', () => {
	let ask: (details: { url: string }, answer: (response: object) => void) => void = () => {};
	const session = {
		webRequest: {
			onBeforeRequest(listener: typeof ask) {
				ask = listener;
			},
		},
	};
	const refused: string[] = [];
	guardRequests(session as never, createReach({ devtools: false }), (host) => refused.push(host));
	const answers: object[] = [];
	ask({ url: 'app://dragoman/index.html' }, (answer) => answers.push(answer));
	ask({ url: 'https://evil.example/?said=secret' }, (answer) => answers.push(answer));
	expect([answers, refused]).toEqual([[{ cancel: false }, { cancel: true }], ['evil.example']]);
});
