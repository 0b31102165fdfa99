import { type Command, everywhere, type Options, type Topic, type TopicName, topics } from './commands.ts';

/** Where the words about an option or a command begin. */
const COLUMN = 24;

/** What `--help` without a command says. */
export function overview(): string {
	const rows = entries().flatMap(([name, topic]) => {
		const single = topic.commands[''];
		if (!single) return row(2, name, `${Object.keys(topic.commands).join(', ')}${topic.about ?? ''}`);
		const [argument = ''] = topic.arguments?.[0] ?? [];
		return single.forms.flatMap(([, does]) => row(2, `${name} ${argument}`.trim(), does));
	});
	return [
		'Usage: npm run cli -- COMMAND [options]',
		'',
		...rows,
		...row(2, 'COMMAND --help', 'more about one of them'),
		'',
		...commonLines(everywhere),
	].join('\n');
}

/** What `NAME --help` says. */
export function helpOf(name: TopicName): string {
	const topic: Topic = topics[name];
	const usage = topic.commands['']?.forms[0]?.[0] ?? 'COMMAND';
	const rows = [
		...(topic.arguments ?? []).flatMap(([argument, is]) => row(2, argument, is)),
		...Object.entries(topic.commands).flatMap(([second, command]) =>
			second === '' ? optionRows(command.options, 2) : commandRows(second, command),
		),
	];
	return [
		`Usage: npm run cli -- ${[name, usage, '[options]'].filter((word) => word !== '').join(' ')}`,
		'',
		...rows,
		...(rows.length > 0 ? [''] : []),
		...(topic.notes === undefined ? [] : [topic.notes, '']),
		...commonLines(topic.common),
	].join('\n');
}

/** The table of all commands in docs/configuration.md. */
export function commandTable(): string {
	const rows = entries().flatMap(([name, topic]) =>
		Object.entries(topic.commands).flatMap(([second, { forms }]) =>
			forms.map(([usage, does]) => {
				const typed = [name, second, usage].filter((word) => word !== '').join(' ');
				return `| \`${typed.replaceAll('|', '\\|')}\` | ${does} |`;
			}),
		),
	);
	return ['| Command | What it does |', '|---|---|', ...rows].join('\n');
}

function entries(): readonly (readonly [string, Topic])[] {
	return Object.entries(topics);
}

function commandRows(second: string, { forms, options }: Command): readonly string[] {
	return [
		...forms.flatMap(([usage, does]) => row(2, `${second} ${usage}`.trim(), does)),
		...optionRows(options, 4),
	];
}

function commonLines({ options, notes }: Topic['common']): readonly string[] {
	return ['Options of every command:', ...optionRows(options, 2), notes];
}

/** Leaves out options that only the notes mention. */
function optionRows(options: Options = {}, indent: number): readonly string[] {
	return Object.entries(options).flatMap(([name, [value, ...lines]]) =>
		lines.length === 0 && name !== 'help' ? [] : row(indent, `--${name} ${value}`, ...lines),
	);
}

function row(indent: number, term: string, ...lines: readonly string[]): readonly string[] {
	const [first = '', ...more] = lines;
	const start = `${' '.repeat(indent)}${term}`.padEnd(COLUMN - 2).trimEnd();
	const head = first === '' ? start : `${start.padEnd(COLUMN - 2)}  ${first}`;
	return [head, ...more.map((line) => `${' '.repeat(COLUMN)}${line}`)];
}
