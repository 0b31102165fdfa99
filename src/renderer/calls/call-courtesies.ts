import type { Conversation } from '#renderer/conversation/conversation.ts';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import type { SettingsMirror } from '#renderer/settings/settings-mirror.ts';
import type { TypedText } from '#shared/captions/typed-texts.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { baseOf } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { voiceTarget } from '#shared/settings/shown-pair.ts';
import type { CallOutputView } from './call-output.ts';
import type { TurnSigns } from './turn-sign.ts';

export interface CallCourtesiesParts {
	readonly conversation: Pick<Conversation, 'store' | 'say'>;
	readonly settings: Pick<SettingsMirror, 'store'>;
	readonly turnSigns: TurnSigns;
	/** Where the call hears the user now. */
	readonly callOutput: { getState(): CallOutputView };
	readonly clock: Clock;
	readonly log: Pick<Logger, 'warn'>;
	/** For tests; default: `playCallTone`. */
	readonly playTone?: (output: CallDevice) => Promise<Result<void, Problem>>;
}

type CallDevice = Extract<CallOutputView, { to: 'call' }>['output'];

/**
 * Two optional courtesies to others in the call: a sentence at the beginning of a meeting that the user speaks
 * through an interpreter, and a soft sound when the translation of the user's turn has ended. Returns a function
 * that stops both.
 */
export function followCallCourtesies(parts: CallCourtesiesParts): Cancel {
	const { conversation, settings, turnSigns, callOutput, clock, log } = parts;
	const playTone =
		parts.playTone ??
		(async (output: CallDevice) => (await import('#renderer/sound/play-wav.ts')).playCallTone(clock, output));
	/** True until the opening sentence has been sent; the conversation may already be running here. */
	let isBeginning = isRunning(conversation.store.getState().phase);

	async function open(values: Settings): Promise<void> {
		// A caption row shows the progress of the sentence.
		conversation.say(await openingLine(values));
	}

	/** The tone is optional, so a failure is only logged. */
	async function tone(output: CallDevice): Promise<void> {
		try {
			const played = await playTone(output);
			if (!played.ok) log.warn('tone for the call not played', { problem: played.error.kind });
		} catch (failure) {
			log.warn('tone for the call not played', { failure: String(failure) });
		}
	}

	function openOnceLive(): void {
		if (!isBeginning || conversation.store.getState().phase !== 'live') return;
		isBeginning = false;
		const { values } = settings.store.getState();
		if (values.mode === 'meeting' && values.callOpening) void open(values).catch(() => {});
	}

	const ends = [
		conversation.store.subscribe((view, before) => {
			// A failed conversation that resumes already had its opening sentence.
			if (isRunning(view.phase) && !isRunning(before.phase)) isBeginning = view.liveSinceMs === null;
			openOnceLive();
		}),
		turnSigns.subscribe((now, before) => {
			if (now.outgoing !== 'turn' || before.outgoing === 'turn') return;
			const { mode, callTone } = settings.store.getState().values;
			const view = callOutput.getState();
			// Play the tone only into the call: on the user's own speakers it would seem to come from the call.
			if (mode === 'meeting' && callTone && view.to === 'call') void tone(view.output);
		}),
	];
	openOnceLive();
	return () => {
		for (const end of ends) end();
	};
}

/** "I speak through an interpreter" in their language, else in English to be translated (protocol 4.4). */
export async function openingLine(choices: Pick<Settings, 'hear' | 'voiceOf'>): Promise<TypedText> {
	const { default: lines } = await import('#shared/i18n/opening-lines.json');
	const known: Readonly<Record<string, string | undefined>> = lines;
	const language = voiceTarget(choices);
	const text = known[baseOf(language)];
	return text === undefined
		? { text: lines.en, language: 'en', translate: true }
		: { text, language, translate: false };
}
