import type { NetworkInterfaceInfo } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import type { GuestsState } from '#shared/host/contract.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { FrameRow, OverlayFrame } from '#shared/overlay/frames.ts';
import { VOICE_BLOCK } from '#shared/sound/voice-block.ts';
import { askAsGuest } from '#test/support/guest-client.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createGuestFrames, createGuests, type Guests, guestHosts, LOOK_MS, OVER_MS } from './guests.ts';

function row(key: string, side?: FrameRow['side']): FrameRow {
	const piece = { key: `source|${key}`, kind: 'source' as const, language: 'en', text: key, steady: 0 };
	return { key, ...(side && { side }), lit: false, pieces: [{ ...piece, final: true }] };
}

const numbers = (frames: ReturnType<typeof createGuestFrames>, ...keys: string[]) =>
	frames({ rows: keys.map((key) => row(key)) }).rows.map(({ key }) => key);

test('rows have numbers, the same for as long as they are known, whatever is put between them', () => {
	const frames = createGuestFrames();
	expect(numbers(frames, 'a', 'b')).toEqual([1, 2]);
	expect(numbers(frames, 'a', 'late', 'b')).toEqual([1, 3, 2]);
	expect(numbers(frames, 'c')).toEqual([4]);
	expect(numbers(frames, 'b', 'c')).toEqual([2, 4]);
	// Another side has joined meanwhile.
	expect(frames({ rows: [row('c', 'mine')] })).toMatchObject({ part: 0, rows: [{ key: 4, side: 'mine' }] });
});

test('sends no captions of the previous conversation, and does not reuse their numbers', () => {
	const frames = createGuestFrames();
	const rows = [row('t1')];
	expect(frames({ rows }).rows).toHaveLength(1);
	const held: OverlayFrame = { rows, held: true };
	expect(frames(held)).toEqual({ part: 1, rows: [] });
	expect(frames(held)).toEqual({ part: 1, rows: [] });
	expect(numbers(frames, 't1')).toEqual([2]);
	expect(frames({ rows: [] })).toEqual({ part: 2, rows: [] });
	expect(numbers(frames, 't1')).toEqual([3]);
});

test('a page that has missed that captions were cleared, or replaced, learns it with the next ones', () => {
	const frames = createGuestFrames();
	// Nothing is sent about captions that were cleared before.
	const partOf = (begun: number, key = 't1') => {
		const { part, rows } = frames({ begun, rows: [row(key)] });
		return [part, ...rows.map((one) => one.key)];
	};
	expect(partOf(4)).toEqual([0, 1]);
	expect(partOf(4, 't2')).toEqual([0, 2]);
	expect(partOf(5)).toEqual([1, 3]);
	expect(partOf(5, 't2')).toEqual([1, 4]);
	expect(frames({ begun: 6, rows: [] })).toEqual({ part: 2, rows: [] });
	expect(partOf(6)).toEqual([2, 5]);
});

test('regions are left out, scripts are not, and a language that is known says its direction', () => {
	const frames = createGuestFrames();
	const told = (language: string) => {
		const [piece] = row('a').pieces;
		const rows = piece ? [{ ...row('a'), pieces: [{ ...piece, language }] }] : [];
		const one = frames({ rows }).rows[0]?.pieces[0];
		return [one?.language, one?.dir];
	};
	for (const code of ['es', 'es-la', 'es-ch', 'es-mx', 'es-eu']) expect(told(code)).toEqual(['es', 'ltr']);
	expect(told('zh-hant')).toEqual(['zh-Hant', 'ltr']);
	expect(told('ar-ae')).toEqual(['ar', 'rtl']);
	for (const code of ['', 'auto', 'no language']) expect(told(code)).toEqual(['und', undefined]);
});

test('of a long conversation the newest thousand rows are remembered, and one more is not', () => {
	const frames = createGuestFrames();
	for (let n = 1; n <= 1000; n += 1) numbers(frames, `t${n}`);
	expect(numbers(frames, 't1')).toEqual([1]);
	expect(numbers(frames, 't1001')).toEqual([1001]);
	expect(numbers(frames, 't2')).toEqual([2]);
	expect(numbers(frames, 't1')).toEqual([1002]);
});

const at = (address: string) =>
	({ address, family: 'IPv4', internal: false, netmask: '', mac: '', cidr: null }) as NetworkInterfaceInfo;
const network = { eth0: ['10.0.0.5', '192.168.1.20'].map(at) };

let guests: Guests | null = null;
afterEach(() => guests?.close());

type FakePorts = ReturnType<typeof fakePorts>;

/** The ends of a stream, whose other ends are the test's. */
function fakePorts(stream: string) {
	let send: (value: unknown) => void = () => {};
	let leave = () => {};
	const closed: string[] = [];
	const close = (name: string) => () => void closed.push(name);
	return {
		stream,
		closed,
		send: (value: unknown) => send(value),
		leave: () => leave(),
		control: {
			listen() {},
			closed(heard: () => void) {
				leave = heard;
			},
			close: close('control'),
		},
		capture: {
			listen(heard: (value: unknown) => void) {
				send = heard;
			},
			close: close('capture'),
		},
		voice: { close: close('voice') },
	};
}

function begin(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = network) {
	const clock = createManualClock();
	const logged: unknown[] = [];
	const write = (...line: unknown[]) => void logged.push(line);
	const log = { error: write, warn: write, info: write, debug: write };
	/** The ports that were made, in order. */
	const ports: FakePorts[] = [];
	const createPorts = (stream: string) => {
		const made = fakePorts(stream);
		ports.push(made);
		return made;
	};
	const one = createGuests({ clock, log, createPorts, interfaces: () => interfaces });
	guests = one;
	const told: GuestsState[] = [];
	one.listen((state) => told.push(state));
	async function open(): Promise<GuestsState> {
		const answer = await one.answers['guests.open']();
		if (!answer.ok) throw new Error('not opened');
		return answer.value;
	}
	return { clock, logged, guests: one, told, open, ports };
}

/** The same page from this computer. */
const here = ({ addresses: [address = ''] }: GuestsState) =>
	address.replace(/^http:\/\/[\d.]+:/, 'http://127.0.0.1:');

const said: OverlayFrame = {
	turn: 'mine',
	rows: [
		{
			key: 't1',
			side: 'mine',
			lit: true,
			pieces: [
				{ key: 'p1', kind: 'source', language: 'en-us', text: 'Hello', steady: 3, final: true },
				{ key: 'p2', kind: 'translation', language: 'zh-hant', text: '你好', steady: 0, final: false },
				{ key: 'p3', kind: 'lost', language: '', text: '', steady: 0, final: true, lostMs: 4000 },
			],
		},
	],
};

test('a voice goes to those who listen, until nobody does or sharing stops', async () => {
	const { guests: shared, open, told, ports } = begin();
	const { 'guests.speak': speak, 'guests.voices': voices } = shared.answers;
	const stream = '0123456789abcdef';
	const state = await open();
	const reader = await askAsGuest(`${here(state)}captions/a`);
	expect(await voices({ languages: ['de'] })).toEqual({ ok: true });
	await expect.poll(() => reader.text()).toContain('event: voices\ndata: ["de"]');
	// Nobody listens yet.
	expect((await speak({ stream, language: 'de' })).ok).toBe(false);
	expect(ports).toEqual([]);
	const listener = await askAsGuest(`${here(state)}voice/a/de`);
	await expect.poll(() => told.at(-1)?.listening).toEqual(['de']);
	expect((await speak({ stream, language: 'de' })).ok).toBe(true);
	const block = new Uint8Array(VOICE_BLOCK.bytes).fill(1);
	// What the page may not send goes nowhere.
	for (const wrong of [block.subarray(1), 'text', null, [...block]]) ports[0]?.send(wrong);
	ports[0]?.send(block);
	await expect.poll(() => listener.sound()).toEqual(Buffer.from(block));
	ports[0]?.leave();
	const all = ['control', 'capture', 'voice'];
	expect(ports[0]?.closed).toEqual(all);
	await speak({ stream, language: 'de' });
	await shared.answers['guests.close']();
	await listener.gone;
	expect(ports[1]?.closed).toEqual(all);
	expect(told.at(-1)?.listening).toEqual([]);
	// The next sharing knows nothing of it.
	const next = await askAsGuest(`${here(await open())}captions/a`);
	await expect.poll(() => next.text()).toContain('event: voices\ndata: []');
	next.leave();
});

test('two presses share once; what is shared is told, and nothing that leads there is logged', async () => {
	const { open, told, logged, guests: shared } = begin();
	const [state, again] = await Promise.all([open(), open()]);
	expect(again).toEqual(state);
	expect(state).toMatchObject({ revision: 1, sharing: true, guests: 0 });
	expect(state.addresses).toEqual([
		expect.stringMatching(/^http:\/\/192\.168\.1\.20:\d+\/[\w-]{22}\/$/),
		expect.stringMatching(/^http:\/\/10\.0\.0\.5:\d+\/[\w-]{22}\/$/),
	]);
	const guest = await askAsGuest(`${here(state)}captions/a`);
	await expect.poll(() => told.at(-1)).toMatchObject({ revision: 2, guests: 1 });
	await shared.answers['guests.close']();
	await guest.gone;
	expect(told.at(-1)).toEqual({ revision: 3, sharing: false, addresses: [], guests: 0, listening: [] });
	await expect(askAsGuest(here(state))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	await shared.answers['guests.close']();
	expect(told).toHaveLength(3);
	const token = new URL(here(state)).pathname.slice(1, -1);
	expect(JSON.stringify(logged)).not.toContain(token);
	expect(JSON.stringify(logged)).not.toContain('192.168');
	expect(logged.at(-1)).toEqual(['captions are no longer shared with guests', { most: 1 }]);
});

test('of the previous conversation a guest gets nothing', async () => {
	const { open, guests: shared } = begin();
	const state = await open();
	shared.show({ ...said, held: true });
	const guest = await askAsGuest(`${here(state)}captions/a`);
	await expect.poll(() => guest.frames()).toEqual([{ part: 0, rows: [] }]);
	shared.show(said);
	await expect.poll(() => guest.frames()).toMatchObject([{ rows: [] }, { part: 0, rows: [{ key: 1 }] }]);
});

test('announces new addresses in another network while the captions are shared', async () => {
	const interfaces = { eth0: [at('10.0.0.5')] };
	const { open, clock, told, guests: shared } = begin(interfaces);
	await open();
	clock.advance(10 * LOOK_MS);
	interfaces.eth0 = [at('10.0.0.6')];
	clock.advance(LOOK_MS - 1);
	expect(told).toHaveLength(1);
	clock.advance(1);
	expect(told.at(-1)?.addresses).toEqual([expect.stringContaining('//10.0.0.6:')]);
	interfaces.eth0 = [];
	clock.advance(LOOK_MS);
	expect(told.at(-1)).toMatchObject({ revision: 3, sharing: true, addresses: [] });
	await shared.close();
	expect(clock.pending).toBe(0);
});

test('what is shared once more begins anew, and follows the network from one to the next and back', async () => {
	const interfaces = { eth0: [at('10.0.0.5')] };
	const { open, clock, logged, told, guests: shared } = begin(interfaces);
	const first = await open();
	const [one, two] = await Promise.all(['a', 'b'].map((id) => askAsGuest(`${here(first)}captions/${id}`)));
	await expect.poll(() => told.at(-1)?.guests).toBe(2);
	shared.show(said);
	await expect.poll(() => one?.frames().at(-1)).toMatchObject({ part: 0, rows: [{ key: 1 }] });
	await shared.answers['guests.close']();
	await Promise.all([one?.gone, two?.gone]);
	const second = await open();
	expect(new URL(here(second)).pathname).not.toBe(new URL(here(first)).pathname);
	const guest = await askAsGuest(`${here(second)}captions/a`);
	await expect.poll(() => guest.frames()).toEqual([{ part: 0, rows: [] }]);
	shared.show(said);
	await expect.poll(() => guest.frames().at(-1)).toMatchObject({ part: 0, rows: [{ key: 1 }] });
	for (const address of ['10.0.0.6', '10.0.0.5', '10.0.0.6']) {
		interfaces.eth0 = [at(address)];
		const before = told.length;
		clock.advance(LOOK_MS);
		expect(told.slice(before)).toMatchObject([{ addresses: [expect.stringContaining(`//${address}:`)] }]);
		clock.advance(LOOK_MS);
		expect(told).toHaveLength(before + 1);
	}
	await shared.answers['guests.close']();
	await guest.gone;
	expect(logged.at(-1)).toEqual(['captions are no longer shared with guests', { most: 1 }]);
});

test('a computer that does not tell its addresses is on no network', async () => {
	const told: GuestsState[] = [];
	const refusing = createGuests({
		clock: createManualClock(),
		log: silentLogger,
		createPorts: () => null,
		interfaces() {
			throw new Error('EACCES');
		},
	});
	refusing.listen((state) => told.push(state));
	expect(await refusing.answers['guests.open']()).toMatchObject({ ok: true, value: { sharing: false } });
	expect(told).toEqual([]);
});

test('without a network nothing is shared', async () => {
	const { open, told } = begin({});
	expect(await open()).toEqual({ revision: 0, sharing: false, addresses: [], guests: 0, listening: [] });
	expect(told).toEqual([]);
});

test('a guest gets what the page shows and nothing else; nothing is kept before it is shared', async () => {
	const { open, guests: shared } = begin();
	shared.show(said);
	const guest = await askAsGuest(`${here(await open())}captions/a`);
	await expect.poll(() => guest.frames()).toEqual([{ part: 0, rows: [] }]);
	shared.show(said);
	await expect
		.poll(() => guest.frames().at(-1))
		.toEqual({
			part: 0,
			rows: [
				{
					key: 1,
					side: 'mine',
					pieces: [
						{ kind: 'source', language: 'en', text: 'Hello', final: true, dir: 'ltr' },
						{ kind: 'translation', language: 'zh-Hant', text: '你好', final: false, dir: 'ltr' },
						{ kind: 'lost', language: 'und', text: '', final: true },
					],
				},
			],
		});
});

test('sharing ends ten minutes after the conversation, unless another has begun', async () => {
	const { open, clock, told, guests: shared } = begin();
	shared.phase('live');
	await open();
	clock.advance(10 * OVER_MS);
	shared.phase('idle');
	clock.advance(OVER_MS - 1);
	shared.phase('starting');
	clock.advance(OVER_MS);
	shared.phase('failed');
	clock.advance(OVER_MS - 1);
	// Still over: it counts from the first moment.
	shared.phase('idle');
	await Promise.resolve();
	expect(told.at(-1)?.sharing).toBe(true);
	clock.advance(1);
	await expect.poll(() => told.at(-1)?.sharing).toBe(false);
	await expect.poll(() => clock.pending).toBe(0);
});

test('with the window sharing ends, also while a conversation runs', async () => {
	const { open, clock, told, guests: shared } = begin();
	shared.phase('live');
	await open();
	shared.pageGone();
	await expect.poll(() => told.at(-1)?.sharing).toBe(false);
	// The next page has no conversation yet.
	await open();
	expect(told.at(-1)?.sharing).toBe(true);
	clock.advance(OVER_MS);
	await expect.poll(() => told.at(-1)?.sharing).toBe(false);
});

test('what is being opened when all ends is closed as well', async () => {
	const { open, told, guests: shared } = begin();
	const opening = open();
	await shared.close();
	const state = await opening;
	expect(told.at(-1)?.sharing).toBe(false);
	if (state.sharing) await expect(askAsGuest(here(state))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

describe('hosts', () => {
	const at = (address: string, more: { family?: 'IPv4' | 'IPv6'; internal?: boolean } = {}) =>
		[
			{
				address,
				family: 'IPv4',
				internal: false,
				netmask: '',
				mac: '',
				cidr: null,
				...more,
			} as NetworkInterfaceInfo,
		] as const;

	test('the address that a phone beside this computer most likely reaches comes first', () => {
		const hosts = guestHosts({
			lo: at('127.0.0.1', { internal: true }),
			docker0: at('172.17.0.1'),
			'br-1a2b3c': at('172.18.0.1'),
			veth12: at('192.168.200.1'),
			'vEthernet (WSL)': at('172.20.0.1'),
			'VirtualBox Host-Only Network': at('192.168.56.1'),
			utun4: at('10.8.0.2'),
			tailscale0: at('100.101.102.103'),
			ppp0: at('10.64.0.2'),
			bridge100: at('192.168.2.1'),
			nordlynx: at('10.5.0.2'),
			tap0: at('192.168.9.2'),
			eth2: at('169.254.7.7'),
			eth1: at('203.0.113.9'),
			eth0: at('172.16.0.4'),
			'Wi-Fi': at('10.0.0.5'),
			wlan0: at('192.168.1.20'),
		});
		expect(hosts.slice(0, 4)).toEqual(['192.168.1.20', '10.0.0.5', '172.16.0.4', '203.0.113.9']);
		expect(hosts.slice(4)).toEqual([
			...['172.17.0.1', '172.18.0.1', '192.168.200.1', '172.20.0.1', '192.168.56.1'],
			...[
				'10.8.0.2',
				'100.101.102.103',
				'10.64.0.2',
				'192.168.2.1',
				'10.5.0.2',
				'192.168.9.2',
				'169.254.7.7',
			],
		]);
	});

	test('networks of containers, virtual machines and tunnels come after that of the room', () => {
		const names = ['podman0', 'cni0', 'lxcbr0', 'lxdbr0', 'incusbr0', 'waydroid0', 'vnic0'];
		for (const name of [...names, 'ZeroTier One [8056c2e21c000001]', 'feth2345']) {
			const hosts = guestHosts({ [name]: at('192.168.7.1'), wlan0: at('172.16.0.9') });
			expect([name, ...hosts]).toEqual([name, '172.16.0.9', '192.168.7.1']);
		}
	});

	test('172.16 to 172.31 are private, their neighbours are not', () => {
		const hosts = ['172.15.0.1', '172.32.0.1', '172.31.0.1', '172.16.0.1'];
		const all = guestHosts({ eth0: hosts.flatMap((one) => [...at(one)]) });
		expect(all).toEqual(['172.31.0.1', '172.16.0.1', '172.15.0.1', '172.32.0.1']);
	});

	test('neither what only this computer reaches nor IPv6 is offered; without a network there is nothing', () => {
		expect(
			guestHosts({
				lo: at('127.0.0.1', { internal: true }),
				eth0: at('fe80::1', { family: 'IPv6' }),
				eth1: undefined,
			}),
		).toEqual([]);
		expect(guestHosts({})).toEqual([]);
	});
});
