import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParts } from '#renderer/window/parts.ts';
import { useUndo } from '#renderer/window/use-undo.ts';
import { isolate } from '#renderer/window/words/i18n.ts';
import type { VoiceEntry } from '#shared/host/voices.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

/** How long forgetting a voice can be undone. */
const UNDO_MS = 10_000;

/** What was just done, and its undo while there is one. */
export interface Said {
	readonly text: string;
	readonly undo?: () => void;
	/** The voice it says is on its way. */
	readonly begun?: string;
}

/** Actions on the voices of the list, and their outcome. */
export function useVoices() {
	const { t } = useTranslation();
	const { host, settings } = useParts();
	const [busy, setBusy] = useState<string | null>(null);
	const [problem, setProblem] = useState<Problem | null>(null);
	const [said, setSaid] = useState<Said | null>(null);
	const forgetting = useUndo(
		UNDO_MS,
		({ handle }: VoiceEntry) => handle,
		(entry) => forgetNow(entry, false),
	);

	async function run(handle: string, asked: Promise<Result<unknown, Problem>>): Promise<boolean> {
		setBusy(handle);
		setProblem(null);
		const answer = await asked;
		setBusy(null);
		if (!answer.ok) setProblem(answer.error);
		return answer.ok;
	}

	/** Languages that used it go back to the built-in voice. */
	async function forgetNow(entry: VoiceEntry, atService: boolean): Promise<boolean> {
		const gone = await run(entry.handle, host.ask('voice.forget', { handle: entry.handle, atService }));
		const { voices } = settings.store.getState().values;
		const kept = Object.entries(voices).filter(([, id]) => id !== entry.voiceId);
		if (gone && kept.length < Object.keys(voices).length)
			void settings.write({ voices: Object.fromEntries(kept) });
		return gone;
	}

	async function forget(entry: VoiceEntry, atService: boolean): Promise<void> {
		setSaid(null);
		if (!atService) forgetting.hold(entry);
		else if (await forgetNow(entry, true))
			setSaid({ text: t('voices.deleted', { name: isolate(entry.name) }) });
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

	const held: Said | null = forgetting.held && {
		text: t('voices.forgotten', { name: isolate(forgetting.held.name) }),
		undo: forgetting.takeBack,
	};
	return {
		busy,
		problem,
		said,
		/** Forgotten, unless that is undone. */
		held,
		isHidden: forgetting.isHidden,
		forget,
		rename,
		say: (text: string, begun?: string) => setSaid({ text, ...(begun && { begun }) }),
		dismiss: () => setProblem(null),
		cancel: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.cancel', { handle })),
		retry: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.retry', { handle })),
		refresh: ({ handle }: VoiceEntry) => void run(handle, host.ask('voice.refresh', { handle })),
	};
}
