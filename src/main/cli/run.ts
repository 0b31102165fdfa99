import { EXIT, type ExitStatus } from '#shared/exit-status.ts';
import { type CommandName, helpOf, type Topic, type TopicName, topics } from './command-list.ts';
import { runDoctor } from './commands/doctor.ts';
import {
	addGlossary,
	deleteGlossary,
	disableGlossary,
	enableGlossary,
	listGlossaries,
	showGlossary,
} from './commands/glossaries.ts';
import { deleteHistory, exportHistory, listHistory, showHistory, withHistory } from './commands/history.ts';
import { addModels, listModels, removeModels } from './commands/models.ts';
import {
	createSession,
	deleteSession,
	extendSession,
	listSessions,
	pruneSessions,
	showSession,
} from './commands/sessions.ts';
import { runSpeak } from './commands/speak.ts';
import { runTranscribe } from './commands/transcribe.ts';
import { runTranslate } from './commands/translate.ts';
import { cloneVoice, listVoices, voiceStatus } from './commands/voices.ts';
import { type Context, createContext, type Run, type ServiceContext, withService } from './context.ts';
import { readLine } from './line.ts';
import { createOutput } from './output.ts';
import type { Terminal } from './terminal.ts';

const commands: { readonly [Name in CommandName]: Run<Context> } = {
	'sessions list': withService(listSessions),
	'sessions show': withService(showSession),
	'sessions create': withService(createSession),
	'sessions extend': withService(extendSession),
	'sessions delete': withService(deleteSession),
	'sessions prune': withService(pruneSessions),
	translate: runTranslate,
	transcribe: runTranscribe,
	speak: runSpeak,
	'history list': withHistory(listHistory),
	'history show': withHistory(showHistory),
	'history export': withHistory(exportHistory),
	'history delete': withHistory(deleteHistory),
	'voices clone': cloneVoice,
	'voices status': withService(voiceStatus),
	'voices list': withService(listVoices),
	'glossaries list': withService(listGlossaries),
	'glossaries show': withService(showGlossary),
	'glossaries add': addGlossary,
	'glossaries enable': withService(enableGlossary),
	'glossaries disable': withService(disableGlossary),
	'glossaries delete': withService(deleteGlossary),
	'models list': listModels,
	'models add': addModels,
	'models remove': removeModels,
	balance: withService(showBalance),
	doctor: withService(runDoctor),
};

/** Runs what was typed after the first word. */
export async function runCommand(
	name: TopicName,
	args: readonly string[],
	terminal: Terminal,
): Promise<ExitStatus> {
	const line = readLine(name, args);
	if (line === 'help') {
		terminal.out(`${helpOf(name)}\n`);
		return EXIT.done;
	}
	const { isStream = false }: Topic = topics[name];
	// Use JSON even if the command line is invalid: a script reads the error in the form it asked for.
	const isJson = typeof line === 'string' ? args.includes('--json') : line.has('json');
	const output = createOutput(terminal, { json: isJson, isStream, topic: name });
	if (typeof line === 'string') return output.usage(line);
	return commands[line.command](createContext(line, terminal, output), line);
}

async function showBalance({ readBalance, output, signal }: ServiceContext): Promise<ExitStatus> {
	const balance = await readBalance(signal);
	if (!balance.ok) return output.problem(balance.error);
	const { credits, usd } = balance.value;
	const said = [
		credits === null ? '' : `${credits} credits`,
		usd === null ? '' : `${credits === null ? '' : 'about '}${usd.toFixed(2)} US dollars`,
	];
	output.result({ credits, usd_equivalent: usd }, [said.filter((part) => part !== '').join(', ')]);
	return EXIT.done;
}
