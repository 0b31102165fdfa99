import { useCallback } from 'react';
import type { AccountMirror } from '#renderer/account/account-mirror.ts';
import { copyText } from '#renderer/captions/copy-text.ts';
import type { Host } from '#renderer/host.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import type { Place } from '#renderer/shell/navigation.ts';
import { useParts } from '#renderer/shell/parts.ts';
import { type Problem, type Recovery, recoveryOf } from '#shared/problem.ts';
import { choicesOf } from './choices.ts';

/** Where in the settings to fix each kind of problem; other kinds open the start of the settings. */
const settingsOf: { readonly [Kind in Problem['kind']]?: Place } = {
	'address-refused': 'addresses',
	'port-refused': 'addresses',
	'socket-off': 'addresses',
	'no-credit': 'account',
	'keychain-missing': 'account',
};

/** The box of the language that causes the problem. */
function boxOf({ kind }: Problem): Place {
	return kind === 'language-one-way' ? 'spoken-language' : 'languages';
}

/** Steps that lead to a box of the live page. */
export const toLiveBox: ReadonlySet<Recovery> = new Set(['open-microphone', 'open-output', 'open-languages']);

/** Problems before a conversation: unless one has failed, a retry only checks again. */
const ofOthers: ReadonlySet<Problem['kind']> = new Set(['recorder-missing', 'system-sound-failed']);

/** Problems handled the same everywhere, because their retry starts no conversation. */
const alike: ReadonlySet<Problem['kind']> = new Set([...ofOthers, 'sandbox-failed', 'output-blocked']);

/** Whether the recovery works everywhere; else it is "try again", which each place must define, or none. */
export function leadsOn(problem: Problem): boolean {
	const recovery = recoveryOf[problem.kind];
	if (recovery === 'retry' || recovery === 'check-network') return alike.has(problem.kind);
	return recovery !== 'none';
}

/** Continues the conversation that failed or moved (`isMoved`); after the page was cleared, starts a new one. */
export function useStartAgain(isMoved = false): () => void {
	const { conversation, settings } = useParts();
	return useCallback(() => {
		const choices = choicesOf(settings.store.getState().values);
		if (conversation.captions.store.getState().away) conversation.start(choices);
		else conversation.tryAgain(choices, isMoved);
	}, [conversation, settings, isMoved]);
}

/** Copies the report; returns whether it could be created and copied. */
async function copyReport(host: Host): Promise<boolean> {
	const report = await host.ask('diagnostics.report', undefined);
	return report.ok && copyText(report.value);
}

/** Starts the process that could not be started: the local interpreter, or the sandbox. */
const startHere = (account: AccountMirror, isLocal = false) => account.choose(isLocal ? 'local' : 'sandbox');

/** Takes a problem's one next step, calling `again` if that is "try again". Resolves to a text to announce, or null. */
export function useRecover(): (
	problem: Problem,
	recovery: Recovery,
	again?: () => void,
) => Promise<string | null> {
	const { host, conversation, account, navigation, sound, systemSound } = useParts();
	const { t } = useTranslation();

	return useCallback(
		async (problem, recovery, again) => {
			switch (recovery) {
				case 'retry':
				case 'check-network':
					if (problem.kind === 'sandbox-failed') void startHere(account, problem.local);
					else if (problem.kind === 'output-blocked') void sound.testOutput();
					else if (ofOthers.has(problem.kind) && (conversation.store.getState().phase !== 'failed' || !again))
						await systemSound.load();
					else again?.();
					return null;
				case 'open-key':
					navigation.go('settings', problem.kind === 'voice-token-rejected' ? 'voice-token' : 'key');
					return null;
				case 'open-sessions':
					navigation.go('sessions');
					return null;
				case 'open-microphone':
					navigation.go('live', 'microphone');
					return null;
				case 'open-output':
					navigation.go('live', 'output');
					return null;
				case 'open-call-route':
					navigation.go('settings', 'call-route');
					return null;
				case 'open-languages':
					navigation.go('live', boxOf(problem));
					return null;
				case 'open-settings':
					navigation.go('settings', settingsOf[problem.kind]);
					return null;
				case 'open-system-privacy': {
					const isSound = problem.kind === 'system-sound-denied';
					const page = isSound ? 'system.open-sound-privacy' : 'system.open-microphone-privacy';
					const opened = await host.ask(page, undefined);
					if (opened.ok && opened.value) return null;
					return t(isSound ? 'recovery.soundPrivacyByHand' : 'recovery.privacyByHand');
				}
				case 'use-sandbox':
					void account.choose('sandbox');
					return null;
				case 'copy-report':
					return t((await copyReport(host)) ? 'recovery.reportCopied' : 'recovery.reportNotCopied');
				case 'none':
					return null;
			}
		},
		[host, conversation, account, navigation, sound, systemSound, t],
	);
}
