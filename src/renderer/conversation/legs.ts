import { createStore, type StoreApi } from 'zustand/vanilla';
import { type Corrections, createTranscript } from '#renderer/captions/caption-view.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { type LegName, legNames } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import { AUTO } from '#shared/protocol/languages.ts';
import {
	type Conversation,
	type ConversationPhase,
	type ConversationView,
	idleView,
	isOver,
	type LegConversation,
	type Notice,
	sameValue,
	type WholeConversation,
} from './conversation.ts';

/** The phase furthest from live comes first, because the user waits for that one. */
const WORST_FIRST: readonly ConversationPhase[] = [
	'preparing',
	'connecting',
	'starting',
	'reconnecting',
	'switching',
	'live',
];

/** The choices for each direction; null: the direction does not run. */
export type LegPlan = { readonly [Name in LegName]: Choices | null };

/** One direction, for actions on it alone. */
export interface Leg {
	readonly name: LegName;
	/** The direction's state, microphone (`setMuted`) and route (`backToWebrtc`). `Legs` starts and stops it. */
	readonly conversation: Conversation;
	/** `muted`: the direction's voice is not played; captions and everything else continue. */
	readonly voice: StoreApi<{ readonly muted: boolean }>;
	muteVoice(muted: boolean): void;
	/** Tries again after this direction failed while the other continued. No effect otherwise, nor in a pause. */
	again(): void;
}

/**
 * Both directions as one conversation: one Start, one Stop, one state. The plan defines which of them run; a
 * single direction is passed through unchanged. While both start, a failure of either ends both; once both were
 * live, a failed direction leaves the other running. Earlier captions remain until the new conversation is live.
 */
export interface Legs extends WholeConversation {
	readonly outgoing: Leg;
	readonly incoming: Leg;
	/** The directions of the running conversation, or of the next Start. */
	readonly names: StoreApi<readonly LegName[]>;
	readonly theirs: TheirLanguage;
}

export interface LegParts {
	readonly conversation: LegConversation;
	readonly muteVoice: (muted: boolean) => void;
}

const notMuted = () => ({ muted: false });

export function createLegs(parts: {
	readonly legs: { readonly [Name in LegName]: LegParts };
	readonly clock: Pick<Clock, 'now' | 'wall'>;
	readonly planOf: (choices: Choices) => LegPlan;
	/** The directions that Start would run now. */
	readonly wanted: () => readonly LegName[];
	/** Calls back when `wanted` may have changed. Returns an unsubscribe function. */
	readonly listenWanted: (changed: () => void) => Cancel;
	/** Applied to all captions; absent: none. */
	readonly corrections?: Corrections;
}): Legs {
	const { legs, clock, planOf } = parts;
	const talks = { outgoing: legs.outgoing.conversation, incoming: legs.incoming.conversation };
	const voices = { outgoing: createStore(notMuted), incoming: createStore(notMuted) };
	const names = createStore<readonly LegName[]>()(() => parts.wanted());
	const store = createStore<ConversationView>()(() => idleView);
	const captions = createTranscript({
		legs: { outgoing: talks.outgoing.captions, incoming: talks.incoming.captions },
		conversation: { store },
		clock,
		corrections: parts.corrections,
	});
	const theirs = createStore<{ readonly corrected: string | null }>()(() => ({ corrected: null }));
	let plan: LegPlan = { outgoing: null, incoming: null };
	/** The choices from which the plan was made. */
	let chosen: Choices | null = null;
	/** The directions of the running or last conversation. */
	let running: readonly LegName[] = [];
	let stage: Stage = 'over';
	let startedMs = 0;
	let failure: Failure | null = null;
	/** True if all directions were live before the last one ended. */
	let wasTogether = false;
	/** The mode at the last start. */
	let mode: Choices['mode'] = 'solo';
	let notice: { readonly leg: LegName; readonly value: Notice } | null = null;
	/** The directions are being changed one after the other; their events are handled afterwards. */
	let busy = false;
	const change = createLegChange(talks);

	const view = (leg: LegName): ConversationView => talks[leg].store.getState();
	const isLegOver = (leg: LegName): boolean => isOver(view(leg));
	const isIdle = (): boolean => legNames.every(isLegOver);
	/** The direction whose microphone is used where only one is possible. */
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

	/** `changed`: the direction whose state has changed. */
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
			wasTogether = true;
			// Use the failure of the direction that stopped last: the other may have failed long ago.
			failure = failureOf(changed && view(changed).phase === 'failed' ? changed : null);
		}
		change.settle();
		if (isIdle()) unmuteVoices();
		show();
	}

	/** Unmutes the voices: typed texts and tried voices use the same output, and have no switch to unmute it. */
	function unmuteVoices(): void {
		for (const leg of legNames) if (voices[leg].getState().muted) muteVoice(leg, false);
	}

	/** Stops all directions, so that nothing half-started remains. */
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
			// Rolling back a refused change is a change for the direction, but not one to show.
			return { ...own, muted, change: own.change === 'none' ? 'none' : change.state() };
		}
		const views = running.map((leg) => ({ leg, view: view(leg) }));
		const one = mergeViews({ legs: views, stage, failure, change: change.state() });
		return { ...one, muted, notice: notice?.value ?? null, noticeLeg: notice?.leg };
	}

	function each(run: (talk: LegConversation) => void): void {
		for (const leg of running) run(talks[leg]);
	}

	/** `goesOn`: continues the conversation that failed. */
	function start(choices: Choices, goesOn = false): void {
		if (stage !== 'over') return;
		busy = true;
		// Cut the tail of the last conversation, if any.
		for (const leg of legNames) if (!isLegOver(leg)) void talks[leg].stopNow();
		theirs.setState({ corrected: null });
		chosen = choices;
		plan = planOf(choices);
		mode = choices.mode;
		running = legNames.filter((leg) => plan[leg] !== null);
		if (!goesOn) startedMs = clock.now();
		stage = goesOn ? 'together' : 'starting';
		wasTogether = false;
		failure = null;
		notice = null;
		change.forget();
		if (!goesOn) captions.hold();
		captions.show(running);
		unmute(choices);
		for (const leg of running) {
			const own = plan[leg];
			if (own) talks[leg].start(own, { startedMs, again: goesOn });
			if (view(leg).phase === 'failed') break;
		}
		busy = false;
		settle(running.find((leg) => view(leg).phase === 'failed'));
	}

	/** Unmutes what the user could not unmute in this mode. */
	function unmute({ mode }: Choices): void {
		// With only one direction, its voice has no mute switch.
		for (const leg of legNames) muteVoice(leg, false);
		// Face-to-face mode has only the first direction's switch:
		// a mute left on the other could be neither seen nor undone.
		if (mode === 'face') for (const leg of running.slice(1)) talks[leg].setMuted(false);
	}

	function tryAgain(choices: Choices, isMoved = false): void {
		const isSame = wasTogether && choices.mode === mode;
		const isOver = (leg: LegName) => view(leg).phase === 'failed' || (isMoved && isLegOver(leg));
		start(choices, isSame && running.every(isOver));
	}

	function again(leg: LegName): void {
		const own = plan[leg];
		if (stage !== 'together' || !running.includes(leg) || !isLegOver(leg) || !own) return;
		// Otherwise the direction would listen although the user has paused.
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
		// Show the change as waiting first, so that each change visibly has its own outcome.
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
		tryAgain,
		prepare() {
			for (const leg of parts.wanted()) talks[leg].prepare();
		},
		stop() {
			// The conversation was already over, so the user has read its failure.
			if (stage === 'over') failure = null;
			stage = 'over';
			busy = true;
			each((talk) => talk.stop());
			busy = false;
			settle();
		},
		async stopNow() {
			wasTogether = stage === 'together';
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

interface Plans {
	readonly before: { readonly [Name in LegName]: Choices | null };
	readonly next: { readonly [Name in LegName]: Choices | null };
}

interface Open extends Plans {
	readonly legs: readonly LegName[];
	readonly refused: () => void;
	/** True if this change began while another one was still open. */
	readonly isSecond: boolean;
}

/** A change of languages, voices or pace for both directions: both apply it, or neither keeps it. */
function createLegChange(talks: { readonly [Name in LegName]: LegConversation }) {
	let open: Open | null = null;
	let outcome: ConversationView['change'] = 'none';

	function settle(): void {
		if (!open) return;
		const { legs, before, refused, isSecond } = open;
		const states = legs.map((leg) => talks[leg].store.getState().change);
		if (states.includes('waiting')) return;
		open = null;
		outcome = states.includes('refused') ? 'refused' : 'applied';
		if (outcome !== 'refused') return;
		refused();
		for (const leg of legs) {
			const old = before[leg];
			// The direction that refused has rolled back, but to the earlier open change only if that was
			// confirmed. One that was not live yet applied it without an answer.
			if (old && (isSecond || talks[leg].store.getState().change !== 'refused')) talks[leg].change(old);
		}
	}

	return {
		/** `refused` is called when a direction refuses the change, before the others are rolled back. */
		begin(legs: readonly LegName[], plans: Plans, refused: () => void): void {
			// If an earlier change is still open, roll back to the state before that one.
			const earlier = open;
			const before = earlier?.before ?? plans.before;
			const { next } = plans;
			const concerned = legs.filter(
				(leg) => earlier?.legs.includes(leg) || !sameJson(before[leg], next[leg]),
			);
			outcome = 'waiting';
			open = null;
			for (const leg of concerned) {
				const own = next[leg];
				if (own) talks[leg].change(own);
			}
			const isSecond = earlier !== null;
			open = { before, next, legs: concerned, refused: earlier?.refused ?? refused, isSecond };
		},
		/** Call this when a direction may have changed its state. */
		settle,
		state: (): ConversationView['change'] => outcome,
		/** Call this for another conversation. */
		forget(): void {
			open = null;
			outcome = 'none';
		},
	};
}

function sameJson(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

interface LegView {
	readonly leg: LegName;
	readonly view: ConversationView;
}

interface Failure {
	readonly leg: LegName;
	readonly problem: Problem;
	readonly mode: Choices['mode'];
}

/** `starting`: not all directions were live yet. `together`: all were. `over`: stopped or never started. */
type Stage = 'starting' | 'together' | 'over';

interface Together {
	/** The views, the most important first, for fields that can show only one direction. */
	readonly legs: readonly LegView[];
	/** With `over` no direction keeps running. */
	readonly stage: Stage;
	readonly failure: Failure | null;
	readonly change: ConversationView['change'];
}

/** One view of both directions, without notices; leaves out a failed one while the other runs. */
function mergeViews({ legs, stage, failure, change }: Together): ConversationView {
	const [main] = legs;
	const muted = main?.view.muted ?? false;
	const active = legs.filter(({ view }) => !isOver(view));
	if (failure) {
		const { problem, leg: problemLeg, mode: problemMode } = failure;
		return { ...idleView, muted, phase: 'failed', problem, problemLeg, problemMode };
	}
	const [first] = active;
	if (!first) return { ...idleView, muted };
	if (stage === 'over') {
		return { ...idleView, muted, phase: 'ending', tail: active.some(({ view }) => view.tail) };
	}
	const views = active.map(({ view }) => view);
	const worst =
		WORST_FIRST.map((phase) => views.find((view) => view.phase === phase)).find((view) => view) ?? first.view;
	const latest = views.reduce((one, other) => ((other.delayMs ?? -1) > (one.delayMs ?? -1) ? other : one));
	const oldest = views.reduce((one, other) => (ageOf(other) < ageOf(one) ? other : one));
	return {
		phase: worst.phase,
		awaiting: worst.awaiting,
		recovering: worst.recovering,
		paused: views.every((view) => view.paused),
		muted,
		problem: null,
		notice: null,
		// A conversation of two directions is live once both are.
		liveSinceMs: stage === 'starting' ? null : oldest.liveSinceMs,
		interpretedMs: oldest.interpretedMs,
		countingSinceMs: oldest.countingSinceMs,
		travel: first.view.travel,
		change,
		delayMs: latest.delayMs,
		usualDelayMs: latest.usualDelayMs,
		voiceActive: views.some((view) => view.voiceActive),
		tail: false,
	};
}

/** Sort key: the direction that went live first comes first; one that is not live yet comes last. */
function ageOf({ liveSinceMs }: ConversationView): number {
	return liveSinceMs ?? Number.POSITIVE_INFINITY;
}

/** Overrides the detected language of the other people with the user's choice. */
interface TheirLanguage {
	/** The language set by the user; null = as detected. Lasts until the next Start, while it is a candidate. */
	readonly store: StoreApi<{ readonly corrected: string | null }>;
	/** Sets which candidate the others speak from now on; null = detect again. Does nothing without detection. */
	correct(language: string | null): void;
}

/** The correction, if it applies to this plan: it must be one of the candidates. */
function countingIn({ incoming }: LegPlan, corrected: string | null): string | null {
	if (corrected === null || incoming?.speak !== AUTO) return null;
	return incoming.detectable.includes(corrected) ? corrected : null;
}

/** The plan with the other people's language fixed, or unchanged without a correction. */
function withTheirs(plan: LegPlan, corrected: string | null): LegPlan {
	if (corrected === null || plan.incoming === null) return plan;
	return { ...plan, incoming: { ...plan.incoming, speak: corrected } };
}
