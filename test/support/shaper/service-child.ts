/**
 * The service at the far end of a line: the sandbox, with a real LiveKit server if one is named, behind TLS. Argument:
 * `ServiceWish` as JSON. Answers the calls of `far-service.ts` over its channel and ends with its parent.
 */
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import { type LivekitServer, startLivekitServer } from '#test/support/livekit-server.ts';
import { startTlsFront } from '#test/support/tls-front.ts';
import type { Call, ServiceAnswer, ServicePlaces, ServiceWish } from './far-service.ts';
import { DEVICE, FAR_ADDRESS } from './line.ts';

const wish = JSON.parse(process.argv[2] ?? '{}') as ServiceWish;
const portOf = (address: string): number => Number(new URL(address).port);

function say(answer: ServiceAnswer): void {
	process.send?.(answer);
}

async function start(): Promise<
	| { missing: string }
	| {
			sandbox: Sandbox;
			livekit: LivekitServer | null;
			places: ServicePlaces;
			dropSignals(): void;
			end(): Promise<void>;
	  }
> {
	const front = await startTlsFront({ name: FAR_ADDRESS, host: FAR_ADDRESS });
	if ('missing' in front) return front;
	const livekit = wish.livekit
		? await startLivekitServer(wish.livekit, {
				address: FAR_ADDRESS,
				device: DEVICE,
				...(wish.turnServers ? { turnServers: wish.turnServers } : {}),
			})
		: null;
	if (livekit && 'missing' in livekit) {
		await front.close();
		return livekit;
	}
	const room = livekit ? await front.openTo(portOf(livekit.url)) : front.port;
	const sandbox = await startSandbox({
		...(livekit ? { liveKit: livekit } : {}),
		...(wish.faults ? { faults: wish.faults } : {}),
		publicWebrtc: `wss://${FAR_ADDRESS}:${room}${livekit ? '' : '/livekit/'}`,
	});
	front.leadTo(portOf(sandbox.addresses.api));
	const outside = (address: string) =>
		address.replace(/^(http|ws):\/\/[^/]*/, `$1s://${FAR_ADDRESS}:${front.port}`);
	return {
		sandbox,
		livekit,
		places: {
			api: outside(sandbox.addresses.api),
			s2s: outside(sandbox.addresses.s2s),
			key: sandbox.addresses.key,
			authority: front.authority,
			home: front.home,
			webrtc: `wss://${FAR_ADDRESS}:${room}`,
			tcpPorts: { service: front.port, room, media: livekit?.tcpPort ?? 0 },
			livekit: livekit && { url: livekit.url, key: livekit.key, secret: livekit.secret },
		},
		dropSignals: () => front.drop(room),
		async end() {
			await sandbox.close();
			await livekit?.stop();
			await front.close();
		},
	};
}

const started = await start();
if ('missing' in started) {
	say(started);
	process.disconnect?.();
} else {
	const { sandbox, livekit, places, dropSignals, end } = started;
	const calls: { readonly [Name in Call]: (...args: never[]) => unknown } = {
		openSessions: () => sandbox.openSessions(),
		counts: () => sandbox.counts(),
		setFault: (name: string, on: boolean) => sandbox.setFault(name, on),
		killLivekit: () => livekit?.kill(),
		startLivekitAgain: () => livekit?.startAgain(),
		dropSignals,
		end,
	};
	process.on('message', async ({ id, call, args }: { id: number; call: Call; args: never[] }) => {
		try {
			say({ id, value: (await calls[call](...args)) ?? null });
		} catch (failure) {
			say({ id, failed: String(failure) });
		}
	});
	// Its LiveKit server must not outlive us.
	process.once('disconnect', () => void end().finally(() => process.exit()));
	say({ places });
}
