import { spawn } from 'node:child_process';

/** No sentence takes longer than this to make, ms. */
const TIME_LIMIT_MS = 10_000;
/** No sentence yields more bytes than this: ten minutes at 24 kHz. */
const OUTPUT_LIMIT = 30_000_000;

/**
 * Runs a program with `input` on its standard input and gives what it wrote; null when it is not
 * installed, fails, takes too long or writes too much. Never goes through a shell: `args` are fixed
 * by us, texts only ever travel as input.
 */
export function runChild(program: string, args: readonly string[], input: Buffer): Promise<Buffer | null> {
	const { promise, resolve } = Promise.withResolvers<Buffer | null>();
	const child = spawn(program, [...args], {
		stdio: ['pipe', 'pipe', 'ignore'],
		timeout: TIME_LIMIT_MS,
		killSignal: 'SIGKILL',
		windowsHide: true,
	});
	const chunks: Buffer[] = [];
	let size = 0;
	child.on('error', () => resolve(null));
	child.on('close', (code) => resolve(code === 0 && size <= OUTPUT_LIMIT ? Buffer.concat(chunks) : null));
	child.stdout.on('data', (chunk: Buffer) => {
		size += chunk.length;
		if (size > OUTPUT_LIMIT) child.kill('SIGKILL');
		else chunks.push(chunk);
	});
	// `close` and `error` report a program that ends early or does not exist.
	child.stdin.on('error', () => {});
	child.stdin.end(input);
	return promise;
}
