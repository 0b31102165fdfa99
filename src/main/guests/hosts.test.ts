import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { guestHosts } from './guests.ts';

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
		...['10.8.0.2', '100.101.102.103', '10.64.0.2', '192.168.2.1', '10.5.0.2', '192.168.9.2', '169.254.7.7'],
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
