import { createStore } from 'zustand/vanilla';
import { createCaptions } from '#renderer/captions/caption-view.ts';
import type { HistoryWriter } from '#renderer/captions/history-writer.ts';
import type { Host } from '#renderer/host.ts';
import type { Microphone } from '#renderer/sound/microphone.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { Transport } from '#renderer/transport/transport.ts';
import { createTyped } from '#renderer/typing/typed-text-queue.ts';
import { type Choices, lessOf } from '#shared/conversation/choices.ts';
import { BY_ROUTE } from '#shared/conversation/machine/attempt.ts';
import type { Effect, Event, Plan, Route } from '#shared/conversation/machine/events.ts';
import { SHORT_SLEEP_MS } from '#shared/conversation/machine/live.ts';
import { initialState, placeOf, type State } from '#shared/conversation/machine/state.ts';
import { dueMs, linkOf, runOf, step } from '#shared/conversation/machine.ts';
import { buildTask, checkChoices } from '#shared/conversation/task-builder.ts';
import type { SessionGrant } from '#shared/host/contract.ts';
import type { LegName } from '#shared/leg-name.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import {
	type ConversationView,
	createNoticeSlot,
	idleView,
	isSilence,
	type LegConversation,
	type NoticeSlot,
	sameAgain,
	sameValue,
	viewOf,
} from './conversation.ts';
import { createGauge, type Gauge } from './delay.ts';
import { createAbsence, type LostSpeech, SHORTEST_MS } from './lost-speech.ts';
import { createPerformer, type Performer, type SocketOptions } from './performer.ts';
import type { Succession } from './succession.ts';
import { createIntake, createTransportEvents, createTransports } from './transports.ts';
import type { MarkLost, Unsent } from './unsent-speech.ts';
import { createVoiceSelection } from './voice-selection.ts';

interface ConversationParts {
	readonly host: Host;
	readonly clock: Clock;
	readonly log: Logger;
	readonly createTransport: (grant: SessionGrant) => Transport;
	/** Absent: there are no sockets. */
	readonly createSocketTransport?: (options: SocketOptions) => Transport;
	/** The preferred route; default: a room, without a socket as fallback. */
	readonly travel?: () => Travel;
	readonly microphone: Pick<Microphone, 'open' | 'setMuted' | 'close' | 'listen'>;
	readonly mixer: Pick<
		Mixer,
		'setVoice' | 'selectVoice' | 'setOriginal' | 'cut' | 'resumeVoice' | 'listen' | 'clear'
	>;
	/** Loads the code that replaces a live session, once one is live; absent: sessions are not replaced. */
	readonly succession?: () => Promise<Succession>;
	/** Which direction of a conversation this is; default the outgoing one. */
	readonly leg?: LegName;
	/** Stores the captions; absent: nothing is stored. */
	readonly journal?: HistoryWriter;
	/** Keeps speech that a service did not hear, for interpreting on this computer; absent: it is lost. */
	readonly unsent?: Pick<Unsent, 'keeps' | 'lost' | 'settle' | 'fromMs'>;
	/** [0, 1), for back-off; default `Math.random`. */
	readonly random?: () => number;
	/** Loads what Start will need (the transport's library), ahead of time. Harmless to repeat. */
	readonly preload?: () => void;
	/** Calls back when the operating system reports a network again. Returns an unsubscribe function. */
	readonly listenNetwork?: (back: () => void) => Cancel;
}

export interface Travel {
	readonly route: Route;
	/** True if a socket may take over and its address is known. */
	readonly mayFallBack: boolean;
	/** True if a socket could take over but its address is not known. */
	readonly socketOff?: boolean;
	/** True if this computer interprets. */
	readonly isHere?: boolean;
}

const ROOM_ONLY: Travel = { route: 'webrtc', mayFallBack: false };
const BEAT_MS = 5000;

/** A transport disconnects within 2 s; main answers once it has taken over the deletion. */
const CLOSE_LIMIT_MS = 3000;

/** Runs the machine's effects and feeds their outcome back as events; decides nothing. */
export function createConversation(parts: ConversationParts): LegConversation {
	const { host, clock, log, mixer } = parts;
	const random = parts.random ?? Math.random;
	const store = createStore<ConversationView>(() => idleView);
	const captions = createCaptions(parts.journal, parts.leg);
	const voices = createVoiceSelection(
		mixer,
		(track, changed) => succession?.keepVoice(track, changed) ?? null,
	);
	const gauge = createGauge();
	const intake = createIntake({ clock, log, repeated: cameAgain });
	const typed = createTyped({
		clock,
		captions: { ...captions, type: (text) => captions.type(text, elapsedMs()) },
		acknowledges: () => linkOf(state.stage)?.acknowledges ?? false,
		send: (command) => dispatch({ type: 'say', command }),
	});
	const absence = createAbsence(clock, lose);
	const waiting: Event[] = [];
	let succession: Succession | null = null;
	let isLoading = false;
	let stepping = false;
	/** True if the current event started to join a room. */
	let isJoining = false;
	let cancelShow: Cancel = () => {};
	let state = initialState;
	/** When Start was pressed: zero of the conversation's clock. */
	let startedMs = 0;
	let cancelTick: Cancel = () => {};
	const notice = createNoticeSlot(show);
	const events = createTransportEvents({
		captions,
		voices,
		gauge,
		intake,
		typed,
		absence,
		notice,
		unsent: { keeps: () => parts.unsent?.keeps() ?? false, settle: () => parts.unsent?.settle() },
		lose,
		dispatch,
		nowMs: clock.now,
		elapsedMs,
		streamStartMs,
		choices: () => runOf(state.stage)?.plan.choices ?? null,
		// A socket that is being restored still delivers the answers to typed texts.
		isLive: () => linkOf(state.stage) !== null,
		placeOf: (id) => placeOf(state, id),
		isSettled: () => state.stage.name === 'live' && state.stage.work.is === 'running',
	});
	const performer = createPerformer({
		...parts,
		absence,
		voices,
		pauses: () => succession?.pauses ?? null,
		transports: createTransports({ clock, log, tell: events.transport }),
		dispatch,
	});
	const around = followSurroundings({ ...parts, performer, gauge, notice, dispatch, elapsedMs });

	/** Handles one event at a time, even if an effect causes the next one. */
	function dispatch(event: Event): void {
		waiting.push(event);
		if (stepping) return;
		stepping = true;
		try {
			for (let next = waiting.shift(); next; next = waiting.shift()) take(next);
		} finally {
			stepping = false;
		}
		schedule();
		cancelShow();
		// Show the state in a later task: React renders for 30 ms in a microtask, which would run before the
		// microtasks in which the library opens its socket. Start itself joins no room, so its caller (`legs.ts`)
		// sees the state at once.
		if (isJoining) cancelShow = clock.after(0, show);
		else show();
		isJoining = false;
	}

	function stepOne(event: Event) {
		const moment = { nowMs: clock.now(), random: random() };
		return succession ? succession.step(state, event, moment) : step(state, event, moment);
	}

	function take(event: Event): void {
		const before = state;
		const next = stepOne(event);
		state = next.state;
		absence.observe(before, state);
		if (isPaused(state) && !isPaused(before)) captions.cutOff();
		if (runOf(state.stage)?.paused) typed.paused();
		for (const effect of next.effects) {
			observe(effect);
			performer.perform(effect);
		}
		const run = runOf(state.stage);
		const known = runOf(before.stage);
		if (run && (run.plan !== known?.plan || run.wanted !== known.wanted)) {
			voices.expect(run.plan.choices, run.wanted?.choices ?? null);
		}
		if (state.stage.name === before.stage.name) return;
		log.info('conversation', { stage: state.stage.name });
		if (state.stage.name === 'failed') log.error('conversation failed', { kind: state.stage.problem.kind });
		if (state.stage.name === 'failed' && BY_ROUTE.has(state.stage.problem.kind) && parts.travel?.().socketOff)
			notice.set({ kind: 'problem', problem: { kind: 'socket-off', socket: 's2s' } });
		if (run === null && known !== null) settleDown();
		if (state.stage.name === 'live') becameLive();
	}

	function becameLive(): void {
		if (isSilence(notice.now())) notice.set(null);
		void loadSuccession();
	}

	/** Loaded only once needed; a failed load is tried again at the next start. */
	async function loadSuccession(): Promise<void> {
		if (succession || isLoading || !parts.succession) return;
		isLoading = true;
		succession = await parts.succession().catch(() => null);
		isLoading = false;
	}

	/** Cleans up after a conversation from which nothing more will arrive. */
	function settleDown(): void {
		// After a failure, this computer may continue and interpret what is kept.
		if (state.stage.name !== 'failed') parts.unsent?.settle();
		typed.lost({ kind: 'cancelled' });
		captions.finish();
		mixer.clear();
		gauge.reset();
		intake.finish();
	}

	function observe(effect: Effect): void {
		if (effect.do === 'open-link') isJoining = true;
		if (effect.do === 'notify') notice.set(sameAgain(notice.now(), effect.notice));
		if (effect.do === 'skip-voice') gauge.skipped();
		if (effect.do === 'close-link') typed.lost({ kind: 'connection-lost', reason: 'closed' });
		if (effect.do === 'take-over') events.begin(effect.id);
		if (effect.do === 'hand-over') events.handOver(effect.from, effect.to);
		if (effect.do === 'leave-link') events.left();
		if (effect.do === 'send') typed.left(effect.command);
		if (effect.do === 'send' && effect.command.message_type === 'set_task') events.taskSent();
	}

	function canSay(): boolean {
		return state.stage.name === 'live' && !state.stage.run.paused;
	}

	function elapsedMs(): number {
		return clock.now() - startedMs;
	}

	/** When the sound sent to the newest link begins; undefined: when the link was opened. */
	function streamStartMs(): number | undefined {
		const fromMs = parts.unsent?.fromMs() ?? null;
		return fromMs === null ? undefined : fromMs - startedMs;
	}

	function lose({ ms, untilMs, wasOff }: LostSpeech): void {
		const ofMs = startedMs;
		const mark: MarkLost = (fromMs = untilMs - ms, toMs = untilMs) => {
			const endMs = Math.min(untilMs, toMs);
			const lostMs = endMs - Math.max(untilMs - ms, fromMs);
			// Another conversation may have begun since.
			if (startedMs === ofMs && lostMs >= Math.min(ms, SHORTEST_MS)) captions.lose(lostMs, endMs - ofMs);
		};
		if (parts.unsent) parts.unsent.lost(mark, wasOff);
		else mark();
	}

	/** Schedules the next moment at which the machine must act because time has passed. */
	function schedule(): void {
		cancelTick();
		const due = (succession?.dueMs ?? dueMs)(state);
		if (due === null || due === Infinity) return;
		cancelTick = clock.after(Math.max(1, due - clock.now()), () => dispatch({ type: 'tick' }));
	}

	function show(): void {
		const measured = { delayMs: gauge.shownMs(), usualDelayMs: gauge.usualMs() };
		const next: ConversationView = { ...viewOf(state), notice: notice.now(), ...measured };
		const before = store.getState();
		const keys = Object.keys(next) as (keyof ConversationView)[];
		if (keys.some((key) => !sameValue(next[key], before[key]))) store.setState(next, true);
	}

	function planOf(choices: Choices): Plan {
		const { route, mayFallBack, isHere = false } = parts.travel?.() ?? ROOM_ONLY;
		const [task, socketTask] = [buildTask(choices, 'webrtc'), buildTask(choices, 'websocket')];
		const less = lessOf(choices);
		const without = less && { ...planOf(less.choices), lacks: less.lacks };
		return { choices, task, socketTask, route, mayFallBack, isHere, without };
	}

	function cameAgain(code: string, more: number): void {
		const before = notice.now();
		if (before?.kind === 'service-warning' && before.code === code)
			notice.say({ ...before, times: (before.times ?? 1) + more });
	}

	async function stopNow(): Promise<void> {
		dispatch({ type: 'stop-now' });
		await new Promise<void>((done) => {
			const cancel = clock.after(CLOSE_LIMIT_MS, done);
			void Promise.all([performer.closed(), parts.journal?.settled()]).then(() => {
				cancel();
				done();
			});
		});
	}

	return {
		store,
		captions,
		prepare() {
			parts.preload?.();
			// A socket needs no session, and an unused one would count against the plan.
			if ((parts.travel?.().route ?? 'webrtc') !== 'webrtc') return;
			void host.ask('session.prepare', undefined);
		},
		start(choices, beside) {
			if (around.closed || (runOf(state.stage) !== null && state.stage.name !== 'ending')) return;
			const problem = checkChoices(choices);
			if (problem) return void dispatch({ type: 'cannot-start', problem });
			parts.preload?.();
			notice.set(null);
			startedMs = beside?.startedMs ?? clock.now();
			if (beside?.again) captions.goOn(choices.mode);
			else captions.begin(choices.mode);
			mixer.resumeVoice();
			dispatch({ type: 'start', plan: planOf(choices), again: beside?.again === true });
		},
		stop: () => dispatch({ type: 'stop' }),
		stopNow,
		pause: () => dispatch({ type: 'pause' }),
		resume: () => dispatch({ type: 'resume' }),
		setMuted(muted) {
			if (!muted) notice.withdraw('you-are-muted');
			dispatch({ type: 'set-muted', muted });
		},
		backToWebrtc: () => dispatch({ type: 'go-back' }),
		say(text) {
			if (!canSay()) return false;
			typed.say(text);
			return true;
		},
		catchUp: () => dispatch({ type: 'catch-up' }),
		reconnect: () => dispatch({ type: 'reconnect' }),
		change(choices) {
			if (runOf(state.stage) === null) return;
			// Set the change to waiting first, so that each change visibly has its own outcome.
			store.setState({ change: 'waiting' });
			const problem = checkChoices(choices);
			if (problem) notice.set({ kind: 'problem', problem });
			dispatch(problem ? { type: 'cannot-change' } : { type: 'change', plan: planOf(choices) });
		},
		dismissNotice() {
			notice.set(null);
			show();
		},
		async close() {
			await stopNow();
			around.close();
		},
	};
}

/** True while the interpreter is paused. Until a pause is confirmed, the last sentence may still be finished. */
function isPaused({ stage }: State): boolean {
	if (!runOf(stage)?.paused) return false;
	return stage.name !== 'live' || stage.work.is === 'paused';
}

/** Reacts to events around a conversation: of the devices, the account, the computer and its network. */
function followSurroundings(
	parts: Pick<ConversationParts, 'host' | 'clock' | 'microphone' | 'mixer' | 'listenNetwork'> & {
		readonly performer: Pick<Performer, 'replaceTrack' | 'finalize'>;
		readonly gauge: Gauge;
		readonly notice: NoticeSlot;
		readonly dispatch: (event: Event) => void;
		/** Time since Start, ms. */
		readonly elapsedMs: () => number;
	},
): Scope {
	const { host, clock, microphone, mixer, performer, gauge, notice, dispatch } = parts;
	const scope = createScope(clock);
	scope.add(
		microphone.listen((event) => {
			switch (event.type) {
				case 'replaced':
					performer.replaceTrack(event.track);
					// The same device reopened with other settings needs no notice.
					if (event.from !== event.to)
						notice.say({ kind: 'microphone-switched', from: event.from, to: event.to });
					return;
				case 'lost':
					return void dispatch({ type: 'microphone-lost', problem: event.problem });
				case 'silent':
					return void notice.say({ kind: 'silent-microphone', device: event.device });
				case 'muted':
					return performer.finalize();
				case 'speaking-while-muted':
					return void notice.say({ kind: 'you-are-muted' });
			}
		}),
	);
	scope.add(
		mixer.listen((event) => {
			switch (event.type) {
				case 'voice-active':
					if (event.active) gauge.voiceBegan(parts.elapsedMs());
					return void dispatch({ type: 'voice-active', active: event.active });
				case 'output-switched':
					return void notice.say({ kind: 'output-switched', from: event.from, to: event.to });
				case 'blocked':
					return void notice.say({ kind: 'problem', problem: { kind: 'output-blocked' } });
				case 'voices':
					return;
			}
		}),
	);
	scope.add(
		host.listen('session.lost', ({ handle, problem }) => dispatch({ type: 'session-lost', handle, problem })),
	);
	scope.add(
		host.listen('session.expiring', ({ handle, leftMs }) =>
			dispatch({ type: 'session-expiring', handle, leftMs }),
		),
	);
	scope.add(host.listen('account.leaving', () => dispatch({ type: 'stop-now' })));
	scope.add(createPowerWatch({ host, clock, dispatch }));
	if (parts.listenNetwork) scope.add(parts.listenNetwork(() => dispatch({ type: 'network-back' })));
	return scope;
}

/**
 * Turns the system's sleep into `suspend` and `woke`. An unannounced sleep (a stopped process) shows as a beat
 * that comes far too late; only the monotonic clock is used for that, because the wall clock may be set while we
 * run. Returns a function that stops this.
 */
export function createPowerWatch({
	host,
	clock,
	dispatch,
}: {
	readonly host: Pick<Host, 'listen'>;
	readonly clock: Clock;
	readonly dispatch: (event: Event) => void;
}): Cancel {
	const scope = createScope(clock);
	let suspended: { readonly wallMs: number; readonly nowMs: number } | null = null;
	let beatMs = clock.now();

	scope.add(
		host.listen('power.changed', ({ event, atWallMs }) => {
			if (event === 'suspend') {
				// The message may have been delivered only after the sleep.
				suspended = { wallMs: atWallMs ?? clock.wall(), nowMs: clock.now() };
				dispatch({ type: 'suspend' });
			}
			if (event !== 'resume' || !suspended) return;
			// The monotonic clock may have slept too.
			const sleptMs = Math.max(clock.wall() - suspended.wallMs, clock.now() - suspended.nowMs);
			suspended = null;
			beatMs = clock.now();
			dispatch({ type: 'woke', sleptMs });
		}),
	);
	scope.every(BEAT_MS, () => {
		const lateMs = clock.now() - beatMs - BEAT_MS;
		beatMs = clock.now();
		if (suspended || lateMs < SHORT_SLEEP_MS) return;
		dispatch({ type: 'suspend' });
		dispatch({ type: 'woke', sleptMs: lateMs });
	});
	return () => scope.close();
}
