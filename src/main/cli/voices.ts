import { parseArgs } from 'node:util';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { emptyDraft, type VoiceDraft } from '#shared/voices/draft.ts';
import { commonHelp, type Terminal } from './context.ts';
import { createOutput } from './output.ts';
import { cloneVoice, listVoices, voiceStatus } from './voice-commands.ts';
import { createVoiceContext, type VoiceValues, voiceOptions } from './voice-context.ts';
import { wrongCount, wrongLevel, wrongLine } from './wrong-line.ts';

const help = `Usage: npm run cli -- voices COMMAND [options]

  clone FILE            make a voice of a sample: sound or video, one speaker, 30 s or more, 10 MB at most
    --name N            3 to 64 letters, digits, spaces and _ - . ( )
    --lang L            language of the sample, such as es or en-us; auto = the service finds out
    --description T
    --label K=V         gender, age_group or mood; may be repeated
    --attribute A       may be repeated
    --denoise           the sample has background noise
    --normalize         the sample is too quiet or uneven
    --skip-external     not at the service's external provider too
    --i-have-consent    you may have this voice copied; asked for on a terminal, required without one
    --wait              until the voice is ready or has failed, not only until its sample is there
  status ID [--wait]    how a voice is
  list                  voices made on this computer with this account

ID is the service's voice id.

${commonHelp}
  --voice-token-stdin   read a token for the voice endpoints from standard input (DRAGOMAN_VOICE_TOKEN)`;

type Name = keyof typeof voiceOptions;

const common: readonly Name[] = [
	'help',
	'json',
	'key-stdin',
	'voice-token-stdin',
	'api-url',
	'user-data-dir',
	'log-level',
];
/** How many arguments a command takes, and which options beside the common ones. */
const commands: Readonly<Record<string, { readonly arguments: 0 | 1; readonly options: readonly Name[] }>> = {
	clone: {
		arguments: 1,
		options: [
			'name',
			'lang',
			'description',
			'label',
			'attribute',
			'denoise',
			'normalize',
			'skip-external',
			'i-have-consent',
			'wait',
		],
	},
	status: { arguments: 1, options: ['wait'] },
	list: { arguments: 0, options: [] },
};

/** The command `voices …`. */
export async function runVoices(args: readonly string[], terminal: Terminal): Promise<ExitStatus> {
	const parsed = parse(args, terminal);
	if (typeof parsed === 'string') {
		terminal.error(`${parsed}\nTry: npm run cli -- voices --help\n`);
		return EXIT.usage;
	}
	const { values, command, argument } = parsed;
	if (values.help) {
		terminal.out(`${help}\n`);
		return EXIT.done;
	}
	const output = createOutput(terminal, { json: values.json === true });
	const context = await createVoiceContext(values, terminal, output);
	try {
		switch (command) {
			case 'clone':
				return await cloneVoice(context, {
					file: argument,
					draft: parsed.draft,
					hasConsent: values['i-have-consent'] === true,
					wait: values.wait === true,
				});
			case 'status':
				return await voiceStatus(context, argument, { wait: values.wait === true });
			default:
				return await listVoices(context);
		}
	} finally {
		context.register.close();
	}
}

interface Parsed {
	readonly command: string;
	readonly argument: string;
	readonly values: VoiceValues;
	readonly draft: VoiceDraft;
}

/** A sentence when the command line cannot be meant. */
function parse(args: readonly string[], terminal: Terminal): Parsed | string {
	let read: ReturnType<typeof parseStrictly>;
	try {
		read = parseStrictly(args);
	} catch (thrown) {
		return wrongLine(thrown);
	}
	const { values, positionals } = read;
	const [command = '', argument = ''] = positionals;
	if (values.help) return { command, argument, values, draft: emptyDraft };
	const level = wrongLevel(values['log-level']);
	if (level !== '') return level;
	if (command === '') return 'Which command?';
	const shape = Object.hasOwn(commands, command) ? commands[command] : undefined;
	if (!shape) return `There is no command "voices ${command}".`;
	if (positionals.length - 1 !== shape.arguments)
		return wrongCount(`voices ${command}`, shape.arguments, positionals.slice(1));
	const odd = (Object.keys(values) as Name[]).find((name) => ![...common, ...shape.options].includes(name));
	if (odd) return `"voices ${command}" has no option --${odd}.`;
	if (values['key-stdin'] && values['voice-token-stdin'])
		return 'Standard input holds one secret: --key-stdin or --voice-token-stdin.';
	if (command !== 'clone') return { command, argument, values, draft: emptyDraft };
	const draft = draftOf(values);
	if (typeof draft === 'string') return draft;
	const canAsk = terminal.confirm !== null && !values['key-stdin'] && !values['voice-token-stdin'];
	if (!values['i-have-consent'] && !canAsk)
		return "Nobody's voice is copied without consent: say --i-have-consent.";
	return { command, argument, values, draft };
}

function draftOf(values: ReturnType<typeof parseStrictly>['values']): VoiceDraft | string {
	const { name, lang, description, label, attribute, denoise, normalize } = values;
	if (!name) return '--name is missing.';
	if (!lang) return '--lang is missing.';
	const labels = { ...emptyDraft.labels };
	for (const pair of label ?? []) {
		const [, key, value] = /^([a-z_]+)=(.+)$/s.exec(pair.trim()) ?? [];
		if (value === undefined) return '--label wants k=v, such as gender=female.';
		if (key === 'gender' || key === 'mood') labels[key] = value;
		else if (key === 'age_group') labels.ageGroup = value;
		else return `There is no label "${key}": gender, age_group or mood.`;
	}
	return {
		...emptyDraft,
		name,
		language: lang.toLowerCase(),
		description: description ?? '',
		labels,
		attributes: attribute ?? [],
		denoise: denoise === true,
		normalise: normalize === true,
		skipExternal: values['skip-external'] === true,
	};
}

function parseStrictly(args: readonly string[]) {
	return parseArgs({ args: [...args], options: voiceOptions, allowPositionals: true, strict: true });
}
