import type { TopicName } from '#main/cli/command-list.ts';
import { runCommand } from '#main/cli/run.ts';
import type { Terminal } from '#main/cli/terminal.ts';
import type { ExitStatus } from '#shared/exit-status.ts';

export interface Ran {
	readonly status: ExitStatus;
	readonly out: string;
	readonly error: string;
}

/** One command in this process, with nobody to ask and nothing on standard input, unless `fields` say otherwise. */
export async function runInProcess(
	topic: TopicName,
	args: readonly string[],
	fields: Partial<Terminal>,
): Promise<Ran> {
	const said = { out: '', error: '' };
	const status = await runCommand(topic, args, {
		env: {},
		out: (text) => {
			said.out += text;
		},
		error: (text) => {
			said.error += text;
		},
		readInput: async () => '',
		confirm: null,
		signal: new AbortController().signal,
		...fields,
	});
	return { status, ...said };
}
