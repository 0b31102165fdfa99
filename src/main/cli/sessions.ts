import { parseArgs } from 'node:util';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { type CommonValues, commonHelp, commonOptions, createContext, type Terminal } from './context.ts';
import { createOutput } from './output.ts';
import {
	createSession,
	deleteSession,
	extendSession,
	listSessions,
	pruneSessions,
	showSession,
} from './session-commands.ts';
import { wrongCount, wrongLevel, wrongLine } from './wrong-line.ts';

const help = `Usage: npm run cli -- sessions COMMAND [options]

  list                  every session of the account, with whose it is
  show ID               one session
  create                make a session and hand it to you: this program never deletes it by itself
  extend ID --ttl S     let it expire S seconds from now
  delete ID [--yes]     delete it; asks first, and without a terminal wants --yes
  prune                 delete what this computer's ledger holds and no running program uses

ID is the service's id, or the short name that list shows.

${commonHelp}`;

const options = { ...commonOptions, ttl: { type: 'string' }, yes: { type: 'boolean', short: 'y' } } as const;

/** How many arguments a command takes, and which options beside the common ones. */
const commands: Readonly<Record<string, { readonly arguments: 0 | 1; readonly options: readonly string[] }>> =
	{
		list: { arguments: 0, options: [] },
		show: { arguments: 1, options: [] },
		create: { arguments: 0, options: [] },
		extend: { arguments: 1, options: ['ttl'] },
		delete: { arguments: 1, options: ['yes'] },
		prune: { arguments: 0, options: [] },
	};

/** The command `sessions …`. */
export async function runSessions(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
	const parsed = parse(args);
	if (typeof parsed === 'string') {
		terminal.error(`${parsed}\nTry: npm run cli -- sessions --help\n`);
		return EXIT.usage;
	}
	const { values, command, id } = parsed;
	if (values.help || command === '') {
		terminal.out(`${help}\n`);
		return EXIT.done;
	}
	const output = createOutput(terminal, { json: values.json === true });
	const context = await createContext(values, terminal, output);
	try {
		switch (command) {
			case 'list':
				return await listSessions(context);
			case 'show':
				return await showSession(context, id);
			case 'create':
				return await createSession(context);
			case 'extend':
				return await extendSession(context, id, Number(values.ttl));
			case 'delete':
				return await deleteSession(context, id, { confirmed: values.yes === true });
			default:
				return await pruneSessions(context);
		}
	} finally {
		context.ledger.close();
	}
}

interface Parsed {
	readonly command: string;
	readonly id: string;
	readonly values: CommonValues & { readonly ttl?: string; readonly yes?: boolean };
}

/** A sentence when the command line cannot be meant. */
function parse(args: readonly string[]): Parsed | string {
	let read: ReturnType<typeof parseStrictly>;
	try {
		read = parseStrictly(args);
	} catch (thrown) {
		return wrongLine(thrown);
	}
	const { values, positionals } = read;
	const [command = '', id = ''] = positionals;
	if (values.help) return { command, id, values };
	const level = wrongLevel(values['log-level']);
	if (level !== '') return level;
	if (command === '') return 'Which command?';
	const shape = Object.hasOwn(commands, command) ? commands[command] : undefined;
	if (!shape) return `There is no command "sessions ${command}".`;
	if (positionals.length - 1 !== shape.arguments)
		return wrongCount(`sessions ${command}`, shape.arguments, positionals.slice(1));
	const odd = (['ttl', 'yes'] as const).find(
		(name) => values[name] !== undefined && !shape.options.includes(name),
	);
	if (odd) return `"sessions ${command}" has no option --${odd}.`;
	if (command === 'extend' && !/^[1-9]\d{0,8}$/.test(values.ttl ?? ''))
		return '--ttl wants a whole number of seconds.';
	return { command, id, values };
}

function parseStrictly(args: readonly string[]) {
	return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
}
