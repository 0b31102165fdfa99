import { commands, page } from 'vitest/browser';
import { systemClock } from '#renderer/system-clock.ts';
import { taskStatus } from '#sandbox/interpreter/messages.ts';
import type { SoundFrame } from '#shared/host/calls.ts';
import { PORTS } from '#shared/host/names.ts';
import type { ControlDown, ControlUp, StreamOpening, VoiceFrame } from '#shared/host/streams.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { ok } from '#shared/lib/result.ts';
import type { ClientMessage } from '#shared/protocol/client-message.ts';
import type { Settings } from '#shared/settings/schema.ts';
import { installProbe, type PageProbe } from '#stand-in/drive/page-probe.ts';
import { createFakeMedia } from './fake-media.ts';
import { createFakeWindow, type FakeMain } from './fake-window.ts';

const RATE_HZ = 24_000;
/** The window would take a longer step for a computer that was asleep, ms. */
const STEP_MS = 5000;
/** A session takes this long to open, ms. */
const OPENS_MS = 1500;

/** A socket that the window has opened, and the service at its other end. */
export interface ScriptedStream {
	/** The loudest sample of the microphone that came in the last `ms`, 0 to 1. */
	captured(ms: number): number;
	/** A sentence and its translations, all final, by language; a voice says the first translation for `voiceMs`. */
	say(id: string, texts: Readonly<Record<string, string>>, voiceMs?: number): void;
}

export interface ComposedWindow {
	/** Requests of the window, in order. */
	readonly asked: readonly (readonly [string, unknown])[];
	/** How many sockets were opened. */
	opened(): number;
	/** The newest open socket, or the newest that translates into this language. */
	stream(target?: string): ScriptedStream;
	/** The interpreter ends the session of the room. */
	endRoom(): Promise<void>;
	announce(name: string, payload: unknown): void;
	set(patch: Partial<Settings>): Promise<void>;
	/** Lets this much time pass, ms, in a moment. */
	skip(ms: number): Promise<void>;
	/** Loudness in front of the microphone, 0 to 1. */
	speak(loudness: number): void;
	/** Other programs play something for so long. */
	others(ms: number): void;
	/** The loudest sample that was played in the last `ms`, 0 to 1. */
	heard(ms: number): number;
}

/** Makes time pass as it does, except that a test may skip some of it with the function that is returned. */
function skippableTime(): (ms: number) => Promise<void> {
	interface Timer {
		readonly dueMs: number;
		readonly run: () => void;
		handle?: ReturnType<typeof setTimeout>;
	}
	const timers = new Set<Timer>();
	let skippedMs = 0;
	const now = () => performance.now() + skippedMs;
	function plan(timer: Timer): void {
		clearTimeout(timer.handle);
		const due = () => timers.delete(timer) && timer.run();
		timer.handle = setTimeout(due, Math.max(0, timer.dueMs - now()));
	}
	function after(delayMs: number, run: () => void): Cancel {
		const timer: Timer = { dueMs: now() + delayMs, run };
		timers.add(timer);
		plan(timer);
		return () => {
			timers.delete(timer);
			clearTimeout(timer.handle);
		};
	}
	function every(periodMs: number, run: () => void): Cancel {
		let cancel = after(periodMs, again);
		function again(): void {
			cancel = after(periodMs, again);
			run();
		}
		return () => cancel();
	}
	Object.assign(systemClock, { now, wall: () => Date.now() + skippedMs, after, every });
	return async (ms) => {
		for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) {
			skippedMs += Math.min(leftMs, STEP_MS);
			for (const timer of [...timers].sort((one, next) => one.dueMs - next.dueMs)) plan(timer);
			// Run the due timers, and let main answer their requests.
			await new Promise((done) => setTimeout(done, 10));
		}
	};
}

/** The sound of a voice: a tone. */
function tone(ms: number): Int16Array {
	return Int16Array.from({ length: (RATE_HZ * ms) / 1000 }, (_, at) => 12_000 * Math.sin(at / 9));
}

/** Hands the window the ports of a stream; returns their other ends. */
function givePorts(
	stream: string,
): readonly [control: MessagePort, capture: MessagePort, voice: MessagePort] {
	const channels = [new MessageChannel(), new MessageChannel(), new MessageChannel()] as const;
	const theirs = channels.map(({ port1 }) => port1);
	window.postMessage({ name: PORTS, note: { stream } }, location.origin, theirs);
	return [channels[0].port2, channels[1].port2, channels[2].port2];
}

interface OpenStream extends ScriptedStream {
	readonly id: string;
	readonly targets: () => readonly string[];
	readonly close: () => void;
}

/** A socket and its service, which does what it is asked and says what the test says. */
function serveStream(id: string): OpenStream {
	const [control, capture, voice] = givePorts(id);
	const captured: { readonly atMs: number; readonly peak: number }[] = [];
	let targets: readonly string[] = [];
	let status: 'running' | 'paused' = 'running';
	let chunks = 0;
	let sequence = 0;
	const tell = (down: ControlDown) => control.postMessage(down);
	function state(command: string, event: string): void {
		const message = { type: 'task-status', command, event, status, transcriptionId: null } as const;
		tell({ type: 'message', message });
	}
	function take(command: ClientMessage): void {
		switch (command.message_type) {
			case 'set_task':
				status = 'running';
				targets = command.data.pipeline.translations.map(({ target_language: target }) => target);
				state('set_task', 'started');
				break;
			case 'get_task':
				tell({ type: 'message', message: { type: 'current-task', status, targets: [...targets] } });
				break;
			case 'pause_task':
				status = 'paused';
				state('pause_task', 'paused');
				break;
			case 'end_task':
				tell({ type: 'message', message: { type: 'end-of-stream' } });
				break;
		}
	}
	control.onmessage = ({ data }: MessageEvent<ControlUp>) => {
		if (data.type === 'command') take(data.command);
	};
	capture.onmessage = ({ data }: MessageEvent<Int16Array>) => {
		captured.push({ atMs: performance.now(), peak: Math.max(...data.map(Math.abs)) / 32_768 });
	};
	const counting = setInterval(() => {
		chunks += 3;
		tell({ type: 'counts', chunksSent: chunks, chunksReceived: chunks, roundTripMs: 20 });
	}, 300);
	return {
		id,
		targets: () => targets,
		captured(ms) {
			const sinceMs = performance.now() - ms;
			return Math.max(0, ...captured.filter(({ atMs }) => atMs >= sinceMs).map(({ peak }) => peak));
		},
		say(transcriptionId, texts, voiceMs = 0) {
			for (const [at, [language, text]] of Object.entries(texts).entries()) {
				const kind = at === 0 ? 'source' : 'translation';
				const whole = { type: 'transcript', final: true, partId: '0', startS: null, endS: null } as const;
				tell({ type: 'message', message: { ...whole, kind, transcriptionId, language, text } });
			}
			const language = Object.keys(texts)[1] ?? '';
			for (let fromMs = 0; fromMs < voiceMs; fromMs += 100) {
				const last = fromMs + 100 >= voiceMs;
				const part = { language, transcriptionId, partId: '0', sequence, last };
				sequence += 1;
				voice.postMessage({ ...part, samples: tone(100) } satisfies VoiceFrame);
			}
		},
		close() {
			clearInterval(counting);
			for (const port of [control, capture, voice]) port.close();
		},
	};
}

/**
 * The window as `main.tsx` builds it, over a scripted main process and service. There is one in a test file, used by all of its
 * tests in turn, as a person uses one window for many conversations.
 */
export async function composeWindow(settings: Partial<Settings>): Promise<ComposedWindow> {
	const skip = skippableTime();
	const media = createFakeMedia([
		{ kind: 'audioinput', id: 'm1', label: 'Desk microphone' },
		{ kind: 'audiooutput', id: 'o1', label: 'Loudspeakers' },
	]);
	const { getUserMedia, enumerateDevices } = media;
	Object.assign(navigator.mediaDevices, { getUserMedia, enumerateDevices });
	installProbe();
	const rooms = new Set<string>();
	const open = new Map<string, OpenStream>();
	let opened = 0;
	let others: MessagePort | null = null;

	/** A room of the sandbox, whose interpreter takes the task and says nothing by itself. */
	async function openRoom() {
		await new Promise((done) => setTimeout(done, OPENS_MS));
		const { id, ...access } = await commands.sandboxRoom('current');
		rooms.add(id);
		void takeTasks(id);
		return ok({ handle: id, ...access });
	}

	async function takeTasks(room: string): Promise<void> {
		let taken = 0;
		while (rooms.has(room)) {
			const came = await commands.sandboxRoomDo(room).catch(() => []);
			const tasks = came.filter((command) => JSON.parse(command).message_type === 'set_task');
			if (tasks.length > taken) {
				taken = tasks.length;
				await commands.sandboxRoomDo(room, { publish: ['es'] });
				await commands.sandboxRoomDo(room, { say: taskStatus('set_task', 'started', 'running') });
			}
			await new Promise((done) => setTimeout(done, 50));
		}
	}

	const scripted = {
		'stream.open'({ stream }: StreamOpening) {
			opened += 1;
			open.set(stream, serveStream(stream));
			return ok();
		},
		'stream.close'({ stream }: { readonly stream: string }) {
			open.get(stream)?.close();
			open.delete(stream);
			return ok();
		},
		'system-sound.open'({ stream }: { readonly stream: string }) {
			others = givePorts(stream)[2];
			return ok();
		},
		'session.open': openRoom,
		async 'session.close'({ handle }: { readonly handle: string }) {
			if (rooms.delete(handle)) await commands.sandboxRoomDo(handle, { stop: true });
			return ok();
		},
	};
	const { parts, asked, announce } = createFakeWindow({
		settings,
		account: { speechSocket: true },
		answers: scripted as FakeMain['answers'] & {},
	});
	const { ask, listen } = parts.host;
	Object.defineProperty(window, 'dragoman', { value: { ask, listen } });
	document.body.innerHTML = '<div id="root"></div>';
	await page.viewport(1100, 800);
	await import('#renderer/main.tsx');
	return {
		asked,
		opened: () => opened,
		stream(target) {
			const found = [...open.values()].findLast(
				({ targets }) => target === undefined || targets().some((one) => one.split('-')[0] === target),
			);
			if (!found) throw new Error('no such socket is open');
			return found;
		},
		async endRoom() {
			for (const room of rooms) await commands.sandboxRoomDo(room, { end: true });
		},
		announce,
		async set(patch) {
			const written = await ask('settings.write', patch);
			if (written.ok) announce('settings.changed', written.value);
		},
		skip,
		speak: media.setLoudness,
		others(ms) {
			for (let fromMs = 0; fromMs < ms; fromMs += 100) {
				const frame = { from: 1, samples: tone(100) } satisfies SoundFrame;
				setTimeout(() => others?.postMessage(frame), fromMs);
			}
		},
		heard: (ms) => (window as unknown as { __probe: PageProbe }).__probe.level('heard', ms),
	};
}
