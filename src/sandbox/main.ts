import { takeEnvironment } from '#shared/lib/environment.ts';
import { help, readArguments, readLiveKit, typed, warnOfOthers } from './command-line.ts';
import { startSandbox } from './sandbox.ts';

async function main(): Promise<void> {
	const env = takeEnvironment(process.env, (said) => process.stderr.write(said));
	const read = readArguments(process.argv.slice(2));
	if (read === 'help') return void process.stdout.write(help());
	if ('wrong' in read) {
		process.stderr.write(`${read.wrong}\n${typed} --help shows what there is.\n`);
		process.exitCode = 2;
		return;
	}
	const sandbox = await startSandbox({ ...read, liveKit: readLiveKit(env) });
	// Once loaded, LiveKit's native module would keep the process alive.
	const end = () => void sandbox.close().finally(() => process.exit());
	process.once('SIGINT', end);
	process.once('SIGTERM', end);
	// If a parent process started us with a channel, exit together with it.
	process.once('disconnect', end);
	// Print the addresses last, because the reader may end this process at once.
	process.stdout.write(`${JSON.stringify(sandbox.addresses)}\n`);
	const open = warnOfOthers(read.host);
	if (open) process.stderr.write(`${open}\n`);
}

main().catch((failure: unknown) => {
	process.stderr.write(
		`The sandbox could not start: ${failure instanceof Error ? failure.message : failure}\n`,
	);
	process.exitCode = 1;
});
