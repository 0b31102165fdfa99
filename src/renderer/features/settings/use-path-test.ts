import { useEffect, useRef, useState } from 'react';
import { useParts } from '#renderer/window/parts.ts';
import type { SoundDevice } from '#renderer/window/sound.ts';
import type { PathOutcome, PathStep } from '#shared/routing/path-outcome.ts';

export interface PathTestView {
	/** What is being done; null = nothing runs. */
	readonly step: PathStep | null;
	/** Outcome of the last test of this route; null = none yet. */
	readonly outcome: PathOutcome | null;
	run(): void;
	stop(): void;
}

/** The test of one route. Another route, or leaving the page, ends it and forgets its outcome. */
export function usePathTest(speaker: SoundDevice | null, microphone: string | null): PathTestView {
	const { sound } = useParts();
	const [step, setStep] = useState<PathStep | null>(null);
	const [outcome, setOutcome] = useState<PathOutcome | null>(null);
	const running = useRef<AbortController | null>(null);
	const id = speaker?.id;

	// biome-ignore lint/correctness/useExhaustiveDependencies: the way is what it depends on
	useEffect(
		() => () => {
			running.current?.abort();
			running.current = null;
			setStep(null);
			setOutcome(null);
		},
		[id, microphone],
	);

	async function run(): Promise<void> {
		if (running.current || !speaker || microphone === null) return;
		const abort = new AbortController();
		running.current = abort;
		const isMine = () => running.current === abort;
		setOutcome(null);
		const tell = (next: PathStep) => isMine() && setStep(next);
		const found = await sound.testPath({ speaker, microphone, signal: abort.signal, tell });
		if (!isMine()) return;
		running.current = null;
		setStep(null);
		setOutcome(found);
	}

	return {
		step,
		outcome,
		run: () => void run(),
		stop: () => running.current?.abort(),
	};
}
