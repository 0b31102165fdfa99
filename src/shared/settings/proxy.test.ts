import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NOWHERE, proxyRouteOf, readProxyAddress } from './proxy.ts';

test.each([
	['proxy.example.com:3128', 'http://proxy.example.com:3128'],
	[' HTTPS://Proxy.Example.com ', 'https://proxy.example.com:443'],
	['http://10.0.0.1/', 'http://10.0.0.1:80'],
	['http://[fe80::1]:8080', 'http://[fe80::1]:8080'],
])('%s is %s', (text, address) => {
	expect(readProxyAddress(text)).toEqual({ address });
});

test.each([
	['', 'unreadable'],
	['http://', 'unreadable'],
	['proxy:99999', 'unreadable'],
	['proxy/path', 'unreadable'],
	['two words', 'unreadable'],
	['socks5://proxy:1080', 'scheme'],
	['http://anna:secret@proxy:3128', 'password'],
	['anna:secret@proxy', 'password'],
] as const)('"%s" cannot be used: %s', (text, refused) => {
	expect(readProxyAddress(text)).toEqual({ refused });
});

test('whatever is written, what is used holds no password and is read again as itself', () => {
	fc.assert(
		fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.webAuthority({ withUserInfo: true })), (text) => {
			const read = readProxyAddress(text);
			if (!('address' in read)) return;
			expect(read.address).not.toContain('@');
			expect(readProxyAddress(read.address)).toEqual(read);
		}),
	);
});

test('no address leaves it to the system; past one that cannot be used nothing is sent', () => {
	expect(proxyRouteOf({ proxy: 'address', proxyAddress: ' ' })).toEqual({ by: 'system' });
	for (const proxyAddress of ['socks5://x', 'http://anna:secret@proxy:3128', 'x:99999'])
		expect(proxyRouteOf({ proxy: 'address', proxyAddress })).toEqual({ by: 'address', address: NOWHERE });
	expect(proxyRouteOf({ proxy: 'address', proxyAddress: 'x:1' })).toEqual({
		by: 'address',
		address: 'http://x:1',
	});
	expect(proxyRouteOf({ proxy: 'none', proxyAddress: 'x:1' })).toEqual({ by: 'none' });
});
