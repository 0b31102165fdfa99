import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Conversation, LegConversation } from '#renderer/conversation/conversation.ts';
import {
	type ConversationView,
	idleView,
	isOver,
	type Notice,
} from '#renderer/conversation/conversation-store.ts';
import { countingIn, type TheirLanguage, withTheirs } from '#renderer/conversation/their-language.ts';
import { sameValue } from '#renderer/conversation/view.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createLegChange } from './leg-change.ts';
import { createMergedCaptions } from './merged-captions.ts';
import { type Failure, mergeViews, type Stage } from './merged-view.ts';

/** What each leg is to do; null: it does not run. */
export type LegPlan = { readonly [Name in LegName]: Choices | null };

/** One direction, for actions on it alone. */
export interface Leg {
	readonly name: LegName;
	/** Its state, its microphone (`setMuted`), its route (`backToWebrtc`). It is started and stopped by the facade. */
	readonly conversation: Conversation;
	/** `muted`: its voice is not played; captions and everything else go on. */
	readonly voice: StoreApi<{ readonly muted: boolean }>;
	muteVoice(muted: boolean): void;
	/** Tries again after it failed while the other went on. Nothing happens otherwise, nor while that is paused. */
	again(): void;
}

/**
 * Both directions as one conversation: one Start, one Stop, one state. The plan says which of them run; with one alone
 * this is that one. While both start, a failure of either ends both; once both were live, one that fails leaves the
 * other running. Earlier captions stay until they are live.
 */
export interface Legs extends Conversation {
	readonly outgoing: Leg;
	readonly incoming: Leg;
	/** Those of the running conversation, or of the next Start. */
	readonly names: StoreApi<readonly LegName[]>;
	readonly theirs: TheirLanguage;
}

export interface LegParts {
	readonly conversation: LegConversation;
	readonly muteVoice: (muted: boolean) => void;
}

export interface LegsParts {
	readonly legs: { readonly [Name in LegName]: LegParts };
	readonly clock: Pick<Clock, 'now'>;
	readonly planOf: (choices: Choices) => LegPlan;
	/** The legs that Start would run now. */
	readonly wanted: () => readonly LegName[];
	/** Calls back when they may have changed. Returns an unsubscribe function. */
	readonly listenWanted: (changed: () => void) => Cancel;
}

const notMuted = () => ({ muted: false });

export function createLegs(parts: LegsParts): Legs {
	const { legs, clock, planOf } = parts;
	const talks = { outgoing: legs.outgoing.conversation, incoming: legs.incoming.conversation };
	const captions = createMergedCaptions({
		outgoing: talks.outgoing.captions,
		incoming: talks.incoming.captions,
	});
	const voices = { outgoing: createStore(notMuted), incoming: createStore(notMuted) };
	const names = createStore<readonly LegName[]>()(() => parts.wanted());
	const store = createStore<ConversationView>()(() => idleView);
	const theirs = createStore<{ readonly corrected: string | null }>()(() => ({ corrected: null }));
	let plan: LegPlan = { outgoing: null, incoming: null };
	/** The choices the plan was made from. */
	let chosen: Choices | null = null;
	/** Of the running or last conversation. */
	let running: readonly LegName[] = [];
	let stage: Stage = 'over';
	let startedMs = 0;
	let failure: Failure | null = null;
	/** Of the last start. */
	let mode: Choices['mode'] = 'solo';
	let notice: { readonly leg: LegName; readonly value: Notice } | null = null;
	/** The legs are being changed one after the other: their events are handled afterwards. */
	let busy = false;
	const change = createLegChange(talks);

	const view = (leg: LegName): ConversationView => talks[leg].store.getState();
	const isLegOver = (leg: LegName): boolean => isOver(view(leg));
	const isIdle = (): boolean => legNames.every(isLegOver);
	/** The leg whose microphone is meant where there can be only one. */
	const main = (): LegName => (isIdle() ? parts.wanted()[0] : running[0]) ?? 'outgoing';

	function hear(leg: LegName, before: ConversationView): void {
		const now = view(leg);
		if (now.notice !== before.notice) {
			if (now.notice) notice = { leg, value: now.notice };
			else if (notice?.leg === leg) notice = otherNotice(leg);
		}
		settle(leg);
	}

	function otherNotice(leg: LegName): typeof notice {
		const other = running.find((name) => name !== leg && view(name).notice !== null);
		const value = other && view(other).notice;
		return other && value ? { leg: other, value } : null;
	}

	/** `changed`: the one whose state it is. */
	function settle(changed: LegName | null = null): void {
		if (busy) return;
		if (stage === 'starting') {
			const failed = running.find((leg) => view(leg).phase === 'failed');
			if (failed || running.some(isLegOver)) giveUp(failed ?? null);
			else if (running.every((leg) => view(leg).liveSinceMs !== null)) {
				stage = 'together';
				captions.release();
			}
		}
		if (stage === 'together' && running.every(isLegOver)) {
			stage = 'over';
			// Why nothing goes on any more: another may have failed long ago.
			failure = failureOf(changed && view(changed).phase === 'failed' ? changed : null);
		}
		change.settle();
		if (isIdle()) unmuteVoices();
		show();
	}

	/** What is typed or tried afterwards is heard with the same voice, without a switch of its own. */
	function unmuteVoices(): void {
		for (const leg of legNames) if (voices[leg].getState().muted) muteVoice(leg, false);
	}

	/** Nothing half-started remains. */
	function giveUp(failed: LegName | null): void {
		stage = 'over';
		failure = failureOf(failed);
		for (const leg of running) if (leg !== failed) void talks[leg].stopNow();
	}

	function failureOf(leg: LegName | null): Failure | null {
		const problem = leg && view(leg).problem;
		return leg && problem ? { leg, problem, mode } : null;
	}

	function show(): void {
		const next = merged();
		const before = store.getState();
		const keys = new Set([...Object.keys(next), ...Object.keys(before)]) as Set<keyof ConversationView>;
		if ([...keys].some((key) => !sameValue(next[key], before[key]))) store.setState(next, true);
		const nowRunning = isIdle() ? parts.wanted() : running;
		if (!sameValue(nowRunning, names.getState())) names.setState(nowRunning, true);
	}

	function merged(): ConversationView {
		const [only] = running;
		const muted = view(main()).muted;
		if (!only) return { ...idleView, muted };
		if (running.length === 1) {
			const own = view(only);
			// Taking a refused change back is a change of the leg, but none to show.
			return { ...own, muted, change: own.change === 'none' ? 'none' : change.state() };
		}
		const views = running.map((leg) => ({ leg, view: view(leg) }));
		const one = mergeViews({ legs: views, stage, failure, change: change.state() });
		return { ...one, muted, notice: notice?.value ?? null, noticeLeg: notice?.leg };
	}

	function each(run: (talk: LegConversation) => void): void {
		for (const leg of running) run(talks[leg]);
	}

	function start(choices: Choices): void {
		if (stage !== 'over') return;
		busy = true;
		// Cuts the tail of the last conversation, if any.
		for (const leg of legNames) if (!isLegOver(leg)) void talks[leg].stopNow();
		theirs.setState({ corrected: null });
		chosen = choices;
		plan = planOf(choices);
		mode = choices.mode;
		running = legNames.filter((leg) => plan[leg] !== null);
		startedMs = clock.now();
		stage = 'starting';
		failure = null;
		notice = null;
		change.forget();
		captions.hold();
		captions.show(running);
		// Where only one direction runs there is no switch to turn it on again.
		for (const leg of legNames) muteVoice(leg, false);
		// Face to face has one switch, that of the first leg: a mute left on the other could be neither seen nor undone.
		if (choices.mode === 'face') for (const leg of running.slice(1)) talks[leg].setMuted(false);
		for (const leg of running) {
			const own = plan[leg];
			if (own) talks[leg].start(own, { startedMs, again: false });
			if (view(leg).phase === 'failed') break;
		}
		busy = false;
		settle();
	}

	function again(leg: LegName): void {
		const own = plan[leg];
		if (stage !== 'together' || !running.includes(leg) || !isLegOver(leg) || !own) return;
		// It would listen although the person has paused.
		if (store.getState().paused) return;
		if (running.length > 1) talks[leg].start(own, { startedMs, again: true });
	}

	function muteVoice(leg: LegName, muted: boolean): void {
		legs[leg].muteVoice(muted);
		voices[leg].setState({ muted });
	}

	function changeTo(choices: Choices, wanted: string | null): void {
		const before = { plan, chosen, corrected: theirs.getState().corrected };
		const detected = planOf(choices);
		const corrected = countingIn(detected, wanted);
		chosen = choices;
		plan = withTheirs(detected, corrected);
		theirs.setState({ corrected });
		change.begin(
			running.filter((leg) => !isLegOver(leg)),
			{ before: before.plan, next: plan },
			() => {
				({ plan, chosen } = before);
				theirs.setState({ corrected: before.corrected });
			},
		);
		// Shown as waiting first, so that each change visibly has its own outcome.
		show();
		settle();
	}

	function correct(language: string | null): void {
		if (stage === 'over' || !chosen) return;
		const { corrected } = theirs.getState();
		if (countingIn(planOf(chosen), language) !== corrected) changeTo(chosen, language);
	}

	function legOf(name: LegName): Leg {
		return {
			name,
			conversation: talks[name],
			voice: voices[name],
			muteVoice: (muted) => muteVoice(name, muted),
			again: () => again(name),
		};
	}

	const ends = [
		...legNames.map((leg) => talks[leg].store.subscribe((_, before) => hear(leg, before))),
		parts.listenWanted(show),
	];
	show();

	return {
		store,
		captions,
		names,
		theirs: { store: theirs, correct },
		outgoing: legOf('outgoing'),
		incoming: legOf('incoming'),
		start,
		warm() {
			for (const leg of parts.wanted()) talks[leg].warm();
		},
		stop() {
			// Nobody awaits its end any more: the failure has been read.
			if (stage === 'over') failure = null;
			stage = 'over';
			busy = true;
			each((talk) => talk.stop());
			busy = false;
			settle();
		},
		async stopNow() {
			stage = 'over';
			busy = true;
			const stopped = legNames.map((leg) => talks[leg].stopNow());
			busy = false;
			settle();
			await Promise.all(stopped);
		},
		pause: () => each((talk) => talk.pause()),
		resume: () => each((talk) => talk.resume()),
		setMuted: (muted) => talks[main()].setMuted(muted),
		catchUp: () => each((talk) => talk.catchUp()),
		reconnect: () => each((talk) => talk.reconnect()),
		say: (typed) => talks[main()].say(typed),
		backToWebrtc: () => each((talk) => talk.backToWebrtc()),
		change(choices) {
			if (stage !== 'over') changeTo(choices, theirs.getState().corrected);
		},
		dismissNotice() {
			if (notice) talks[notice.leg].dismissNotice();
			else each((talk) => talk.dismissNotice());
		},
		async close() {
			for (const end of ends) end();
			await Promise.all(legNames.map((leg) => talks[leg].close()));
		},
	};
}
