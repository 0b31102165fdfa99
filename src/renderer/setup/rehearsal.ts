import { createStore, type StoreApi } from 'zustand/vanilla';
import type { LegConversation } from '#renderer/conversation/conversation.ts';
import type { Mixer } from '#renderer/sound/mixer.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { Clock } from '#shared/lib/clock.ts';
import { createScope, type Scope } from '#shared/lib/scope.ts';
import type { Problem } from '#shared/problem.ts';

/** The stages of one phrase, in order. */
export const rehearsalSteps = ['connected', 'said', 'understood', 'translated', 'heard'] as const;
export type RehearsalStep = (typeof rehearsalSteps)[number];

export interface RehearsalView {
	readonly state: 'idle' | 'running' | 'passed' | 'failed';
	/** When each was reached, ms after Start for `connected`, after the phrase began for the others. */
	readonly reached: { readonly [Step in RehearsalStep]?: number };
	readonly understood: string;
	readonly translated: string;
	/** Why there was no conversation; null when it was connected and one step simply never came. */
	readonly problem: Problem | null;
}

/** Sends one known phrase through the whole real path, as if it had been spoken. Nothing of it is kept. */
export interface Rehearsal {
	readonly store: StoreApi<RehearsalView>;
	/** Resolves when it is over and its session was handed over for deletion. Does nothing while one runs. */
	run(choices: Choices): Promise<void>;
	/** Ends it now. Resolves likewise. */
	stop(): Promise<void>;
}

/** Limit for the whole rehearsal, because a conversation costs. */
const LONGEST_MS = 40_000;
/** Silence first, because recognition needs a moment to settle. */
const BEFORE_MS = 600;
const fresh: RehearsalView = { state: 'idle', reached: {}, understood: '', translated: '', problem: null };

export function createRehearsal(parts: {
	readonly clock: Clock;
	readonly conversation: Pick<LegConversation, 'store' | 'captions' | 'start' | 'stopNow'>;
	readonly mixer: Pick<Mixer, 'listen'>;
	/** Done before the conversation is started; resolves when it is done. */
	readonly prepare?: () => Promise<unknown>;
	/** Plays the phrase into the outgoing track; resolves when it has been played. False = it could not be. */
	readonly say: () => Promise<boolean>;
}): Rehearsal {
	const { clock, conversation, mixer, prepare, say } = parts;
	const store = createStore<RehearsalView>()(() => fresh);
	let scope: Scope | null = null;
	let under: Promise<void> | null = null;

	function reach(step: RehearsalStep, sinceMs: number): void {
		const { reached, state } = store.getState();
		if (state !== 'running' || step in reached) return;
		store.setState({ reached: { ...reached, [step]: Math.round(clock.now() - sinceMs) } });
	}

	/** How it ended; never rejects. */
	function perform(choices: Choices, own: Scope): Promise<Pick<RehearsalView, 'state' | 'problem'>> {
		return new Promise((done) => {
			const startedMs = clock.now();
			let saidMs: number | null = null;
			let speaking = false;
			/** Every step was reached, and the sentence was spoken to its end. */
			const settle = () => {
				const { reached } = store.getState();
				if (!speaking && rehearsalSteps.every((step) => step in reached)) {
					done({ state: 'passed', problem: null });
				}
			};
			const fail = (problem: Problem | null) => done({ state: 'failed', problem });
			own.add(() => fail(null));
			own.after(LONGEST_MS, () => fail(null));
			own.add(
				conversation.store.subscribe(({ phase, problem }) => {
					if (phase === 'failed') return fail(problem);
					if (phase !== 'live' || saidMs !== null) return;
					reach('connected', startedMs);
					saidMs = clock.now() + BEFORE_MS;
					own.after(BEFORE_MS, () => void speak());
				}),
			);
			async function speak(): Promise<void> {
				saidMs = clock.now();
				if (!(await say())) return fail(null);
				reach('said', saidMs);
				settle();
			}
			own.add(
				conversation.captions.store.subscribe(() => {
					const row = conversation.captions.row(0);
					const translation = row?.translations[0];
					if (saidMs === null || !row) return;
					if (row.source?.final) reach('understood', saidMs);
					if (translation?.final) reach('translated', saidMs);
					const understood = row.source?.text ?? '';
					store.setState({ understood, translated: translation?.text ?? '' });
					settle();
				}),
			);
			own.add(
				mixer.listen((event) => {
					if (event.type === 'blocked') return fail({ kind: 'output-blocked' });
					if (event.type !== 'voice-active' || saidMs === null) return;
					speaking = event.active;
					if (speaking) reach('heard', saidMs);
					settle();
				}),
			);
			conversation.start(choices);
		});
	}

	async function run(choices: Choices): Promise<void> {
		const own = createScope(clock);
		scope = own;
		store.setState({ ...fresh, state: 'running' }, true);
		if (prepare) await prepare();
		// Stopped meanwhile: nothing was started.
		if (own.closed) return store.setState({ state: 'failed' });
		const end = await perform(choices, own);
		own.close();
		await conversation.stopNow();
		store.setState(end);
	}

	return {
		store,
		async run(choices) {
			under ??= run(choices).finally(() => {
				under = null;
			});
			await under;
		},
		async stop() {
			scope?.close();
			await under;
		},
	};
}
