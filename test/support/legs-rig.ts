import { createLegJournals, type HistoryWriter } from '#renderer/captions/history-writer.ts';
import { legsOf, planOf } from '#renderer/conversation/choices.ts';
import { createConversation, type Travel } from '#renderer/conversation/controller.ts';
import { answerClosing, reportPhase } from '#renderer/conversation/follow-conversation.ts';
import { createLegs } from '#renderer/conversation/legs.ts';
import type { Host } from '#renderer/host.ts';
import type { MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { MixerEvent } from '#renderer/sound/mixer.ts';
import type { Choices } from '#shared/conversation/choices.ts';
import type { Announcement, AnnouncementName } from '#shared/host/contract.ts';
import type { LegName } from '#shared/leg-name.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { choices } from './conversation-rig.ts';
import { createManualClock } from './manual-clock.ts';
import { createScriptedTransport, type ScriptedTransport } from './scripted-transport.ts';

/** I speak English, they hear and speak Spanish. */
export const meeting: Choices = { ...choices, mode: 'meeting', speak: 'en', hear: ['es'], voiceOf: 'es' };

/** Faults, which a test may change during the run. */
export interface LegsScript {
	/** Sessions the plan allows at once. */
	limit: number;
	sessionMs: number;
	/** The room of this leg cannot be joined; a socket can. */
	broken: Set<LegName>;
	microphones: { [Name in LegName]: Problem | null };
	travel: { [Name in LegName]: Travel };
	journal?: HistoryWriter;
}

/** Both legs with a fake service each, one main process, and manual time. Counts what is open. */
export function createLegsRig(given: Partial<LegsScript> = {}) {
	const script: LegsScript = {
		limit: 2,
		sessionMs: 100,
		broken: new Set(),
		microphones: { outgoing: null, incoming: null },
		travel: {
			outgoing: { route: 'webrtc', mayFallBack: false },
			incoming: { route: 'webrtc', mayFallBack: false },
		},
		...given,
	};
	const clock = createManualClock();
	const listeners = new Map<AnnouncementName, Set<(payload: never) => void>>();
	const asked: { readonly name: string; readonly input: unknown }[] = [];
	const sessions = new Set<string>();
	let made = 0;
	let mode = meeting.mode;
	const links: { [Name in LegName]: ScriptedTransport[] } = { outgoing: [], incoming: [] };
	const microphones = { outgoing: false, incoming: false };
	const muted: { [Name in LegName]: boolean } = { outgoing: false, incoming: false };
	const voiceMuted: [LegName, boolean][] = [];
	const says: { [Name in LegName]: (event: MicrophoneEvent) => void } = {
		outgoing: () => {},
		incoming: () => {},
	};
	const plays: { [Name in LegName]: (event: MixerEvent) => void } = {
		outgoing: () => {},
		incoming: () => {},
	};

	async function answer(name: string, input: unknown): Promise<Result<unknown, Problem>> {
		asked.push({ name, input });
		if (name === 'session.open') {
			await new Promise<void>((done) => clock.after(script.sessionMs, done));
			if (sessions.size >= script.limit)
				return { ok: false, error: { kind: 'session-limit', detail: `${sessions.size}` } };
			const handle = `session-${++made}`;
			sessions.add(handle);
			return ok({ handle, webrtcUrl: 'wss://room.test', publisher: 'token' });
		}
		if (name === 'session.close') sessions.delete((input as { handle: string }).handle);
		return ok(undefined);
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
	const journals = script.journal && createLegJournals(script.journal);

	function link(leg: LegName, kind: 'webrtc' | 'websocket'): ScriptedTransport {
		const open = script.broken.has(leg) && kind === 'webrtc' ? 'never' : 'well';
		const made = createScriptedTransport(clock, { kind, open });
		links[leg].push(made);
		return made;
	}

	function build(leg: LegName) {
		let generation = 0;
		const conversation = createConversation({
			host,
			clock,
			log: silentLogger,
			leg,
			random: () => 0.5,
			...(journals && { journal: journals[leg] }),
			travel: () => script.travel[leg],
			createTransport: () => link(leg, 'webrtc'),
			createSocketTransport: () => link(leg, 'websocket'),
			microphone: {
				async open() {
					const mine = ++generation;
					await new Promise<void>((done) => clock.after(20, done));
					if (mine !== generation) return { ok: false, error: { kind: 'cancelled' } };
					const problem = script.microphones[leg];
					if (problem) return { ok: false, error: problem };
					microphones[leg] = true;
					return ok({ kind: 'audio', id: leg } as MediaStreamTrack);
				},
				setMuted(next) {
					muted[leg] = next;
				},
				close() {
					generation += 1;
					microphones[leg] = false;
				},
				listen(heard) {
					says[leg] = heard;
					return () => {};
				},
			},
			mixer: {
				setVoice() {},
				selectVoice() {},
				setOriginal() {},
				cut() {},
				resumeVoice() {},
				clear() {},
				listen(heard) {
					plays[leg] = heard;
					return () => {};
				},
			},
		});
		return { conversation, muteVoice: (on: boolean) => void voiceMuted.push([leg, on]) };
	}

	const wantedListeners = new Set<() => void>();
	const legs = createLegs({
		legs: { outgoing: build('outgoing'), incoming: build('incoming') },
		clock,
		planOf,
		wanted: () => legsOf(mode),
		listenWanted(changed) {
			wantedListeners.add(changed);
			return () => void wantedListeners.delete(changed);
		},
	});
	reportPhase(legs, host);
	answerClosing(legs, host);

	return {
		clock,
		script,
		legs,
		asked,
		links,
		muted,
		voiceMuted,
		view: () => legs.store.getState(),
		leg: (name: LegName) => legs[name].conversation.store.getState(),
		room(leg: LegName): ScriptedTransport {
			const last = links[leg].at(-1);
			if (!last) throw new Error(`no room of ${leg}`);
			return last;
		},
		/** Open resources that cost money or can be heard. */
		open: () => ({
			sessions: sessions.size,
			rooms: [...links.outgoing, ...links.incoming].filter(
				({ state }) => state === 'open' || state === 'opening',
			).length,
			microphones: Object.values(microphones).filter(Boolean).length,
		}),
		announce<Name extends AnnouncementName>(name: Name, payload: Announcement<Name>) {
			for (const heard of listeners.get(name) ?? []) heard(payload as never);
		},
		microphoneSays: (leg: LegName, event: MicrophoneEvent) => says[leg](event),
		mixerSays: (leg: LegName, event: MixerEvent) => plays[leg](event),
		setMode(next: Choices['mode']) {
			mode = next;
			for (const changed of wantedListeners) changed();
		},
		told: () => asked.filter(({ name }) => name === 'conversation.phase').map(({ input }) => input),
		async goLive(given: Choices = meeting) {
			legs.start(given);
			await clock.run(5000);
			if (legs.store.getState().phase !== 'live') throw new Error(legs.store.getState().phase);
		},
	};
}

export async function liveLegsRig(given: Partial<LegsScript> = {}) {
	const rig = createLegsRig(given);
	await rig.goLive();
	return rig;
}

export const allClosed = { sessions: 0, rooms: 0, microphones: 0 };
