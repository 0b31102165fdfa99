import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Conversation } from '#renderer/conversation/conversation.ts';
import { isRunning, isUnderWay } from '#renderer/conversation/live-changes.ts';
import type { Host } from '#renderer/host.ts';
import { expectPorts, type StreamPorts, type StreamPortsReceiver } from '#renderer/transport/stream-ports.ts';
import { RecordingDown } from '#shared/host/recording.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Problem } from '#shared/problem.ts';
import { type ConversationRecorder, RECORDED_HZ } from './conversation-recorder.ts';

/** `armed`: a file was chosen, and recording begins with the next conversation. */
export interface RecordingView {
	readonly state: 'off' | 'asking' | 'armed' | 'recording';
	/** Zero of the recording's clock, monotonic ms; null unless it is recording. */
	readonly sinceMs: number | null;
	/** Path of the last or the next recording; empty = none yet. */
	readonly path: string;
	/** Why the last recording ended early; the sound recorded before that is kept. */
	readonly problem: Problem | null;
	/** True if the recording has ended, and the window shows that. */
	readonly saved: boolean;
}

/** A recording of the conversation, with the consent of its participants. */
export interface RecordingPart {
	readonly store: StoreApi<RecordingView>;
	/** Call when the user has confirmed that all agree. Asks for the file; records now, or from the next Start. */
	begin(suggestedName: string): Promise<void>;
	end(): Promise<void>;
	dismiss(): void;
}

const off: RecordingView = { state: 'off', sinceMs: null, path: '', problem: null, saved: false };

/** Runs a recording: main writes the file, the recorder sends sound, the conversation starts and ends it. */
export function createRecording(parts: {
	readonly host: Pick<Host, 'ask'>;
	readonly receiver: StreamPortsReceiver;
	readonly clock: Clock;
	readonly conversation: Pick<Conversation, 'store'>;
	readonly recorder: Pick<ConversationRecorder, 'start' | 'stop'>;
}): RecordingPart & { lost(): void } {
	const { host, receiver, clock, conversation, recorder } = parts;
	const store = createStore<RecordingView>()(() => off);
	/** When Start was pressed: zero for the captions, and for a recording that waited for it. */
	let startedMs = clock.now();
	let held: { readonly stream: string; readonly ports: StreamPorts } | null = null;

	function start(sinceMs: number): void {
		if (!held) return;
		store.setState({ state: 'recording', sinceMs });
		recorder.start(held.ports.capture, sinceMs);
	}

	async function finish(problem: Problem | null): Promise<void> {
		const ended = held;
		if (!ended) return;
		held = null;
		const { state } = store.getState();
		if (state === 'recording') await recorder.stop();
		const written = await host.ask('recording.end', { stream: ended.stream });
		ended.ports.control.close();
		const failure = problem ?? (written.ok ? null : written.error);
		store.setState({ state: 'off', sinceMs: null, problem: failure, saved: state === 'recording' });
	}

	conversation.store.subscribe(({ phase, liveSinceMs }, before) => {
		if (isRunning(phase) && !isRunning(before.phase)) startedMs = clock.now();
		// Begin only when live: a failed Start would leave a silent file,
		// and the next conversation would not be recorded.
		if (liveSinceMs !== null && before.liveSinceMs === null && store.getState().state === 'armed')
			start(startedMs);
		// The rest of the voice after Stop still belongs to the recording.
		const isOver = isUnderWay(before.phase) && !isUnderWay(phase);
		if (isOver && store.getState().state === 'recording') void finish(null);
	});

	return {
		store,
		async begin(suggestedName) {
			if (store.getState().state !== 'off') return;
			store.setState({ ...off, state: 'asking' });
			const stream = crypto.randomUUID();
			const toCome = expectPorts({ receiver, clock }, stream);
			const begun = await host.ask('recording.begin', { stream, suggestedName, rateHz: RECORDED_HZ });
			const ports = begun.ok && begun.value !== null ? await toCome.wait() : null;
			if (!begun.ok || begun.value === null || !ports) {
				toCome.refuse();
				store.setState({ ...off, problem: begun.ok ? null : begun.error });
				return;
			}
			ports.voice.close();
			ports.control.onmessage = ({ data }) => {
				const told = RecordingDown.safeParse(data);
				if (told.success) void finish(told.data.problem);
			};
			held = { stream, ports };
			store.setState({ state: 'armed', path: begun.value });
			const { phase, liveSinceMs } = conversation.store.getState();
			if (isRunning(phase) && liveSinceMs !== null) start(clock.now());
		},
		end: () => finish(null),
		lost: () => void finish({ kind: 'storage-failed', what: store.getState().path }),
		dismiss: () => store.setState({ saved: false, problem: null }),
	};
}
