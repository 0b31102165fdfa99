import { afterEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/sandbox.ts';
import {
	activity,
	button,
	lastPress,
	longMicrophone,
	phrase,
	recorded,
	until,
	untilCaptions,
	untilPhase,
} from '#test/support/app-steps.ts';
import { type ClosedNetwork, startClosedNetwork } from '#test/support/closed-network.ts';
import { startConnectProxy } from '#test/support/connect-proxy.ts';
import { type Launched, launch } from '#test/support/launch.ts';
import { type LivekitServer, startLivekitServer } from '#test/support/livekit-server.ts';
import { notRun } from '#test/support/not-run.ts';
import { startTlsFront, type TlsFront } from '#test/support/tls-front.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0).reverse()) await close();
});

async function sandboxOf(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
	const sandbox = await startSandbox(options);
	closing.push(() => sandbox.close());
	return sandbox;
}

function have<Part extends object>(
	what: string,
	part: Part | { readonly missing: string },
	close: (part: Part) => Promise<unknown>,
): Part | null {
	if ('missing' in part) {
		notRun(what, part.missing);
		return null;
	}
	closing.push(() => close(part));
	return part;
}

const portOf = (address: string): number => Number(new URL(address).port);

/** The app in that network, with the network's way out as its service. */
async function open(network: ClosedNetwork, env: Readonly<Record<string, string>>): Promise<Launched> {
	const app = await launch({
		microphone: longMicrophone(),
		settings: { interfaceLanguage: 'en' },
		wrap: network.wrap,
		args: [`--remote-debugging-port=${network.devtoolsPort}`],
		env,
	});
	closing.push(() => app.kill('SIGKILL'));
	return app;
}

/** From the press of Start to captions and a voice. */
async function converse({ page }: Launched): Promise<void> {
	await untilPhase(page, 'Ready');
	await button(page, 'Start').click();
	const started = await lastPress(page);
	await untilPhase(page, 'Live');
	await untilCaptions(page, [phrase(1, 'en'), phrase(1, 'es'), phrase(2, 'en'), phrase(2, 'es')]);
	await until(
		'a voice is heard',
		async () =>
			activity(await recorded(page, 'heard', started)).some((span) => span.toMs - span.fromMs > 500),
		30_000,
	);
}

test('where no UDP gets out but the room is to be had by TCP, it stays with the room', async ({ skip }) => {
	const server = await startLivekitServer('v1.8.4');
	if ('missing' in server) {
		notRun('a LiveKit room by TCP alone', server.missing);
		return skip(server.missing);
	}
	closing.push(() => (server as LivekitServer).stop());
	const sandbox = await sandboxOf({ liveKit: server });
	const { api, key, s2s } = sandbox.addresses;
	const network = have(
		'a LiveKit room by TCP alone',
		await startClosedNetwork([portOf(api), portOf(server.url), server.tcpPort]),
		(one) => one.stop(),
	);
	if (!network) return skip('no network of its own here');
	const app = await open(network, { DRAGOMAN_API_URL: api, DRAGOMAN_API_KEY: key, DRAGOMAN_S2S_URL: s2s });
	await converse(app);
	expect(await app.page.getByText('WebSocket').count()).toBe(0);
	expect(network.carried()[server.tcpPort]).toBeGreaterThan(10_000);
}, 180_000);

test('where nothing but a proxy leads out, it carries the calls and the sockets, and its password is told nobody', async ({
	skip,
}) => {
	const what = 'a network where only a proxy leads out';
	const [name, password] = ['speech.dragoman-test.example', 'proxy-pass-4711'];
	const front = have(what, await startTlsFront({ name }), (one) => one.close());
	if (!front) return skip('no such network here');
	const sandbox = await sandboxOf({ publicWebrtc: `wss://${name}/livekit/` });
	front.leadTo(portOf(sandbox.addresses.api));
	const proxy = await startConnectProxy({ [name]: front.port });
	closing.push(() => proxy.close());
	const network = have(what, await startClosedNetwork([portOf(proxy.address)]), (one) => one.stop());
	if (!network) return skip('no such network here');
	const { api, key, s2s } = sandbox.addresses;
	const app = await open(network, {
		DRAGOMAN_API_URL: api.replace(/^http:..[^/]*/, `https://${name}`),
		DRAGOMAN_S2S_URL: s2s.replace(/^ws:..[^/]*/, `wss://${name}`),
		DRAGOMAN_API_KEY: key,
		DRAGOMAN_LOG_LEVEL: 'debug',
		NODE_EXTRA_CA_CERTS: front.authority,
		HOME: front.home,
		HTTPS_PROXY: proxy.address.replace('//', `//clerk:${password}@`),
		NO_PROXY: '',
	});
	await converse(app);
	await app.page.getByText('so the conversation uses WebSocket', { exact: false }).first().waitFor();
	expect(new Set(proxy.asked)).toEqual(new Set([`${name}:443`]));
	const shown = `Basic ${Buffer.from(`clerk:${password}`).toString('base64')}`;
	expect(new Set(proxy.credentials)).toEqual(new Set([shown]));
	expect(await app.close()).toBe(143);
	await until('no session is left', () => sandbox.openSessions().length === 0);
	for (const secret of [key, password]) expect(app.log() + app.output()).not.toContain(secret);
}, 180_000);

async function behindTls(): Promise<{ front: TlsFront; sandbox: Sandbox; network: ClosedNetwork } | null> {
	const what = 'a network that lets through TLS on one port alone';
	const front = have(what, await startTlsFront(), (one) => one.close());
	if (!front) return null;
	const sandbox = await sandboxOf({ publicWebrtc: `wss://localhost:${front.port}/livekit/` });
	front.leadTo(portOf(sandbox.addresses.api));
	const network = have(what, await startClosedNetwork([front.port]), (one) => one.stop());
	return network && { front, sandbox, network };
}

function environment({ front, sandbox }: { front: TlsFront; sandbox: Sandbox }): Record<string, string> {
	const throughTls = (address: string) => {
		const { pathname } = new URL(address);
		return `localhost:${front.port}${pathname}`.replace(/\/$/, '');
	};
	const { api, key, s2s } = sandbox.addresses;
	return {
		DRAGOMAN_API_URL: `https://${throughTls(api)}`,
		DRAGOMAN_S2S_URL: `wss://${throughTls(s2s)}`,
		DRAGOMAN_API_KEY: key,
	};
}

test('where no UDP gets out, and only TLS on one port, the conversation goes on over WebSocket and leaves nothing', async ({
	skip,
}) => {
	const parts = await behindTls();
	if (!parts) return skip('no such network here');
	const { front, network, sandbox } = parts;
	const app = await open(network, {
		...environment(parts),
		NODE_EXTRA_CA_CERTS: front.authority,
		HOME: front.home,
	});
	await converse(app);
	await app.page.getByText('so the conversation uses WebSocket', { exact: false }).first().waitFor();
	expect(front.refused()).toBe(0);
	await button(app.page, 'Stop').click();
	await button(app.page, 'Start').waitFor({ timeout: 45_000 });
	expect(await app.close()).toBe(143);
	await until('no session is left', () => sandbox.openSessions().length === 0);
	expect(app.log()).not.toContain(sandbox.addresses.key);
}, 180_000);

test('an authority that nobody trusts gets no key: the refusal is said in words', async ({ skip }) => {
	const parts = await behindTls();
	if (!parts) return skip('no such network here');
	const { front, network, sandbox } = parts;
	const app = await open(network, environment(parts));
	await untilPhase(app.page, 'Ready');
	await button(app.page, 'Start').click();
	await app.page.getByRole('alert').getByText('does not trust the certificate').first().waitFor();
	expect(front.received()).toBe(0);
	expect(front.refused()).toBeGreaterThan(0);
	expect(sandbox.counts().requests).toBe(0);
	expect(app.log()).not.toContain(sandbox.addresses.key);
}, 120_000);
