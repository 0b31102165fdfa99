import {
	DisconnectReason,
	JoinRequest,
	LeaveRequest_Action,
	SignalRequest,
	SignalResponse,
	WrappedJoinRequest,
} from '@livekit/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
	IDENTITY,
	ROOM,
	type RoomServer,
	SESSION,
	startRoomServer,
	unsignedToken,
} from '#test/support/room-server.ts';

type Response = SignalResponse['message'];

const undo: (() => Promise<void> | void)[] = [];
afterEach(async () => {
	for (const each of undo.splice(0).reverse()) await each();
});

async function started(options: Parameters<typeof startRoomServer>[0]): Promise<RoomServer> {
	const server = await startRoomServer(options);
	undo.push(() => server.stop());
	return server;
}

/** A bare signalling client that records what it received, in order. */
function signal(address: string) {
	const socket = new WebSocket(address);
	undo.push(() => socket.terminate());
	const said: Response[] = [];
	const closed = new Promise<number>((resolve) => socket.once('close', resolve));
	const refused = new Promise<number>((resolve) =>
		socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0)),
	);
	socket.on('error', () => {});
	socket.on('message', (data: Buffer, binary) => {
		const text = data.toString();
		said.push((binary ? SignalResponse.fromBinary(data) : SignalResponse.fromJsonString(text)).message);
	});
	const named = <C extends Response['case']>(name: C) =>
		said.flatMap((message) => (message.case === name ? [message as Extract<Response, { case: C }>] : []));
	return {
		said,
		closed,
		refused,
		named,
		/** The first message of that name. */
		async hears<C extends NonNullable<Response['case']>>(name: C): Promise<Extract<Response, { case: C }>> {
			await expect.poll(() => named(name).length, { timeout: 3000 }).toBeGreaterThan(0);
			const [first] = named(name);
			if (!first) throw new Error(`no ${name}`);
			return first;
		},
		send(message: SignalRequest['message']): void {
			socket.send(new SignalRequest({ message }).toBinary());
		},
		sendRaw: (data: string | Buffer) => socket.send(data),
		drop: () => socket.terminate(),
	};
}

const token = (room = ROOM) => unsignedToken({ sub: IDENTITY, room, session: SESSION });
const join = (server: RoomServer, query = '') => signal(`${server.url}rtc?access_token=${token()}${query}`);
const http = (server: RoomServer, path: string) => fetch(`${server.url.replace('ws:', 'http:')}${path}`);

describe('before anything is said', () => {
	it('knows no /rtc/v1 where it is like server 1.8.4', async () => {
		const server = await started({ livekit: 'older' });
		expect((await http(server, `rtc/v1/validate?access_token=${token()}`)).status).toBe(404);
		expect((await http(server, 'rtc/v1/validate')).status).toBe(404);
		expect(await signal(`${server.url}rtc/v1?access_token=${token()}`).refused).toBe(404);
		expect((await http(server, `rtc/validate?access_token=${token()}`)).status).toBe(200);
	});

	it('answers 401 without a token at both paths where it is current, for pages of any origin', async () => {
		const server = await started({ livekit: 'current' });
		const answers = await Promise.all(['rtc/validate', 'rtc/v1/validate'].map((path) => http(server, path)));
		expect(answers.map(({ status }) => status)).toEqual([401, 401]);
		expect(answers.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual(['*', '*']);
		expect(await signal(`${server.url}rtc?access_token=nonsense`).refused).toBe(401);
	});

	it('says that a room does not exist', async () => {
		const server = await started({ livekit: 'current' });
		const answer = await http(server, `rtc/validate?access_token=${token('nowhere')}`);
		expect([answer.status, await answer.text()]).toEqual([404, 'requested room does not exist']);
		await server.closeRoom();
		expect(await join(server).refused).toBe(404);
	});

	it('answers the address itself, and leaves other paths alone', async () => {
		const server = await started({ livekit: 'current' });
		expect((await http(server, '')).status).toBe(200);
		expect((await http(server, '../session-storage/sessions')).status).toBe(404);
	});

	it('refuses a join request it cannot read', async () => {
		const server = await started({ livekit: 'current' });
		expect(await signal(`${server.url}rtc/v1?access_token=${token()}&join_request=AAAA`).refused).toBe(400);
	});
});

describe('a join', () => {
	it('is answered with the room, the translator and an offer, before the client says a word', async () => {
		const server = await started({ livekit: 'current' });
		server.recorder().port.publish(['es']);
		const client = join(server);
		const { value } = await client.hears('join');
		expect(value.room?.name).toBe(ROOM);
		expect(value.participant?.identity).toBe(IDENTITY);
		const [translator] = value.otherParticipants;
		expect(translator?.identity).toMatch(/^palabra_translator_/);
		expect(translator?.tracks.map(({ name }) => name)).toEqual(['translation_es']);
		const { value: offer } = await client.hears('offer');
		expect(offer.sdp).toContain(`a=msid:${translator?.sid}|${translator?.tracks[0]?.sid} `);
		expect(offer.sdp).toContain('127.0.0.1');
		expect(server.presence).toEqual([true]);
	});

	it('carries ids only where the server is current', async () => {
		for (const livekit of ['current', 'older'] as const) {
			const client = join(await started({ livekit }));
			const { value } = await client.hears('join');
			expect(value.serverInfo?.protocol === 15).toBe(livekit === 'older');
			expect((await client.hears('offer')).value.id > 0).toBe(livekit === 'current');
		}
	});

	it('works on /rtc/v1 without an offer inside, and reads the request compressed or not', async () => {
		const server = await started({ livekit: 'current' });
		const wrapped = new WrappedJoinRequest({ joinRequest: new JoinRequest({}).toBinary() });
		const query = encodeURIComponent(Buffer.from(wrapped.toBinary()).toString('base64url'));
		const client = signal(`${server.url}rtc/v1?access_token=${token()}&join_request=${query}`);
		expect((await client.hears('join')).value.subscriberPrimary).toBe(false);
	});

	it('in the place of an older one with the same identity tells that one why it must go', async () => {
		const server = await started({ livekit: 'older' });
		const older = join(server);
		await older.hears('join');
		const newer = join(server);
		await newer.hears('join');
		const { value } = await older.hears('leave');
		expect([value.reason, value.action]).toEqual([
			DisconnectReason.DUPLICATE_IDENTITY,
			LeaveRequest_Action.DISCONNECT,
		]);
		await older.closed;
		expect(server.presence).toEqual([true]);
	});
});

describe('a signalling socket', () => {
	it('answers both kinds of ping, in the encoding it is spoken to in', async () => {
		const client = join(await started({ livekit: 'current' }));
		await client.hears('join');
		client.sendRaw(new SignalRequest({ message: { case: 'ping', value: 5n } }).toJsonString());
		await client.hears('pong');
		client.sendRaw(
			new SignalRequest({
				message: { case: 'pingReq', value: { timestamp: 7n, rtt: 0n } as never },
			}).toBinary() as Buffer,
		);
		expect((await client.hears('pongResp')).value.lastPingTimestamp).toBe(7n);
	});

	it('is not ended by what cannot be read', async () => {
		const client = join(await started({ livekit: 'current' }));
		await client.hears('join');
		for (const junk of ['not json', '{"nobody":"knows"}', Buffer.from([255, 255, 255]), Buffer.alloc(0)]) {
			client.sendRaw(junk);
		}
		client.send({ case: 'trickle', value: { candidateInit: '{broken', target: 0 } as never });
		client.send({ case: 'offer', value: { type: 'offer', sdp: 'no sdp', id: 1 } as never });
		client.send({ case: 'answer', value: { type: 'answer', sdp: 'no sdp', id: 1 } as never });
		client.send({ case: 'ping', value: 5n });
		await client.hears('pong');
	});

	it('that is gone leaves the place for a resume, and only for the same participant', async () => {
		const server = await started({ livekit: 'current' });
		const first = join(server);
		const { value } = await first.hears('join');
		first.drop();
		const other = join(server, '&reconnect=1&sid=PA_other');
		expect((await other.hears('leave')).value.action).toBe(LeaveRequest_Action.RECONNECT);
		const back = join(server, `&reconnect=1&sid=${value.participant?.sid}`);
		await back.hears('reconnect');
		expect((await back.hears('update')).value.participants.map(({ identity }) => identity)).toEqual([
			IDENTITY,
			expect.stringMatching(/^palabra_translator_/),
		]);
		expect(server.presence).toEqual([true]);
	});

	it('of a client that leaves ends its place at once', async () => {
		const server = await started({ livekit: 'current' });
		const client = join(server);
		await client.hears('join');
		client.send({ case: 'leave', value: {} as never });
		await client.closed;
		expect(server.presence).toEqual([true, false]);
	});
});

describe('a fault', () => {
	it('room-refuse answers 401 at the socket and at validate', async () => {
		const server = await started({ livekit: 'current', faults: ['room-refuse'] });
		expect(await join(server).refused).toBe(401);
		expect((await http(server, `rtc/validate?access_token=${token()}`)).status).toBe(401);
	});

	it('room-hang takes the socket and says nothing, long after another room has answered', async () => {
		const server = await started({ livekit: 'current', faults: ['room-hang'] });
		const client = join(server);
		await join(await started({ livekit: 'current' })).hears('offer');
		expect(client.said).toEqual([]);
		expect(server.presence).toEqual([]);
	});

	it('no-pong leaves pings unanswered and answers all else', async () => {
		const server = await started({ livekit: 'current', faults: ['no-pong'] });
		const client = join(server);
		await client.hears('join');
		client.send({ case: 'ping', value: 5n });
		client.send({ case: 'addTrack', value: { cid: 'x', name: '', type: 0 } as never });
		expect((await client.hears('trackPublished')).value.cid).toBe('x');
		expect(client.named('pong')).toEqual([]);
	});

	it('agent-never keeps the translator out, agent-late lets it in later, agent-leaves takes it out', async () => {
		const never = join(await started({ livekit: 'current', faults: ['agent-never'] }));
		expect((await never.hears('join')).value.otherParticipants).toEqual([]);
		const late = join(await started({ livekit: 'current', faults: ['agent-late'] }));
		expect((await late.hears('join')).value.otherParticipants).toEqual([]);
		await expect
			.poll(
				() => late.named('update').flatMap(({ value }) => value.participants.map(({ identity }) => identity)),
				{ timeout: 4000 },
			)
			.toContainEqual(expect.stringMatching(/^palabra_translator_/));
		const leaves = join(await started({ livekit: 'current', faults: ['agent-leaves'] }));
		expect((await leaves.hears('join')).value.otherParticipants).toHaveLength(1);
		await expect
			.poll(
				() => leaves.named('update').flatMap(({ value }) => value.participants.map(({ state }) => state)),
				{
					timeout: 4000,
				},
			)
			.toContain(3);
	});
});
