import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParts } from '#renderer/window/parts.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** A forgotten voice can be had back for so long. */
const UNDO_MS = 10_000;

/** What was just done, and the way back while there is one. */
export interface Said {
	readonly text: string;
	readonly undo?: () => void;
}

/** What can be done with the voices of the list, and how it went. */
export function useVoices() {
	const { t } = useTranslation();
	const { host, clock, settings } = useParts();
	const [busy, setBusy] = useState<string | null>(null);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [said, setSaid] = useState<Said | null>(null);
	/** Hidden until it is forgotten for good. */
	const [leaving, setLeaving] = useState<string | null>(null);
	const pending = useRef<{ readonly entry: VoiceEntry; readonly cancel: Cancel } | null>(null);

	const run = useCallback(async (handle: string, asked: Promise<Result<unknown, Problem>>) => {
		setBusy(handle);
		setProblem(null);
		const answer = await asked;
		setBusy(null);
		if (!answer.ok) setProblem(answer.error);
		return answer.ok;
	}, []);

	/** Languages that used it go back to the built-in voice. */
	const forgetNow = useCallback(
		async (entry: VoiceEntry, atService: boolean) => {
			const gone = await run(entry.handle, host.ask('voice.forget', { handle: entry.handle, atService }));
			const { voices } = settings.store.getState().values;
			const kept = Object.entries(voices).filter(([, id]) => id !== entry.voiceId);
			if (gone && kept.length < Object.keys(voices).length)
				void settings.write({ voices: Object.fromEntries(kept) });
			return gone;
		},
		[host, run, settings],
	);

	/** Nobody asked for it back. */
	const settle = useCallback(async () => {
		const waiting = pending.current;
		if (!waiting) return;
		pending.current = null;
		waiting.cancel();
		setSaid(null);
		await forgetNow(waiting.entry, false);
		setLeaving(null);
	}, [forgetNow]);
	useEffect(() => () => void settle(), [settle]);

	async function forget(entry: VoiceEntry, atService: boolean): Promise<void> {
		await settle();
		const words = { name: isolate(entry.name) };
		if (atService) {
			if (await forgetNow(entry, true)) setSaid({ text: t('voices.deleted', words) });
			return;
		}
		pending.current = { entry, cancel: clock.after(UNDO_MS, () => void settle()) };
		setLeaving(entry.handle);
		setSaid({ text: t('voices.forgotten', words), undo: bringBack });
	}

	function bringBack(): void {
		pending.current?.cancel();
		pending.current = null;
		setLeaving(null);
		setSaid(null);
	}

	async function rename(entry: VoiceEntry, name: string): Promise<void> {
		const { handle } = entry;
		if (!(await run(handle, host.ask('voice.rename', { handle, name })))) return;
		const undo = () => {
			setSaid(null);
			void run(handle, host.ask('voice.rename', { handle, name: entry.name }));
		};
		setSaid({ text: t('voices.renamed', { name: isolate(name.trim()) }), undo });
	}

	return {
		busy,
		problem,
		said,
		leaving,
		forget,
		rename,
		say: (text: string) => setSaid({ text }),
		dismiss: () => setProblem(null),
		cancel: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.cancel', { handle })),
		retry: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.retry', { handle })),
		refresh: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.refresh', { handle })),
	};
}
