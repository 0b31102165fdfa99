import { createStore } from 'zustand/vanilla';
import type { Transport } from '#renderer/transport/transport.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { BY_ROUTE } from '#shared/conversation/machine/attempt.ts';
import type { Effect, Event, Plan } from '#shared/conversation/machine/events.ts';
import { initialState } from '#shared/conversation/machine/state.ts';
import { dueMs, runOf, step } from '#shared/conversation/machine.ts';
import { buildTask, checkChoices } from '#shared/conversation/task-builder.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { createScope } from '#shared/lib/scope.ts';
import { createAbsence } from './absence.ts';
import { createCaptions } from './captions.ts';
import type { LegConversation } from './conversation.ts';
import { type ConversationView, idleView, type Notice } from './conversation-store.ts';
import { createGauge } from './gauge.ts';
import { createIntake } from './intake.ts';
import { createLinks, type LinkNews } from './links.ts';
import { isSilence, sameAgain } from './notice.ts';
import type { ConversationParts } from './parts.ts';
import { createPerformer } from './performer.ts';
import { createPowerWatch } from './power-watch.ts';
import { createTyped } from './typed.ts';
import { sameValue, viewOf } from './view.ts';
import { createVoices } from './voices.ts';

/** A transport leaves within 2 s; main answers when the deletion is safely its own. */
const CLOSE_LIMIT_MS = 3000;

/** Runs the machine's effects and feeds their outcome back as events; decides nothing. */
export function createConversation(parts: ConversationParts): LegConversation {
	const { host, clock, log, microphone, mixer } = parts;
	const random = parts.random ?? Math.random;
	const scope = createScope(clock);
	const store = createStore<ConversationView>(() => idleView);
	const captions = createCaptions(parts.journal, parts.leg);
	const voices = createVoices(mixer);
	const gauge = createGauge();
	const intake = createIntake({ clock, log, repeated: cameAgain });
	const typed = createTyped({
		clock,
		captions: { ...captions, type: (text) => captions.type(text, elapsedMs()) },
		acknowledges: () => state.stage.name === 'live' && state.stage.link.acknowledges,
		send: (command) => dispatch({ type: 'say', command }),
	});
	const absence = createAbsence(clock, (ms) => captions.lose(ms, elapsedMs()));
	const waiting: Event[] = [];
	let stepping = false;
	let state = initialState;
	/** When Start was pressed: zero of the conversation's clock. */
	let startedMs = 0;
	let notice: Notice | null = null;
	let cancelTick: Cancel = () => {};
	let missing = false;
	const performer = createPerformer({
		...parts,
		absence,
		voices,
		links: createLinks({ clock, log, tell: hearLink }),
		dispatch,
	});

	/** One event at a time, also when an effect causes the next one. */
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
		show();
	}

	function take(event: Event): void {
		const before = state;
		const next = step(state, event, { nowMs: clock.now(), random: random() });
		state = next.state;
		absence.observe(before, state);
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
			notice = { kind: 'problem', problem: { kind: 'socket-off', socket: 's2s' } };
		if (run === null && known !== null) settleDown();
		if (state.stage.name === 'live' && isSilence(notice)) notice = null;
	}

	/** Nothing more will come of this conversation. */
	function settleDown(): void {
		typed.lost({ kind: 'cancelled' });
		captions.finish();
		mixer.clear();
		gauge.reset();
		intake.finish();
	}

	/** What an effect means for captions, gauge and notices. */
	function observe(effect: Effect): void {
		if (effect.do === 'notify') notice = sameAgain(notice, effect.notice);
		if (effect.do === 'skip-voice') gauge.skipped();
		if (effect.do === 'close-link') typed.lost({ kind: 'connection-lost', reason: 'closed' });
		if (effect.do === 'send') typed.left(effect.command);
		if (effect.do !== 'send' || effect.command.message_type !== 'set_task') return;
		intake.expectAnswer();
		// A task after NOT_FOUND is a new one: its ids may come again.
		if (missing) captions.newStream(elapsedMs());
		missing = false;
	}

	function hearLink(id: number, news: LinkNews): void {
		switch (news.type) {
			case 'opened':
				captions.newStream(elapsedMs());
				gauge.otherSession();
				return void dispatch({ type: 'link-opened', id });
			case 'failed':
				return void dispatch({ type: 'link-failed', id, problem: news.problem });
			case 'stats': {
				const {
					packetsSent: sent,
					packetsReceived: received,
					pathAnswers: answers,
					jitterBufferMs,
				} = news.stats;
				gauge.second(jitterBufferMs);
				return void dispatch({ type: 'packets', id, sent, received, answers });
			}
			case 'heard':
				return void hearTransport(id, news.event);
		}
	}

	function hearTransport(id: number, event: Parameters<Parameters<Transport['listen']>[0]>[0]): void {
		switch (event.type) {
			case 'voice':
				return void voices.came(event.language, event.track);
			case 'voice-gone':
				return void voices.went(event.language);
			case 'speech-lost':
				return void loseSpeech(event.ms);
			case 'message':
				return void hearMessage(id, event.message);
			case 'link':
				switch (event.link.state) {
					case 'up':
						return void dispatch({ type: 'link-up', id });
					case 'restoring':
						return void dispatch({ type: 'link-restoring', id, cause: event.link.cause });
					case 'down':
						return void dispatch({ type: 'link-down', id, problem: event.link.problem });
				}
		}
	}

	/** Marked where it is missing, and said in the notice with everything that was lost in a row. */
	function loseSpeech(ms: number): void {
		absence.told(ms);
		captions.lose(ms, elapsedMs());
		const before = notice?.kind === 'speech-lost' ? notice.ms : 0;
		notify({ kind: 'speech-lost', ms: before + ms });
	}

	function hearMessage(id: number, message: (Event & { type: 'message' })['message']): void {
		if (message.type === 'transcript') {
			const change = captions.receive(message, elapsedMs());
			if (change) gauge.caption(change, captions.row(change.row), elapsedMs());
			if (message.kind === 'source' && notice?.kind === 'silent-microphone') notice = null;
		}
		if (message.type === 'queue-level')
			gauge.queue(message.levels, runOf(state.stage)?.plan.choices ?? null, elapsedMs());
		if (message.type === 'error' && message.code === 'NOT_FOUND') missing = true;
		// Also when nobody knew that the one before was gone.
		if (message.type === 'task-status' && message.event === 'started') captions.newStream(elapsedMs());
		if (canSay() && typed.hear(message, isSettled())) return;
		if (intake.admit(message)) dispatch({ type: 'message', id, message });
	}

	function canSay(): boolean {
		return state.stage.name === 'live' && !state.stage.run.paused;
	}

	/** No change of the task awaits its answer. */
	function isSettled(): boolean {
		return state.stage.name === 'live' && state.stage.work.is === 'running';
	}

	function elapsedMs(): number {
		return clock.now() - startedMs;
	}

	/** The machine names the next moment at which time alone means something. */
	function schedule(): void {
		cancelTick();
		const due = dueMs(state);
		if (due === null || due === Infinity) return;
		cancelTick = clock.after(Math.max(1, due - clock.now()), () => dispatch({ type: 'tick' }));
	}

	function show(): void {
		const next: ConversationView = { ...viewOf(state), notice, delayMs: gauge.shownMs() };
		const before = store.getState();
		const keys = Object.keys(next) as (keyof ConversationView)[];
		if (keys.some((key) => !sameValue(next[key], before[key]))) store.setState(next, true);
	}

	function planOf(choices: Choices): Plan {
		const { route, mayFallBack } = parts.travel?.() ?? { route: 'webrtc', mayFallBack: false };
		const [task, socketTask] = [buildTask(choices, 'webrtc'), buildTask(choices, 'websocket')];
		return { choices, task, socketTask, route, mayFallBack };
	}

	function cameAgain(code: string, more: number): void {
		if (notice?.kind === 'service-warning' && notice.code === code)
			notify({ ...notice, times: (notice.times ?? 1) + more });
	}

	function notify(next: Notice): void {
		notice = next;
		show();
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

	scope.add(
		microphone.listen((event) => {
			switch (event.type) {
				case 'replaced':
					performer.replaceTrack(event.track);
					return void notify({ kind: 'microphone-switched', from: event.from, to: event.to });
				case 'lost':
					return void dispatch({ type: 'microphone-lost', problem: event.problem });
				case 'silent':
					return void notify({ kind: 'silent-microphone', device: event.device });
				case 'speaking-while-muted':
					return void notify({ kind: 'you-are-muted' });
			}
		}),
	);
	scope.add(
		mixer.listen((event) => {
			switch (event.type) {
				case 'voice-active':
					if (event.active) gauge.voiceBegan(elapsedMs());
					return void dispatch({ type: 'voice-active', active: event.active });
				case 'output-switched':
					return void notify({ kind: 'output-switched', from: event.from, to: event.to });
				case 'blocked':
					return void notify({ kind: 'problem', problem: { kind: 'output-blocked' } });
			}
		}),
	);
	scope.add(
		host.listen('session.lost', ({ handle, problem }) => dispatch({ type: 'session-lost', handle, problem })),
	);
	scope.add(host.listen('account.leaving', () => dispatch({ type: 'stop-now' })));
	scope.add(createPowerWatch({ host, clock, dispatch }));
	if (parts.listenNetwork) scope.add(parts.listenNetwork(() => dispatch({ type: 'network-back' })));

	return {
		store,
		captions,
		warm() {
			parts.preload?.();
			// By a socket there is no session, and one that is not needed counts against the plan.
			if ((parts.travel?.().route ?? 'webrtc') !== 'webrtc') return;
			void host.ask('session.warm', undefined);
			parts.ahead?.prepare();
		},
		start(choices, beside) {
			if (scope.closed || (runOf(state.stage) !== null && state.stage.name !== 'ending')) return;
			const problem = checkChoices(choices);
			if (problem) return void dispatch({ type: 'cannot-start', problem });
			parts.preload?.();
			notice = null;
			startedMs = beside?.startedMs ?? clock.now();
			if (beside?.again) captions.goOn(choices.mode);
			else captions.begin(choices.mode);
			mixer.resumeVoice();
			dispatch({ type: 'start', plan: planOf(choices) });
		},
		stop: () => dispatch({ type: 'stop' }),
		stopNow,
		pause: () => dispatch({ type: 'pause' }),
		resume: () => dispatch({ type: 'resume' }),
		setMuted(muted) {
			if (!muted && notice?.kind === 'you-are-muted') notice = null;
			dispatch({ type: 'set-muted', muted });
		},
		backToWebrtc: () => dispatch({ type: 'go-back' }),
		say(text) {
			if (!canSay()) return false;
			typed.say(text);
			return true;
		},
		catchUp: () => dispatch({ type: 'catch-up' }),
		change(choices) {
			if (runOf(state.stage) === null) return;
			// Seen as waiting first, so that each change is seen to have an outcome of its own.
			store.setState({ change: 'waiting' });
			const problem = checkChoices(choices);
			if (problem) notice = { kind: 'problem', problem };
			dispatch(problem ? { type: 'cannot-change' } : { type: 'change', plan: planOf(choices) });
		},
		dismissNotice() {
			notice = null;
			show();
		},
		async close() {
			await stopNow();
			scope.close();
		},
	};
}
