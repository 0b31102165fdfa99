import { homedir } from 'node:os';
import { extname } from 'node:path';
import { parseArgs } from 'node:util';
import { createHistoryDoor } from '#main/history/history-door.ts';
import { userDataFolder } from '#main/settings/user-data.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { type CaptionFormat, captionFormats, fileEnding } from '#shared/captions/export-files.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { silentLogger } from '#shared/lib/log.ts';
import type { Terminal } from './context.ts';
import {
	deleteHistory,
	type ExportPlan,
	exportHistory,
	type HistoryContext,
	listHistory,
	showHistory,
} from './history-commands.ts';
import { createOutput } from './output.ts';
import { wrongCount, wrongLine } from './wrong-line.ts';

const help = `Usage: npm run cli -- history COMMAND [options]

  list [--search TEXT]  conversations, the newest first; those in which all words stand in one caption
  show ID               one of them, with its captions
  export ID             write it: to standard output, or
    --out FILE          into this file
    --format F          srt, vtt, txt, md, csv or json; default: what FILE ends with, else txt
    --language L        which one; default: the first translation
    --aligned           what was said beside it
  delete ID [--yes]     delete it for good; asks first, and without a terminal wants --yes
  delete --all [--yes]  all of them

ID is the id, or its beginning as list shows it. No key is needed; the app may be running.

Options of every command:
  --json                one JSON document on standard output; errors as {"error": {kind, message, code}}
  --user-data-dir DIR   where the history is (DRAGOMAN_USER_DATA)
  --help
Exit status: 0 done, 1 failed, 2 usage, 4 not found, 7 the history's file is broken.`;

const options = {
	help: { type: 'boolean', short: 'h' },
	json: { type: 'boolean' },
	'user-data-dir': { type: 'string' },
	search: { type: 'string' },
	format: { type: 'string' },
	language: { type: 'string' },
	aligned: { type: 'boolean' },
	out: { type: 'string' },
	all: { type: 'boolean' },
	yes: { type: 'boolean', short: 'y' },
} as const;

const own: Readonly<Record<string, readonly string[]>> = {
	list: ['search'],
	show: [],
	export: ['format', 'language', 'aligned', 'out'],
	delete: ['all', 'yes'],
};
const common = ['help', 'json', 'user-data-dir'];

/** The command `history …`. */
export async function runHistory(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
	const parsed = parse(args);
	if (typeof parsed === 'string') {
		terminal.error(`${parsed}\nTry: npm run cli -- history --help\n`);
		return EXIT.usage;
	}
	const { values, command, id } = parsed;
	if (values.help) {
		terminal.out(`${help}\n`);
		return EXIT.done;
	}
	const machine = { platform: process.platform, home: homedir(), env: terminal.env };
	const folder = userDataFolder(machine, values['user-data-dir']);
	const door = createHistoryDoor({ folder, clock: createSystemClock(), log: silentLogger });
	const output = createOutput(terminal, { json: values.json === true });
	const context: HistoryContext = { folder, door, output, terminal };
	try {
		switch (command) {
			case 'list':
				return listHistory(context, values.search ?? '');
			case 'show':
				return showHistory(context, id);
			case 'export':
				return await exportHistory(context, id, planOf(values));
			default:
				return await deleteHistory(context, values.all ? null : id, { confirmed: values.yes === true });
		}
	} finally {
		door.close();
	}
}

type Values = ReturnType<typeof parseStrictly>['values'];

function parse(args: readonly string[]): { command: string; id: string; values: Values } | string {
	let read: ReturnType<typeof parseStrictly>;
	try {
		read = parseStrictly(args);
	} catch (thrown) {
		return wrongLine(thrown);
	}
	const { values, positionals } = read;
	const [command = '', id = ''] = positionals;
	if (values.help) return { command, id, values };
	if (command === '') return 'Which command?';
	const allowed = Object.hasOwn(own, command) ? own[command] : undefined;
	if (!allowed) return `There is no command "history ${command}".`;
	const odd = Object.keys(values).find((name) => !common.includes(name) && !allowed.includes(name));
	if (odd) return `"history ${command}" has no option --${odd}.`;
	const wanted = command === 'list' || values.all ? 0 : 1;
	if (positionals.length - 1 !== wanted || (wanted === 1 && id === ''))
		return wrongCount(`history ${command}${values.all ? ' --all' : ''}`, wanted, positionals.slice(1));
	if (command === 'export' && formatOf(values) === null)
		return '--format wants srt, vtt, txt, md, csv or json.';
	return { command, id, values };
}

function parseStrictly(args: readonly string[]) {
	return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
}

/** Null when a format was named that there is not. */
function formatOf({ format, out, json }: Values): CaptionFormat | null {
	const byEnding = (ending: string) => captionFormats.find((one) => fileEnding[one] === ending);
	if (format !== undefined) return byEnding(format) ?? null;
	if (out !== undefined && out !== '-') return byEnding(extname(out).slice(1).toLowerCase()) ?? 'text';
	return json ? 'json' : 'text';
}

function planOf(values: Values): ExportPlan {
	const { language = '', aligned = false, out = '' } = values;
	return { format: formatOf(values) ?? 'text', language, aligned, out: out === '-' ? '' : out };
}
