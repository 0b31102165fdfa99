import { isIPv4 } from 'node:net';
import { parseArgs } from 'node:util';
import { wrongArguments } from '#shared/lib/terminal.ts';
import { faultTable, parseFault } from './faults.ts';
import type { SandboxOptions } from './sandbox.ts';

/** The command for usage texts: in a checkout, or installed (bin/dragoman.mjs). */
export const typed = import.meta.url.endsWith('.ts') ? 'npm run sandbox --' : 'dragoman sandbox';

/** The sandbox answers requests of any origin that has the key, so the key must not be guessable. */
const SHORTEST_KEY = 16;

const options = {
	help: { type: 'boolean', short: 'h' },
	host: { type: 'string' },
	port: { type: 'string' },
	key: { type: 'string' },
	generation: { type: 'string' },
	livekit: { type: 'string' },
	interpreter: { type: 'string' },
	models: { type: 'string' },
	fault: { type: 'string', multiple: true },
} as const;

export function help(): string {
	const faults = Object.entries(faultTable).map(([name, [does]]) => `  ${name.padEnd(24)}${does}`);
	return `Dragoman's sandbox: the interpreting service on this computer. It recognises nothing: its texts are scripted.

${typed} [options]

  --host 127.0.0.1              address to listen on
  --port 0                      port; 0 takes a free one
  --key K                       API key to accept, ${SHORTEST_KEY} characters or more; default: a fresh one
  --generation current|older    generation of the service
  --livekit current|older       generation of its room server
  --interpreter script|echo|local
                                speaks from a phrase table, sends back what it hears, or really
                                interprets, by the sockets only
  --models DIR                  where the models of local are (DRAGOMAN_MODELS)
  --fault NAME                  misbehaves for everyone; may be given several times. A key K+NAME
                                misbehaves for one caller. Also NAME:NUMBER, and for REST
                                NAME@create, NAME@list, NAME@get, NAME@delete, NAME@extend, and for
                                voices NAME@clone, NAME@voice, NAME@voices, NAME@delete-voice, NAME@builtin
  --help

The first line on standard output is JSON with its addresses and its key. With LIVEKIT_URL, LIVEKIT_API_KEY
and LIVEKIT_API_SECRET set, that LiveKit deployment carries the rooms.

Faults:
${faults.join('\n')}
`;
}

/** Options from the command line, or an error message. */
export function readArguments(args: readonly string[]): SandboxOptions | 'help' | { readonly wrong: string } {
	try {
		const { values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
		if (values.help) return 'help';
		const port = values.port === undefined ? undefined : Number(values.port);
		if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
			return { wrong: '--port must be a number from 0 to 65535' };
		}
		if (values.key !== undefined && values.key.length < SHORTEST_KEY) {
			return {
				wrong: `--key must have ${SHORTEST_KEY} characters or more: any page that guesses it is answered`,
			};
		}
		for (const fault of values.fault ?? []) {
			const read = parseFault(fault);
			if (!read.ok) return { wrong: read.error };
		}
		const generation = choice('--generation', values.generation, ['current', 'older']);
		const livekit = choice('--livekit', values.livekit, ['current', 'older']);
		const interpreter = choice('--interpreter', values.interpreter, ['script', 'echo', 'local']);
		return {
			...(values.host === undefined ? {} : { host: values.host }),
			...(port === undefined ? {} : { port }),
			...(values.key === undefined ? {} : { key: values.key }),
			...(generation && { generation }),
			...(livekit && { livekit }),
			...(interpreter && { interpreter }),
			...(values.models === undefined ? {} : { models: values.models }),
			faults: values.fault ?? [],
		};
	} catch (failure) {
		return { wrong: wrongArguments(failure) };
	}
}

function choice<Value extends string>(
	name: string,
	given: string | undefined,
	allowed: readonly Value[],
): Value | undefined {
	if (given === undefined) return undefined;
	const found = allowed.find((value) => value === given);
	if (!found) throw new Error(`${name} must be one of: ${allowed.join(', ')}`);
	return found;
}

/** A warning about an address (`--host`) that other computers may reach; null on loopback. */
export function warnOfOthers(host = '127.0.0.1'): string | null {
	const here = host === 'localhost' || (isIPv4(host) ? host.startsWith('127.') : host === '::1');
	return here
		? null
		: `It listens on ${host}: other computers may reach it, nothing is encrypted, and whoever has its key is answered.`;
}

/** The LiveKit deployment given by the environment variables; undefined unless all three are set. */
export function readLiveKit(env: Readonly<Record<string, string | undefined>>): SandboxOptions['liveKit'] {
	const { LIVEKIT_URL: url, LIVEKIT_API_KEY: key, LIVEKIT_API_SECRET: secret } = env;
	return url && key && secret ? { url, key, secret } : undefined;
}
