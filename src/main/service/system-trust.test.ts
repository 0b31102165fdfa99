import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { notRun } from '#test/support/not-run.ts';
import { startTlsFront } from '#test/support/tls-front.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});

/** What a program of ours reports that connects; `env` may name a certificate store, `trust` turns on the system's. */
async function connectInProgram(port: number, env: Record<string, string>, trust: boolean): Promise<string> {
	const script = `
		import tls from 'node:tls';
		const { trustSystem } = await import(${JSON.stringify(join(import.meta.dirname, 'system-trust.ts'))});
		if (${trust}) console.log(trustSystem());
		const socket = tls.connect({ host: 'localhost', port: ${port} });
		socket.once('secureConnect', () => { console.log('trusted'); socket.destroy(); });
		socket.once('error', ({ code }) => console.log(code));`;
	const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
		env: { ...process.env, NODE_EXTRA_CA_CERTS: '', ...env },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	let output = '';
	child.stdout.on('data', (chunk) => {
		output += chunk;
	});
	await new Promise((done) => child.once('close', done));
	return output.trim().replace('\n', ' ');
}

test('an authority of the system’s store is trusted once it was asked for, and others no less', async ({
	skip,
}) => {
	const front =
		process.platform === 'linux' ? await startTlsFront({ browser: false }) : { missing: 'not Linux' };
	if ('missing' in front) {
		notRun('the system’s authorities', front.missing);
		return skip(front.missing);
	}
	closing.push(() => front.close());
	// Here the store of the system is one file.
	const system = { SSL_CERT_FILE: front.authority };
	const [before, after, extra, unknown] = await Promise.all([
		connectInProgram(front.port, system, false),
		connectInProgram(front.port, system, true),
		connectInProgram(front.port, { NODE_EXTRA_CA_CERTS: front.authority }, true),
		connectInProgram(front.port, {}, true),
	]);
	expect([before, after, extra, unknown]).toEqual([
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'true trusted',
		'true trusted',
		'true UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	]);
});
