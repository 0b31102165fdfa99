import { useCallback } from 'react';
import { useStore } from 'zustand';
import { keyProblem } from '#renderer/account/account-mirror.ts';
import type { CallOutputView } from '#renderer/calls/call-output.ts';
import type { ModelsView } from '#renderer/models/models-mirror.ts';
import { type HereBlock, hereBlock } from '#renderer/models/needed-models.ts';
import { type Parts, useParts } from '#renderer/shell/parts.ts';
import type { SoundView } from '#renderer/sound/sound.ts';
import { checkChoices } from '#shared/conversation/task-builder.ts';
import type { RoutingState, SystemSoundState } from '#shared/host/calls.ts';
import type { AccountStatus } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';
import { swap } from '#shared/protocol/languages.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { choicesOf, planOf } from './choices.ts';
import { isRunning } from './live-changes.ts';

/** The present action of the main button, also for its shortcut and the menu. */
export function useStartStop(): () => void {
	const parts = useParts();
	return useCallback(() => {
		const { conversation, justStopped, settings } = parts;
		const { phase } = conversation.store.getState();
		if (phase === 'ending') void conversation.stopNow();
		else if (isRunning(phase)) conversation.stop();
		else if (!justStopped.getState()) {
			const { values } = settings.store.getState();
			// This mode has nothing to start: typed text is spoken at once.
			if (values.mode === 'type') return;
			if (!startBlock(startNeeds(parts))) conversation.start(choicesOf(values));
		}
	}, [parts]);
}

/** Why Start cannot work now; null when it can. */
export function useStartBlock(): StartBlock | null {
	const parts = useParts();
	return startBlock({
		settings: useStore(parts.settings.store, (view) => view.values),
		account: useStore(parts.account.store, (view) => view.status),
		models: useStore(parts.models.store),
		sound: useStore(parts.sound.store),
		systemSound: useStore(parts.systemSound.store),
		routing: useStore(parts.routing.store),
		callOutput: useStore(parts.callOutput),
	});
}

/** Why Start cannot work now: a problem with a remedy, or a passing obstacle. */
export type StartBlock =
	| { readonly kind: 'problem'; readonly problem: Problem }
	| { readonly kind: 'wait'; readonly what: 'sandboxStarting' }
	| HereBlock;

/** All that Start depends on, as it is now. */
interface StartNeeds {
	readonly settings: Settings;
	readonly account: AccountStatus;
	readonly models: ModelsView;
	readonly sound: SoundView;
	readonly systemSound: SystemSoundState;
	readonly routing: RoutingState;
	readonly callOutput: CallOutputView;
}

/** Reads the state that Start depends on, at the moment of the press. */
export function startNeeds(parts: Parts): StartNeeds {
	return {
		settings: parts.settings.store.getState().values,
		account: parts.account.store.getState().status,
		models: parts.models.store.getState(),
		sound: parts.sound.store.getState(),
		systemSound: parts.systemSound.store.getState(),
		routing: parts.routing.store.getState(),
		callOutput: parts.callOutput.getState(),
	};
}

/** The first obstacle, in the order a person would fix them; null when Start can work. */
export function startBlock(needs: StartNeeds): StartBlock | null {
	const { settings, account, sound } = needs;
	const problem = (one: Problem): StartBlock => ({ kind: 'problem', problem: one });
	const noKey = keyProblem(account);
	if (noKey) return problem(noKey);
	if (account.service === 'sandbox' && account.sandbox === 'failed') {
		return problem({ kind: 'sandbox-failed', reason: '' });
	}
	if (account.service === 'sandbox' && account.sandbox !== 'running') {
		return { kind: 'wait', what: 'sandboxStarting' };
	}
	const plan = planOf(choicesOf(settings));
	for (const choices of Object.values(plan)) {
		const wrong = choices && checkChoices(choices);
		if (wrong?.kind === 'language-missing' && isOneWay(settings))
			return problem({ kind: 'language-one-way' });
		if (wrong) return problem(wrong);
	}
	if (account.service === 'local') {
		const notHere = hereBlock(needs, plan);
		if (notHere) return notHere;
	}
	const noWay = wayBlock(needs);
	if (noWay) return problem(noWay);
	// Listening to other programs needs no microphone.
	if (!plan.outgoing) return null;
	if (sound.permission === 'denied') return problem({ kind: 'microphone-denied' });
	if (sound.listed && sound.microphones.length === 0) return problem({ kind: 'microphone-missing' });
	return null;
}

/** True if the mode translates in both directions but the user's language cannot be a target, or is detected. */
function isOneWay({ mode, speak }: Settings): boolean {
	const isBoth = mode === 'meeting' || mode === 'listen' || mode === 'face';
	return isBoth && speak !== '' && swap(speak, 'en-us') === null;
}

/** Why other programs cannot be heard, or why the call cannot hear us. Unknown state does not block Start. */
function wayBlock({ settings, systemSound, routing, callOutput }: StartNeeds): Problem | null {
	const { mode } = settings;
	if ((mode === 'meeting' || mode === 'listen') && systemSound.revision >= 0) {
		if (systemSound.problem) return systemSound.problem;
		if (systemSound.way === 'none') return { kind: 'system-sound-unsupported' };
	}
	const { state } = routing.virtualMicrophone;
	const hasNone = callOutput.to === 'nowhere' && callOutput.missing === '';
	if (mode === 'meeting' && routing.revision >= 0 && hasNone && state === 'unsupported')
		return { kind: 'virtual-microphone-unsupported' };
	return null;
}
