import type { NetworkInterfaceInfo } from 'node:os';

/** Networks inside this computer, and tunnels: who is in the same room is hardly ever in them. */
const VIRTUAL = [
	/^(docker|podman|cni|lxc|lxd|incus|waydroid|veth|br-|bridge|virbr|vnic|vmnet|vmware|vboxnet|virtualbox)/i,
	/^(u?tun|tap|ppp|wg|nordlynx|tailscale|zt|zerotier|feth)/i,
];
/** RFC 1918, in the order in which homes and offices use them. */
const PRIVATE = [/^192\.168\./, /^10\./, /^172\.(1[6-9]|2\d|3[01])\./];
/** RFC 3927: a computer that was given no address. */
const LINK_LOCAL = /^169\.254\./;

/** The IPv4 addresses at which others may reach this computer, the likeliest first; of `os.networkInterfaces`. */
export function guestHosts(
	interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): readonly string[] {
	return Object.entries(interfaces)
		.flatMap(([name, all = []]) =>
			all
				.filter(({ family, internal }) => family === 'IPv4' && !internal)
				.map(({ address }) => ({ address, rank: rankOf(name, address) })),
		)
		.sort((one, other) => one.rank - other.rank)
		.map(({ address }) => address);
}

function rankOf(name: string, address: string): number {
	if (VIRTUAL.some((one) => one.test(name)) || LINK_LOCAL.test(address)) return PRIVATE.length + 1;
	const range = PRIVATE.findIndex((one) => one.test(address));
	return range === -1 ? PRIVATE.length : range;
}
