import dns from 'node:dns';
import { afterEach, expect, it, vi } from 'vitest';
import { createPeer } from './peer.ts';

afterEach(() => void vi.restoreAllMocks());

it('looks up no server, so that an offer never waits for a network', async () => {
	const lookup = vi.spyOn(dns.promises, 'lookup');
	const pc = createPeer({ heard() {}, data() {}, connected() {} });
	pc.createDataChannel('x');
	await pc.setLocalDescription(await pc.createOffer());
	expect(pc.localDescription?.sdp).toContain('127.0.0.1');
	await pc.close();
	expect(lookup.mock.calls).toEqual([]);
});
