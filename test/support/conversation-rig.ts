import { createConversation, type Travel } from '#renderer/conversation/controller.ts';
import { answerClosing, reportPhase } from '#renderer/conversation/follow-conversation.ts';
import type { SocketOptions } from '#renderer/conversation/performer.ts';
import type { Unsent } from '#renderer/conversation/unsent-speech.ts';
import type { Host } from '#renderer/host.ts';
import type { MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { MixerEvent } from '#renderer/sound/mixer.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import { dueMs, step } from '#shared/conversation/machine/succession.ts';
import type { Announcement, AnnouncementName } from '#shared/host/contract.ts';
import { type Logger, silentLogger } from '#shared/lib/log.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createManualClock } from './manual-clock.ts';
import {
	createScriptedTransport,
	type ScriptedTransport,
	type TransportScript,
} from './scripted-transport.ts';

const { mode, speak, detectable, hear, voiceOf, voices, glossaries, preset, expert } = defaultSettings;
export const choices: Choices = {
	mode,
	speak,
	detectable,
	hear,
	voiceOf,
	voices,
	glossaries,
	preset,
	expert,
};

/** Faults around the conversation; delays in ms. */
export interface RigScript {
	log: Partial<Logger>;
	microphoneMs: number;
	microphone: Problem | null;
	sessionMs: number;
	/** One per `session.open`, in order; after the last, all succeed. */
	sessions: (Problem | null)[];
	/** One per room, in order; the last one for all that follow. */
	rooms: Partial<TransportScript>[];
	/** One per socket, in order; the last one for all that follow. */
	sockets: Partial<TransportScript>[];
	travel: Travel;
	/** How long a deletion takes, ms. */
	deletionMs: number;
	/** Keeps what a service does not hear. */
	unsent: Pick<Unsent, 'keeps' | 'lost' | 'settle' | 'fromMs'> | null;
}

const isInUse = ({ state }: ScriptedTransport) => state === 'open' || state === 'opening';

/** A conversation with fake parts under manual time. Counts what is open. */
export function createRig(given: Partial<RigScript> = {}) {
	const script: RigScript = {
		log: {},
		microphoneMs: 20,
		microphone: null,
		sessionMs: 100,
		sessions: [],
		rooms: [{}],
		sockets: [{}],
		travel: { route: 'webrtc', mayFallBack: false },
		deletionMs: 0,
		unsent: null,
		...given,
	};
	const clock = createManualClock();
	const rooms: ScriptedTransport[] = [];
	const sockets: { readonly link: ScriptedTransport; readonly atMs: number; readonly besides: number }[] = [];
	const wishes: SocketOptions[] = [];
	const asked: { readonly name: string; readonly input: unknown; readonly atMs: number }[] = [];
	const listeners = new Map<AnnouncementName, Set<(payload: never) => void>>();
	const open = new Set<string>();
	let sessions = 0;
	let live = false;
	let generation = 0;
	let muted = false;
	let microphoneHeard: (event: MicrophoneEvent) => void = () => {};
	let mixerHeard: (event: MixerEvent) => void = () => {};
	const mixerCalls: string[] = [];
	const originals: (MediaStreamTrack | null)[] = [];

	function later<Value>(ms: number, value: () => Value): Promise<Value> {
		return new Promise((done) => clock.after(ms, () => done(value())));
	}

	async function answer(name: string, input: unknown): Promise<Result<unknown, Problem>> {
		asked.push({ name, input, atMs: clock.now() });
		if (name === 'session.open') {
			const problem = script.sessions[sessions] ?? null;
			sessions += 1;
			const handle = `session-${sessions}`;
			return await later(script.sessionMs, () => {
				if (problem) return { ok: false, error: problem };
				open.add(handle);
				return { ok: true, value: { handle, webrtcUrl: 'wss://room.test', publisher: 'token' } };
			});
		}
		if (name === 'session.close') {
			const { handle } = input as { handle: string };
			if (script.deletionMs === 0) open.delete(handle);
			else await later(script.deletionMs, () => open.delete(handle));
		}
		return { ok: true, value: undefined };
	}

	const host: Host = {
		ask: (name, input) => answer(name, input) as Promise<Result<never, Problem>>,
		listen(name, heard) {
			const known = listeners.get(name) ?? new Set();
			listeners.set(name, known);
			known.add(heard as (payload: never) => void);
			return () => void known.delete(heard as (payload: never) => void);
		},
	};

	const microphone = {
		async open(): Promise<Result<MediaStreamTrack, Problem>> {
			const mine = generation;
			return await later(script.microphoneMs, () => {
				if (mine !== generation) return { ok: false, error: { kind: 'cancelled' } };
				if (script.microphone) return { ok: false, error: script.microphone };
				live = true;
				return { ok: true, value: { kind: 'audio', id: `track-${generation}` } as MediaStreamTrack };
			});
		},
		setMuted(next: boolean) {
			muted = next;
		},
		close() {
			generation += 1;
			live = false;
		},
		listen(heard: (event: MicrophoneEvent) => void) {
			microphoneHeard = heard;
			return () => {};
		},
	};

	const mixer = {
		setVoice: (language: string, track: MediaStreamTrack | null) =>
			void mixerCalls.push(`voice ${language} ${track?.id ?? 'none'}`),
		selectVoice: (language: string | null) => void mixerCalls.push(`select ${language}`),
		setOriginal: (track: MediaStreamTrack | null) => void originals.push(track),
		cut: () => void mixerCalls.push('cut'),
		resumeVoice: () => void mixerCalls.push('resume'),
		clear: () => void mixerCalls.push('clear'),
		listen(heard: (event: MixerEvent) => void) {
			mixerHeard = heard;
			return () => {};
		},
	};

	let quiet: ((ms: number) => void) | null = null;
	let networkBack = () => {};
	const conversation = createConversation({
		host,
		clock,
		log: { ...silentLogger, ...script.log },
		microphone,
		mixer,
		random: () => 0.5,
		succession: async () => ({
			step,
			dueMs,
			keepVoice: (track) => ({ track, waits: () => false, letGo() {}, close() {} }),
			pauses(_track, heard) {
				quiet = heard;
				return () => {
					if (quiet === heard) quiet = null;
				};
			},
		}),
		listenNetwork(back) {
			networkBack = back;
			return () => {};
		},
		travel: () => script.travel,
		...(script.unsent && { unsent: script.unsent }),
		createSocketTransport(wish) {
			wishes.push(wish);
			const known = script.sockets[sockets.length] ?? script.sockets.at(-1);
			const link = createScriptedTransport(clock, { kind: 'websocket', ...known });
			const inUse = [...rooms, ...sockets.map((one) => one.link)].filter(isInUse);
			sockets.push({ link, atMs: clock.now(), besides: open.size + inUse.length });
			return link;
		},
		createTransport() {
			const room = createScriptedTransport(clock, script.rooms[rooms.length] ?? script.rooms.at(-1));
			rooms.push(room);
			return room;
		},
	});

	function announce<Name extends AnnouncementName>(name: Name, payload: Announcement<Name>) {
		for (const heard of listeners.get(name) ?? []) heard(payload as never);
	}

	reportPhase(conversation, host);
	answerClosing(conversation, host);

	return {
		clock,
		script,
		microphone,
		conversation,
		rooms,
		/** Each with the time when it was made and the number of sessions and links then. */
		sockets,
		wishes,
		socket(): ScriptedTransport {
			const last = sockets.at(-1);
			if (!last) throw new Error('no socket was opened');
			return last.link;
		},
		asked,
		mixerCalls,
		/** The tracks to play as the original, in order. */
		originals,
		/** Names of the requests to main, in order. */
		calls: () => asked.map(({ name }) => name),
		room(): ScriptedTransport {
			const last = rooms.at(-1);
			if (!last) throw new Error('no room was opened');
			return last;
		},
		view: () => conversation.store.getState(),
		/** Open resources that cost money or can be heard. */
		open: () => ({
			sessions: open.size,
			rooms: [...rooms, ...sockets.map(({ link }) => link)].filter(isInUse).length,
			microphone: live,
		}),
		created: () => sessions,
		isMuted: () => muted,
		/** Whether anything is listening for pauses. */
		watchesPauses: () => quiet !== null,
		/** Reports that nothing was said for `ms`. */
		pausesFor: (ms: number) => quiet?.(ms),
		/** The operating system has a network again. */
		networkBack: () => networkBack(),
		announce,
		sessionLost(handle: string, cause: string) {
			announce('session.lost', { handle, problem: { kind: 'session-lost', cause } });
		},
		sleepFor(ms: number) {
			announce('power.changed', { event: 'suspend' });
			clock.sleep(ms);
			announce('power.changed', { event: 'resume' });
		},
		microphoneSays: (event: MicrophoneEvent) => microphoneHeard(event),
		mixerSays: (event: MixerEvent) => mixerHeard(event),
		/** Start pressed, and everything goes well. */
		async goLive() {
			conversation.start(choices);
			await clock.run(5000);
			if (conversation.store.getState().phase !== 'live')
				throw new Error(conversation.store.getState().phase);
		},
	};
}

export async function liveRig(given: Partial<RigScript> = {}) {
	const rig = createRig(given);
	await rig.goLive();
	return rig;
}

export const nothingOpen = { sessions: 0, rooms: 0, microphone: false };
